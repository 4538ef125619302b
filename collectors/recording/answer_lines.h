// SPDX-License-Identifier: Apache-2.0
// Questions and answers as lines of JSON: one line for each run of equal answers, in the file that the kind of
// question names. The contents of the host's files lie beside them, as files.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "collectors/recording/answer_log.h"
#include "collectors/recording/format.h"

namespace rdmaready::recording {

// Adds their files to `files`.
void WriteAnswers(const AnswerLog& answers, RecordingFiles& files);

// kInvalidArgument naming file and line.
absl::Status ReadAnswers(const RecordingFiles& files, AnswerLog& answers);

// About what it takes in a recording, beside its question.
std::size_t BytesOf(const QuestionKinds::Answer& answer);

}  // namespace rdmaready::recording
