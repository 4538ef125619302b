// SPDX-License-Identifier: Apache-2.0
#include "agent/store/limits_text.h"

#include <string>

#include "api/base/quantity.h"
#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<std::uint64_t> ParseMaxBytes(std::string_view text) {
  constexpr std::uint64_t kLeast = 1 << 20;
  absl::StatusOr<std::uint64_t> size = ParseSize(text);
  if (size.ok() && *size < kLeast)
    return absl::InvalidArgumentError("'" + std::string(text) + "' is less than 1M");
  return size;
}

absl::StatusOr<std::chrono::seconds> ParseMaxAge(std::string_view text) {
  if (text == "0") return std::chrono::seconds(0);
  absl::StatusOr<std::chrono::seconds> age = ParseAge(text);
  if (age.ok()) return age;
  return absl::InvalidArgumentError(Message(age.status()) + ", or 0 for ever");
}

}  // namespace rdmaready
