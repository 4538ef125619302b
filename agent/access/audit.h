// SPDX-License-Identifier: Apache-2.0
// Audit: who had what done by this agent, by which way, and what came of it; and who was refused. One JSON
// object a line, only ever appended, apart from the history, which ages.
//
// The same lines go to the log (event "audit"), which journald keeps where the agent cannot reach it. What the
// file withstands is what its owner gave it: root's file in a directory of root's with the append-only
// attribute (chattr +a) can be added to by the agent, and neither shortened nor rewritten, whoever has taken
// the agent over.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "agent/access/identity.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/handle.h"

namespace rdmaready::access {

struct AuditRecord {
  enum class Kind { kBegun, kEnded, kRefused };
  Kind kind = Kind::kBegun;
  const Identity* who = nullptr;  // not null
  Ask ask = Ask::kUnknown;        // not kUnknown
  std::string run_id{};
  std::string caller{};  // what the caller calls itself
  std::string target{};  // port, peer or server; never a secret
  std::string result{};  // of kEnded and kRefused: "ok", or the words of the failure
  int tests = 0;         // of kEnded: live tests that were made, and what they took
  int failed = 0;
  std::chrono::nanoseconds test_time{};
  std::uint64_t test_bytes = 0;
};

// `unix_ns` is now. No line break in it, whatever outsiders wrote into the values.
std::string AuditLine(const AuditRecord& record, std::int64_t unix_ns);

// Threads: every method may be called from any thread.
class Audit {
 public:
  // Empty path: events only.
  explicit Audit(std::string path = {}, EventSink events = {}, Clock& clock = RealClock())
      : path_(std::move(path)), events_(std::move(events)), clock_(clock) {}

  // Opens the file, which is made (mode 0600) where it is absent and this user may. kFailedPrecondition: it is
  // no regular file, or others than root and this user own it or may write it, the group aside. Tells in the
  // log whether a taken-over agent could rewrite it.
  absl::Status Open();

  // The file is made or found anew when it was moved away. An error leaves out this line, and the next that can be
  // written is followed by one that counts those. Of one caller's refusals, those after the tenth of a minute
  // are only counted.
  absl::Status Write(const AuditRecord& record);

  // Lines that did not reach the file, since the start.
  std::int64_t lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
  }

 private:
  struct Refusals {
    Clock::TimePoint since{};
    int written = 0;
    std::int64_t kept_back = 0;
  };

  absl::Status OpenLocked();
  bool Moved() const;
  absl::Status Append(std::string line);
  // Whether a refusal of `who` is to be written now; `kept_back`: of the minute before.
  bool Admit(const std::string& who, Clock::TimePoint now, std::int64_t& kept_back);

  const std::string path_;
  const EventSink events_;
  Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  UniqueFd fd_{};
  std::map<std::string, Refusals> refusals_{};
  std::int64_t lost_ = 0;
  std::int64_t lost_untold_ = 0;
  bool torn_ = false;  // the file ends within a line
};

}  // namespace rdmaready::access
