// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/pause_thresholds.h"

#include <fmt/format.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::size_t kColumns = 4;
constexpr std::size_t kShownThresholdBytes = 40;

bool StartsWithDigit(std::string_view line) { return !line.empty() && line[0] >= '0' && line[0] <= '9'; }

// Which buffer the line is about; nothing when it is no line of a buffer.
std::optional<std::uint32_t> Take(std::string_view line, PauseThresholds& thresholds) {
  const std::vector<std::string_view> words = WordsOf(line);
  if (words.size() != kColumns) return std::nullopt;
  std::array<std::uint32_t, kColumns> numbers{};
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (!absl::SimpleAtoi({words[i].data(), words[i].size()}, &numbers[i])) return std::nullopt;
  }
  const auto [buffer, size, xoff, xon] = numbers;
  if (buffer >= kPriorities) return std::nullopt;
  thresholds.xoff_bytes[buffer] = xoff;
  thresholds.xon_bytes[buffer] = xon;
  return buffer;
}

}  // namespace

absl::StatusOr<PauseThresholds> DecodePauseThresholds(std::string_view text) {
  PauseThresholds thresholds;
  std::bitset<kPriorities> seen;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (!StartsWithDigit(line)) continue;
    const std::optional<std::uint32_t> buffer = Take(line, thresholds);
    if (!buffer || seen[*buffer])
      return Malformed("buffer sizes",
                       "\"" + SafeLine(line, kShownThresholdBytes) + "\" is no line of a buffer");
    seen.set(*buffer);
  }
  if (!seen.all()) return Malformed("buffer sizes", fmt::format("only {} of 8 buffers", seen.count()));
  return thresholds;
}

Fact<PauseThresholds> ReadPauseThresholds(HostReader& host, const std::string& sysfs,
                                          const std::string& driver) {
  constexpr const char* kOnlyOfed = "only mlx5 of MLNX_OFED tells them (qos/buffer_size in sysfs)";
  if (driver.empty()) return Missing{Missing::Kind::kFailed, "the netdev's driver is not known"};
  if (driver != "mlx5_core") return Missing{Missing::Kind::kUnsupported, kOnlyOfed};
  const absl::StatusOr<std::string> text = host.ReadFile(sysfs + "/qos/buffer_size");
  if (text.status().code() == absl::StatusCode::kNotFound)
    return Missing{Missing::Kind::kUnsupported, kOnlyOfed};
  if (!text.ok()) return MissingFrom(text.status());
  const absl::StatusOr<PauseThresholds> thresholds = DecodePauseThresholds(*text);
  if (!thresholds.ok()) return MissingFrom(thresholds.status());
  return *thresholds;
}

}  // namespace rdmaready
