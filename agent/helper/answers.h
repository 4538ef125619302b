// SPDX-License-Identifier: Apache-2.0
// Raw answers of a host on their way from a helper to the agent: the files of a recording that holds just them
// (collectors/recording), by name. The agent takes only what answers its own questions.
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/helper/frame.h"
#include "collectors/questions.h"

namespace rdmaready::helper {

// One answer for each question, in their order.
Json WriteAnswerFiles(std::span<const Question> questions, std::span<const Answer> answers);

// And back. kInternal when it is no such object, or says nothing of one of the questions.
absl::StatusOr<std::vector<Answer>> ReadAnswerFiles(const Json& files, std::span<const Question> questions);

}  // namespace rdmaready::helper
