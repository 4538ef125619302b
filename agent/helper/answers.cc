// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/answers.h"

#include <string>
#include <utility>

#include "api/base/status.h"
#include "collectors/recording/answer_lines.h"

namespace rdmaready::helper {

Json WriteAnswerFiles(std::span<const Question> questions, std::span<const Answer> answers) {
  AnswerLog log;
  for (std::size_t i = 0; i < questions.size(); ++i) log.Add(questions[i], answers[i]);
  RecordingFiles files;
  recording::WriteAnswers(log, files);
  Json json = Json::object();
  for (const auto& [name, content] : files) json[name] = recording::FromText(content);
  return json;
}

absl::StatusOr<std::vector<Answer>> ReadAnswerFiles(const Json& files, std::span<const Question> questions) {
  recording::Reader members(files);
  RecordingFiles contents;
  for (const auto& [name, content] : files.items()) contents[name] = members.Text(name.c_str());
  if (const absl::Status read = members.status(); !read.ok()) return absl::InternalError(Message(read));
  AnswerLog log;
  if (const absl::Status read = recording::ReadAnswers(contents, log); !read.ok()) {
    return absl::InternalError(Message(read));
  }
  std::vector<Answer> answers;
  for (const Question& question : questions) {
    const Answer* answer = log.Next(question);
    if (answer == nullptr) return absl::InternalError("an answer to something else");
    answers.push_back(*answer);
  }
  return answers;
}

}  // namespace rdmaready::helper
