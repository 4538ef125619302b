// SPDX-License-Identifier: Apache-2.0
// DriftWatch: hears what the kernel announces of changes, reads again what was named, and tells which settings
// became others. Whatever comes, it keeps one reading of the host, the last value of each setting, and a
// bounded table of what it has heard. While nothing is announced it sleeps without a timeout.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/configurer.h"
#include "agent/drift/event.h"
#include "agent/drift/own_writes.h"
#include "agent/drift/pace.h"
#include "agent/drift/settings.h"
#include "api/base/clock.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "collectors/net/notices.h"
#include "collectors/refresh.h"

namespace rdmaready::drift {

// What the watch is given. All but `configurer` and `profiles` must be there.
struct Seams {
  using TimePoint = std::chrono::steady_clock::time_point;
  using SharedFacts = std::shared_ptr<const Facts>;

  // As HostNotices::Wait and Wake.
  std::function<HeardNotices(std::optional<TimePoint> until)> wait{};
  std::function<void()> wake{};
  // Reads again what the order says of `known`, which is null only for the whole host. kUnavailable: the agent
  // is ending.
  std::function<absl::StatusOr<SharedFacts>(const RefreshOrder& order, const SharedFacts& known)> read{};
  std::function<bool()>
      testing{};  // a live test of this agent runs: a reading would be seen in what it measures
  std::function<std::shared_ptr<const std::vector<Profile>>()> profiles{};
  std::function<void(const DriftEvent&)> tell{};
  std::shared_ptr<Configurer> configurer{};
  Clock* clock = &RealClock();  // that `until` of `wait` is by
};

class DriftWatch {
 public:
  using TimePoint = Seams::TimePoint;

  static constexpr std::chrono::minutes kLongestTest{2};      // beyond that it reads although a test runs
  static constexpr std::chrono::seconds kTryAgain{5};         // after a reading that was refused
  static constexpr std::chrono::minutes kLongestReading{15};  // of a host that answers nothing

  // Reads the host once, and then watches until destroyed. The destructor waits for what runs: whoever makes
  // the readings has refused them by then.
  explicit DriftWatch(Seams seams);
  DriftWatch(const DriftWatch&) = delete;
  DriftWatch& operator=(const DriftWatch&) = delete;
  ~DriftWatch();

  // A whole reading that somebody else made, not before `begun`: shows what nobody announces. Any thread.
  void Seen(std::shared_ptr<const Facts> facts, TimePoint begun);

  // Not OK: a round has not ended for longer than any may take. Any thread.
  absl::Status GoesOn() const;

 private:
  struct SeenFacts {
    std::shared_ptr<const Facts> facts{};
    TimePoint begun{};
  };

  void Run(const std::stop_token& stop);
  std::optional<TimePoint> NextLook() const;
  void Plan(const HeardNotices& heard);
  void PlanFor(const HostNotice& notice);
  void TakeSeen();
  bool HoldsBack(TimePoint now);
  void Read(TimePoint now);
  // Compares with what was known, and tells. `heard` may belong to it. Whether there was a change.
  bool Compare(std::shared_ptr<const Facts> facts, const HeardNotices& heard);
  void Tell(const std::vector<Change>& changes, const HeardNotices& heard, const Facts& before,
            const Facts& after);
  DriftEvent EventOf(const std::string& where, const HeardNotices& heard) const;
  void LookForOwn(const std::vector<Change>& changes, const HeardNotices& heard);
  OwnChange OwnOf(const Change& change, const HeardNotices& heard) const;
  const HeardSubject* DcbOf(const std::string& where, const HeardNotices& heard) const;
  void LearnNames();

  const Seams seams_;
  // Of the thread alone.
  std::stop_token stop_{};
  std::shared_ptr<const Facts> last_{};
  TimePoint last_ended_ = TimePoint::min();
  KnownSettings known_{};
  std::map<std::uint32_t, std::string> names_{};         // of the netdevs that are watched, by ifindex
  std::map<std::uint32_t, std::string> names_before_{};  // by the reading before
  bool lacks_netdev_ = false;                            // some port's is not known now
  OwnWrites own_;
  Pace pace_{};
  NoticeTable heard_{};  // what the next reading is about
  RefreshOrder order_{};
  TimePoint not_before_ = TimePoint::min();  // after a refusal, or while a test runs
  std::optional<TimePoint> held_since_{};    // by a test

  std::atomic<TimePoint::rep> busy_since_ = 0;  // 0: it waits
  std::mutex mutex_;                            // guards what follows
  SeenFacts seen_{};
  std::jthread thread_;
};

}  // namespace rdmaready::drift
