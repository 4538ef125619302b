// SPDX-License-Identifier: Apache-2.0
// IdentityWatch: whether a host is still the one that it was. A certificate says which host somebody is, and a
// copy of it says the same: what gives a copy away is that two runs of agents come in turns. A run of an agent
// that ended never comes back, so one that comes after another one did, and again the other way round, are two
// that live. A machine that is brought back from a snapshot comes back once, and its other run does not.
//
// Of a host that was renamed, whose identity moved to another machine, or that has the name of another host, a
// note is made; nothing is refused for that.
//
// Threads: any thread may call. Times are nanoseconds of one clock that nobody sets.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace rdmaready::hub {

// So long after the last word of one of two that claim one identity it is contested: agents that are refused
// come again after ten minutes.
inline constexpr std::int64_t kContestedNs = 15LL * 60 * 1'000'000'000;

// Who says hello, after the certificate was judged.
struct IdentityClaim {
  std::string host_id{};
  std::string name{};
  std::string machine_id{};  // may be empty
  std::string run_id{};
  std::string peer{};  // "ipv4:10.0.0.7:41234"
};

struct IdentityNote {
  std::string host_id{};
  std::string text{};
};

class IdentityWatch {
 public:
  // At the start, from the store.
  void Know(const std::string& host_id, const std::string& name, const std::string& machine_id);

  // kPermissionDenied, with both: two machines report as this host.
  absl::Status Hello(const IdentityClaim& claim, std::int64_t now);

  // Why what this host says is not believed; empty: it is.
  std::string Contested(const std::string& host_id, std::int64_t now) const;

  // Of how many hosts that is so.
  std::size_t CountContested(std::int64_t now) const;

  // What happened since the last call, for the history of those hosts.
  std::vector<IdentityNote> TakeNotes();

 private:
  struct Run {
    std::string run_id{};
    std::string from{};  // "node7 (10.0.0.7)"
    std::int64_t last_ns = 0;
    bool came_back = false;  // after another run had come
  };
  struct Entry {
    std::string name{};
    std::string machine_id{};
    std::vector<Run> runs{};  // the newest last
    bool contest_noted = false;
    std::int64_t hour_ns = 0;  // when the first note of an hour was made
    int notes_in_hour = 0;
  };

  void Note(const std::string& host_id, Entry& entry, std::int64_t now, std::string text);
  void CompareWithBefore(const IdentityClaim& claim, Entry& entry, std::int64_t now);
  static void Remember(const IdentityClaim& claim, Entry& entry, std::int64_t now);
  // The two that claim it; the second is null where only one does, or none.
  static std::pair<const Run*, const Run*> Claimants(const Entry& entry, std::int64_t now);
  static std::string WhyContested(const Entry& entry, std::int64_t now);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> hosts_{};
  std::unordered_map<std::string, std::string> named_{};  // the host that has a name, the one that took it last
  std::vector<IdentityNote> notes_{};
};

}  // namespace rdmaready::hub
