// SPDX-License-Identifier: Apache-2.0
// EventLog: events as lines of a log, for people or for programs. Whatever an outsider put into a value, an
// event stays one line and a program can parse it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/clock.h"
#include "api/base/event.h"

namespace rdmaready {

// kJournal: entries of systemd's journal (api/daemon/journal.h).
enum class LogFormat { kText, kJson, kJournal };

// "test port=rxe0/1 case=send-1k caller="root@a (pid 7)"": without time and level.
std::string EventText(const Event& event);

// ""event":"test","port":"rxe0/1"": the members of an object, without time and level.
std::string EventJson(const Event& event);

// Keeps an outsider who knocks a thousand times a second from filling the disk.
class Throttle {
 public:
  using TimePoint = Clock::TimePoint;

  // Empty: not now. Else how many were kept back since the last one that was let through.
  std::optional<std::int64_t> Admit(TimePoint now);

 private:
  TimePoint window_{};  // of a second
  int in_window_ = 0;
  std::int64_t kept_back_ = 0;
};

// Writes to standard error, with time (UTC) and level, or to the journal, what is at least `least`. What
// callers can cause who are not let in is throttled. For the whole process, once: gRPC no longer writes by
// itself.
EventSink StartLog(LogFormat format, EventLevel least, Clock& clock = RealClock());

// The least that the log writes from now on. Any thread may call, after StartLog.
void SetLogLevel(EventLevel least);

// From now on gRPC's own words are events of the name "grpc". Before, they would repeat why we cannot start.
void HearGrpc(const EventSink& sink);

}  // namespace rdmaready
