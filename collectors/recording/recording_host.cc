// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/recording_host.h"

#include <fmt/format.h>

#include "api/base/status.h"
#include "collectors/recording/answer_lines.h"

namespace rdmaready {

void RecordingHost::Keep(const Question& question, const Answer& answer) {
  constexpr std::size_t kEntryBytes = 64;  // of a question, with what is not counted
  const std::lock_guard lock(mutex_);
  if (++answers_ > kMaxRecordedAnswers) return;
  const std::size_t bytes = answer.ok() ? recording::BytesOf(*answer) : 0;
  const std::size_t cost = bytes + kEntryBytes;
  if (bytes > kMaxAnswerBytes || bytes_ + cost > kMaxRecordingBytes) {
    // Said, not silent: nobody may take the question's earlier answer, or none, for this one.
    recording_.answers.Add(
        question,
        NotCollected(fmt::format("left out of the recording: an answer of {} bytes is too large", bytes)));
    return;
  }
  bytes_ += cost;
  recording_.answers.Add(question, answer);
}

Answer RecordingHost::Ask(const Question& question) {
  Answer answer = host_->Ask(question);
  Keep(question, answer);
  return answer;
}

std::vector<Answer> RecordingHost::AskTogether(std::span<const Question> questions) {
  std::vector<Answer> answers = host_->AskTogether(questions);
  for (std::size_t i = 0; i < questions.size() && i < answers.size(); ++i) Keep(questions[i], answers[i]);
  return answers;
}

}  // namespace rdmaready
