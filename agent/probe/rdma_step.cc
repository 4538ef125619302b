// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/rdma_step.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

constexpr seconds kRdmaTime{6};
constexpr seconds kTcpTime{2};

// An open port is an answer, and so is a closed one.
bool AnswersByTcp(const Endpoint& to, const ProbeTools& tools, const Patience& patience) {
  const auto stream = tools.connect_tcp(to, patience);
  return stream.ok() || FailureOf(stream.status()).kind == FailureKind::kRejected;
}

bool IsSilence(Refusal refusal) { return refusal == Refusal::kNoAnswer || refusal == Refusal::kUnresolved; }

}  // namespace

absl::Status CheckIwarpAddress(const ProbeTarget& target, std::uint16_t port, const ProbeTools& tools,
                               const Patience& patience) {
  if (!target.iwarp) return absl::OkStatus();
  const TimePoint soon = std::chrono::steady_clock::now() + kTcpTime;
  const auto stream =
      tools.connect_tcp({.address = target.address, .port = port},
                        {.deadline = std::min(patience.deadline, soon), .interrupted = patience.interrupted});
  const FailureKind kind = FailureOf(stream.status()).kind;
  const bool over = kind == FailureKind::kUnreachable || kind == FailureKind::kCancelled;
  return over ? stream.status() : absl::OkStatus();
}

bool ConnectByRdma(const ProbeTarget& target, const ProbeTools& tools, const MessageLink& link,
                   const std::function<absl::Status(const Patience&)>& connect, Walk& walk) {
  walk.Tell("local-iwarp", target.iwarp);
  return walk.Step(kStepRdmaConnect, kRdmaTime + kTcpTime, [&](const Patience& patience) {
    const auto port = static_cast<std::uint16_t>(walk.result().port_number);
    if (absl::Status status = CheckIwarpAddress(target, port, tools, patience); !status.ok()) {
      if (FailureOf(status).kind == FailureKind::kUnreachable) {
        walk.Tell("rdma-refusal", "no-answer");
        walk.Tell("tcp-answers", false);
      }
      return status;
    }
    const TimePoint soon = std::chrono::steady_clock::now() + kRdmaTime;
    const absl::Status status =
        connect({.deadline = std::min(patience.deadline, soon), .interrupted = patience.interrupted});
    const Handshake& told = link.handshake();
    if (status.ok()) {
      walk.result().transport = link.facts().transport;
      walk.Tell("rdma-ird", std::uint64_t{told.responder_resources});
      return status;
    }
    walk.Tell("rdma-refusal", RefusalText(told));
    if (IsSilence(told.refusal)) {
      const Endpoint to{.address = target.address, .port = port};
      walk.Tell("tcp-answers", AnswersByTcp(to, tools, patience));
    }
    return status;
  });
}

}  // namespace rdmaready
