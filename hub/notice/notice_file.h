// SPDX-License-Identifier: Apache-2.0
// The file of --notices: whom the hub tells, and how. It holds secrets, so an error says where something is
// wrong and what, and never a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hub/notice/address_rules.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostReceivers = 16;

struct WebhookTarget {
  std::string url{};     // https, or http to loopback
  std::string secret{};  // empty: bodies are not signed
  std::string ca{};      // a file; empty: the system's
  bool plain = false;    // http
  bool operator==(const WebhookTarget&) const = default;
};

struct SyslogTarget {
  enum class Way { kUnix, kUdp, kTcp, kTls };
  Way way = Way::kUnix;
  std::string path{};  // of a unix socket
  std::string host{};
  std::uint16_t port = 0;
  std::string ca{};
  int facility = 3;     // daemon
  std::string sd_id{};  // empty: no structured data
  bool operator==(const SyslogTarget&) const = default;
};

struct NoticeReceiver {
  std::string name{};
  bool is_webhook = false;
  WebhookTarget webhook{};
  SyslogTarget syslog{};
  bool operator==(const NoticeReceiver&) const = default;
};

// Nanoseconds.
struct NoticeRules {
  std::int64_t gather = 0;
  std::int64_t apart = 0;
  std::int64_t repeat = 0;  // 0: never
};

struct NoticeOptions {
  std::vector<NoticeReceiver> receivers{};
  std::vector<AddressRange> allow_private{};
  NoticeRules rules{};
};

// kInvalidArgument: "notices.yaml:3: unknown key ...", without values.
absl::StatusOr<NoticeOptions> ParseNotices(std::string_view yaml, const std::string& file_name);

// The file belongs to root or to this process's user, no other writes it, and not everybody reads it; else
// kFailedPrecondition. Errors of ParseNotices; kInvalidArgument: it cannot be read. Blocks on file access.
absl::StatusOr<NoticeOptions> LoadNotices(const std::string& path);

}  // namespace rdmaready::hub
