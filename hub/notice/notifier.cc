// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/notifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"

namespace rdmaready::hub {
namespace {

constexpr char kEpisodeNote[] = "episode";
constexpr char kParcelNote[] = "parcel";
constexpr auto kWait = std::chrono::milliseconds(500);
constexpr int kLookShare = 20;  // looking takes at most a twentieth of one processor

using Findings = std::unordered_map<std::string, std::vector<FleetFinding>>;

// By receiver, then in the order in which they were made.
std::string ParcelKey(const std::string& receiver, std::int64_t now, std::uint64_t number) {
  return fmt::format("{}/{:020}-{:06}", receiver, now, number % 1'000'000);
}

absl::StatusOr<Findings> WhatBlocks(FleetStore& store) {
  Findings blocking;
  RR_RETURN_IF_ERROR(store.Findings({}, [&](FleetFinding&& finding) {
    const bool holds = finding.over_unix_ns == 0 && finding.acknowledged_unix_ns == 0;
    const bool bad = finding.outcome == Outcome::kFail || finding.outcome == Outcome::kUnknown;
    if (holds && bad && finding.blocking) blocking[finding.host_id].push_back(std::move(finding));
  }));
  for (auto& [id, findings] : blocking) {
    std::ranges::stable_sort(findings, [](const FleetFinding& a, const FleetFinding& b) {
      return a.outcome == Outcome::kFail && b.outcome != Outcome::kFail;
    });
  }
  return blocking;
}

}  // namespace

Notifier::Notifier(NotifierOptions options, FleetStore& store, const FleetView& view, std::int64_t since)
    : options_(std::move(options)),
      store_(store),
      view_(view),
      listening_since_(since),
      book_(options_.notices.rules, options_.hub) {}

absl::StatusOr<std::unique_ptr<Notifier>> Notifier::Start(NotifierOptions options, FleetStore& store,
                                                          const FleetView& view, ChangeFeed& feed,
                                                          std::int64_t listening_since_unix_ns) {
  std::unique_ptr<Notifier> notifier(new Notifier(std::move(options), store, view, listening_since_unix_ns));
  for (const NoticeReceiver& receiver : notifier->options_.notices.receivers) {
    notifier->couriers_.push_back(std::make_unique<Courier>(
        receiver.name,
        MakeSender(receiver, notifier->options_.notices, notifier->options_.hub, notifier->options_.send),
        notifier->options_.courier, notifier->options_.events));
  }
  RR_RETURN_IF_ERROR(notifier->Restore());
  notifier->thread_ = std::jthread([notifier = notifier.get(), watcher = feed.Watch()](
                                       const std::stop_token& stop) { notifier->Run(stop, watcher); });
  return notifier;
}

Notifier::~Notifier() {
  thread_ = {};
  // All at once: each may be in the middle of a connection.
  std::vector<std::jthread> ending;
  for (std::unique_ptr<Courier>& courier : couriers_)
    ending.emplace_back([courier = courier.get()] { courier->Stop(); });
  ending.clear();
  for (const std::unique_ptr<Courier>& courier : couriers_) {
    for (std::string& key : courier->TakeDone()) done_.push_back(std::move(key));
  }
  std::vector<NoteKey> dropped;
  for (const std::string& key : done_) dropped.push_back({.kind = kParcelNote, .key = key});
  if (!dropped.empty()) Stored(store_.PutNotes({}, dropped));
}

// What was on its way for a receiver that is not there any more is forgotten.
absl::Status Notifier::Restore() {
  RR_RETURN_IF_ERROR(store_.Notes(kEpisodeNote, [&](Note&& note) {
    v1::NoticeEpisode episode;
    if (episode.ParseFromString(note.body)) book_.Restore(episode);
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
  std::vector<CourierCounts> counts;
  for (const std::unique_ptr<Courier>& courier : couriers_) counts.push_back(courier->Counts());
  return counts;
}

void Notifier::Run(const std::stop_token& stop, const std::shared_ptr<ChangeFeed::Watcher>& watcher) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point looked{};
  Clock::duration took{};
  bool changed = true;
  Clock::duration unasked = options_.without_change;
  if (options_.notices.rules.repeat > 0)
    unasked = std::min<Clock::duration>(unasked, std::chrono::nanoseconds(options_.notices.rules.repeat));
  while (!stop.stop_requested()) {
    const ChangeFeed::Watcher::Taken taken = watcher->Take(kWait);
    if (taken.over) return;
    changed = changed || taken.missed || !taken.changes.empty();
    const Clock::duration patience = changed ? options_.between_looks : unasked;
    const Clock::time_point now = Clock::now();
    const bool rested = now - looked >= std::max<Clock::duration>(patience, took * kLookShare);
    if (rested) {
      changed = false;
      const absl::Status seen = Look(UnixNowNs());
      changed = changed || !seen.ok();
      looked = Clock::now();
      took = looked - now;
    }
    TellWhatIsDue(UnixNowNs());
  }
}

absl::Status Notifier::Look(std::int64_t now) {
  RR_ASSIGN_OR_RETURN(std::vector<FleetHost> hosts, view_.Hosts({}, now));
  RR_ASSIGN_OR_RETURN(Findings blocking, WhatBlocks(store_));
  const std::int64_t silent_before =
      now - kSilentAfterPeriods * std::chrono::nanoseconds(view_.period()).count();
  for (FleetHost& host : hosts) {
    // Who has had no time to be heard since the hub is there is not silent, and what he said last is old.
    const bool silent = host.condition == HostCondition::kSilent;
    if (silent && std::max(host.seen_unix_ns, listening_since_) >= silent_before) continue;
    WatchedHost watched{.host = std::move(host)};
    const auto found = blocking.find(watched.host.host_id);
    if (found != blocking.end()) watched.findings = std::move(found->second);
    book_.See(watched, now);
  }
  return absl::OkStatus();
}

void Notifier::TellWhatIsDue(std::int64_t now) {
  const std::vector<v1::Notice> notices = book_.Due(now);
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
  if (put.empty() && dropped.empty()) return;
  const absl::Status stored = store_.PutNotes(put, dropped);
  Stored(stored);
  if (stored.ok()) {
    done_.clear();
  } else {
    book_.Untake(changes);
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
