// SPDX-License-Identifier: Apache-2.0
// AnswerLog: what was answered to questions of one kind, each question's answers in the order they came. A
// collector may ask twice on purpose, to see whether something changed meanwhile: so the same question gives
// its answers one after the other, and the last one stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

template <class Question, class Answer, class Less = std::less<Question>>
class AnswerLog {
 public:
  // An answer that came `times` times in a row.
  struct Run {
    absl::StatusOr<Answer> answer;
    std::uint32_t times = 1;
  };
  struct Answers {
    std::vector<Run> runs{};  // never empty
    std::size_t at = 0;       // the run that is served next, and how often it was
    std::uint32_t served = 0;
  };

  void Add(const Question& question, absl::StatusOr<Answer> answer, std::uint32_t times = 1) {
    std::vector<Run>& runs = entries_[question].runs;
    if (!runs.empty() && Same(runs.back().answer, answer)) {
      std::uint32_t& sum = runs.back().times;
      sum += std::min(times, std::numeric_limits<std::uint32_t>::max() - sum);
    } else {
      runs.push_back({std::move(answer), times});
    }
  }

  // Null when the question was never asked.
  const absl::StatusOr<Answer>* Next(const Question& question) {
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

  // By question, in their order.
  const std::map<Question, Answers, Less>& entries() const { return entries_; }
  std::map<Question, Answers, Less>& entries() { return entries_; }

 private:
  static bool Same(const absl::StatusOr<Answer>& a, const absl::StatusOr<Answer>& b) {
    if (!a.ok() || !b.ok()) return a.status() == b.status();
    return *a == *b;
  }

  std::map<Question, Answers, Less> entries_{};
};

}  // namespace rdmaready
