// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fleet_audit.h"

#include <fmt/format.h>

#include <string_view>

#include "api/base/digest.h"
#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<std::string> AuditDigest(const FleetAuditEntry& entry) {
  std::string text;
  const auto add = [&](std::string_view value) { text += fmt::format("{}:{},", value.size(), value); };
  add(entry.previous);
  add(entry.hub);
  add(std::to_string(entry.number));
  add(std::to_string(entry.unix_ns));
  for (const std::string* value : {&entry.who, &entry.peer, &entry.verb, &entry.detail, &entry.outcome})
    add(*value);
  return Sha256(text);
}

absl::StatusOr<std::string> WhereChainBreaks(std::span<const FleetAuditEntry> entries) {
  const FleetAuditEntry* before = nullptr;
  for (const FleetAuditEntry& entry : entries) {
    RR_ASSIGN_OR_RETURN(const std::string digest, AuditDigest(entry));
    if (digest != entry.digest) return fmt::format("entry {} was changed", entry.number);
    if (before != nullptr && entry.number > before->number + 1)
      return fmt::format("entries {} to {} are gone", before->number + 1, entry.number - 1);
    if (before == nullptr && entry.number == 1 && !entry.previous.empty())
      return std::string("entry 1 does not begin the chain");
    if (before != nullptr && (entry.number <= before->number || entry.previous != before->digest))
      return fmt::format("entry {} does not follow entry {}", entry.number, before->number);
    before = &entry;
  }
  return std::string();
}

}  // namespace rdmaready
