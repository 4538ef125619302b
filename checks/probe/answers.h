// SPDX-License-Identifier: Apache-2.0
// What a storage server told, in words: for the report, for JSON, and for findings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/probe_answers.h"

namespace rdmaready {

// Sizes in bytes and counts are plain decimals, flags are "yes" and "no".
struct AnswerText {
  std::string name{};  // "smb2-dialect": for ever
  std::string text{};

  bool operator==(const AnswerText&) const = default;
};

// All that was told, in the order of the walk. What the server chose is as it sent it.
std::vector<AnswerText> AnswerTexts(const ProbeAnswers& answers);

// "rdma 10.0.0.2:4420"
std::string PlaceOf(const NvmeSubsystem& subsystem);

// Empty when it was not told.
std::string_view TextOf(const std::optional<std::string>& answer);
std::string TextOf(const std::optional<std::uint64_t>& answer);

}  // namespace rdmaready
