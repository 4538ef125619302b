// SPDX-License-Identifier: Apache-2.0
// AuditTrail: what callers have this hub do, written down before it is done: what cannot be written is not
// done. Each entry is told in the log, too (event "audit"), with its digest, so that a chain that was rewritten
// as a whole does not agree with the log.
//
// Threads: any thread may call.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "api/base/event.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

struct AuditedAsk {
  std::string who{};
  std::string peer{};
  std::string verb{};
  std::string detail{};
};

class AuditTrail {
 public:
  // What is named outlives it. `hub`: whose chain this is.
  AuditTrail(FleetStore& store, std::string hub, EventSink events)
      : store_(store), hub_(std::move(hub)), events_(std::move(events)) {}

  // Before it is done. An error of the store: it must not be done.
  absl::Status Asked(const AuditedAsk& ask);
  // It was asked, and did not come off.
  void Failed(const AuditedAsk& ask, const absl::Status& why);
  // He may not. After the tenth in a minute they are counted, and the next entry says how many it were.
  void Refused(const AuditedAsk& ask, const absl::Status& why, std::int64_t now_unix_ns);

  const std::string& hub() const { return hub_; }

 private:
  absl::Status Append(const AuditedAsk& ask, std::string outcome);

  FleetStore& store_;
  const std::string hub_;
  const EventSink events_;
  std::mutex mutex_;  // guards what follows
  std::int64_t minute_unix_ns_ = 0;
  int refused_in_minute_ = 0;
  std::uint64_t kept_back_ = 0;
};

}  // namespace rdmaready::hub
