// SPDX-License-Identifier: Apache-2.0
#include "api/base/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

namespace rdmaready {
namespace {

// Three significant digits, without an exponent and without digits that say nothing.
std::string Significant(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string BytesText(std::uint64_t bytes) {
  constexpr std::uint64_t kKi = 1024;
  if (bytes >= kKi * kKi * kKi && bytes % (kKi * kKi * kKi) == 0)
    return fmt::format("{} GiB", bytes / (kKi * kKi * kKi));
  if (bytes >= kKi * kKi && bytes % (kKi * kKi) == 0) return fmt::format("{} MiB", bytes / (kKi * kKi));
  if (bytes >= kKi && bytes % kKi == 0) return fmt::format("{} KiB", bytes / kKi);
  return fmt::format("{} B", bytes);
}

std::string RateText(std::uint64_t bytes_per_s) {
  const double rate = static_cast<double>(bytes_per_s);
  if (rate >= 1e9) return Significant(rate / 1e9) + " GB/s";
  if (rate >= 1e6) return Significant(rate / 1e6) + " MB/s";
  if (rate >= 1e3) return Significant(rate / 1e3) + " kB/s";
  return fmt::format("{} B/s", bytes_per_s);
}

std::string DurationText(std::int64_t nanoseconds) {
  const double time = static_cast<double>(nanoseconds);
  if (time >= 1e9) return fmt::format("{:.1f} s", time / 1e9);
  if (time >= 1e6) return fmt::format("{:.1f} ms", time / 1e6);
  if (time >= 1e3) return fmt::format("{:.0f} us", time / 1e3);
  return fmt::format("{} ns", nanoseconds);
}

std::string SpeedText(std::uint32_t megabits_per_s) {
  if (megabits_per_s >= 1000) return fmt::format("{:g} Gb/s", static_cast<double>(megabits_per_s) / 1000);
  return fmt::format("{} Mb/s", megabits_per_s);
}

std::string TimeText(std::int64_t unix_ns) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(unix_ns / 1'000'000'000)));
}

std::string UtcText(std::int64_t unix_ns) { return TimeText(unix_ns) + " UTC"; }

std::string Hex(std::span<const std::uint8_t> bytes, std::string_view between) {
  return fmt::format("{:02x}", fmt::join(bytes, between));
}

std::string Hex(std::span<const std::byte> bytes, std::string_view between) {
  return Hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), between);
}

std::string SafeLine(std::string_view text, std::size_t max_bytes) {
  std::string line(text.substr(0, max_bytes));
  for (char& letter : line) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return line;
}

std::string TrimRight(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

}  // namespace rdmaready
