// SPDX-License-Identifier: Apache-2.0
// Probe: a storage server approached as its clients approach it, as far as it lets in who has no secret. A row
// of the table for each protocol. What comes of it is a value (api/model/probe.h); what that means is a
// check (checks/probe/probe.h).
//
// A probe begins its result (BeginProbe), makes the steps that all protocols share (kStepResolve,
// kStepRoute), and lets the row go on with the rest. A row bounds each step and all memory: servers may be
// hostile. Nothing stays connected behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/link/link.h"
#include "agent/probe/byte_stream.h"
#include "agent/probe/prover.h"
#include "agent/probe/walk.h"
#include "api/model/probe.h"

namespace rdmaready {

// Where the server is and how this host gets there.
struct ProbeTarget {
  std::string address{};          // numeric
  std::uint16_t port_number = 0;  // of the RDMA connection; 0: the protocol's own
  std::string local_address{};    // of the RDMA port; empty: none leads there, and RDMA is not tried
  bool iwarp = false;             // what that port speaks
  bool prove = false;             // also the steps of the proof
  std::string volume{};  // of the proof: a subsystem, a target, an export; empty: the first that is offered
};

// How the world is reached; a test gives others.
struct ProbeTools {
  LinkMaker make_link{};
  TcpConnector connect_tcp{};
  // The kernel's part of a proof (prover.h); what it needs besides what a row knows (the server as it was
  // named, the port's name) is filled in there. Only called where ProbeTarget::prove is set.
  std::function<void(KernelProof proof, Walk& walk)> prove{};
};

struct ProbeRow {
  Protocol protocol = Protocol::kUnknown;
  std::vector<std::string_view> steps{};  // after those of the frame
  void (*run)(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) = nullptr;
  std::vector<std::string_view> proof_steps{};  // after those, where a proof is asked for
};

std::span<const ProbeRow> AllProbes();

// Null when this release has no probe for it.
const ProbeRow* FindProbe(Protocol protocol);

// A result with all the steps of that walk, none of them reached.
ProbeResult BeginProbe(const ProbeRow& row, std::string target, bool prove = false);

}  // namespace rdmaready
