// SPDX-License-Identifier: Apache-2.0
// What the hub does by itself, once a second and less often.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "hub/hub.h"
#include "hub/ingest/ingest_service.h"

namespace rdmaready::hub {
namespace {

constexpr auto kHelloWithin = std::chrono::seconds(30);
constexpr std::int64_t kSecondsBetweenSeen = 60;
constexpr std::int64_t kSecondsBetweenSilence = 5;
constexpr std::int64_t kSecondsBetweenLists = 10;
constexpr auto kListsRest = std::chrono::seconds(2);
constexpr std::int64_t kSecondsBetweenRules = 60;
constexpr std::int64_t kSecondsBetweenPrunes = 10;
constexpr std::int64_t kSecondsOfADay = 86'400;
constexpr std::uint64_t kMostPruned = 5'000;  // rows at a time
constexpr std::int64_t kClockSecondNs = 1'000'000'000;
constexpr std::int64_t kFarAheadNs = std::chrono::nanoseconds(std::chrono::days(1)).count();
constexpr std::int64_t kPruneRestNs = std::chrono::nanoseconds(std::chrono::days(1)).count();
// Findings that are over, and nobody cares.
constexpr std::int64_t kKeepOverNs = std::chrono::nanoseconds(std::chrono::days(30)).count();

}  // namespace

void Hub::Chores(const std::stop_token& stop) {
  Clock& clock = *options_.clock;
  for (std::int64_t second = 1; clock.SleepUntil(clock.Now() + std::chrono::seconds(1), stop); ++second) {
    ChoresOf(second);
    chores_pulse_.Beat();
  }
}

void Hub::ChoresOf(std::int64_t second) {
  FleetStore& store = *options_.store;
  WatchTheClock();
  ingest_->EndStrangers(kHelloWithin);
  if (second % kSecondsBetweenSilence == 0) TellOfSilence();
  TellOfIdentities();
  notes_.Write();  // what the store refused before
  if (second % kSecondsBetweenLists == 0) {
    EndTheRevoked();
    LookAfterAdmission();
  }
  if (second % kSecondsBetweenSeen == 0) Stored(store.PutSeen(book_.TakeSeen(), UnixNs(*options_.clock)));
  if (second % kSecondsBetweenRules == 0) JudgeAgainWhatDiffers();
  if (second % kSecondsBetweenPrunes == 0) Prune();
  // Tests grow old; facts that come each hour have a host judged again anyway.
  if (options_.facts_every.count() == 0 && second % kSecondsOfADay == 0) keeper_->JudgeAgain(book_.WithPast());
}

// A clock that was set years ahead would have all history deleted before anybody looks.
void Hub::WatchTheClock() {
  const std::int64_t now = book_.SteadyNowNs();
  const std::optional<std::int64_t> jumped = clock_watch_.Jumped(UnixNs(*options_.clock), now);
  if (!jumped) return;
  const auto seconds = std::llround(static_cast<double>(*jumped) / static_cast<double>(kClockSecondNs));
  Tell(options_.events, EventLevel::kWarning, "clock-jump", {{"ahead_s", static_cast<std::int64_t>(seconds)}});
  if (*jumped > kFarAheadNs) prune_after_steady_ns_ = now + kPruneRestNs;
}

void Hub::Prune() {
  if (book_.SteadyNowNs() < prune_after_steady_ns_) return;
  FleetStore& store = *options_.store;
  const std::int64_t now = UnixNs(*options_.clock);
  const std::int64_t changes_before =
      options_.keep_changes.count() == 0 ? 0 : now - std::chrono::nanoseconds(options_.keep_changes).count();
  Stored(store.Prune(changes_before, now - kKeepOverNs, kMostPruned).status());
  if (options_.keep_audit.count() > 0)
    Stored(store.PruneAudit(now - std::chrono::nanoseconds(options_.keep_audit).count(), kMostPruned));
}

// Streams last for months: whenever the lists were written again every one is judged by them.
void Hub::EndTheRevoked() {
  if (judge_ == nullptr || !judge_->HasLists()) return;
  std::error_code error;
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(options_.tls.crl, error);
  // One that is being written has a moment to become whole.
  const bool fresh =
      std::filesystem::file_time_type::clock::from_sys(options_.clock->Wall()) - written < kListsRest;
  if (error || written == lists_written_ || fresh) return;
  lists_written_ = written;
  for (const std::shared_ptr<AgentStream>& stream : book_.Streams()) stream->JudgeAgain();
}

void Hub::TellOfIdentities() {
  for (const IdentityNote& note : book_.identities().TakeNotes()) {
    Tell(options_.events, EventLevel::kWarning, "host-identity",
         {{"host_id", note.host_id}, {"reason", note.text}});
    NoteOf(std::span(&note.host_id, 1), note.text);
  }
}

void Hub::TellOfSilence() {
  const HostBook::SilenceTurns turns = book_.TakeSilence(kSilentAfterPeriods * options_.period);
  if (!turns.silent.empty()) NoteOf(turns.silent, "silent");
  if (!turns.back.empty()) NoteOf(turns.back, "heard again");
}

void Hub::JudgeAgainWhatDiffers() {
  const std::shared_ptr<const RuleBook> rules = Rules();
  const std::int64_t now = UnixNs(*options_.clock);
  const auto others =
      book_.JudgedByOthers([&](const std::string& name) { return rules->RulesOf(name, now).digest; });
  if (others.empty()) return;
  std::vector<std::string> ids;
  for (const auto& [id, name] : others) ids.push_back(id);
  keeper_->JudgeAgain(std::move(ids));
}

}  // namespace rdmaready::hub
