// SPDX-License-Identifier: Apache-2.0
#include "hub/hub.h"

#include <fmt/format.h>
#include <grpcpp/server.h>

#include <algorithm>
#include <utility>

#include "api/base/status.h"
#include "api/daemon/server_tls.h"
#include "hub/enrol/access_service.h"
#include "hub/enrol/enrolment_service.h"
#include "hub/fleet/fleet_service.h"
#include "hub/ingest/ingest_service.h"

namespace rdmaready::hub {
namespace {

constexpr std::chrono::milliseconds kBetweenCounts{10'000};  // of what hosts have in common

// Null: no file is named.
absl::StatusOr<std::shared_ptr<const FleetRoles>> RolesOf(const std::string& file) {
  if (file.empty()) return nullptr;
  return FleetRoles::Load(file);
}

void EndServer(ListeningServer& listening, std::chrono::milliseconds grace) {
  listening.Shutdown(DeadlineIn(grace));
  listening.server.reset();
}

}  // namespace

Hub::Hub(HubOptions options)
    : options_(std::move(options)),
      started_unix_ns_(UnixNs(*options_.clock)),
      book_(*options_.clock),
      feed_(*options_.clock),
      notes_({.write = [this](const auto&... note) { return options_.store->NoteHosts(note...); },
              .written = [this](const auto& changes) { feed_.Tell(changes); },
              .stored = [this](const absl::Status& status) { Stored(status); },
              .lost =
                  [this](std::size_t hosts) {
                    Tell(options_.events, EventLevel::kError, "store",
                         {{"reason",
                           fmt::format("what happened to {} hosts is not kept: it waited too long", hosts)}});
                  }},
             *options_.clock) {}

absl::StatusOr<std::unique_ptr<Hub>> Hub::Start(HubOptions options) {
  std::unique_ptr<Hub> hub(new Hub(std::move(options)));
  RR_RETURN_IF_ERROR(hub->Begin());
  return hub;
}

absl::Status Hub::Begin() {
  RR_ASSIGN_OR_RETURN(rules_, RuleBook::Load(options_.rules));
  RR_ASSIGN_OR_RETURN(std::shared_ptr<const FleetRoles> roles, RolesOf(options_.roles));
  RR_RETURN_IF_ERROR(Recall());
  StartKeeper();
  RR_RETURN_IF_ERROR(OpenAdmission());
  if (options_.tls.Any()) judge_ = MakeCallerJudge(options_.tls, options_.events);
  gate_ = std::make_unique<FleetGate>(judge_, options_.plain_role, std::move(roles));
  MakeView();
  RR_RETURN_IF_ERROR(ListenForNewHosts());
  RR_RETURN_IF_ERROR(Listen());
  RR_RETURN_IF_ERROR(Notify(options_.notices));
  RR_RETURN_IF_ERROR(OpenMetrics());
  JudgeAgainWhatDiffers();
  Compare();
  WatchTheClock();
  chores_ = std::jthread([this](const std::stop_token& stop) { Chores(stop); });
  return absl::OkStatus();
}

// What was known when the store was kept last.
absl::Status Hub::Recall() {
  FleetStore& store = *options_.store;
  book_.SetFactsEvery(std::chrono::nanoseconds(options_.facts_every).count());
  RR_RETURN_IF_ERROR(store.Hosts([&](KnownHost&& host) { book_.Know(host); }));
  RR_RETURN_IF_ERROR(
      store.Pasts([&](const std::string& id, const std::string& digest) { book_.KnowPast(id, digest); }));
  if (options_.tokens != nullptr) {
    RR_RETURN_IF_ERROR(
        options_.tokens->Revoked([&](const RevokedHost& host) { book_.ForgetPast(host.host_id); }));
  }
  return store.Findings({}, [&](FleetFinding&& finding) { agreement_.Restore(finding); });
}

void Hub::StartKeeper() {
  trail_ = std::make_unique<AuditTrail>(*options_.store, options_.name, options_.events, *options_.clock);
  keeper_ = std::make_unique<Keeper>(
      KeeperSeams{.store = *options_.store,
                  .book = book_,
                  .rules = [this] { return Rules(); },
                  .changed = [this](const auto& changes) { feed_.Tell(changes); },
                  .stored = [this](const absl::Status& status) { Stored(status); },
                  .agreement = &agreement_,
                  .took = [this](std::chrono::nanoseconds took) { commits_.Add(took); }},
      options_.keeper, *options_.clock);
}

void Hub::MakeView() {
  FleetView::RevokedOf revoked;
  if (admission_ != nullptr) revoked = [this](const std::string& id) { return admission_->RevokedOf(id); };
  view_ = std::make_unique<FleetView>(
      *options_.store, book_, agreement_, options_.period, [this] { return Rules(); }, std::move(revoked));
}

void Hub::Compare() {
  const std::chrono::milliseconds period = options_.period;
  comparer_ = std::make_unique<Comparer>(
      ComparerSeams{
          .store = *options_.store,
          .agreement = agreement_,
          .rules = [this] { return Rules(); },
          .hosts = [this] { return view_->Hosts({}, UnixNs(*options_.clock)); },
          .judge_again = [this](std::vector<std::string> ids) { keeper_->JudgeAgain(std::move(ids)); },
          .busy = [this] { return keeper_->Counts().waiting_again > 0; }},
      std::min(period, kBetweenCounts), *options_.clock);
}

std::shared_ptr<Notifier> Hub::WhoNotifies() const {
  const std::lock_guard lock(mutex_);
  return notifier_;
}

absl::Status Hub::Notify(const std::optional<NoticeOptions>& notices) {
  std::shared_ptr<Notifier> notifier = WhoNotifies();
  if (notices && notifier != nullptr) {
    notifier->Reload(*notices);
    return absl::OkStatus();
  }
  if (notices) {
    RR_ASSIGN_OR_RETURN(
        notifier,
        Notifier::Start(
            {.notices = *notices, .hub = options_.name, .clock = options_.clock, .events = options_.events},
            *options_.store, *view_, feed_));
  } else {
    notifier.reset();
  }
  const std::lock_guard lock(mutex_);
  notifier_.swap(notifier);  // the one before ends when the lock is let go of
  return absl::OkStatus();
}

Hub::~Hub() { Shutdown(std::chrono::milliseconds(0)); }

IngestCounts Hub::ingest() const { return ingest_->Counts(); }

void Hub::Shutdown(std::chrono::milliseconds grace) {
  chores_ = {};
  comparer_.reset();
  metrics_.reset();
  feed_.End();
  EndServer(enrolling_, grace);
  EndServer(listening_, grace);
  lists_.reset();
  notifier_.reset();
  if (keeper_ != nullptr) {
    keeper_.reset();
    notes_.Write();
    Stored(options_.store->PutSeen(book_.TakeSeen(), UnixNs(*options_.clock)));
  }
}

std::shared_ptr<const RuleBook> Hub::Rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

absl::Status Hub::Reload(const RuleFiles& files, const std::string& roles_file,
                         const std::optional<NoticeOptions>& notices) {
  RR_ASSIGN_OR_RETURN(std::shared_ptr<const RuleBook> rules, RuleBook::Load(files));
  RR_ASSIGN_OR_RETURN(std::shared_ptr<const FleetRoles> roles, RolesOf(roles_file));
  RR_RETURN_IF_ERROR(Notify(notices));
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
  }
  gate_->SetRoles(std::move(roles));
  JudgeAgainWhatDiffers();
  return absl::OkStatus();
}

absl::Status Hub::StoreHealth() const {
  const std::lock_guard lock(mutex_);
  return store_health_;
}

void Hub::NoteOf(std::span<const std::string> host_ids, const std::string& text) {
  notes_.Add({host_ids.begin(), host_ids.end()}, text);
  notes_.Write();
}

// Said when it changes: a disk that is full stays full for a while.
void Hub::Stored(const absl::Status& status) {
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    tell = store_failed_ != !status.ok();
    store_failed_ = !status.ok();
    if (absl::IsDataLoss(status)) store_health_ = status;
  }
  if (!tell) return;
  if (status.ok())
    return Tell(options_.events, EventLevel::kInfo, "store", {{"reason", std::string("keeps again")}});
  Tell(options_.events, EventLevel::kError, "store", {{"reason", Message(status)}});
}

}  // namespace rdmaready::hub
