// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/notice_book.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "api/base/run_id.h"
#include "hub/notice/notice_text.h"

namespace rdmaready::hub {
namespace {

constexpr int kEndsGatherFor = 5;  // so many times as long as what begins

std::string FindingWord(const FleetFinding& finding) { return finding.check + '\x1f' + finding.subject; }

v1::NoticeHost HostOfNotice(const WatchedHost& watched, const FleetFinding* finding) {
  v1::NoticeHost host;
  host.set_host_id(watched.host.host_id);
  host.set_name(watched.host.name);
  host.set_since_unix_ns(watched.host.since_unix_ns);
  if (finding != nullptr) {
    host.set_check(finding->check);
    host.set_subject(finding->subject);
    host.set_observed(finding->observed);
  } else {
    host.set_observed(watched.host.trouble);
  }
  return host;
}

// Hosts that have one more thing in the way may have become not ready by several notices.
void NameIncidents(const std::set<std::string>& incidents, v1::Notice& notice) {
  if (incidents.size() == 1) return notice.set_incident(*incidents.begin());
  for (const std::string& incident : incidents) {
    if (static_cast<std::size_t>(notice.incidents_size()) == kMostNamedIncidents) return;
    notice.add_incidents(incident);
  }
}

}  // namespace

void NameHosts(std::vector<v1::NoticeHost> hosts, v1::Notice& notice) {
  std::map<std::string, std::uint64_t> checks;
  for (const v1::NoticeHost& host : hosts) {
    if (!host.check().empty()) ++checks[host.check()];
  }
  const std::size_t named = std::min(hosts.size(), kMostNamedHosts);
  std::partial_sort(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(named), hosts.end(),
                    [](const v1::NoticeHost& a, const v1::NoticeHost& b) {
                      return std::tie(a.name(), a.host_id()) < std::tie(b.name(), b.host_id());
                    });
  notice.set_hosts(hosts.size());
  for (std::size_t i = 0; i < named; ++i) *notice.add_named() = std::move(hosts[i]);
  std::vector<std::pair<std::string, std::uint64_t>> by_hosts(checks.begin(), checks.end());
  std::ranges::stable_sort(by_hosts, std::greater(), [](const auto& check) { return check.second; });
  if (by_hosts.size() > kMostNamedHosts) by_hosts.resize(kMostNamedHosts);
  for (const auto& [check, count] : by_hosts) {
    v1::NoticeCheck& one = *notice.add_checks();
    one.set_check(check);
    one.set_hosts(count);
  }
}

NoticeBook::Axis AxisOf(v1::NoticeKind kind) {
  return kind == v1::NOTICE_KIND_SILENT ? NoticeBook::Axis::kSilence : NoticeBook::Axis::kVerdict;
}

std::string NoteKeyOf(const NoticeBook::Key& key) {
  return key.first + (key.second == NoticeBook::Axis::kSilence ? "/silence" : "/verdict");
}

void NoticeBook::Restore(const v1::NoticeEpisode& kept) {
  Episode episode{.kept = kept};
  episode.now.set_host_id(kept.host_id());
  episode.now.set_name(kept.host());
  episodes_[{kept.host_id(), AxisOf(kept.kind())}] = std::move(episode);
}

void NoticeBook::KeepTime(std::int64_t now) {
  const std::int64_t back = std::max<std::int64_t>(now_unix_ns_ - now, 0);
  now_unix_ns_ = now;
  if (back == 0) return;
  for (auto& [key, episode] : episodes_) episode.turned_unix_ns -= back;
  for (auto& [group, told] : last_told_) told -= back;
}

void NoticeBook::See(const WatchedHost& watched, std::int64_t now) {
  KeepTime(now);
  const std::string& id = watched.host.host_id;
  if (watched.host.condition == HostCondition::kNeverReported) return;
  if (watched.host.maintenance_until_unix_ns > now) {
    for (const Axis axis : {Axis::kVerdict, Axis::kSilence}) {
      const auto found = episodes_.find({id, axis});
      if (found == episodes_.end()) continue;
      turning_.erase(found->first);
      found->second.turn = Turn::kNone;
      if (found->second.kept.told_unix_ns() == 0) episodes_.erase(found);
    }
    return;
  }
  if (watched.host.condition == HostCondition::kRevoked) {  // of the fleet no more: nobody waits for it
    for (const Axis axis : {Axis::kVerdict, Axis::kSilence}) End({id, axis}, Turn::kRevoked, now);
    return;
  }
  SeeSilence(watched, now);
  // What a silent host said last is old.
  if (watched.host.condition != HostCondition::kSilent) SeeVerdict(watched, now);
}

void NoticeBook::SeeSilence(const WatchedHost& watched, std::int64_t now) {
  const Key key{watched.host.host_id, Axis::kSilence};
  if (watched.host.condition == HostCondition::kSilent) {
    Hold(key, {.host = watched.host}, v1::NOTICE_KIND_SILENT, true, now);
  } else {
    End(key, Turn::kEnds, now);
  }
}

void NoticeBook::SeeVerdict(const WatchedHost& watched, std::int64_t now) {
  const Key key{watched.host.host_id, Axis::kVerdict};
  if (watched.host.condition == HostCondition::kReady) return End(key, Turn::kEnds, now);
  const bool known = watched.host.condition == HostCondition::kNotReady;
  const bool worth = !watched.findings.empty() || !watched.host.trouble.empty();
  Hold(key, watched, known ? v1::NOTICE_KIND_NOT_READY : v1::NOTICE_KIND_UNDETERMINED, worth, now);
}

// It is not well. `worth`: somebody has yet to know.
void NoticeBook::Hold(const Key& key, const WatchedHost& watched, v1::NoticeKind kind, bool worth,
                      std::int64_t now) {
  auto found = episodes_.find(key);
  if (found == episodes_.end()) {
    if (!worth) return;
    found = episodes_.emplace(key, Episode()).first;
    Turned(key, found->second, Turn::kOpens, now);
  }
  Episode& episode = found->second;
  v1::NoticeEpisode& kept = episode.kept;
  kept.set_host_id(watched.host.host_id);
  kept.set_host(watched.host.name);
  kept.set_group(watched.host.group);
  kept.set_since_unix_ns(watched.host.since_unix_ns);
  kept.set_told_unix_ns(std::min(kept.told_unix_ns(), now));  // else it is not told again for long
  episode.kind = kind;
  episode.now = HostOfNotice(watched, watched.findings.empty() ? nullptr : &watched.findings.front());
  SeeFindings(watched, episode);
  if (kept.told_unix_ns() == 0) {
    if (worth) return;
    turning_.erase(key);  // it was acknowledged before it was told
    episodes_.erase(found);
    return;
  }
  const Turn turn = TurnOf(episode, worth, now);
  if (turn != episode.turn) Turned(key, episode, turn, now);
  if (turn != Turn::kFinding) return;
  const auto first = std::ranges::find_if(watched.findings, [&](const FleetFinding& finding) {
    return episode.untold.contains(FindingWord(finding));
  });
  episode.now = HostOfNotice(watched, &*first);
}

// Anew each time: what was over before it was told is told when it comes again.
void NoticeBook::SeeFindings(const WatchedHost& watched, Episode& episode) {
  const auto& told = episode.kept.told();
  const std::set<std::string> known(told.begin(), told.end());
  episode.untold.clear();
  for (const FleetFinding& finding : watched.findings) {
    if (known.size() + episode.untold.size() >= kMostToldFindings) return;
    std::string word = FindingWord(finding);
    if (!known.contains(word)) episode.untold.insert(std::move(word));
  }
}

// What is yet to be told of an episode that was told and holds.
NoticeBook::Turn NoticeBook::TurnOf(const Episode& episode, bool worth, std::int64_t now) const {
  const v1::NoticeEpisode& kept = episode.kept;
  if (!worth) return Turn::kNone;
  if (episode.kind == v1::NOTICE_KIND_NOT_READY && kept.kind() == v1::NOTICE_KIND_UNDETERMINED)
    return Turn::kOpens;
  if (!episode.untold.empty()) return Turn::kFinding;
  return rules_.repeat > 0 && now - kept.told_unix_ns() >= rules_.repeat ? Turn::kAgain : Turn::kNone;
}

void NoticeBook::End(const Key& key, Turn how, std::int64_t now) {
  const auto found = episodes_.find(key);
  if (found == episodes_.end()) return;
  if (found->second.kept.told_unix_ns() == 0) {
    turning_.erase(key);
    episodes_.erase(found);
  } else if (found->second.turn != how) {
    Turned(key, found->second, how, now);
  }
}

void NoticeBook::Turned(const Key& key, Episode& episode, Turn turn, std::int64_t now) {
  episode.turn = turn;
  episode.turned_unix_ns = now;
  if (turn == Turn::kNone) {
    turning_.erase(key);
  } else {
    turning_.insert(key);
  }
}

std::map<NoticeBook::GroupKey, std::vector<NoticeBook::Key>> NoticeBook::Waiting() const {
  std::map<GroupKey, std::vector<Key>> groups;
  for (const Key& key : turning_) {
    const Episode& episode = episodes_.at(key);
    const v1::NoticeKind kind = episode.turn == Turn::kFinding ? v1::NOTICE_KIND_FINDING
                                : episode.turn == Turn::kOpens ? episode.kind
                                                               : episode.kept.kind();
    // What was opened once, and is now worse, is over by the same word: it has none before it is opened.
    const bool by_incident = episode.turn != Turn::kFinding;
    groups[{kind, episode.turn, episode.kept.group(), by_incident ? episode.kept.incident() : std::string()}]
        .push_back(key);
  }
  return groups;
}

// Thousands of hosts are judged in batches: what begins or ends in several of them is one notice.
bool NoticeBook::IsRipe(const GroupKey& group, const std::vector<Key>& keys, std::int64_t now) const {
  const auto& [kind, turn, name, incident] = group;
  const auto told = last_told_.find({kind, name});
  if (told != last_told_.end() && now - told->second < rules_.apart) return false;
  std::int64_t first = now;
  std::int64_t last = 0;
  for (const Key& key : keys) {
    first = std::min(first, episodes_.at(key).turned_unix_ns);
    last = std::max(last, episodes_.at(key).turned_unix_ns);
  }
  if (!IsEnd(turn)) return now - first >= rules_.gather;
  return now - last >= rules_.apart || now - first >= rules_.apart + kEndsGatherFor * rules_.gather;
}

bool NoticeBook::HasDue(std::int64_t now) {
  KeepTime(now);
  return std::ranges::any_of(Waiting(),
                             [&](const auto& waiting) { return IsRipe(waiting.first, waiting.second, now); });
}

std::vector<v1::Notice> NoticeBook::Due(std::int64_t now) {
  KeepTime(now);
  std::vector<v1::Notice> notices;
  std::map<std::pair<v1::NoticeKind, std::string>, std::int64_t> told;
  for (auto& [group, keys] : Waiting()) {
    const auto& [kind, turn, name, incident] = group;
    if (!IsRipe(group, keys, now)) continue;
    if (IsEnd(turn)) {
      std::erase_if(keys,
                    [&](const Key& key) { return now - episodes_.at(key).turned_unix_ns < rules_.apart; });
    }
    notices.push_back(Tell(group, std::move(keys), now));
    told[{kind, name}] = now;
  }
  // Several incidents may end or be worse at once: they do not wait for each other.
  for (const auto& [key, when] : told) last_told_[key] = when;
  return notices;
}

v1::Notice NoticeBook::Tell(const GroupKey& group, std::vector<Key> keys, std::int64_t now) {
  const auto& [kind, turn, name, opened] = group;
  v1::Notice notice;
  notice.set_notice_id(MakeInstanceId());
  notice.set_incident(opened);
  notice.set_kind(kind);
  notice.set_unix_ns(now);
  notice.set_hub(hub_);
  notice.set_group(name);
  std::vector<v1::NoticeHost> hosts;
  if (turn == Turn::kOpens && opened.empty()) notice.set_incident(notice.notice_id());
  std::set<std::string> incidents{notice.incident()};
  if (turn == Turn::kFinding) {
    incidents.clear();
    for (const Key& key : keys) incidents.insert(episodes_.at(key).kept.incident());
    NameIncidents(incidents, notice);
  }
  for (const Key& key : keys) {
    Episode& episode = episodes_.at(key);
    hosts.push_back(episode.now);
    changed_.insert(key);
    turning_.erase(key);
    if (IsEnd(turn)) {
      episodes_.erase(key);
      continue;
    }
    episode.turn = Turn::kNone;
    if (turn == Turn::kOpens) {
      episode.kept.set_incident(notice.incident());
      episode.kept.set_kind(kind);
    }
    episode.kept.set_told_unix_ns(now);
    for (const std::string& word : episode.untold) {
      if (episode.kept.told_size() < static_cast<int>(kMostToldFindings)) episode.kept.add_told(word);
    }
    episode.untold.clear();
  }
  notice.set_left(Left(incidents));
  notice.set_state(turn == Turn::kAgain ? v1::NOTICE_STATE_AGAIN
                   : !IsEnd(turn)       ? v1::NOTICE_STATE_OPEN
                   : notice.left() > 0  ? v1::NOTICE_STATE_EASED
                                        : v1::NOTICE_STATE_OVER);
  if (IsEnd(turn)) {
    for (v1::NoticeHost& host : hosts) {  // what stood in its way stands there no more
      host.clear_check();
      host.clear_subject();
      host.set_observed(turn == Turn::kRevoked ? "revoked" : "");
    }
  }
  NameHosts(std::move(hosts), notice);
  notice.set_text(turn == Turn::kRevoked ? RevokedSentence(notice) : NoticeSentence(notice));
  return notice;
}

std::uint64_t NoticeBook::Left(const std::set<std::string>& incidents) const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      episodes_, [&](const auto& episode) { return incidents.contains(episode.second.kept.incident()); }));
}

NoticeBook::Changes NoticeBook::TakeChanges() {
  Changes changes;
  for (const Key& key : std::exchange(changed_, {})) {
    const auto found = episodes_.find(key);
    if (found == episodes_.end() || found->second.kept.told_unix_ns() == 0) {
      changes.dropped.push_back(key);
    } else {
      changes.put.push_back(found->second.kept);
    }
  }
  return changes;
}

void NoticeBook::Untake(const Changes& changes) {
  for (const v1::NoticeEpisode& episode : changes.put)
    changed_.insert({episode.host_id(), AxisOf(episode.kind())});
  changed_.insert(changes.dropped.begin(), changes.dropped.end());
}

}  // namespace rdmaready::hub
