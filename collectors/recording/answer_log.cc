// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/answer_log.h"

#include <limits>
#include <utility>

namespace rdmaready {
namespace {

bool SameAnswer(const Answer& a, const Answer& b) {
  if (!a.ok() || !b.ok()) return a.status() == b.status();
  return *a == *b;
}

}  // namespace

void AnswerLog::Add(const Question& question, Answer answer, std::uint32_t times) {
  std::vector<Run>& runs = entries_[question].runs;
  if (!runs.empty() && SameAnswer(runs.back().answer, answer)) {
    std::uint32_t& sum = runs.back().times;
    sum += std::min(times, std::numeric_limits<std::uint32_t>::max() - sum);
  } else {
    runs.push_back({std::move(answer), times});
  }
}

const Answer* AnswerLog::Next(const Question& question) {
  const auto found = entries_.find(question);
  if (found == entries_.end()) return nullptr;
  Answers& answers = found->second;
  if (answers.served >= answers.runs[answers.at].times && answers.at + 1 < answers.runs.size()) {
    ++answers.at;
    answers.served = 0;
  }
  if (answers.served < answers.runs[answers.at].times) ++answers.served;
  return &answers.runs[answers.at].answer;
}

}  // namespace rdmaready
