// SPDX-License-Identifier: Apache-2.0
// Recording: every question that the collectors asked of a host, and what was answered; and what its applier
// said of its changes; and by which profiles it was judged. Nothing else is in it: what no collector reads is
// not recorded. A value; format.h writes it down, RecordedHost serves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/model/apply_state.h"
#include "api/model/fact.h"
#include "collectors/recording/answer_log.h"

namespace rdmaready {

struct Recording {
  std::string host{};       // as the one who saved it named it; may be empty
  std::string hostname{};   // as the host names itself
  std::string kernel{};     // its release
  std::string rdmaready{};  // the version that asked: a newer one may ask more
  std::int64_t recorded_unix_ns = 0;

  AnswerLog answers{};
  Fact<ApplyState> apply_state{};  // not collected in what an older version recorded
  std::string judged_by{};         // profiles, as a text that is not looked into here; empty: it keeps none
};

// What one recording may hold. More is left out while recording (and reads as not collected), and refused
// while loading.
inline constexpr std::size_t kMaxRecordedAnswers = 50'000;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxRecordingBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxJudgedByText = std::size_t{8} << 20;

}  // namespace rdmaready
