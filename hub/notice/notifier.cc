// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/notifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "api/base/status.h"

namespace rdmaready::hub {
namespace {

constexpr char kEpisodeNote[] = "episode";
constexpr char kParcelNote[] = "parcel";
constexpr char kOddNote[] = "odd";
constexpr std::string_view kAgreement = "agree.";  // checks of what ports of a group have in common
constexpr auto kWait = std::chrono::milliseconds(500);
constexpr int kLookShare = 20;  // looking takes at most a twentieth of one processor

// By receiver, then in the order in which they were made.
std::string ParcelKey(const std::string& receiver, std::int64_t now, std::uint64_t number) {
  return fmt::format("{}/{:020}-{:06}", receiver, now, number % 1'000'000);
}

std::string OddKey(const OddBook::Key& key) { return key.first + '/' + key.second; }

OddHost OddHostOf(const FleetFinding& finding, const FleetHost& host, std::int64_t now) {
  OddHost odd{.group = host.group};
  odd.host.set_host_id(host.host_id);
  odd.host.set_name(host.name);
  odd.host.set_check(finding.check);
  odd.host.set_subject(finding.subject);
  odd.host.set_observed(finding.observed);
  odd.host.set_since_unix_ns(finding.since_unix_ns);
  const bool odd_now = finding.outcome == Outcome::kWarn && finding.acknowledged_unix_ns == 0;
  odd.as_it_was = !odd_now || host.condition == HostCondition::kSilent || host.maintenance_until_unix_ns > now;
  return odd;
}

}  // namespace

Notifier::Notifier(NotifierOptions options, FleetStore& store, const FleetView& view)
    : store_(store),
      view_(view),
      options_(std::move(options)),
      book_(options_.notices.rules, options_.hub),
      odd_(options_.notices.rules, options_.hub) {}

absl::StatusOr<Notifier::Standing> Notifier::StandingOf(FleetStore& store) {
  Standing standing;
  RR_RETURN_IF_ERROR(store.Findings({}, [&](FleetFinding&& finding) {
    if (finding.over_unix_ns != 0) return;
    const bool bad = finding.outcome == Outcome::kFail || finding.outcome == Outcome::kUnknown;
    if (bad && finding.blocking) {
      if (finding.acknowledged_unix_ns == 0) standing.blocking[finding.host_id].push_back(std::move(finding));
    } else if (finding.check.starts_with(kAgreement)) {
      standing.odd.push_back(std::move(finding));
    }
  }));
  for (auto& [id, findings] : standing.blocking) {
    std::ranges::stable_sort(findings, [](const FleetFinding& a, const FleetFinding& b) {
      return a.outcome == Outcome::kFail && b.outcome != Outcome::kFail;
    });
  }
  return standing;
}

std::unique_ptr<Courier> Notifier::Engage(const NoticeReceiver& receiver, CourierLeft left) const {
  return std::make_unique<Courier>(
      receiver.name, MakeSender(receiver, options_.notices, options_.hub, options_.send, *options_.clock),
      options_.courier, options_.events, std::move(left), *options_.clock);
}

// All at once: each may be in the middle of a connection.
void Notifier::EndAll(std::vector<std::unique_ptr<Courier>>& couriers) {
  std::vector<std::jthread> ending;
  for (const std::unique_ptr<Courier>& courier : couriers)
    ending.emplace_back([courier = courier.get()] { courier->Stop(); });
}

absl::StatusOr<std::unique_ptr<Notifier>> Notifier::Start(NotifierOptions options, FleetStore& store,
                                                          const FleetView& view, ChangeFeed& feed) {
  std::unique_ptr<Notifier> notifier(new Notifier(std::move(options), store, view));
  for (const NoticeReceiver& receiver : notifier->options_.notices.receivers)
    notifier->couriers_.push_back(notifier->Engage(receiver, {}));
  RR_RETURN_IF_ERROR(notifier->Restore());
  notifier->thread_ = std::jthread([notifier = notifier.get(), watcher = feed.Watch()](
                                       const std::stop_token& stop) { notifier->Run(stop, watcher); });
  return notifier;
}

Notifier::~Notifier() {
  thread_ = {};
  EndAll(couriers_);
  for (const std::unique_ptr<Courier>& courier : couriers_) {
    for (std::string& key : courier->TakeDone()) done_.push_back(std::move(key));
  }
  std::vector<NoteKey> dropped;
  for (const std::string& key : done_) dropped.push_back({.kind = kParcelNote, .key = key});
  if (!dropped.empty()) Stored(store_.PutNotes({}, dropped));
}

// Whose sender would be the same one goes on undisturbed: what it is sending would be sent twice.
std::vector<std::unique_ptr<Courier>> Notifier::TakeOthers(const NoticeOptions& notices) {
  const std::lock_guard lock(mutex_);
  const bool same_rules = notices.allow_private == options_.notices.allow_private;
  const auto stays = [&](const std::unique_ptr<Courier>& courier) {
    const auto before =
        std::ranges::find(options_.notices.receivers, courier->receiver(), &NoticeReceiver::name);
    return same_rules && std::ranges::count(notices.receivers, *before) > 0;
  };
  std::vector<std::unique_ptr<Courier>> others;
  for (std::unique_ptr<Courier>& courier : couriers_) {
    if (!stays(courier)) others.push_back(std::move(courier));
  }
  std::erase(couriers_, nullptr);
  return others;
}

void Notifier::Reload(NoticeOptions notices) {
  const std::lock_guard working(working_);
  std::vector<std::unique_ptr<Courier>> others = TakeOthers(notices);
  EndAll(others);
  std::unordered_map<std::string, CourierLeft> left;
  for (const std::unique_ptr<Courier>& courier : others) left[courier->receiver()] = courier->TakeLeft();
  const std::lock_guard lock(mutex_);
  options_.notices = std::move(notices);
  for (const NoticeReceiver& receiver : options_.notices.receivers) {
    if (std::ranges::find(couriers_, receiver.name, &Courier::receiver) != couriers_.end()) continue;
    couriers_.push_back(Engage(receiver, std::move(left[receiver.name])));
    left.erase(receiver.name);
  }
  for (auto& [receiver, rest] : left) {
    for (std::string& key : rest.done) done_.push_back(std::move(key));
    for (Courier::Parcel& parcel : rest.queue) done_.push_back(std::move(parcel.key));
  }
  book_.SetRules(options_.notices.rules);
  odd_.SetRules(options_.notices.rules);
}

// What was on its way for a receiver that is not there any more is forgotten.
absl::Status Notifier::Restore() {
  RR_RETURN_IF_ERROR(store_.Notes(kEpisodeNote, [&](Note&& note) {
    v1::NoticeEpisode episode;
    if (episode.ParseFromString(note.body)) book_.Restore(episode);
  }));
  RR_RETURN_IF_ERROR(store_.Notes(kOddNote, [&](Note&& note) {
    v1::NoticeOddOnes told;
    if (told.ParseFromString(note.body)) odd_.Restore(told);
  }));
  return store_.Notes(kParcelNote, [&](Note&& note) {
    const std::string receiver = note.at.key.substr(0, note.at.key.rfind('/'));
    const auto courier = std::ranges::find(couriers_, receiver, &Courier::receiver);
    Courier::Parcel parcel{.key = note.at.key};
    if (courier != couriers_.end() && parcel.notice.ParseFromString(note.body)) {
      (*courier)->Add(std::move(parcel));
    } else {
      done_.push_back(std::move(note.at.key));
    }
  });
}

std::vector<CourierCounts> Notifier::Counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<CourierCounts> counts;
  for (const std::unique_ptr<Courier>& courier : couriers_) counts.push_back(courier->Counts());
  return counts;
}

void Notifier::Run(const std::stop_token& stop, const std::shared_ptr<ChangeFeed::Watcher>& watcher) {
  Clock& clock = *options_.clock;
  std::optional<Clock::TimePoint> looked;
  Clock::TimePoint::duration took{};
  bool changed = true;
  while (!stop.stop_requested()) {
    const ChangeFeed::Watcher::Taken taken = watcher->Take(kWait);
    if (taken.over) return;
    changed = changed || taken.missed || !taken.changes.empty();
    const std::lock_guard working(working_);
    Clock::TimePoint::duration unasked = options_.without_change;
    if (options_.notices.rules.repeat > 0)
      unasked = std::min<Clock::TimePoint::duration>(unasked,
                                                     std::chrono::nanoseconds(options_.notices.rules.repeat));
    const Clock::TimePoint::duration patience = changed ? options_.between_looks : unasked;
    const Clock::TimePoint now = clock.Now();
    const bool rested =
        !looked || now - *looked >= std::max<Clock::TimePoint::duration>(patience, took * kLookShare);
    // What is told is as it is now: meanwhile it may have been acknowledged, or be well again.
    if (rested || HasDue(UnixNs(clock))) {
      changed = false;
      const absl::Status seen = Look(UnixNs(clock));
      changed = changed || !seen.ok();
      looked = clock.Now();
      took = *looked - now;
    }
    TellWhatIsDue(UnixNs(clock));
  }
}

bool Notifier::HasDue(std::int64_t now) { return book_.HasDue(now) || odd_.HasDue(now); }

absl::Status Notifier::Look(std::int64_t now) {
  RR_ASSIGN_OR_RETURN(std::vector<FleetHost> hosts, view_.Hosts({}, now));
  RR_ASSIGN_OR_RETURN(Standing standing, StandingOf(store_));
  std::unordered_map<std::string, const FleetHost*> by_id;
  for (const FleetHost& host : hosts) by_id.emplace(host.host_id, &host);
  std::vector<OddHost> odd;
  for (const FleetFinding& finding : standing.odd) {
    const auto host = by_id.find(finding.host_id);
    if (host != by_id.end() && host->second->condition != HostCondition::kRevoked)
      odd.push_back(OddHostOf(finding, *host->second, now));
  }
  odd_.See(odd, now);
  const bool all_had_time = view_.listening_for() > kSilentAfterPeriods * view_.period();
  for (FleetHost& host : hosts) {
    // Who has had no time to be heard since the hub is there is not silent, and what he said last is old.
    if (host.condition == HostCondition::kSilent && !all_had_time) continue;
    WatchedHost watched{.host = std::move(host)};
    const auto found = standing.blocking.find(watched.host.host_id);
    if (found != standing.blocking.end()) watched.findings = std::move(found->second);
    book_.See(watched, now);
  }
  return absl::OkStatus();
}

void Notifier::TellWhatIsDue(std::int64_t now) {
  std::vector<v1::Notice> notices = book_.Due(now);
  std::ranges::move(odd_.Due(now), std::back_inserter(notices));
  std::vector<Note> put;
  std::vector<NoteKey> dropped;
  std::vector<std::pair<Courier*, Courier::Parcel>> parcels;
  for (const v1::Notice& notice : notices) {
    for (const std::unique_ptr<Courier>& courier : couriers_) {
      Courier::Parcel parcel{.key = ParcelKey(courier->receiver(), now, ++parcels_), .notice = notice};
      put.push_back({.at = {kParcelNote, parcel.key}, .body = notice.SerializeAsString()});
      parcels.emplace_back(courier.get(), std::move(parcel));
    }
  }
  for (const std::unique_ptr<Courier>& courier : couriers_) {
    for (std::string& key : courier->TakeDone()) done_.push_back(std::move(key));
  }
  for (const std::string& key : done_) dropped.push_back({.kind = kParcelNote, .key = key});
  const NoticeBook::Changes changes = book_.TakeChanges();
  for (const v1::NoticeEpisode& episode : changes.put)
    put.push_back({.at = {kEpisodeNote, NoteKeyOf({episode.host_id(), AxisOf(episode.kind())})},
                   .body = episode.SerializeAsString()});
  for (const NoticeBook::Key& key : changes.dropped)
    dropped.push_back({.kind = kEpisodeNote, .key = NoteKeyOf(key)});
  const OddBook::Changes odd = odd_.TakeChanges();
  for (const v1::NoticeOddOnes& told : odd.put)
    put.push_back({.at = {kOddNote, OddKey({told.group(), told.check()})}, .body = told.SerializeAsString()});
  for (const OddBook::Key& key : odd.dropped) dropped.push_back({.kind = kOddNote, .key = OddKey(key)});
  if (put.empty() && dropped.empty()) return;
  const absl::Status stored = store_.PutNotes(put, dropped);
  Stored(stored);
  if (stored.ok()) {
    done_.clear();
  } else {
    book_.Untake(changes);
    odd_.Untake(odd);
  }
  // Told nevertheless: a full disk is no reason to be silent.
  for (auto& [courier, parcel] : parcels) courier->Add(std::move(parcel));
}

void Notifier::Stored(const absl::Status& status) {
  if (store_failed_ == !status.ok()) return;
  store_failed_ = !status.ok();
  if (!status.ok())
    Tell(options_.events, EventLevel::kWarning, "notices-not-kept", {{"reason", Message(status)}});
}

}  // namespace rdmaready::hub
