// SPDX-License-Identifier: Apache-2.0
// Event: something an operator may want to know, as values. Who makes one does not know how it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rdmaready {

enum class EventLevel { kDebug, kInfo, kWarning, kError };

struct Event {
  struct Field {
    std::string_view key{};  // a literal
    std::variant<std::string, std::int64_t, bool> value{};
  };

  EventLevel level = EventLevel::kInfo;
  std::string_view name{};  // a literal: "test", "check", "tls-refused"
  std::vector<Field> fields{};
};

// A caller whose certificate, or lack of one, ended the handshake: "certificate" and "reason".
inline constexpr std::string_view kTlsRefused = "tls-refused";

// A revocation list that was to be renewed, and goes on being applied: "reason".
inline constexpr std::string_view kTlsListStale = "tls-crl-stale";

// A call that the caller's role, or his quota, does not allow: "origin", "rpc" and "reason".
inline constexpr std::string_view kRefusedEvent = "refused";
// A line of the audit (agent/access/audit.h): "record".
inline constexpr std::string_view kAuditEvent = "audit";

// Called from any thread. Values may come from outsiders: the writer of the log makes them safe. Never
// a secret.
using EventSink = std::function<void(const Event&)>;

// An empty sink (an agent in the command line's process) hears nothing.
inline void Tell(const EventSink& sink, EventLevel level, std::string_view name,
                 std::vector<Event::Field> fields) {
  if (sink) sink({level, name, std::move(fields)});
}

}  // namespace rdmaready
