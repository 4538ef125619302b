// SPDX-License-Identifier: Apache-2.0
// Probe: what a storage server answered when it was approached as its clients approach it, step by step.
// Observations only; whether they make a host ready is a check (checks/probe/probe.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/probe_answers.h"
#include "api/model/transfer.h"

namespace rdmaready {

// Storage over RDMA.
enum class Protocol { kUnknown, kSmb, kNvme, kIser, kNfs };

enum class StepOutcome { kNotReached, kDone, kFailed };

struct ProbeStep {
  std::string name{};  // "tcp-connect", "rdma-connect", "smbd-negotiate": for ever
  StepOutcome outcome = StepOutcome::kNotReached;
  Failure failure{};  // why, when kFailed
  std::int64_t duration_ns = 0;

  bool operator==(const ProbeStep&) const = default;
  void Fields(auto& list) const {
    list("name", name, "outcome", outcome, "failure", failure, "duration_ns", duration_ns);
  }
};

// Who we are to the server. Neither logged nor stored; on the wire only where nobody else listens.
struct Credentials {
  std::string user_name{};
  std::string password{};
  std::string domain{};
};

struct ProbeResult {
  Protocol protocol = Protocol::kUnknown;
  std::string target{};            // as the caller named it
  std::string address{};           // numeric; empty when the name did not resolve
  std::uint32_t port_number = 0;   // of the RDMA connection
  std::string local_port{};        // "rxe0/1"; empty until the path is known
  std::string transport{};         // as TransferResult
  std::vector<ProbeStep> steps{};  // all of the walk, in order, those not reached too
  ProbeAnswers answers{};
  std::vector<TransferResult> transfers{};  // of a proof

  bool operator==(const ProbeResult&) const = default;
  void Fields(auto& list) const {
    list("protocol", protocol, "target", target, "address", address, "port_number", port_number, "local_port",
         local_port, "transport", transport, "steps", steps, "answers", answers, "transfers", transfers);
  }
};

}  // namespace rdmaready
