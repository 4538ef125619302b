// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/listener/verbs.h"

#include <algorithm>
#include <span>

#include "agent/helper/answers.h"
#include "api/base/status.h"
#include "collectors/real/host.h"

namespace rdmaready::helper {
namespace {

struct LldpListening {
  std::vector<std::string> netdevs{};
  std::chrono::milliseconds longest{};
};

struct DcbListening {
  std::chrono::milliseconds longest{};
};

absl::StatusOr<std::chrono::milliseconds> ReadLongest(Arguments& arguments) {
  const std::chrono::milliseconds longest(arguments.Unsigned<std::uint32_t>("longest_ms"));
  if (longest > kLongestListening) return absl::InvalidArgumentError("longest_ms: an hour at most");
  return longest;
}

// IFNAMSIZ with its end.
bool IsNetdevName(const std::string& name) {
  constexpr std::size_t kLongestNetdev = 15;
  return !name.empty() && name.size() <= kLongestNetdev && name != "." && name != ".." &&
         std::ranges::all_of(name, [](char letter) { return letter > ' ' && letter <= '~' && letter != '/'; });
}

absl::StatusOr<LldpListening> DecodeLldp(Arguments& arguments) {
  LldpListening listening{.netdevs = arguments.Texts("netdevs")};
  RR_ASSIGN_OR_RETURN(listening.longest, ReadLongest(arguments));
  if (listening.netdevs.empty() || listening.netdevs.size() > kMostNetdevs ||
      !std::ranges::all_of(listening.netdevs, IsNetdevName)) {
    return absl::InvalidArgumentError("netdevs: 1 to 1024 names of netdevs");
  }
  return listening;
}

absl::StatusOr<Json> HearLldp(const LldpListening& asked, const std::stop_token& stop) {
  std::vector<Question> questions;
  for (const std::string& netdev : asked.netdevs) {
    questions.emplace_back(LldpQuestion{netdev, {.longest = asked.longest, .stop = stop}});
  }
  RealHost host;
  const std::vector<Answer> answers = host.AskTogether(questions);
  return WriteAnswerFiles(questions, answers);
}

absl::StatusOr<DcbListening> DecodeDcb(Arguments& arguments) {
  RR_ASSIGN_OR_RETURN(const std::chrono::milliseconds longest, ReadLongest(arguments));
  return DcbListening{longest};
}

absl::StatusOr<Json> HearDcb(const DcbListening& asked, const std::stop_token& stop) {
  const Question question = DcbNoticesQuestion{{.longest = asked.longest, .stop = stop}};
  RealHost host;
  const Answer answer = host.Ask(question);
  return WriteAnswerFiles(std::span(&question, 1), std::span(&answer, 1));
}

}  // namespace

std::vector<Verb> ListenerVerbs() {
  return {MakeVerb<LldpListening>(kHearLldp, DecodeLldp, HearLldp),
          MakeVerb<DcbListening>(kHearDcbWrites, DecodeDcb, HearDcb)};
}

}  // namespace rdmaready::helper
