// SPDX-License-Identifier: Apache-2.0
// Planning, arming, writing step by step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/apply/engine.h"
#include "agent/apply/snapshot.h"
#include "api/base/plan_digest.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/setting/side_effects.h"
#include "checks/setting/table.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostRefusalsAMinute = 10;
constexpr std::uint32_t kLateDriverMs = 1000;  // beyond what the table estimates
constexpr std::uint32_t kMostReadBackMs = 10'000;

std::uint32_t EstimateMs(const Plan& plan) {
  std::uint32_t sum = 0;
  for (const PlanStep& step : plan.steps) sum += std::min(step.disturbance.estimate_ms, kMostReadBackMs);
  return sum;
}

// A driver that resets its device has the new value only afterwards.
std::uint32_t ReadBackMs(const PlanStep& step) {
  if (step.disturbance.estimate_ms == 0 && !step.disturbance.link_down) return 0;
  return std::min(step.disturbance.estimate_ms + kLateDriverMs, kMostReadBackMs);
}

bool Holds(const std::vector<Setting>& snapshot, const SettingObject& object) {
  return std::ranges::find(snapshot, object, &Setting::object) != snapshot.end();
}

// Who configures another netdev is in nobody's way.
std::set<std::string> PlacesOf(const std::vector<Setting>& snapshot) {
  std::set<std::string> places;
  for (const Setting& setting : snapshot) places.insert(setting.object.where);
  return places;
}

// Whether a step before it makes it known: ice tells nothing of what its firmware's agent has.
bool IsOpenedBefore(const Plan& plan, const PlanStep& step) {
  return std::ranges::any_of(plan.steps.data(), &step, [&](const PlanStep& earlier) {
    return OpensOthers(earlier.object.kind) && earlier.object.where == step.object.where;
  });
}

absl::Status CheckSteps(const Plan& plan, const std::vector<Setting>& snapshot) {
  std::set<SettingObject> seen;
  for (const PlanStep& step : plan.steps) {
    const std::string what = TextOf(step.object);
    if (!IsCanonical(step.object.kind, step.from) || !IsCanonical(step.object.kind, step.to))
      return absl::InternalError("the plan has a value that is none: " + what);
    if (!seen.insert(step.object).second) return absl::InternalError("the plan sets twice: " + what);
    if (!Holds(snapshot, step.object) && !IsOpenedBefore(plan, step))
      return absl::FailedPreconditionError(what + " cannot be read, so it could not be taken back");
  }
  return absl::OkStatus();
}

std::map<SettingObject, std::string> IdentitiesOf(const std::vector<Setting>& snapshot, const Plan& plan,
                                                  const apply::Hands& hands) {
  std::map<SettingObject, std::string> identities;
  for (const Setting& setting : snapshot) identities[setting.object] = hands.IdentityOf(setting.object);
  for (const PlanStep& step : plan.steps) identities[step.object] = hands.IdentityOf(step.object);
  std::erase_if(identities, [](const auto& one) { return one.second.empty(); });
  return identities;
}

// "2 settings would be set now, beginning with mtu of dcb0 (1500 -> 9000), and these files be written for the
// next boot: /etc/a, /etc/b".
std::string WrittenText(const Plan& plan, const std::vector<std::string>& files) {
  std::string text = fmt::format("{} would be set now", plan.steps.size() == 1
                                                            ? std::string("1 setting")
                                                            : fmt::format("{} settings", plan.steps.size()));
  if (!plan.steps.empty()) {
    const PlanStep& first = plan.steps.front();
    text += fmt::format(", beginning with {} ({} -> {})", TextOf(first.object), first.from, first.to);
  }
  if (!files.empty())
    text += fmt::format(", and these files be written for the next boot: {}", fmt::join(files, ", "));
  return text;
}

// A person agreed to a plan that was shown. With nothing to write there is nothing to agree to. The digest of
// the settings alone comes from a caller that was shown files of the agent's: it binds no file.
absl::Status CheckAgreedTo(const ApplyOrder& order, const Plan& plan) {
  if (order.plan_sha256.empty()) return absl::OkStatus();
  std::vector<std::string> files;
  for (const PersistFile& file : plan.persist)
    if (order.persist && file.by_apply) files.push_back(file.path);
  if (plan.steps.empty() && files.empty()) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const std::string settings, PlanDigest({.steps = plan.steps}));
  if (settings == order.plan_sha256) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const std::string whole, PlanDigest(plan));
  if (order.persist && whole == order.plan_sha256) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("the plan is not the one that was shown any more: {}. Nothing was written; look at the plan "
                  "again",
                  WrittenText(plan, files)));
}

}  // namespace

absl::StatusOr<Change> Applier::Engine::Apply(const ApplyOrder& order,
                                              const std::function<void(const Change&)>& progress,
                                              const std::stop_token& stop) {
  // Settled once Recover() returned. Before the claim, which can but name what a damaged journal had open.
  RR_RETURN_IF_ERROR(ledger_.CheckKept());
  RR_RETURN_IF_ERROR(board_.Claim(order.requester));
  absl::StatusOr<Change> change = [&] {
    const struct Unclaim {
      apply::Board& board;
      ~Unclaim() { board.Release(); }
    } unclaim{board_};
    return ApplyClaimed(order, progress, stop);
  }();
  // Whatever became of it, what came while it was planned is made up for.
  const Lock work(work_);
  Settle();
  return change;
}

absl::StatusOr<std::pair<Facts, Plan>> Applier::Engine::PlanClaimed(ApplyOrder& order, std::string& peer) {
  const absl::StatusOr<Permission> permission = seams_.permission();
  if (!permission.ok()) return absl::PermissionDeniedError(Message(permission.status()));
  RR_RETURN_IF_ERROR(CheckLimits(*permission, order));
  // Before the reading, which takes seconds under the lock: who asks again and again costs no more than this.
  if (seams_.profiles) {
    RR_ASSIGN_OR_RETURN(const std::vector<ProfileRef> profiles, seams_.profiles(order));
    RR_RETURN_IF_ERROR(CheckProfiles(*permission, profiles));
  }
  if (order.proof) peer = permission->peer;
  order.peer_proof = order.peer_proof || !peer.empty();
  if (seams_.foreign != nullptr) seams_.foreign->Begin();
  std::pair<Facts, Plan> result{seams_.read(), {}};
  RR_ASSIGN_OR_RETURN(result.second, seams_.plan(result.first, order));
  RR_RETURN_IF_ERROR(CheckPlan(*permission, order, result.second, seams_.below));
  RR_RETURN_IF_ERROR(CheckAgreedTo(order, WithOwnFiles(result.first, result.second, *permission)));
  if (!result.second.steps.empty()) RR_RETURN_IF_ERROR(CheckPace(*permission, begun_, ledger_.Now()));
  return result;
}

absl::StatusOr<Change> Applier::Engine::ApplyClaimed(const ApplyOrder& asked,
                                                     const std::function<void(const Change&)>& progress,
                                                     const std::stop_token& stop) {
  Lock work(work_);
  if (const auto failed = board_.Failed()) return absl::FailedPreconditionError(*failed);
  RR_RETURN_IF_ERROR(CheckSaved());
  ApplyOrder order = asked;
  std::string peer;
  const absl::StatusOr<std::pair<Facts, Plan>> planned = PlanClaimed(order, peer);
  if (!planned.ok()) {
    AuditRefusal(order, planned.status());
    return planned.status();
  }
  const auto& [facts, plan] = *planned;
  if (stop.stop_requested()) return absl::CancelledError("who asked gave up before anything was written");
  if (plan.steps.empty()) return WithoutSteps(order, facts, plan);
  RR_RETURN_IF_ERROR(Begin(order, facts, plan, peer));
  const std::string id = open_->undertaking.change.id;
  WriteSteps(progress, stop, work);
  return *board_.Find(id);
}

// What an agent that was taken over asks again and again must not fill the disk.
void Applier::Engine::AuditRefusal(const ApplyOrder& order, const absl::Status& why) {
  const Clock::TimePoint now = seams_.clock->Now();
  while (!refusals_.empty() && refusals_.front() + std::chrono::minutes(1) <= now) refusals_.pop_front();
  if (refusals_.size() >= kMostRefusalsAMinute) {
    ++refusals_kept_back_;
    return;
  }
  refusals_.push_back(now);
  std::string result = Message(why);
  if (refusals_kept_back_ > 0)
    result += fmt::format(" (and {} refusals before it that were not written)",
                          std::exchange(refusals_kept_back_, 0));
  static_cast<void>(ledger_.Audit({.who = order.requester, .what = "refused", .result = std::move(result)}));
}

absl::Status Applier::Engine::Begin(const ApplyOrder& order, const Facts& facts, const Plan& plan,
                                    const std::string& peer) {
  Open open{.order = order, .unknown = plan.unknown};
  for (const PlanPending& pending : plan.pending) open.later.insert(pending.object);
  apply::Undertaking& undertaking = open.undertaking;
  undertaking.boot_id = ledger_.boot_id();
  undertaking.snapshot = apply::SnapshotOf(facts, plan, seams_.settings(facts));
  RR_RETURN_IF_ERROR(CheckSteps(plan, undertaking.snapshot));
  undertaking.rewritten = RewrittenBy(facts, plan.steps, undertaking.snapshot);
  undertaking.identities = IdentitiesOf(undertaking.snapshot, plan, hands_);
  if (seams_.foreign != nullptr) seams_.foreign->Only(PlacesOf(undertaking.snapshot));
  Change& change = undertaking.change;
  change = {.id = seams_.make_id(),
            .requester = order.requester,
            .begun_unix_ns = ledger_.Now(),
            .state = ChangeState::kWriting,
            .confirm_within_ms = order.confirm_within_ms};
  change.proof.asked_for = order.proof;
  change.proof.peer = peer;
  for (const PlanStep& step : plan.steps) change.steps.push_back({.step = step, .state = StepState::kNotBegun});
  if (order.persist) PlanFiles(facts, plan, undertaking);
  RR_RETURN_IF_ERROR(ledger_.Audit({.who = order.requester,
                                    .what = "apply",
                                    .change = change.id,
                                    .result = fmt::format("begins: {} settings", change.steps.size())}));
  RR_RETURN_IF_ERROR(ledger_.Begin(undertaking));
  begun_.push_back(change.begun_unix_ns);
  if (begun_.size() > apply::kMostBegun) begun_.pop_front();
  const auto armed_ms = std::uint64_t{EstimateMs(plan)} + order.confirm_within_ms;
  open.deadline = seams_.clock->Now() + std::chrono::milliseconds(armed_ms);
  open_ = std::move(open);
  Show();
  dead_man_.Arm(open_->deadline);
  Log(fmt::format("change {} of {} begins: {} settings", open_->undertaking.change.id,
                  SafeLine(order.requester, 256), plan.steps.size()));
  return absl::OkStatus();
}

void Applier::Engine::WriteSteps(const std::function<void(const Change&)>& progress,
                                 const std::stop_token& stop, Lock& work) {
  const std::string id = open_->undertaking.change.id;
  const std::size_t steps = open_->undertaking.change.steps.size();
  for (std::size_t i = 0; i < steps; ++i) {
    std::optional<std::string> why = WhyStop(stop);
    if (!why) why = WriteStep(i, stop);
    if (!why) why = WhyStop(stop);
    if (why) return TakeBack(*why, open_->order.requester);
    Show();
    if (!progress) continue;
    const std::optional<Change> shown = board_.Find(id);
    work.unlock();
    progress(*shown);
    work.lock();
    if (!open_ || open_->undertaking.change.id != id) return;  // the timer or a RollBack took it back meanwhile
  }
  if (const auto why = WhyStop(stop)) return TakeBack(*why, open_->order.requester);
  const absl::Status moved = open_->order.proof ? MoveTo(ChangeState::kProving) : Await();
  if (!moved.ok()) TakeBack(Message(moved), open_->order.requester);
}

std::optional<std::string> Applier::Engine::WhyStop(const std::stop_token& stop) {
  if (stop.stop_requested()) return "who asked for it gave up while it was written";
  if (const auto requester = board_.AskedBack()) return "asked for by " + *requester;
  if (seams_.clock->Now() >= open_->deadline) return "its time ran out while it was written";
  if (seams_.foreign == nullptr) return std::nullopt;
  if (const auto foreign = seams_.foreign->Foreign()) return "somebody else is configuring: " + *foreign;
  return std::nullopt;
}

std::optional<std::string> Applier::Engine::WriteStep(std::size_t index, const std::stop_token& stop) {
  const Change& change = open_->undertaking.change;
  const PlanStep& step = change.steps[index].step;
  if (std::string another = hands_.WhyAnother(step.object, open_->undertaking.IdentityOf(step.object));
      !another.empty())
    return EndStep(index, StepState::kNotBegun, std::move(another));
  const absl::StatusOr<std::string> now = hands_.Read(step.object);
  if (!now.ok()) return EndStep(index, StepState::kNotBegun, "it cannot be read: " + Message(now.status()));
  if (!Holds(open_->undertaking.snapshot, step.object)) {
    // What it is once it was opened is the driver's to say: the plan could but guess.
    open_->undertaking.change.steps[index].step.from = *now;
    if (*now == step.to) return EndStep(index, StepState::kWritten, "");
  } else if (*now != step.from) {
    return EndStep(index, StepState::kForeignWrite,
                   fmt::format("somebody else is configuring: it was \"{}\" and is \"{}\"", step.from, *now));
  }
  // From here on it counts as begun, whatever becomes of it.
  open_->undertaking.change.steps[index].state = StepState::kRefused;
  const absl::Status written =
      hands_.Write({.change_id = change.id, .why = apply::kWhyApply}, step.from, {step.object, step.to});
  if (!written.ok()) return EndStep(index, StepState::kRefused, Message(written));
  const absl::StatusOr<std::string> after = hands_.ReadUntil({step.object, step.to}, ReadBackMs(step), stop);
  if (!after.ok()) {
    return EndStep(index, StepState::kNotTaken,
                   "the answer was yes, and it cannot be read any more: " + Message(after.status()));
  }
  if (*after != step.to)
    return EndStep(index, StepState::kNotTaken, fmt::format("the answer was yes, and it is \"{}\"", *after));
  return EndStep(index, StepState::kWritten, "");
}

std::optional<std::string> Applier::Engine::EndStep(std::size_t index, StepState state, std::string text) {
  apply::Undertaking& undertaking = open_->undertaking;
  ChangeStep& step = undertaking.change.steps[index];
  step.state = state;
  step.text = std::move(text);
  const absl::Status journaled = ledger_.journal().Step(undertaking.change.id, index, step);
  const absl::Status audited = ledger_.Audit({.who = open_->order.requester,
                                              .what = "write",
                                              .change = undertaking.change.id,
                                              .object = TextOf(step.step.object),
                                              .from = step.step.from,
                                              .to = step.step.to,
                                              .result = step.text.empty() ? "ok" : step.text});
  if (state != StepState::kWritten) return TextOf(step.step.object) + ": " + step.text;
  if (!journaled.ok()) return Message(journaled);
  if (!audited.ok()) return Message(audited);
  return std::nullopt;
}

}  // namespace rdmaready
