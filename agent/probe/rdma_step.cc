// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/rdma_step.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "agent/link/failure.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

constexpr seconds kRdmaTime{6};
constexpr seconds kTcpTime{2};

constexpr seconds kAcceptTime{1};

bool IsSilence(Refusal refusal) { return refusal == Refusal::kNoAnswer || refusal == Refusal::kUnresolved; }

}  // namespace

Knock::~Knock() {
  if (stream_) clock_->SleepUntil(clock_->Now() + kAcceptTime, {});
}

absl::Status Knock::At(const Endpoint& to, const ProbeTools& tools, const Patience& patience) {
  clock_ = patience.clock;
  auto stream = tools.connect_tcp(to, Within(patience, kTcpTime));
  if (stream.ok()) stream_ = std::move(*stream);
  const bool closed = FailureOf(stream.status()).kind == FailureKind::kRejected;
  return closed ? absl::OkStatus() : stream.status();
}

absl::Status KnockOnIwarp(const ProbeTarget& target, std::uint16_t port, const ProbeTools& tools,
                          const Patience& patience, Knock& knock) {
  if (!target.iwarp) return absl::OkStatus();
  const absl::Status status = knock.At({.address = target.address, .port = port}, tools, patience);
  const FailureKind kind = FailureOf(status).kind;
  const bool over = kind == FailureKind::kUnreachable || kind == FailureKind::kCancelled;
  return over ? status : absl::OkStatus();
}

bool ConnectByRdma(const ProbeTarget& target, const ProbeTools& tools, const MessageLink& link,
                   const std::function<absl::Status(const Patience&)>& connect, Walk& walk) {
  RdmaAnswers& rdma = walk.answers().rdma;
  rdma.local_iwarp = target.iwarp;
  return walk.Step(kStepRdmaConnect, kRdmaTime + kTcpTime, [&](const Patience& patience) {
    const auto port = static_cast<std::uint16_t>(walk.result().port_number);
    Knock knock;
    if (absl::Status status = KnockOnIwarp(target, port, tools, patience, knock); !status.ok()) {
      if (FailureOf(status).kind == FailureKind::kUnreachable) {
        rdma.refusal = {.kind = RdmaRefusal::Kind::kNoAnswer};
        rdma.tcp_answers = false;
      }
      return status;
    }
    const absl::Status status = connect(Within(patience, kRdmaTime));
    const Handshake& told = link.handshake();
    if (status.ok()) {
      knock.Accepted();
      walk.result().transport = link.facts().transport;
      rdma.ird = told.responder_resources;
      return status;
    }
    rdma.refusal = RefusalOf(told);
    if (IsSilence(told.refusal)) {
      Knock by_tcp;
      rdma.tcp_answers = by_tcp.At({.address = target.address, .port = port}, tools, patience).ok();
    }
    return status;
  });
}

}  // namespace rdmaready
