// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/host.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "collectors/real/lldp.h"

namespace rdmaready {

Answer RealHost::Ask(const Question& question) {
  return AnswerBy(question, [this]<class Kind>(const Kind& kind) {
    if constexpr (std::is_same_v<Kind, LinesQuestion>) {
      return lines_.Find(kind.path, kind.words);
    } else if constexpr (std::is_same_v<Kind, DirectoryQuestion>) {
      return lines_.List(kind.path);
    } else {
      return kind.AskThisHost();
    }
  });
}

std::vector<Answer> RealHost::AskTogether(std::span<const Question> questions) {
  const bool all_lldp = std::ranges::all_of(
      questions, [](const Question& question) { return std::holds_alternative<LldpQuestion>(question); });
  if (!all_lldp || questions.empty()) return HostReader::AskTogether(questions);
  std::vector<std::string> netdevs;
  for (const Question& question : questions) netdevs.push_back(std::get<LldpQuestion>(question).netdev);
  std::vector<Answer> answers;
  for (absl::StatusOr<LldpFrames>& heard : ListenOnNetdevs(netdevs, std::get<LldpQuestion>(questions[0]).wait))
    answers.push_back(AnswerOf<LldpQuestion>(std::move(heard)));
  return answers;
}

}  // namespace rdmaready
