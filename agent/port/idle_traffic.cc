// SPDX-License-Identifier: Apache-2.0
#include "agent/port/idle_traffic.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr double kBitsPerByte = 8;
constexpr double kBitsPerMegabit = 1e6;

std::optional<std::uint64_t> CounterIn(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

absl::Status NotKnown(const std::string& netdev, std::string_view why) {
  return absl::FailedPreconditionError(fmt::format("whether others use {} is not known: {}", netdev, why));
}

}  // namespace

Fact<NetdevBytes> ReadNetdevBytes(HostReader& host, const std::string& netdev, Clock& clock) {
  NetdevBytes bytes;
  for (const auto& [name, value] : {std::pair{"tx_bytes", &bytes.sent}, {"rx_bytes", &bytes.received}}) {
    const absl::StatusOr<std::string> text =
        host.ReadFile(fmt::format("/sys/class/net/{}/statistics/{}", netdev, name));
    if (!text.ok()) return Missing{Missing::Kind::kFailed, Message(text.status())};
    const std::optional<std::uint64_t> counter = CounterIn(*text);
    if (!counter) return Missing{Missing::Kind::kFailed, fmt::format("{} of {} is no number", name, netdev)};
    *value = *counter;
  }
  bytes.when = clock.Now();
  return bytes;
}

absl::Status IsIdleBetween(const std::string& netdev, const Fact<std::uint32_t>& rate_mbps,
                           const Fact<NetdevBytes>& before, const Fact<NetdevBytes>& after) {
  if (!rate_mbps) return NotKnown(netdev, rate_mbps.missing().detail);
  for (const Fact<NetdevBytes>* const read : {&before, &after})
    if (!*read) return NotKnown(netdev, read->missing().detail);
  const double seconds = std::chrono::duration<double>(after->when - before->when).count();
  if (after->sent < before->sent || after->received < before->received || seconds <= 0)
    return NotKnown(netdev, "its counters were set back");
  const auto mbps = [seconds](std::uint64_t bytes) {
    return static_cast<double>(bytes) * kBitsPerByte / kBitsPerMegabit / seconds;
  };
  const double sent = mbps(after->sent - before->sent);
  const double received = mbps(after->received - before->received);
  const double limit = static_cast<double>(*rate_mbps) * kIdlePermille / 1000;
  if (sent <= limit && received <= limit) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "others use {}, and would be paused too: before the stress test they sent {:.1f} Mb/s and received "
      "{:.1f} Mb/s (limit {:.1f} Mb/s, a thousandth of its rate)",
      netdev, sent, received, limit));
}

}  // namespace rdmaready
