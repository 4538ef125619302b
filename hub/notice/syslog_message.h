// SPDX-License-Identifier: Apache-2.0
// A notice as one message of RFC 5424. Pure. What a host says of itself never adds a line, a field or a control
// character, and the whole is bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rdmaready/v1/notice.pb.h"

namespace rdmaready::hub {

struct SyslogIdentity {
  int facility = 3;
  std::string hostname{};
  std::int64_t process = 0;
  std::string sd_id{};  // empty: no structured data
};

// Cut to `most_bytes`, the text first. UTF-8; a byte order mark stands before a text that is not ASCII.
std::string SyslogMessage(const v1::Notice& notice, const SyslogIdentity& identity, std::size_t most_bytes);

// "daemon" is 3, "local0" 16.
std::optional<int> SyslogFacility(std::string_view name);

// "rdmaready@32473": names without @ belong to IANA (RFC 5424, 7.2.2).
bool IsPrivateSdId(std::string_view id);

// Valid UTF-8 on one line: control characters become blanks, other octets U+FFFD.
std::string CleanText(std::string_view text);

}  // namespace rdmaready::hub
