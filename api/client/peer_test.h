// SPDX-License-Identifier: Apache-2.0
// A live transfer between two agents. They need no route to each other's gRPC port: the caller holds a stream
// to each and relays the control messages; only the RDMA traffic goes from host to host.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/client/agent_client.h"

namespace rdmaready {

struct PeerTest {
  std::string case_name{};
  PortSelection from_port{};  // initiator
  PortSelection to_port{};    // responder
  std::string caller{};
  std::string run_id{};
  TransferOptions options{};
  // The test is given up where it is not over then: the peer counts as unreachable. Zero: the case's own time.
  std::chrono::milliseconds patience{};
  // Called once, on a thread of the test, when all queue pairs are connected and before anything is sent; the
  // transfer waits for its answer. False: it is not made (kCancelled). Empty: it begins at once. Only for one
  // direction.
  std::function<bool()> at_start{};
};

struct PeerAnswer {
  TransferResult result{};  // the most that is known; failure.kind is kPeerGone when an agent went away
  std::optional<TransferResult> reverse{};  // the other way, when both were asked for and it is known
  std::vector<EndCounters> counters{};      // of the ends that gave a result, the initiator's first
  absl::Status from_status{};               // of the call to the initiator
  absl::Status to_status{};                 // of the call to the responder
  std::string from_store_error{};           // the result stands, but that agent could not keep it
  std::string to_store_error{};
};

// The reason where the agent of that host takes no part in stress tests.
std::string NoStress(const std::string& host);

// Whether an agent refused since another live test has the port ("port rxe0/1 is busy: WHO").
bool IsPortBusy(const absl::Status& refused);

// Blocks until both ends are done, one is gone, or the deadline of the case, or the caller's patience, has
// passed.
PeerAnswer RunPeerTest(AgentClient& from, AgentClient& to, const PeerTest& test);

}  // namespace rdmaready
