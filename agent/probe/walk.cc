// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/walk.h"

#include <algorithm>

#include "agent/link/failure.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxAnswerBytes = 256;

// Visits the fields of a struct of api/model/probe_*.h.
struct TextCutter {
  void operator()(const char*, std::string& text) { text.resize(std::min(text.size(), kMaxAnswerBytes)); }
  void operator()(const char* name, std::optional<std::string>& text) {
    if (text) (*this)(name, *text);
  }
  template <ListsFields T>
  void operator()(const char*, T& part) {
    T::Fields(part, *this);
  }
  template <class T>
  void operator()(const char* name, std::vector<T>& parts) {
    for (T& part : parts) (*this)(name, part);
  }
  template <class T>
  requires(!ListsFields<T>) void operator()(const char*, T&) {}  // flags, numbers, enumerators
};

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

void CutTexts(ProbeAnswers& answers) {
  TextCutter cutter;
  ProbeAnswers::Fields(answers, cutter);
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
  if (!answers().time_up) answers().time_up = std::string(step);
}

}  // namespace rdmaready
