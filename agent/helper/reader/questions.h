// SPDX-License-Identifier: Apache-2.0
// The closed list of what rdmaready-reader can be asked, and of what is said for it. Both sides use this one
// list: the reader builds its question to the host out of names and indexes, and the agent asks for a verb only
// where that builder gives the very question that it has.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "agent/helper/verb.h"
#include "collectors/questions.h"

namespace rdmaready::helper {

// What everybody may ask of the kernel, and the agent's sandbox closes: the calls that read the clock also set it.
inline constexpr std::string_view kNoRight;

struct ReaderQuestion {
  std::string_view verb;
  std::string_view feature;  // its row of api/model/rights.h, or kNoRight
  // The question to the host. kInvalidArgument for what no question is made of.
  absl::StatusOr<Question> (*build)(Arguments& arguments);
  // Arguments that may give `question`; nothing where the verb is about something else.
  std::optional<Json> (*recognise)(const Question& question);
};

const std::vector<ReaderQuestion>& ReaderQuestions();

struct VerbCall {
  std::string_view verb;
  std::string_view feature;
  Json arguments;
};

// How the reader is asked for the answer to `question`; nothing where it cannot be.
std::optional<VerbCall> VerbFor(const Question& question);

// Whether this process was refused what it asked, or shown less of it, for want of a right.
bool Withheld(const Question& question, const Answer& answer);

// The reader's verbs. Each asks this host, by RealHost, and answers with WriteAnswerFiles.
std::vector<Verb> ReaderVerbs();

}  // namespace rdmaready::helper
