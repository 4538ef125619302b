// SPDX-License-Identifier: Apache-2.0
#include "hub/access/audit_trail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "api/base/status.h"

namespace rdmaready::hub {
namespace {

constexpr int kMostRefusedInMinute = 10;
constexpr std::int64_t kRefusalMinuteNs = 60'000'000'000;
constexpr std::size_t kMostAuditTextBytes = 4096;  // what a caller names may be long

std::string Cut(std::string text) {
  if (text.size() <= kMostAuditTextBytes) return text;
  std::size_t end = kMostAuditTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // within a character
  text.resize(end);
  return text + "...";
}

}  // namespace

absl::Status AuditTrail::Append(const AuditedAsk& ask, std::string outcome) {
  RR_ASSIGN_OR_RETURN(const FleetAuditEntry entry, store_.AppendAudit({.hub = hub_,
                                                                       .unix_ns = UnixNs(clock_),
                                                                       .who = ask.who,
                                                                       .peer = ask.peer,
                                                                       .verb = ask.verb,
                                                                       .detail = Cut(ask.detail),
                                                                       .outcome = Cut(std::move(outcome))}));
  Tell(events_, EventLevel::kInfo, "audit",
       {{"number", static_cast<std::int64_t>(entry.number)},
        {"origin", entry.who},
        {"peer", entry.peer},
        {"verb", entry.verb},
        {"detail", entry.detail},
        {"result", entry.outcome},
        {"digest", entry.digest}});
  return absl::OkStatus();
}

absl::Status AuditTrail::Asked(const AuditedAsk& ask) { return Append(ask, "asked"); }

void AuditTrail::Failed(const AuditedAsk& ask, const absl::Status& why) {
  const absl::Status written = Append(ask, "failed: " + Message(why));
  if (!written.ok()) Tell(events_, EventLevel::kError, "audit-lost", {{"reason", Message(written)}});
}

void AuditTrail::Refused(const AuditedAsk& ask, const absl::Status& why, std::int64_t now_unix_ns) {
  std::uint64_t kept_back = 0;
  {
    const std::lock_guard lock(mutex_);
    Refusals& of_verb = refused_[ask.verb];
    if (of_verb.minute_unix_ns + kRefusalMinuteNs < now_unix_ns || of_verb.minute_unix_ns > now_unix_ns) {
      of_verb.minute_unix_ns = now_unix_ns;
      of_verb.in_minute = 0;
    }
    if (++of_verb.in_minute > kMostRefusedInMinute) {
      ++of_verb.kept_back;
      return;
    }
    kept_back = std::exchange(of_verb.kept_back, 0);
  }
  std::string outcome = "refused: " + Message(why);
  if (kept_back > 0) outcome += fmt::format("; {} refusals before this one were only counted", kept_back);
  const absl::Status written = Append(ask, std::move(outcome));
  if (!written.ok()) Tell(events_, EventLevel::kError, "audit-lost", {{"reason", Message(written)}});
}

}  // namespace rdmaready::hub
