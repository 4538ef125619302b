// SPDX-License-Identifier: Apache-2.0
// Notifier: looks at the fleet when something changed, tells who is to be told, and keeps in the store what was
// told and what is on its way. It is on no way of a report: it reads, on a thread of its own, what was
// committed.
//
// At least once: what is due is written to the store together with what was thereby told, and deleted there
// when its receiver took it. A hub that starts again goes on with what was on its way, of which one may come
// twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "hub/fleet/change_feed.h"
#include "hub/fleet/fleet_view.h"
#include "hub/notice/courier.h"
#include "hub/notice/notice_book.h"
#include "hub/notice/notice_file.h"
#include "hub/notice/odd_book.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

struct NotifierOptions {
  NoticeOptions notices{};
  std::string hub{};
  SendLimits send{};
  CourierLimits courier{};
  std::chrono::milliseconds between_looks{2'000};    // at the fleet, when something changed
  std::chrono::milliseconds without_change{60'000};  // for what makes no change: maintenance, acknowledging
  Clock* clock = &RealClock();
  EventSink events{};
};

class Notifier {
 public:
  // What is named outlives it. Errors are the store's.
  static absl::StatusOr<std::unique_ptr<Notifier>> Start(NotifierOptions options, FleetStore& store,
                                                         const FleetView& view, ChangeFeed& feed);
  ~Notifier();

  // Other receivers and rules from now on. What waits for a receiver that stays, by its name, goes on waiting
  // for it, and is tried at once where it became another; what waits for others is forgotten. Any thread; may
  // take as long as SendLimits say.
  void Reload(NoticeOptions notices);

  // Any thread.
  std::vector<CourierCounts> Counts() const;

 private:
  // Of what holds.
  struct Standing {
    std::unordered_map<std::string, std::vector<FleetFinding>> blocking{};  // by host; not acknowledged
    std::vector<FleetFinding> odd{};  // what differs in a group, or is not known to
  };
  Notifier(NotifierOptions options, FleetStore& store, const FleetView& view);
  static absl::StatusOr<Standing> StandingOf(FleetStore& store);
  // Couriers of receivers that are other ones in `notices`, or none.
  std::vector<std::unique_ptr<Courier>> TakeOthers(const NoticeOptions& notices);
  static void EndAll(std::vector<std::unique_ptr<Courier>>& couriers);
  std::unique_ptr<Courier> Engage(const NoticeReceiver& receiver, CourierLeft left) const;
  absl::Status Restore();
  void Run(const std::stop_token& stop, const std::shared_ptr<ChangeFeed::Watcher>& watcher);
  bool HasDue(std::int64_t now);
  absl::Status Look(std::int64_t now);
  void TellWhatIsDue(std::int64_t now);
  void Stored(const absl::Status& status);

  FleetStore& store_;
  const FleetView& view_;
  std::mutex working_;  // guards what follows: by who looks and tells, and by who reloads
  NotifierOptions options_;
  NoticeBook book_;
  OddBook odd_;
  std::uint64_t parcels_ = 0;
  bool store_failed_ = false;
  std::vector<std::string> done_{};  // parcels whose end is not in the store yet
  mutable std::mutex mutex_;         // with `working_`, to change what follows; one of them, to read it
  std::vector<std::unique_ptr<Courier>> couriers_{};
  std::jthread thread_{};
};

}  // namespace rdmaready::hub
