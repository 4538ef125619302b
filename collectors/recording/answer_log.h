// SPDX-License-Identifier: Apache-2.0
// AnswerLog: questions to a host and what was answered, each question's answers in the order they came. A
// collector may ask twice on purpose, to see whether something changed meanwhile: so the same question gives
// its answers one after the other, and the last one stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "collectors/questions.h"

namespace rdmaready {

class AnswerLog {
 public:
  // An answer that came `times` times in a row.
  struct Run {
    Answer answer;
    std::uint32_t times = 1;
  };
  struct Answers {
    std::vector<Run> runs{};  // never empty
    std::size_t at = 0;       // the run that is served next, and how often it was
    std::uint32_t served = 0;
  };

  void Add(const Question& question, Answer answer, std::uint32_t times = 1);

  // Null when the question was never asked.
  const Answer* Next(const Question& question);

  // Was any question of this kind asked?
  template <QuestionKind Kind>
  bool Asked() const {
    return std::ranges::any_of(entries_,
                               [](const auto& entry) { return std::holds_alternative<Kind>(entry.first); });
  }

  // By question: kinds in the order of their list, within a kind by its members.
  const std::map<Question, Answers>& entries() const { return entries_; }
  std::map<Question, Answers>& entries() { return entries_; }

 private:
  std::map<Question, Answers> entries_{};
};

}  // namespace rdmaready
