// SPDX-License-Identifier: Apache-2.0
// Pauses of a link partner, during a stress test.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/agent_wire.h"
#include "api/client/answer_bounds.h"
#include "api/client/beating.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr int kMostBursts = 100;
constexpr std::int64_t kMostBurstNs = 1'000'000'000;
constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kMostReasonBytes = 512;
constexpr milliseconds kMostPauses = std::chrono::minutes(3);

v1::SendPausesRequest RequestOf(const PauseOptions& options) {
  v1::SendPausesRequest request;
  request.mutable_port()->set_device(options.port.device);
  request.mutable_port()->set_number(options.port.number);
  request.mutable_port()->set_address(options.port.address);
  request.set_priority(options.priority);
  request.set_burst_ms(static_cast<std::uint32_t>(options.burst.count()));
  request.set_bursts(options.bursts);
  request.set_gap_ms(static_cast<std::uint32_t>(options.gap.count()));
  request.set_caller(options.caller);
  request.set_run_id(options.run_id);
  return request;
}

// An agent may say anything.
PauseAnswer AnswerOf(const v1::SendPausesEvent::Done& done) {
  PauseAnswer answer{.netdev = SafeLine(done.netdev(), kMostNameBytes),
                     .driver = SafeLine(done.driver(), kMostNameBytes),
                     .failure = SafeLine(done.failure(), kMostReasonBytes)};
  for (int i = 0; i < std::min(done.bursts_size(), kMostBursts); ++i) {
    const v1::PauseBurst& burst = done.bursts(i);
    answer.bursts.push_back({.frames = burst.frames(),
                             .paused_ns = std::clamp<std::int64_t>(burst.paused_ns(), 0, kMostBurstNs),
                             .ended = burst.ended()});
  }
  return answer;
}

}  // namespace

absl::StatusOr<PauseAnswer> AgentClient::SendPauses(const PauseOptions& options) {
  v1::SendPausesRequest request = RequestOf(options);
  const Beating beating(wire_->Says(), version_.limits_tests);
  request.set_beat(beating.word());
  grpc::ClientContext context;
  const milliseconds longest =
      std::clamp((options.burst + options.gap) * std::min(options.bursts, 100U), milliseconds(0), kMostPauses);
  context.set_deadline(DeadlineIn(options_.call_timeout + longest));
  const auto reader = wire_->stub->SendPauses(&context, request);
  std::optional<PauseAnswer> answer;
  AnswerBounds bounds;
  for (v1::SendPausesEvent event; reader->Read(&event);) {
    RR_RETURN_IF_ERROR(Take(bounds, event, context));
    if (event.has_done()) answer = AnswerOf(event.done());
  }
  const grpc::Status status = reader->Finish();
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED)
    return absl::UnimplementedError("host " + name_ + ": its agent is too old to send pauses");
  if (!status.ok()) return Explain(status);
  if (!answer) return absl::InternalError("host " + name_ + ": the agent sent no answer about its pauses");
  return *std::move(answer);
}

}  // namespace rdmaready
