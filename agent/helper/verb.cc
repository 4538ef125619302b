// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/verb.h"

#include <algorithm>
#include <string>

#include "api/base/status.h"

namespace rdmaready::helper {

bool IsNoSuchVerb(const absl::Status& status) {
  return absl::IsInvalidArgument(status) && Message(status) == kNoSuchVerb;
}

absl::StatusOr<Work> DecodeQuestion(std::string_view body, std::span<const Verb> verbs, bool from_root) {
  RR_ASSIGN_OR_RETURN(const Json question, recording::ParseObject(body));
  Arguments arguments(question);
  const std::string name = arguments.Text("verb");
  const auto verb = std::ranges::find(verbs, std::string_view(name), &Verb::name);
  if (verb == verbs.end()) return absl::InvalidArgumentError(std::string(kNoSuchVerb));
  absl::StatusOr<Work> work =
      from_root && verb->decode_for_root ? verb->decode_for_root(arguments) : verb->decode(arguments);
  // An argument that does not read is told before what was made of its default.
  RR_RETURN_IF_ERROR(arguments.status());
  return work;
}

std::string QuestionBody(std::string_view verb, const Json& arguments) {
  Json question{{"verb", std::string(verb)}};
  for (const auto& [name, value] : arguments.items()) question[name] = value;
  return Text(question);
}

}  // namespace rdmaready::helper
