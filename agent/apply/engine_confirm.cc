// SPDX-License-Identifier: Apache-2.0
// What follows the writing: the proof, waiting for the confirmation, keeping.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/apply/engine.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

std::string StepText(const PlanStep& step) {
  return fmt::format("{} from \"{}\" to \"{}\"", TextOf(step.object), step.from, step.to);
}

}  // namespace

void Applier::Engine::Show() { board_.ShowOpen(open_->undertaking.change, open_->deadline); }

absl::Status Applier::Engine::MoveTo(ChangeState state) {
  open_->undertaking.change.state = state;
  RR_RETURN_IF_ERROR(ledger_.Record(open_->undertaking.change, true));
  Show();
  return absl::OkStatus();
}

absl::Status Applier::Engine::Await() {
  const auto within = std::chrono::milliseconds(open_->undertaking.change.confirm_within_ms);
  open_->deadline = seams_.clock->Now() + within;
  RR_RETURN_IF_ERROR(MoveTo(ChangeState::kAwaitingConfirm));
  dead_man_.Arm(open_->deadline);
  return absl::OkStatus();
}

std::optional<std::string> Applier::Engine::WhyUnproven(const Open& open, ChangeProof& proof) const {
  if (!proof.loopback) return "the live loopback did not pass: " + SafeLine(proof.loopback_text, 512);
  const bool peer_wanted = open.order.peer_proof || !proof.peer.empty();
  if (peer_wanted && !proof.peer_passed)
    return fmt::format("the peer transfer with {} did not pass: {}",
                       proof.peer.empty() ? "nobody" : SafeLine(proof.peer, 256),
                       SafeLine(proof.peer_text, 512));
  const absl::StatusOr<Plan> plan = seams_.plan(seams_.read(), open.order);
  if (!plan.ok()) return "it could not be planned afresh: " + Message(plan.status());
  // The proof leaves out settings that the plan left to another one: mlx5's buffers, behind its PFC.
  const auto counts = [&open](const PlanStep& step) { return !open.later.contains(step.object); };
  const auto first = std::ranges::find_if(plan->steps, counts);
  if (first != plan->steps.end())
    return fmt::format("a fresh plan has {} steps: {}", std::ranges::count_if(plan->steps, counts),
                       StepText(*first));
  // What nobody can see any more is not proven.
  for (const std::string& unknown : plan->unknown)
    if (std::ranges::find(open.unknown, unknown) == open.unknown.end())
      return "a fresh plan does not know: " + unknown;
  proof.plan_empty = true;
  return std::nullopt;
}

absl::StatusOr<Change> Applier::Engine::Proved(const std::string& id, const ChangeProof& proof) {
  const std::lock_guard one_at_a_time(proving_);
  Lock work(work_);
  const auto is_proven = [&] {
    return open_ && open_->undertaking.change.id == id &&
           open_->undertaking.change.state == ChangeState::kProving;
  };
  if (!is_proven()) return absl::NotFoundError(board_.WhatBecameOf(id));
  const Open open = *open_;
  ChangeProof kept = proof;
  if (!open.undertaking.change.proof.peer.empty())
    kept.peer = open.undertaking.change.proof.peer;  // that apply.yaml named
  kept.asked_for = true;
  kept.plan_empty = false;
  // Reading a whole host takes seconds, and the timer does not wait for it.
  work.unlock();
  std::optional<std::string> why = WhyUnproven(open, kept);
  work.lock();
  if (!is_proven()) return absl::NotFoundError(board_.WhatBecameOf(id));
  open_->undertaking.change.proof = kept;
  if (!why && seams_.clock->Now() >= open_->deadline) why = "its time ran out while it was proven";
  if (!why) {
    if (const absl::Status awaits = Await(); !awaits.ok()) why = Message(awaits);
  }
  if (why) TakeBack("not proven: " + *why, open_->order.requester);
  Settle();
  return *board_.Find(id);
}

std::vector<std::string> Applier::Engine::NotAsWritten() const {
  std::vector<SettingObject> objects;
  for (const ChangeStep& step : open_->undertaking.change.steps) objects.push_back(step.step.object);
  const SettingValues values = hands_.Read(objects);
  std::vector<std::string> words;
  for (const ChangeStep& step : open_->undertaking.change.steps) {
    const SettingObject& object = step.step.object;
    const absl::StatusOr<std::string>& now = values.at(object);
    std::string why = hands_.WhyAnother(object, open_->undertaking.IdentityOf(object));
    if (why.empty() && !now.ok()) why = "it cannot be read: " + Message(now.status());
    if (why.empty() && *now != step.step.to)
      why = fmt::format("it was set from \"{}\" to \"{}\" and is \"{}\"", step.step.from, step.step.to, *now);
    if (!why.empty()) words.push_back(TextOf(object) + ": " + why);
  }
  return words;
}

absl::StatusOr<Change> Applier::Engine::Confirm(const std::string& id, const std::string& requester) {
  // Of a change that is written or proven, the answer does not wait for that.
  const std::optional<Change> shown = board_.Find(id);
  if (!shown || shown->state != ChangeState::kAwaitingConfirm)
    return absl::NotFoundError(board_.WhatBecameOf(id));
  const Lock work(work_);
  if (!open_ || open_->undertaking.change.id != id ||
      open_->undertaking.change.state != ChangeState::kAwaitingConfirm)
    return absl::NotFoundError(board_.WhatBecameOf(id));
  const std::vector<std::string> differ = NotAsWritten();
  if (seams_.clock->Now() >= open_->deadline) {
    TakeBack("nobody confirmed it in time", open_->order.requester);
    Settle();
    return absl::NotFoundError(board_.WhatBecameOf(id));
  }
  if (!differ.empty()) {
    const std::string words = fmt::format("{}", fmt::join(differ, "; "));
    static_cast<void>(
        ledger_.Audit({.who = requester, .what = "confirm", .change = id, .result = "refused: " + words}));
    return absl::AbortedError(fmt::format(
        "change {} is not confirmed, because not all is as it was written: {}. It stays open until its "
        "deadline: put that right and confirm it, or roll it back",
        id, words));
  }
  Change confirmed = open_->undertaking.change;
  confirmed.state = ChangeState::kConfirmed;
  confirmed.ended_unix_ns = ledger_.Now();
  confirmed.reason = "confirmed by " + SafeLine(requester, 256);
  // With this record it is confirmed, whatever comes; without it, it still goes back by itself.
  RR_RETURN_IF_ERROR(ledger_.Record(confirmed, true));
  apply::Undertaking kept = std::move(open_->undertaking);
  kept.change = confirmed;
  open_.reset();
  dead_man_.Disarm();
  Keep(kept, true);
  confirmed = kept.change;
  board_.ShowEnded(confirmed);
  static_cast<void>(ledger_.Audit({.who = requester, .what = "confirm", .change = id, .result = "ok"}));
  Log(fmt::format("change {} was {}", id, confirmed.reason));
  Settle();
  return confirmed;
}

void Applier::Engine::Keep(apply::Undertaking& undertaking, bool holds_now) {
  const Change& change = undertaking.change;
  WriteFiles(undertaking);
  for (const ChangeStep& step : change.steps) {
    const SettingObject& object = step.step.object;
    const absl::StatusOr<std::uint64_t> device =
        holds_now ? DeviceOf(object) : absl::UnknownError("not looked at");
    Put(ledger_.kept().kept, {.setting = {object, step.step.to},
                              .subject = step.step.subject,
                              .change = change.id,
                              .boot_id = device.ok() ? ledger_.boot_id() : "",
                              .device = device.ok() ? *device : 0,
                              .identity = undertaking.IdentityOf(object)});
    Remove(ledger_.kept().owed, object);
  }
  // Where the file cannot be written, the journal still says what is to be kept, and the next life writes it.
  unkept_ = change;
  static_cast<void>(SaveKept());
}

}  // namespace rdmaready
