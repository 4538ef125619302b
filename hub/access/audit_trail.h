// SPDX-License-Identifier: Apache-2.0
// AuditTrail: what callers have this hub do, written down before it is done: what cannot be written is not
// done. Each entry is told in the log, too (event "audit"), with its digest, so that a chain that was rewritten
// as a whole does not agree with the log.
//
// Threads: any thread may call.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

struct AuditedAsk {
  std::string who{};
  std::string peer{};
  std::string verb{};
  std::string detail{};
};

// "2 tokens: row 7", or "2 tokens" without a reason.
inline std::string WithReason(std::string detail, const std::string& reason) {
  return reason.empty() ? detail : std::move(detail) + ": " + reason;
}

class AuditTrail {
 public:
  // What is named outlives it. `hub`: whose chain this is.
  AuditTrail(FleetStore& store, std::string hub, EventSink events, Clock& clock = RealClock())
      : store_(store), hub_(std::move(hub)), events_(std::move(events)), clock_(clock) {}

  // Writes down what is asked, has it done by `work`, and writes down, too, if it did not come off. An error of
  // the store: it is not done. Gives back what `work` does, a Status or a StatusOr.
  template <class Work>
  std::invoke_result_t<Work> Audited(const AuditedAsk& ask, const Work& work) {
    if (absl::Status written = Asked(ask); !written.ok()) return written;
    std::invoke_result_t<Work> done = work();
    if (!done.ok()) Failed(ask, StatusOf(done));
    return done;
  }

  // Before it is done. An error of the store: it must not be done.
  absl::Status Asked(const AuditedAsk& ask);
  // He may not. After the tenth of a verb in a minute they are counted, and the next entry says how many it
  // were: who tries one thing in vain hides no other.
  void Refused(const AuditedAsk& ask, const absl::Status& why, std::int64_t now_unix_ns);

  const std::string& hub() const { return hub_; }

 private:
  static const absl::Status& StatusOf(const absl::Status& done) { return done; }
  template <class Value>
  static const absl::Status& StatusOf(const absl::StatusOr<Value>& done) {
    return done.status();
  }
  void Failed(const AuditedAsk& ask, const absl::Status& why);
  absl::Status Append(const AuditedAsk& ask, std::string outcome);

  FleetStore& store_;
  const std::string hub_;
  const EventSink events_;
  Clock& clock_;
  std::mutex mutex_;  // guards what follows
  struct Refusals {
    std::int64_t minute_unix_ns = 0;
    int in_minute = 0;
    std::uint64_t kept_back = 0;
  };
  std::map<std::string, Refusals> refused_{};  // by verb, of which there are a few
};

}  // namespace rdmaready::hub
