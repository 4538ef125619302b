// SPDX-License-Identifier: Apache-2.0
// Rolling back: the steps in reverse, then what their writes changed besides, until nothing of it differs from
// the snapshot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "agent/apply/boot_files.h"
#include "agent/apply/engine.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/plan/take_back.h"

namespace rdmaready {
namespace apply {

// Which settings differ from the snapshot now.
struct Difference {
  std::vector<Setting> wrong{};                  // each with the value that it must have
  std::map<SettingObject, std::string> now{};    // of those that can be read
  std::map<SettingObject, std::string> words{};  // how each is
  std::vector<SettingObject> gone{};             // with their device
  std::vector<std::string> left{};               // in words: those that the change did not touch
};

}  // namespace apply

namespace {

// Before each look at the whole snapshot: at once, after the writes, and while a driver may be resetting its
// device.
constexpr std::array<std::uint32_t, 7> kWaitBeforeLookMs{0, 0, 100, 300, 600, 1000, 2000};

// The end of a change that could not be written is tried again as often as this.
constexpr auto kPayAgain = std::chrono::seconds(30);
// Between two tries of a failed rollback: the first one may follow at once, and the time doubles.
constexpr std::chrono::seconds kFirstRetryWait = std::chrono::minutes(1);
constexpr std::chrono::seconds kMostRetryWait = std::chrono::hours(1);
constexpr unsigned kMostDoublings = 10;

bool WasBegun(const Change& change, const SettingObject& object) {
  return std::ranges::any_of(change.steps, [&](const ChangeStep& step) {
    return step.step.object == object && step.state != StepState::kNotBegun &&
           step.state != StepState::kForeignWrite;
  });
}

// An MTU follows that of another netdev: of a bond down to its members, of a port up to its VLANs. It has one
// of the values of that step then, and any other value is somebody else's.
bool IsValueOfAStep(const Change& change, SettingKind kind, const std::string& value) {
  return std::ranges::any_of(change.steps, [&](const ChangeStep& step) {
    return step.step.object.kind == kind && (step.step.to == value || step.step.from == value);
  });
}

// Whether the change may have made it what it is: else it is somebody else's, and not written.
bool IsTouched(const apply::Undertaking& undertaking, const SettingObject& object,
               const absl::StatusOr<std::string>& value) {
  if (WasBegun(undertaking.change, object)) return true;
  const bool any_begun = std::ranges::any_of(undertaking.change.steps, [&](const ChangeStep& step) {
    return WasBegun(undertaking.change, step.step.object);
  });
  if (!any_begun || !undertaking.rewritten.contains(object)) return false;
  return object.kind != SettingKind::kMtu ||
         (value.ok() && IsValueOfAStep(undertaking.change, object.kind, *value));
}

// `behind`: what a step opened; what cannot be read of it is shut again, and nobody's to take back.
apply::Difference Compare(const apply::Undertaking& undertaking, const std::vector<Setting>& behind,
                          const apply::Hands& hands) {
  const std::vector<Setting>& snapshot = undertaking.snapshot;
  std::vector<SettingObject> objects;
  for (const Setting& setting : snapshot) objects.push_back(setting.object);
  for (const Setting& setting : behind) objects.push_back(setting.object);
  const SettingValues values = hands.Read(objects);
  apply::Difference difference;
  const auto tell = [&](const Setting& setting, const absl::StatusOr<std::string>& value) {
    if (value.ok()) difference.now[setting.object] = *value;
    difference.words[setting.object] = value.ok()
                                           ? fmt::format("it is \"{}\" and was \"{}\"", *value, setting.value)
                                           : "it cannot be read: " + Message(value.status());
  };
  // What another device has is not compared, and not written. It is a failure where a step was to be taken
  // back.
  const auto is_another = [&](const SettingObject& object) {
    const std::string why = hands.WhyAnother(object, undertaking.IdentityOf(object));
    if (!why.empty()) difference.words[object] = why;
    return !why.empty();
  };
  for (const Setting& setting : snapshot) {
    const absl::StatusOr<std::string>& value = values.at(setting.object);
    if (!IsTouched(undertaking, setting.object, value)) {
      if (value.ok() && *value != setting.value) {
        difference.left.push_back(
            fmt::format("{}: it is \"{}\" and was \"{}\"", TextOf(setting.object), *value, setting.value));
      }
      continue;
    }
    if (is_another(setting.object)) {
      if (WasBegun(undertaking.change, setting.object)) difference.wrong.push_back(setting);
      continue;
    }
    if (value.ok() && *value == setting.value) continue;
    if (!value.ok() && !hands.DeviceIsThere(setting.object)) {
      difference.gone.push_back(setting.object);
      continue;
    }
    difference.wrong.push_back(setting);
    tell(setting, value);
  }
  for (const Setting& setting : behind) {
    if (is_another(setting.object)) continue;
    const absl::StatusOr<std::string>& value = values.at(setting.object);
    if (value.ok() && *value != setting.value) tell(setting, value);
  }
  return difference;
}

std::vector<PlanStep> PlanStepsOf(const Change& change) {
  std::vector<PlanStep> steps;
  for (const ChangeStep& step : change.steps) steps.push_back(step.step);
  return steps;
}

// What of the steps that were begun stands in no snapshot: as it was when a step had opened it.
std::vector<Setting> BehindOf(const apply::Undertaking& undertaking) {
  std::vector<Setting> behind;
  for (const ChangeStep& step : undertaking.change.steps) {
    const bool begun = step.state == StepState::kWritten || step.state == StepState::kRefused ||
                       step.state == StepState::kNotTaken || step.state == StepState::kNotTakenBack;
    const SettingObject& object = step.step.object;
    if (begun &&
        std::ranges::find(undertaking.snapshot, object, &Setting::object) == undertaking.snapshot.end())
      behind.push_back({object, step.step.from});
  }
  return behind;
}

// One-way steps that were begun: outside of every promise.
std::set<SettingObject> OneWay(const Change& change) {
  std::set<SettingObject> objects;
  for (const ChangeStep& step : change.steps)
    if (!step.step.one_way.empty() && step.state != StepState::kNotBegun) objects.insert(step.step.object);
  return objects;
}

void TellSteps(Change& change, const apply::Difference& last) {
  for (ChangeStep& step : change.steps) {
    const SettingObject& object = step.step.object;
    if (step.state == StepState::kNotBegun || step.state == StepState::kUnknown) continue;
    if (const auto wrong = last.words.find(object); wrong != last.words.end()) {
      step.state = StepState::kNotTakenBack;
      step.text = (step.step.one_way.empty() ? "" : step.step.one_way + ": ") + wrong->second;
    } else if (std::ranges::find(last.gone, object) != last.gone.end()) {
      step.state = StepState::kTakenBack;
      step.text = "its device is gone, and the setting with it";
    } else if (step.state == StepState::kWritten || step.state == StepState::kNotTakenBack) {
      step.state = StepState::kTakenBack;
      step.text.clear();
    }
  }
}

// The steps of a change that a boot ended: those of `kept` were put back now, and a device forgot the rest or a
// file of the boot sets them so.
void SetStepsAfterBoot(Change& change, const Change& kept, const apply::Difference& found,
                       const std::map<SettingObject, std::string>& by_file) {
  for (std::size_t i = 0; i < change.steps.size(); ++i) {
    ChangeStep& step = change.steps[i];
    if (step.state == StepState::kNotBegun) continue;
    if (kept.steps[i].state != StepState::kNotBegun) {
      step = kept.steps[i];
      continue;
    }
    const auto words = found.words.find(step.step.object);
    const bool unreadable = words != found.words.end() && !found.now.contains(step.step.object);
    step.state = unreadable ? StepState::kNotTakenBack : StepState::kTakenBack;
    step.text = unreadable ? words->second : "";
    if (const auto file = by_file.find(step.step.object); file != by_file.end())
      step.text = fmt::format("left, because {} sets it so at each boot", file->second);
  }
}

}  // namespace

// A taking back that is under way.
struct Applier::Engine::PuttingBack {
  apply::Difference now{};
  std::vector<Setting> behind{};  // BehindOf, but what was written back
  std::map<SettingObject, std::string> refused{};
};

absl::Status Applier::Engine::WriteBack(const apply::Undertaking& undertaking, std::string_view who,
                                        std::string_view now, const Setting& to) {
  absl::Status written = hands_.Write(
      {.change_id = undertaking.change.id, .why = apply::kWhyTakeBack, .must_journal = false}, now, to);
  static_cast<void>(ledger_.Audit({.who = std::string(who),
                                   .what = "take back",
                                   .change = undertaking.change.id,
                                   .object = TextOf(to.object),
                                   .from = std::string(now),
                                   .to = to.value,
                                   .result = written.ok() ? "ok" : Message(written)}));
  return written;
}

// Steps that opened others are shut last: each round is written upon what the one before it left.
void Applier::Engine::WriteRounds(const apply::Undertaking& undertaking, std::string_view who,
                                  PuttingBack& work) {
  const std::vector<std::vector<Setting>> rounds =
      TakeBackRounds(PlanStepsOf(undertaking.change), undertaking.snapshot);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    if (round > 0) work.now = Compare(undertaking, work.behind, hands_);
    WriteDiffering(undertaking, who, rounds[round], work);
  }
}

void Applier::Engine::WriteDiffering(const apply::Undertaking& undertaking, std::string_view who,
                                     const std::vector<Setting>& order, PuttingBack& work) {
  for (const Setting& setting : order) {
    const auto value = work.now.now.find(setting.object);
    if (value == work.now.now.end()) continue;  // as it was; or away for a moment, or for good
    const absl::Status written = WriteBack(undertaking, who, value->second, setting);
    if (!written.ok()) work.refused[setting.object] = Message(written);
    // What is behind is rewritten by what is taken back after it: once is all.
    if (written.ok()) std::erase(work.behind, setting);
  }
}

Applier::Engine::Undone Applier::Engine::PutBack(apply::Undertaking& undertaking, std::string_view who) {
  const std::set<SettingObject> one_way = OneWay(undertaking.change);
  PuttingBack work{.behind = BehindOf(undertaking)};
  apply::Difference& now = work.now;
  for (std::size_t look = 0; look < kWaitBeforeLookMs.size(); ++look) {
    if (kWaitBeforeLookMs[look] > 0) hands_.Sleep(kWaitBeforeLookMs[look]);
    now = Compare(undertaking, work.behind, hands_);
    const bool done =
        now.gone.empty() && std::ranges::all_of(now.wrong, [&](const Setting& setting) {
          return look > 0 && one_way.contains(setting.object);  // written back once, for what it is worth
        });
    if (done || look + 1 == kWaitBeforeLookMs.size()) break;
    if (look == 1) continue;  // a driver that is slow is not asked twice
    const bool backwards = look == 0 || look % 2 == 1;
    if (backwards) {
      WriteRounds(undertaking, who, work);
    } else {
      WriteDiffering(undertaking, who, InWritingOrder(PlanStepsOf(undertaking.change), now.wrong), work);
    }
  }
  TellSteps(undertaking.change, now);
  Owe(undertaking, now.gone, false);
  Undone undone{.left = now.left};
  for (const Setting& setting : now.wrong) {
    if (one_way.contains(setting.object)) continue;
    const auto words = work.refused.find(setting.object);
    undone.not_as_before.push_back(fmt::format("{}: {}{}", TextOf(setting.object), now.words.at(setting.object),
                                               words == work.refused.end() ? "" : " (" + words->second + ")"));
  }
  return undone;
}

// What a step changed on a device that is gone is set once it is there again, unless it is kept.
void Applier::Engine::Owe(const apply::Undertaking& undertaking, const std::vector<SettingObject>& gone,
                          bool after_boot) {
  if (gone.empty()) return;
  for (const Setting& setting : undertaking.snapshot) {
    if (std::ranges::find(gone, setting.object) == gone.end()) continue;
    apply::KeptSetting owed{.setting = setting,
                            .change = undertaking.change.id,
                            .boot_id = ledger_.boot_id(),
                            .identity = undertaking.IdentityOf(setting.object)};
    for (const ChangeStep& step : undertaking.change.steps) {
      if (step.step.object != setting.object) continue;
      owed.subject = step.step.subject;
      if (after_boot) owed.written = step.step.to;
    }
    if (!after_boot || !owed.written.empty()) Put(ledger_.kept().owed, std::move(owed));
  }
  static_cast<void>(SaveKept());
}

// A device that a reboot does not reset, or that kexec left alone, may have kept what was written. Where it
// reads as the change wrote it, it is put back, unless a file of the boot sets it so (boot_files.h). Any other
// value was set since, and is not overruled.
Applier::Engine::Undone Applier::Engine::ReadAfterBoot(apply::Undertaking& past, std::string& reason) {
  reason = "the host was started anew";
  const apply::Difference found = Compare(past, {}, hands_);
  apply::Undertaking kept = past;
  kept.rewritten.clear();
  std::vector<std::string> names;
  apply::BootFiles files(seams_);
  std::map<SettingObject, std::string> by_file;
  for (ChangeStep& step : kept.change.steps) {
    const SettingObject& object = step.step.object;
    const auto now = found.now.find(object);
    const bool reads_so =
        WasBegun(past.change, object) && now != found.now.end() && now->second == step.step.to;
    const std::string file = reads_so ? files.ThatSets(object, step.step.to) : std::string();
    if (!file.empty()) by_file[object] = SafeLine(file, 256);
    if (reads_so && file.empty())
      names.push_back(TextOf(object));
    else
      step.state = StepState::kNotBegun;
  }
  Undone undone = names.empty() ? Undone{.left = Compare(kept, {}, hands_).left} : PutBack(kept, "applier");
  if (!names.empty())
    reason += fmt::format(", and not all of what was written was gone; put back: {}", fmt::join(names, ", "));
  for (const Setting& setting : found.wrong) {
    const bool unreadable =
        !found.now.contains(setting.object) && !OneWay(past.change).contains(setting.object);
    std::string text = fmt::format("{}: {}", TextOf(setting.object), found.words.at(setting.object));
    if (!unreadable) continue;
    const bool another = !hands_.WhyAnother(setting.object, past.IdentityOf(setting.object)).empty();
    (another ? undone.left : undone.not_as_before).push_back(std::move(text));
  }
  SetStepsAfterBoot(past.change, kept.change, found, by_file);
  Owe(past, found.gone, true);
  for (const auto& [object, file] : by_file)
    reason += fmt::format("; {} is left, because {} sets it so at each boot", TextOf(object), file);
  if (names.empty() && by_file.empty() && undone.not_as_before.empty())
    reason += found.gone.empty()
                  ? ": nothing of what was written is there any more"
                  : ": nothing of what was written is there now, and not every device is there yet";
  return undone;
}

void Applier::Engine::End(apply::Undertaking undertaking, std::string reason, const Undone& undone) {
  const std::vector<std::string>& left = undone.not_as_before;
  Change& change = undertaking.change;
  change.reason = std::move(reason);
  if (!undone.left.empty()) change.reason += fmt::format("{}{}", kLeft, fmt::join(undone.left, "; "));
  change.deadline_in_ms = 0;
  change.state = left.empty() ? ChangeState::kRolledBack : ChangeState::kRollbackFailed;
  if (!left.empty()) change.reason += fmt::format("{}{}", kNotAsBefore, fmt::join(left, "; "));
  change.ended_unix_ns = left.empty() ? ledger_.Now() : 0;
  for (BootFile& file : change.files) {
    if (file.state != BootFileState::kPlanned) continue;
    file.state = BootFileState::kNotWritten;
    file.text = "the change was rolled back";
  }
  static_cast<void>(ledger_.Record(change, false));
  static_cast<void>(ledger_.Audit({.who = "applier",
                                   .what = "take back",
                                   .change = change.id,
                                   .result = left.empty() ? "ok: " + change.reason : change.reason}));
  Log(fmt::format("change {} {}: {}", change.id, apply::WordsOf(change.state), change.reason));
  board_.ShowEnded(change);
  std::erase_if(failed_, [&](const apply::Undertaking& failed) { return failed.change.id == change.id; });
  if (left.empty())
    retries_.erase(change.id);
  else
    failed_.push_back(std::move(undertaking));
  if (board_.HasUnwritten()) dead_man_.Arm(seams_.clock->Now() + kPayAgain);
}

void Applier::Engine::TakeBack(std::string reason, std::string who) {
  dead_man_.Disarm();
  apply::Undertaking undertaking = open_->undertaking;
  const Undone undone = PutBack(undertaking, who);
  open_.reset();
  End(std::move(undertaking), std::move(reason), undone);
}

void Applier::Engine::OnTime() {
  const Lock work(work_);
  if (!open_ && !ledger_.PayOwed()) dead_man_.Arm(seams_.clock->Now() + kPayAgain);
  if (!open_ || seams_.clock->Now() < open_->deadline) return;
  const ChangeState state = open_->undertaking.change.state;
  TakeBack(state == ChangeState::kAwaitingConfirm ? "nobody confirmed it in time"
           : state == ChangeState::kProving       ? "its time ran out before it was proven"
                                                  : "its time ran out while it was written",
           "applier");
  Settle();
}

// Each try may take a link down: who took the agent over cannot keep it flapping.
absl::Status Applier::Engine::CheckRetry(const std::string& id) const {
  const auto found = retries_.find(id);
  if (found == retries_.end()) return absl::OkStatus();
  const auto& [count, last] = found->second;
  const auto wait = std::min(kFirstRetryWait * (1U << std::min(count - 1, kMostDoublings)), kMostRetryWait);
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(last + wait - seams_.clock->Now());
  if (left.count() <= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "roll back change {} once more: it failed {} times, and the next try may be made at {}; root may have it "
      "tried at once (systemctl restart rdmaready-applier)",
      id, count + 1, UtcText(ledger_.Now() + left.count())));
}

absl::StatusOr<Change> Applier::Engine::RollBack(const std::string& id, const std::string& requester,
                                                 bool by_root) {
  const bool was_open = board_.AskBack(id, requester);
  const Lock work(work_);
  RR_RETURN_IF_ERROR(ledger_.CheckSound());
  const std::string reason = "asked for by " + SafeLine(requester, 256);
  if (open_ && open_->undertaking.change.id == id) {
    TakeBack(reason, requester);
    Settle();
    return *board_.Find(id);
  }
  for (const apply::Undertaking& failed : failed_) {
    if (failed.change.id != id) continue;
    if (!by_root) {
      RR_RETURN_IF_ERROR(CheckRetry(id));
      Retries& retries = retries_[id];
      ++retries.count;
      retries.last = seams_.clock->Now();
    }
    apply::Undertaking again = failed;
    const Undone undone = PutBack(again, requester);
    End(std::move(again), reason, undone);
    Settle();
    return *board_.Find(id);
  }
  const std::optional<Change> ended = board_.Find(id);
  if (was_open && ended && ended->state == ChangeState::kRolledBack) return *ended;
  return absl::NotFoundError(board_.WhatBecameOf(id));
}

}  // namespace rdmaready
