// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/link/failure.h"
#include "api/base/text.h"
#include "api/model/fields.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxAnswerBytes = 256;

// The texts in a value of that type, whatever it is.
void Cut(const TypeInfo& type, void* value) {
  if (type.form == TypeInfo::Form::kText) {
    auto& text = *static_cast<std::string*>(value);
    text.resize(std::min(text.size(), kMaxAnswerBytes));
  } else if (type.form == TypeInfo::Form::kStruct) {
    for (const FieldInfo& field : type.fields()) Cut(*field.type, MemberOf(value, field));
  } else if (type.element != nullptr) {
    for (std::size_t i = 0; i < type.size(value); ++i) Cut(*type.element, type.at(value, i));
  }
}

bool HeardNothing(FailureKind kind) {
  return kind == FailureKind::kStalled || kind == FailureKind::kUnreachable;
}

}  // namespace

RdmaRefusal RefusalOf(const Handshake& handshake) {
  using Kind = RdmaRefusal::Kind;
  switch (handshake.refusal) {
    case Refusal::kNone:
      return {.kind = Kind::kNone};
    case Refusal::kNoDevice:
      return {.kind = Kind::kNoDevice};
    case Refusal::kUnresolved:
      return {.kind = Kind::kUnresolved};
    case Refusal::kNoAnswer:
      return {.kind = Kind::kNoAnswer};
    case Refusal::kNoListener:
      return {.kind = Kind::kNoListener};
    case Refusal::kConsumer:
      return {.kind = Kind::kConsumer};
    case Refusal::kOther:
      return {.kind = Kind::kReason, .reason = static_cast<std::uint64_t>(handshake.reject_reason)};
  }
  return {.kind = Kind::kNone};
}

void CutTexts(ProbeAnswers& answers) { Cut(TypeOf<ProbeAnswers>(), &answers); }

bool Walk::Step(std::string_view name, std::chrono::milliseconds limit, const Make& make) {
  const auto step = std::ranges::find(result_.steps, name, &ProbeStep::name);
  if (step == result_.steps.end()) return false;
  if (watch_.interrupted && !watch_.interrupted().ok()) return false;
  const TimePoint begin = watch_.clock->Now();
  if (begin >= watch_.deadline) {
    TellTimeUp(name);
    return false;  // not tried is not failed
  }
  if (watch_.progress) watch_.progress(std::string(name));
  Patience patience{.deadline = std::min(begin + limit, watch_.deadline),
                    .interrupted = watch_.interrupted,
                    .clock = watch_.clock};
  if (watch_.limit_bytes_per_s > 0) patience.pace = [this](std::uint64_t bytes) { return Pace(bytes); };
  const absl::Status status = make(patience);
  step->outcome = status.ok() ? StepOutcome::kDone : StepOutcome::kFailed;
  step->failure = FailureOf(status);
  step->duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(watch_.clock->Now() - begin).count();
  const bool cut = begin + limit > watch_.deadline && watch_.clock->Now() >= watch_.deadline;
  if (cut && HeardNothing(step->failure.kind)) TellTimeUp(name);
  return status.ok();
}

absl::Status Walk::Pace(std::uint64_t bytes) {
  constexpr std::chrono::milliseconds kLook{50};
  if (!FitsShare(bytes, watch_.limit_bytes_per_s)) {
    return MakeFailure(FailureKind::kCancelled,
                       fmt::format("an operation of {} is too large for the {} that a proof in production may "
                                   "use in a second",
                                   BytesText(bytes), BytesText(watch_.limit_bytes_per_s)));
  }
  while (true) {
    if (watch_.interrupted) {
      if (absl::Status go_on = watch_.interrupted(); !go_on.ok()) return go_on;
    }
    const TimePoint now = watch_.clock->Now();
    const std::optional<TimePoint> turn = pacer_.Take(bytes, now);
    if (!turn) return absl::OkStatus();
    watch_.clock->SleepUntil(std::min(*turn, now + kLook), watch_.stop);
  }
}

void Walk::TellTimeUp(std::string_view step) {
  if (!answers().time_up) answers().time_up = std::string(step);
}

}  // namespace rdmaready
