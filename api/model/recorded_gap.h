// SPDX-License-Identifier: Apache-2.0
// The words for an answer that a recording lacks. Missing::detail ends with them: what was asked stands before,
// and the version that made the recording behind: "read /sys/x: not in the recording (made by rdmaready
// 0.1.0)".
#pragma once

#include <string_view>

namespace rdmaready {

inline constexpr std::string_view kNotInRecording = "not in the recording";

// "not in the recording (made by rdmaready 0.1.0)"; empty where the text does not have these words.
inline std::string_view RecordedGapOf(std::string_view detail) {
  const std::size_t at = detail.find(kNotInRecording);
  return at == std::string_view::npos ? std::string_view() : detail.substr(at);
}

}  // namespace rdmaready
