// SPDX-License-Identifier: Apache-2.0
// HostBook: what the hub has at hand of every host, in memory: which state is kept, when it was last heard, and
// whether its stream is there. What is not in the store is made again by the next report.
//
// How long ago something was is told by a clock that nobody sets: a wall clock that jumps makes nobody silent,
// and hides no silence. What is shown as a time of day is of the wall clock as it is then.
//
// Threads: any thread may call. No call blocks on anything but its mutex.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/base/clock.h"
#include "hub/ingest/identity_watch.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

// One stream of an agent, as the book sees it.
class AgentStream {
 public:
  virtual ~AgentStream() = default;
  // Another stream of the same host has come: this one ends, and `why` is said. Any thread; returns at once.
  virtual void Replace(const absl::Status& why) = 0;
  // Its certificate may have been revoked since it came: then it ends. Any thread.
  virtual void JudgeAgain() = 0;
  // The lists of the revoked are others now: it is told, where it takes any. Any thread.
  virtual void TellLists() = 0;
};

struct HostNow {
  std::string name{};
  std::string group{};
  std::string digest{};
  std::string past_digest{};  // of what its live tests showed; empty: it has told nothing of them
  AgentRun agent{};           // that was heard last; without a run: it never reported
  std::string judged_by{};
  std::int64_t seen_unix_ns = 0;
  std::int64_t clock_ahead_ns = 0;
  bool connected = false;
};

class HostBook {
 public:
  // `clock` outlives it. The time before it was made is nobody's silence.
  explicit HostBook(Clock& clock = RealClock()) : clock_(clock), listening_since_(clock.Now()) {}

  // At the start, from the store. The watch of identities knows it then, too.
  void Know(const KnownHost& host);

  // The same, of what its live tests showed.
  void KnowPast(const std::string& host_id, const std::string& digest);
  // For good, as the store does of a host that is revoked: what a report brings that waited is not kept.
  void ForgetPast(const std::string& host_id);
  std::string PastOf(const std::string& host_id) const;

  // The stream takes the place of the one before it, which is told. Returns what is known of the host; nothing
  // of one that never reported.
  std::optional<HostNow> Attach(const std::string& host_id, const std::shared_ptr<AgentStream>& stream);
  // The stream that is there, if one is, is told to end.
  void End(const std::string& host_id, const absl::Status& why);
  // Unless another one has come.
  void Detach(const std::string& host_id, const AgentStream* stream);

  // A report came whose state is kept already: true, and it counts as heard. False: its facts are wanted.
  // Counting reports would not do: a machine that is brought back from a snapshot counts again what it has
  // counted.
  //
  // `agent` is who speaks for the host from then on. Not so its name, by which it is judged: see IsNamed.
  bool HeardUnchanged(const std::string& host_id, const std::string& digest, const AgentRun& agent,
                      std::int64_t now_unix_ns, std::int64_t clock_ahead_ns);

  // Whether what is kept of the host is kept by that name.
  bool IsNamed(const std::string& host_id, const std::string& name) const;

  // Whether it is time to have facts of a state that is kept already, for the readings in them: about once in
  // `SetFactsEvery` for each host. Who is told so asks for them.
  bool TakeFactsDue(const std::string& host_id);
  // Whether such facts were asked for, and have not come.
  bool FactsAsked(const std::string& host_id) const;
  // 0: never. Before anything else is called.
  void SetFactsEvery(std::int64_t ns) { facts_every_ns_ = ns; }

  // A report of the host waits to be kept: until it is or is not, no other is taken for kept.
  void Pending(const std::string& host_id, int more);

  // What the store has of the host now.
  void Kept(const JudgedHost& judged);

  // Hosts whose live tests are known, by id.
  std::vector<std::string> WithPast() const;

  // Its facts are not to be read any more: they are wanted again.
  void Lost(const std::string& host_id);

  std::optional<HostNow> Find(const std::string& host_id) const;
  // Ids and names of hosts whose verdict was made by other rules than `wanted` says for their name.
  std::vector<std::pair<std::string, std::string>> JudgedByOthers(
      const std::function<std::string(const std::string& name)>& wanted) const;
  // Heard since the last call, for the store.
  std::vector<SeenHost> TakeSeen();

  // Hosts that became silent, and those that were heard again, since the last call: nothing of them for longer
  // than `patience`. A hub that was away itself has heard nobody meanwhile.
  struct SilenceTurns {
    std::vector<std::string> silent{};
    std::vector<std::string> back{};
  };
  SilenceTurns TakeSilence(std::chrono::nanoseconds patience);

  // For how long hosts could be heard at all.
  std::chrono::nanoseconds ListeningFor() const { return clock_.Now() - listening_since_; }

  // All that are there.
  std::vector<std::shared_ptr<AgentStream>> Streams() const;

  IdentityWatch& identities() { return identities_; }
  const IdentityWatch& identities() const { return identities_; }
  // The time that they are asked with.
  std::int64_t SteadyNowNs() const { return clock_.Now().time_since_epoch().count(); }

  std::size_t size() const;
  std::size_t connected() const;

 private:
  struct Entry {
    HostNow now{};
    Clock::TimePoint heard_at{};
    std::weak_ptr<AgentStream> stream{};
    bool seen_untold = false;
    bool silent = false;
    int pending = 0;
    Clock::TimePoint facts_due{};
    bool facts_asked = false;
  };

  static bool HasReported(const Entry& entry) { return !entry.now.agent.mark.run_id.empty(); }

  IdentityWatch identities_{};
  // Some time from `least` to `most` tenths of the interval on.
  Clock::TimePoint FactsDue(std::int64_t least, std::int64_t most);
  // When what the wall clock calls `unix_ns` was; what is said of the future is now.
  Clock::TimePoint PointOf(std::int64_t unix_ns) const;
  HostNow NowOf(const Entry& entry) const;

  Clock& clock_;
  const Clock::TimePoint listening_since_;
  std::int64_t facts_every_ns_ = 0;
  mutable std::mutex mutex_;
  std::mt19937_64 random_{std::random_device()()};
  std::unordered_map<std::string, Entry> hosts_{};
  std::unordered_set<std::string> without_past_{};  // ids of hosts of which none is kept
};

}  // namespace rdmaready::hub
