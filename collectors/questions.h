// SPDX-License-Identifier: Apache-2.0
// Every question that may be put to a host: the lists of questions/, joined. README.md tells how to add one.
#pragma once

#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "collectors/questions/files.h"
#include "collectors/questions/kind_list.h"
#include "collectors/questions/listening.h"
#include "collectors/questions/netlink.h"
#include "collectors/questions/rdma.h"
#include "collectors/questions/system.h"

namespace rdmaready {

// Where several kinds share a file of a recording, their lines stand there in this order, and a line is of the
// first kind all of whose names it has.
using QuestionKinds =
    JoinedKinds<FileQuestions, NetlinkQuestions, RdmaQuestions, ListeningQuestions, SystemQuestions>::List;

using Question = QuestionKinds::Question;
using Answer = absl::StatusOr<QuestionKinds::Answer>;

template <class Kind>
concept QuestionKind = requires {
  typename Kind::Answer;
};

// An answer to a question of this kind as any answer.
template <QuestionKind Kind>
Answer AnswerOf(absl::StatusOr<typename Kind::Answer> answer) {
  if (!answer.ok()) return std::move(answer).status();
  return QuestionKinds::Answer(std::in_place_index<QuestionKinds::PlaceOf<Kind>()>, *std::move(answer));
}

// And back: what AnswerOf<Kind> made.
template <QuestionKind Kind>
absl::StatusOr<typename Kind::Answer> AnswerTo(Answer answer) {
  if (!answer.ok()) return std::move(answer).status();
  return std::get<QuestionKinds::PlaceOf<Kind>()>(*std::move(answer));
}

// The answer to a question of any kind by `reply`, which takes the kind and returns its absl::StatusOr<Answer>.
template <class Reply>
Answer AnswerBy(const Question& question, Reply reply) {
  return std::visit([&reply]<class Kind>(const Kind& kind) { return AnswerOf<Kind>(reply(kind)); }, question);
}

}  // namespace rdmaready
