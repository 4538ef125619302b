// SPDX-License-Identifier: Apache-2.0
// OddBook: what is to be told of hosts that are otherwise than most of their group. It is shown all of them,
// compares that with what was told, and says what is due. Pure: no clock, no thread, no disk.
//
// That a host is the odd one is a warning: it works. So there is one incident for each group and check, however
// many hosts it has: it is opened `gather` after the first one was seen, and over when none has been odd for
// `apart`. Hosts that become odd meanwhile are told together, an hour after the last word at the earliest. A
// host that falls silent, is worked on, was acknowledged, or of which it is not known any more, is what it was:
// it neither opens nor ends anything, and is not told again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hub/notice/notice_file.h"
#include "rdmaready/v1/notice.pb.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostToldOddHosts = 1'000;  // remembered of one incident; of more, none is news
inline constexpr std::int64_t kOddHostsApartNs = 3'600'000'000'000;

struct OddHost {
  std::string group{};
  v1::NoticeHost host{};   // with check, subject and what was observed
  bool as_it_was = false;  // see above
};

class OddBook {
 public:
  using Key = std::pair<std::string, std::string>;  // group, check

  OddBook(NoticeRules rules, std::string hub) : rules_(rules), hub_(std::move(hub)) {}

  // Others from now on.
  void SetRules(const NoticeRules& rules) { rules_ = rules; }
  // What was told before, at the start.
  void Restore(const v1::NoticeOddOnes& told);

  // All that are odd now, in any order; a host may be there with several ports.
  void See(const std::vector<OddHost>& all, std::int64_t now_unix_ns);

  // Whether something is to be told now: who asks may want to look once more, so that what is told is not old.
  bool HasDue(std::int64_t now_unix_ns);
  // What is to be told now, and counts as told.
  std::vector<v1::Notice> Due(std::int64_t now_unix_ns);

  // What became another since the last call: to be kept, and to be forgotten.
  struct Changes {
    std::vector<v1::NoticeOddOnes> put{};
    std::vector<Key> dropped{};
  };
  Changes TakeChanges();
  // They were not kept: they are among the next ones.
  void Untake(const Changes& changes);

 private:
  struct Incident {
    v1::NoticeOddOnes kept{};
    std::map<std::string, v1::NoticeHost> hosts{};  // that are odd now, by id
    std::set<std::string> telling{};                // those of them that are not only what they were
    std::set<std::string> told{};                   // ids
    std::int64_t first_unix_ns = 0;                 // when one was seen that is not told
    std::int64_t ended_unix_ns = 0;                 // 0: it holds
  };

  void KeepTime(std::int64_t now);
  bool HasNews(const Incident& incident) const;
  std::optional<v1::NoticeState> StateDue(const Incident& incident, std::int64_t now) const;
  static void Remember(const Key& key, const std::vector<v1::NoticeHost>& hosts, Incident& incident,
                       std::int64_t now);
  v1::Notice Tell(const Key& key, Incident& incident, v1::NoticeState state, std::int64_t now);

  NoticeRules rules_;
  const std::string hub_;
  std::int64_t now_unix_ns_ = 0;  // when it was asked last
  std::map<Key, Incident> incidents_{};
  std::set<Key> changed_{};
};

}  // namespace rdmaready::hub
