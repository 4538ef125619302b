// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/recorded_host.h"

#include <fmt/format.h>

#include <variant>

#include "api/base/status.h"
#include "api/model/recorded_gap.h"

namespace rdmaready {

Answer RecordedHost::Ask(const Question& question) {
  if (const Answer* answer = recording_.answers.Next(question)) return *answer;
  const std::string what = std::visit([](const auto& kind) { return kind.What(); }, question);
  return NotCollected(
      fmt::format("{}: {} (made by rdmaready {})", what, kNotInRecording, recording_.rdmaready));
}

}  // namespace rdmaready
