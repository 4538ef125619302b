// SPDX-License-Identifier: Apache-2.0
// Text: how values are written for people, the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rdmaready {

// "64 KiB", "1 MiB", "1500 B": binary units when they divide exactly, else bytes.
std::string BytesText(std::uint64_t bytes);

// "61.2 MB/s": decimal units, three significant digits.
std::string RateText(std::uint64_t bytes_per_s);

// "46 us", "1.3 ms", "2.1 s".
std::string DurationText(std::int64_t nanoseconds);

// "25 Gb/s", "100 Mb/s".
std::string SpeedText(std::uint32_t megabits_per_s);

// "2026-11-20 22:30:00", in UTC.
std::string TimeText(std::int64_t unix_ns);

// "2026-11-20 22:30:00 UTC".
std::string UtcText(std::int64_t unix_ns);

// Lower-case hexadecimal, two digits a byte: "00:1a" with ":" between.
std::string Hex(std::span<const std::uint8_t> bytes, std::string_view between = "");
std::string Hex(std::span<const std::byte> bytes, std::string_view between = "");

// Foreign text for one line of a log, a lock or a message: printable ASCII, '?' for all else, at
// most `max_bytes`.
std::string SafeLine(std::string_view text, std::size_t max_bytes);

// Trailing white space (a sysfs file ends in a newline) removed.
std::string TrimRight(std::string_view text);

}  // namespace rdmaready
