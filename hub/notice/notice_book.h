// SPDX-License-Identifier: Apache-2.0
// NoticeBook: what is to be told of hosts. It is shown how hosts are, compares that with what was told, and
// says what is due. Pure: no clock, no thread, no disk.
//
// An episode is one host that is not well in one way (its verdict, or its silence), from when that was seen
// until it is over. Hosts of one group that become so within `gather` are one notice; the next one of that kind
// and group comes `apart` later at the earliest. What is over is told when it has been so for `apart`: a host
// that goes to and fro is told once. It waits for others of the same incident that end meanwhile, for five
// `gather` at most. What was over before it was told is not told at all, and is told like anything else if it
// comes again. What is to be told of a host follows from how it is now and from what was told, by no way that
// it went meanwhile: one that goes to and fro, or through a maintenance, loses nothing.
//
// A clock that is set back holds nothing up: what waits goes on waiting as long as it would have.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/model/fleet.h"
#include "hub/notice/notice_file.h"
#include "rdmaready/v1/notice.pb.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostNamedHosts = 20;
inline constexpr std::size_t kMostNamedIncidents = 20;
inline constexpr std::size_t kMostToldFindings = 256;  // of an episode; more are not told one by one

// How many they are, the first of them by name, and what stands in their way by how many have it.
void NameHosts(std::vector<v1::NoticeHost> hosts, v1::Notice& notice);

struct WatchedHost {
  FleetHost host{};
  std::vector<FleetFinding> findings{};  // that block, hold, and were not acknowledged
};

class NoticeBook {
 public:
  enum class Axis { kVerdict, kSilence };
  using Key = std::pair<std::string, Axis>;  // by host_id

  NoticeBook(NoticeRules rules, std::string hub) : rules_(rules), hub_(std::move(hub)) {}

  // Others from now on.
  void SetRules(const NoticeRules& rules) { rules_ = rules; }

  // What was told before, at the start.
  void Restore(const v1::NoticeEpisode& episode);

  // How a host is now. Of one in maintenance nothing is told, and what is then over or new is told when the
  // maintenance is over.
  void See(const WatchedHost& watched, std::int64_t now_unix_ns);

  // Whether something is to be told now: who asks may want to look once more, so that what is told is not old.
  bool HasDue(std::int64_t now_unix_ns);
  // What is to be told now, and counts as told.
  std::vector<v1::Notice> Due(std::int64_t now_unix_ns);

  // What became another since the last call: to be kept, and to be forgotten.
  struct Changes {
    std::vector<v1::NoticeEpisode> put{};
    std::vector<Key> dropped{};
  };
  Changes TakeChanges();
  // They were not kept: they are among the next ones.
  void Untake(const Changes& changes);

 private:
  enum class Turn { kNone, kOpens, kFinding, kAgain, kEnds, kRevoked };
  struct Episode {
    v1::NoticeEpisode kept{};                       // what was told
    v1::NoticeHost now{};                           // what stands in its way
    v1::NoticeKind kind = v1::NOTICE_KIND_UNKNOWN;  // of now
    Turn turn = Turn::kNone;
    std::int64_t turned_unix_ns = 0;
    std::set<std::string> untold{};  // findings that it has now
  };
  using GroupKey =
      std::tuple<v1::NoticeKind, Turn, std::string, std::string>;  // group, incident of what was opened

  void KeepTime(std::int64_t now);
  void SeeVerdict(const WatchedHost& watched, std::int64_t now);
  void SeeSilence(const WatchedHost& watched, std::int64_t now);
  void Hold(const Key& key, const WatchedHost& watched, v1::NoticeKind kind, bool worth, std::int64_t now);
  static void SeeFindings(const WatchedHost& watched, Episode& episode);
  Turn TurnOf(const Episode& episode, bool worth, std::int64_t now) const;
  void End(const Key& key, Turn how, std::int64_t now);
  static bool IsEnd(Turn turn) { return turn == Turn::kEnds || turn == Turn::kRevoked; }
  void Turned(const Key& key, Episode& episode, Turn turn, std::int64_t now);
  std::map<GroupKey, std::vector<Key>> Waiting() const;
  bool IsRipe(const GroupKey& group, const std::vector<Key>& keys, std::int64_t now) const;
  v1::Notice Tell(const GroupKey& group, std::vector<Key> keys, std::int64_t now);
  std::uint64_t Left(const std::set<std::string>& incidents) const;

  NoticeRules rules_;
  std::int64_t now_unix_ns_ = 0;  // when it was asked last
  const std::string hub_;
  std::map<Key, Episode> episodes_{};
  std::set<Key> turning_{};
  std::map<std::pair<v1::NoticeKind, std::string>, std::int64_t> last_told_{};  // by kind and group
  std::set<Key> changed_{};
};

// "verdict", "silence", and the other way.
std::string NoteKeyOf(const NoticeBook::Key& key);

NoticeBook::Axis AxisOf(v1::NoticeKind kind);

}  // namespace rdmaready::hub
