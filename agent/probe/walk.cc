// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/walk.h"

#include <algorithm>

#include "agent/link/failure.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxValueBytes = 256;

bool HeardNothing(FailureKind kind) {
  return kind == FailureKind::kStalled || kind == FailureKind::kUnreachable;
}

}  // namespace

std::string RefusalText(const Handshake& handshake) {
  switch (handshake.refusal) {
    case Refusal::kNone:
      return "none";
    case Refusal::kNoDevice:
      return "no-device";
    case Refusal::kUnresolved:
      return "unresolved";
    case Refusal::kNoAnswer:
      return "no-answer";
    case Refusal::kNoListener:
      return "no-listener";
    case Refusal::kConsumer:
      return "consumer";
    case Refusal::kOther:
      return "reason " + std::to_string(handshake.reject_reason);
  }
  return "none";
}

bool Walk::Step(std::string_view name, std::chrono::milliseconds limit, const Make& make) {
  const auto step = std::ranges::find(result_.steps, name, &ProbeStep::name);
  if (step == result_.steps.end()) return false;
  if (watch_.interrupted && !watch_.interrupted().ok()) return false;
  const TimePoint begin = std::chrono::steady_clock::now();
  if (begin >= watch_.deadline) {
    TellTimeUp(name);
    return false;  // not tried is not failed
  }
  if (watch_.progress) watch_.progress(std::string(name));
  const Patience patience{.deadline = std::min(begin + limit, watch_.deadline),
                          .interrupted = watch_.interrupted};
  const absl::Status status = make(patience);
  step->outcome = status.ok() ? StepOutcome::kDone : StepOutcome::kFailed;
  step->failure = FailureOf(status);
  step->duration_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
  const bool cut = begin + limit > watch_.deadline && std::chrono::steady_clock::now() >= watch_.deadline;
  if (cut && HeardNothing(step->failure.kind)) TellTimeUp(name);
  return status.ok();
}

void Walk::TellTimeUp(std::string_view step) {
  if (std::ranges::find(result_.values, kValueTimeUp, &ProbeValue::name) == result_.values.end())
    Tell(kValueTimeUp, step);
}

void Walk::Tell(std::string_view name, std::string_view value) {
  const std::string text(value.substr(0, kMaxValueBytes));
  const auto known = std::ranges::find(result_.values, name, &ProbeValue::name);
  if (known == result_.values.end()) {
    result_.values.push_back({.name = std::string(name), .value = text});
  } else {
    known->value = text;
  }
}

}  // namespace rdmaready
