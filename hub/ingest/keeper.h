// SPDX-License-Identifier: Apache-2.0
// Keeper: from a report's facts to rows. Reports wait in a bounded queue; they are unpacked and judged by a few
// threads, and written by one, many in one transaction, since a sync of the disk costs the same for one as for
// all. A report is answered when it is on disk, or when it is known that it will not be.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/pulse.h"
#include "api/model/baseline.h"
#include "api/model/facts.h"
#include "hub/ingest/host_book.h"
#include "hub/judge/fleet_agreement.h"
#include "hub/judge/own_past.h"
#include "hub/judge/rule_book.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

// A report of which something is to be kept.
struct Arrival {
  std::string host_id{};
  std::string name{};
  std::string machine_id{};
  std::string boot_id{};
  std::string agent_version{};
  ReportMark mark{};
  std::string digest{};
  std::string facts_zlib{};  // empty: those that are kept
  std::uint32_t facts_bytes = 0;
  std::string past_digest{};  // 64 hexadecimal digits
  std::string past_zlib{};    // empty: the one that is kept
  std::uint32_t past_bytes = 0;
  std::int64_t received_unix_ns = 0;
  std::int64_t clock_ahead_ns = 0;
  // OK: kept. kInvalidArgument: it never will be. Else: try again later. `past_refused`: why its past is not
  // kept with the rest, and never will be; empty: it is. Called once, on a thread of the keeper's.
  std::function<void(const absl::Status&, const std::string& past_refused)> answer{};
};

struct KeeperLimits {
  std::size_t queue_reports = 4096;
  std::size_t queue_bytes = 64 * 1024 * 1024;
  std::size_t batch = 256;
  std::chrono::milliseconds gather{50};  // how long the first report of a batch waits for others
  int judges = 2;
  std::chrono::milliseconds beat{10'000};  // of its pulse, while nothing waits
};

struct KeeperSeams {
  FleetStore& store;
  HostBook& book;
  std::function<std::shared_ptr<const RuleBook>()> rules{};
  std::function<void(const std::vector<CommittedChange>&)>
      changed{};                                      // after each commit that changed anything
  std::function<void(const absl::Status&)> stored{};  // after each attempt to write
  FleetAgreement* agreement = nullptr;                // where each host votes; null: hosts are not compared
  std::function<void(std::chrono::nanoseconds)> took{};  // how long one took that succeeded
};

struct KeeperCounts {
  std::uint64_t kept = 0;
  std::uint64_t refused = 0;  // no facts, or too many
  std::uint64_t put_off = 0;  // queue full, or the store would not
  std::uint64_t judged = 0;
  std::uint64_t commits = 0;
  std::size_t waiting = 0;
  std::size_t waiting_again = 0;  // to be judged again
};

class Keeper {
 public:
  // `clock` outlives it.
  Keeper(KeeperSeams seams, KeeperLimits limits, Clock& clock = RealClock());
  // What waits is answered kUnavailable.
  ~Keeper();

  // False: the queue is full, and `answer` is not called.
  bool Add(Arrival arrival);

  // Judges these hosts again by the rules of then, from the facts that are kept; after what waits now, and
  // beside what comes meanwhile. Those that wait for it already are not added twice.
  void JudgeAgain(std::vector<std::string> host_ids);

  KeeperCounts Counts() const;

  // Beats after each batch, and now and then while nothing waits.
  const Pulse& pulse() const { return pulse_; }

 private:
  struct Work;
  void Run();
  // Empty: it is over.
  std::vector<Work> TakeBatch();
  void KeepBatch(std::vector<Work> work);
  void Count(const std::vector<Work>& work);
  void JudgeOne(Work& work) const;
  absl::StatusOr<JudgedHost> WhoseFacts(Work& work) const;
  absl::StatusOr<KnownPast> PastOf(const Work& work, const std::vector<CaseBaseline>* brought,
                                   const Facts& facts) const;
  void Judge(std::vector<Work>& work) const;
  absl::Status Commit(std::vector<Work>& work);

  KeeperSeams seams_;
  const KeeperLimits limits_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::deque<Arrival> queue_{};
  std::size_t queued_bytes_ = 0;
  std::set<std::string> again_{};  // ids
  bool stopping_ = false;
  KeeperCounts counts_{};
  Pulse pulse_{clock_};
  std::thread thread_;
};

}  // namespace rdmaready::hub
