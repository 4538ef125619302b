// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/drift_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace rdmaready::drift {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(300);

// What an order held that was not carried out.
void Widen(RefreshOrder& order, const RefreshOrder& by) {
  order.netdevs.insert(by.netdevs.begin(), by.netdevs.end());
  order.every_netdev = order.every_netdev || by.every_netdev;
  order.devices = order.devices || by.devices;
  order.everything = order.everything || by.everything;
}

void AddNames(const Netdev& netdev, std::map<std::uint32_t, std::string>& names) {
  names[netdev.ifindex] = netdev.name;
}

std::string SuspectText(const ProcessName& process) {
  return fmt::format("{} (process {})", process.name, process.pid);
}

}  // namespace

DriftWatch::DriftWatch(Seams seams)
    : seams_(std::move(seams)),
      own_(seams_.configurer, *seams_.clock),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

DriftWatch::~DriftWatch() {
  thread_.request_stop();
  seams_.wake();
  thread_.join();
}

void DriftWatch::Seen(std::shared_ptr<const Facts> facts, TimePoint begun) {
  {
    const std::lock_guard lock(mutex_);
    seen_ = {std::move(facts), begun};
  }
  seams_.wake();
}

absl::Status DriftWatch::GoesOn() const {
  const TimePoint::rep since = busy_since_;
  if (since == 0) return absl::OkStatus();
  const auto busy = seams_.clock->Now() - TimePoint(TimePoint::duration(since));
  if (busy < kLongestReading) return absl::OkStatus();
  return absl::DeadlineExceededError(
      fmt::format("a reading for drift has not ended for {} s",
                  std::chrono::duration_cast<std::chrono::seconds>(busy).count()));
}

void DriftWatch::Run(const std::stop_token& stop) {
  stop_ = stop;
  order_.everything = true;
  while (!stop.stop_requested()) {
    busy_since_ = 0;
    const HeardNotices heard = seams_.wait(NextLook());
    busy_since_ = seams_.clock->Now().time_since_epoch().count();
    if (stop.stop_requested()) return;
    Plan(heard);
    TakeSeen();
    const TimePoint now = seams_.clock->Now();
    if (order_.empty() || now < NextLook() || HoldsBack(now)) continue;
    Read(now);
    TakeSeen();  // its wake may have ended the look for notices
  }
}

// Nothing: only when something is announced.
std::optional<DriftWatch::TimePoint> DriftWatch::NextLook() const {
  if (order_.empty()) return std::nullopt;
  return std::max(pace_.Earliest(), not_before_);
}

bool DriftWatch::HoldsBack(TimePoint now) {
  if (!seams_.testing() || (held_since_ && now - *held_since_ >= kLongestTest)) {
    held_since_.reset();
    return false;
  }
  if (!held_since_) held_since_ = now;
  not_before_ = now + Pace::kShortest;
  return true;
}

void DriftWatch::Plan(const HeardNotices& heard) {
  for (const HeardSubject& subject : heard.subjects) PlanFor(subject.last);
  for (const NoticeKind kind : heard.lost) {
    if (kind == NoticeKind::kLink || kind == NoticeKind::kRdma) {
      order_.everything = true;
    } else {
      order_.every_netdev = true;
    }
  }
  // What is told of others (containers' interfaces) is of no use, and not kept.
  if (!order_.empty()) heard_.Add(heard);
}

// Of what is not a port's nothing is read.
void DriftWatch::PlanFor(const HostNotice& notice) {
  const auto named = std::ranges::find_if(names_, [&](const auto& one) { return one.second == notice.name; });
  const bool known = names_.contains(notice.ifindex);
  switch (notice.kind) {
    case NoticeKind::kDcb:
      if (named != names_.end()) order_.netdevs.insert(named->first);
      break;
    case NoticeKind::kLink:
      if (known) order_.netdevs.insert(notice.ifindex);
      for (const std::uint32_t near : {notice.master, notice.lower}) {
        if (near != 0 && names_.contains(near)) order_.netdevs.insert(near);
      }
      // It went, or came back as another interface.
      if ((known && notice.gone) || (!known && (lacks_netdev_ || named != names_.end()))) order_.devices = true;
      break;
    case NoticeKind::kNetconf:
      if (notice.ifindex == 0) order_.every_netdev = true;
      [[fallthrough]];
    case NoticeKind::kAddress:
    case NoticeKind::kEthtool:
      if (known) order_.netdevs.insert(notice.ifindex);
      break;
    case NoticeKind::kRdma:
      order_.devices = true;
      break;
  }
}

void DriftWatch::TakeSeen() {
  SeenFacts seen;
  {
    const std::lock_guard lock(mutex_);
    seen = std::exchange(seen_, {});
  }
  // One that began before our last reading ended may be older.
  if (seen.facts == nullptr || seen.begun < last_ended_) return;
  HeardNotices heard = heard_.Take();
  Compare(std::move(seen.facts), heard);
  if (!order_.empty()) heard_.Add(heard);  // it may have been read before that
}

void DriftWatch::Read(TimePoint now) {
  const RefreshOrder order = std::exchange(order_, {});
  const HeardNotices heard = heard_.Take();
  absl::StatusOr<std::shared_ptr<const Facts>> facts = seams_.read(order, last_);
  last_ended_ = seams_.clock->Now();
  if (!facts.ok()) {
    Widen(order_, order);
    heard_.Add(heard);
    not_before_ = now + kTryAgain;
    return;
  }
  // What was announced meanwhile was read, or was not yet. It is read again for that; and where it was, whose it is
  // must be known now: the first half of a change of two requests is neither the old value nor the new one.
  const HeardNotices meanwhile = seams_.wait(now);
  NoticeTable all;
  all.Add(heard);
  all.Add(meanwhile);
  pace_.HasRead(now, Compare(*std::move(facts), all.Take()));
  Plan(meanwhile);  // by the names as they are now
}

bool DriftWatch::Compare(std::shared_ptr<const Facts> facts, const HeardNotices& heard) {
  const std::shared_ptr<const Facts> before = std::exchange(last_, std::move(facts));
  LearnNames();
  const std::vector<Change> changes = known_.Update(ReadSettings(*last_));
  if (before == nullptr) own_.Look(stop_);  // what it wrote before is nothing new
  if (changes.empty() || before == nullptr) return false;
  Tell(changes, heard, *before, *last_);
  return true;
}

void DriftWatch::LearnNames() {
  // A port that does not answer now is watched all the same: what was known of it stays.
  if (!last_->ports) return;
  std::map<std::uint32_t, std::string> names;
  lacks_netdev_ = false;
  for (const Port& port : *last_->ports) {
    if (port.netdev) AddNames(*port.netdev, names);
    lacks_netdev_ =
        lacks_netdev_ || !(port.netdev || port.netdev.missing().kind == Missing::Kind::kUnsupported);
    if (port.lowers) {
      for (const Netdev& lower : *port.lowers) AddNames(lower, names);
    }
    if (!port.uppers) continue;
    for (const UpperNetdev& upper : *port.uppers) names[upper.ifindex] = upper.name;
  }
  if (lacks_netdev_) names.insert(names_.begin(), names_.end());
  names_before_ = std::exchange(names_, std::move(names));
}

const HeardSubject* DriftWatch::DcbOf(const std::string& where, const HeardNotices& heard) const {
  for (const HeardSubject& subject : heard.subjects) {
    if (subject.last.kind == NoticeKind::kDcb && subject.last.name == where) return &subject;
  }
  return nullptr;
}

DriftEvent DriftWatch::EventOf(const std::string& where, const HeardNotices& heard) const {
  DriftEvent event{.where = where, .announced = !heard.lost.empty()};
  for (const HeardSubject& subject : heard.subjects) {
    const auto named = [&](const std::map<std::uint32_t, std::string>& names) {
      const auto name = names.find(subject.last.ifindex);
      return name != names.end() && name->second == where;
    };
    event.announced = event.announced || subject.last.name == where || named(names_) || named(names_before_);
  }
  return event;
}

// Looked at once more where a foreign write may be the first one of a change that goes back.
void DriftWatch::LookForOwn(const std::vector<Change>& changes, const HeardNotices& heard) {
  own_.Look(stop_);
  const auto foreign = [&](const Change& change) { return !OwnOf(change, heard).own; };
  if (!own_.MayBeTakingBack() || std::ranges::none_of(changes, foreign)) return;
  seams_.clock->SleepUntil(seams_.clock->Now() + kLookAgain, stop_);
  own_.Look(stop_);
}

OwnChange DriftWatch::OwnOf(const Change& change, const HeardNotices& heard) const {
  const bool dcb_lost = std::ranges::find(heard.lost, NoticeKind::kDcb) != heard.lost.end();
  return own_.Judge(change, dcb_lost ? nullptr : DcbOf(change.where, heard));
}

void DriftWatch::Tell(const std::vector<Change>& changes, const HeardNotices& heard, const Facts& before,
                      const Facts& after) {
  LookForOwn(changes, heard);
  // By where, whether it is ours, and by which change of ours.
  std::map<std::tuple<std::string, bool, std::string>, DriftEvent> events;
  for (const Change& change : changes) {
    const HeardSubject* dcb = DcbOf(change.where, heard);
    const OwnChange own = OwnOf(change, heard);
    const auto [at, fresh] =
        events.try_emplace({change.where, own.own, own.change_id}, EventOf(change.where, heard));
    DriftEvent& event = at->second;
    event.own = own.own;
    event.change_id = own.change_id;
    event.changes.push_back(change);
    if (!fresh || own.own || dcb == nullptr) continue;
    for (const ProcessName& process : dcb->suspects) event.suspects.push_back(SuspectText(process));
  }
  const std::shared_ptr<const std::vector<Profile>> profiles = seams_.profiles ? seams_.profiles() : nullptr;
  for (auto& [key, event] : events) {
    if (profiles != nullptr) JudgeDrift(before, after, *profiles, event);
    seams_.tell(event);
  }
}

}  // namespace rdmaready::drift
