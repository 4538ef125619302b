// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/odd_book.h"

#include <algorithm>
#include <iterator>

#include "api/base/run_id.h"
#include "hub/notice/notice_book.h"
#include "hub/notice/notice_text.h"

namespace rdmaready::hub {

void OddBook::Restore(const v1::NoticeOddOnes& told) {
  Incident& incident = incidents_[{told.group(), told.check()}];
  incident.kept = told;
  for (const v1::NoticeHost& host : told.hosts()) incident.told.insert(host.host_id());
}

// A clock that is set back holds nothing up.
void OddBook::KeepTime(std::int64_t now) {
  const std::int64_t back = std::max<std::int64_t>(now_unix_ns_ - now, 0);
  now_unix_ns_ = now;
  for (auto& [key, incident] : incidents_) {
    if (incident.first_unix_ns != 0) incident.first_unix_ns -= back;
    if (incident.ended_unix_ns != 0) incident.ended_unix_ns -= back;
    incident.kept.set_told_unix_ns(std::min(incident.kept.told_unix_ns(), now));
  }
}

bool OddBook::HasNews(const Incident& incident) const {
  if (incident.told.size() >= kMostToldOddHosts) return false;
  return std::ranges::any_of(incident.hosts,
                             [&](const auto& host) { return !incident.told.contains(host.first); });
}

void OddBook::See(const std::vector<OddHost>& all, std::int64_t now) {
  KeepTime(now);
  for (auto& [key, incident] : incidents_) {
    incident.hosts.clear();
    incident.telling.clear();
  }
  for (const OddHost& odd : all) {
    const Key key{odd.group, odd.host.check()};
    const auto found = incidents_.find(key);
    if (odd.as_it_was && (found == incidents_.end() || !found->second.told.contains(odd.host.host_id())))
      continue;
    Incident& incident = incidents_[key];
    if (odd.as_it_was) {
      incident.hosts.try_emplace(odd.host.host_id(), odd.host);
    } else if (incident.telling.insert(odd.host.host_id()).second) {
      incident.hosts.insert_or_assign(odd.host.host_id(), odd.host);
    }
  }
  for (auto place = incidents_.begin(); place != incidents_.end();) {
    Incident& incident = place->second;
    const bool told = incident.kept.told_unix_ns() != 0;
    if (incident.hosts.empty() && !told) {  // over before anybody knew
      place = incidents_.erase(place);
      continue;
    }
    if (!incident.hosts.empty()) {
      incident.ended_unix_ns = 0;
    } else if (incident.ended_unix_ns == 0) {
      incident.ended_unix_ns = now;
    }
    if (!HasNews(incident)) {
      incident.first_unix_ns = 0;
    } else if (incident.first_unix_ns == 0) {
      incident.first_unix_ns = now;
    }
    ++place;
  }
}

std::optional<v1::NoticeState> OddBook::StateDue(const Incident& incident, std::int64_t now) const {
  if (incident.ended_unix_ns != 0) {
    if (now - incident.ended_unix_ns < rules_.apart) return std::nullopt;
    return v1::NOTICE_STATE_OVER;
  }
  const std::int64_t told = incident.kept.told_unix_ns();
  const bool gathered = incident.first_unix_ns != 0 && now - incident.first_unix_ns >= rules_.gather;
  const bool rested = told == 0 || now - told >= std::max(rules_.apart, kOddHostsApartNs);
  if (gathered && rested) return v1::NOTICE_STATE_OPEN;
  const bool repeats = told != 0 && rules_.repeat > 0 && now - told >= rules_.repeat;
  if (repeats && !incident.telling.empty()) return v1::NOTICE_STATE_AGAIN;
  return std::nullopt;
}

bool OddBook::HasDue(std::int64_t now) {
  KeepTime(now);
  return std::ranges::any_of(incidents_,
                             [&](const auto& one) { return StateDue(one.second, now).has_value(); });
}

std::vector<v1::Notice> OddBook::Due(std::int64_t now) {
  KeepTime(now);
  std::vector<v1::Notice> notices;
  for (auto place = incidents_.begin(); place != incidents_.end();) {
    auto& [key, incident] = *place;
    const std::optional<v1::NoticeState> state = StateDue(incident, now);
    if (state) notices.push_back(Tell(key, incident, *state, now));
    place = state == v1::NOTICE_STATE_OVER ? incidents_.erase(place) : std::next(place);
  }
  return notices;
}

// They count as told.
void OddBook::Remember(const Key& key, const std::vector<v1::NoticeHost>& hosts, Incident& incident,
                       std::int64_t now) {
  v1::NoticeOddOnes& kept = incident.kept;
  for (const v1::NoticeHost& host : hosts) {
    if (incident.told.size() >= kMostToldOddHosts || !incident.told.insert(host.host_id()).second) continue;
    v1::NoticeHost& one = *kept.add_hosts();
    one.set_host_id(host.host_id());
    one.set_name(host.name());
    one.set_since_unix_ns(host.since_unix_ns());
  }
  kept.set_group(key.first);
  kept.set_check(key.second);
  kept.set_told_hosts(std::max<std::uint64_t>(hosts.size(), incident.told.size()));
  kept.set_told_unix_ns(now);
  incident.first_unix_ns = 0;
}

v1::Notice OddBook::Tell(const Key& key, Incident& incident, v1::NoticeState state, std::int64_t now) {
  v1::NoticeOddOnes& kept = incident.kept;
  const bool over = state == v1::NOTICE_STATE_OVER;
  v1::Notice notice;
  notice.set_notice_id(MakeInstanceId());
  if (kept.incident().empty()) kept.set_incident(notice.notice_id());
  notice.set_incident(kept.incident());
  notice.set_kind(v1::NOTICE_KIND_ODD);
  notice.set_state(state);
  notice.set_unix_ns(now);
  notice.set_hub(hub_);
  notice.set_group(key.first);
  std::vector<v1::NoticeHost> hosts;
  if (over) {
    hosts.assign(kept.hosts().begin(), kept.hosts().end());
  } else {
    for (const std::string& id : incident.telling) hosts.push_back(incident.hosts.at(id));
    notice.set_left(incident.hosts.size());
    Remember(key, hosts, incident, now);
  }
  changed_.insert(key);
  NameHosts(std::move(hosts), notice);
  if (over) {  // more than are remembered may have been told
    notice.set_hosts(std::max<std::uint64_t>(kept.told_hosts(), notice.hosts()));
    v1::NoticeCheck& check = *notice.add_checks();
    check.set_check(key.second);
    check.set_hosts(notice.hosts());
  }
  notice.set_text(NoticeSentence(notice));
  return notice;
}

OddBook::Changes OddBook::TakeChanges() {
  Changes changes;
  for (const Key& key : std::exchange(changed_, {})) {
    const auto found = incidents_.find(key);
    if (found == incidents_.end() || found->second.kept.told_unix_ns() == 0) {
      changes.dropped.push_back(key);
    } else {
      changes.put.push_back(found->second.kept);
    }
  }
  return changes;
}

void OddBook::Untake(const Changes& changes) {
  for (const v1::NoticeOddOnes& told : changes.put) changed_.insert({told.group(), told.check()});
  changed_.insert(changes.dropped.begin(), changes.dropped.end());
}

}  // namespace rdmaready::hub
