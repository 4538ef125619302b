// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "agent/helper/answers.h"
#include "agent/helper/listener/verbs.h"
#include "agent/helper/reader/questions.h"
#include "collectors/firewall/firewall.h"
#include "collectors/nic/pci.h"
#include "collectors/rdma/mad.h"

namespace rdmaready::helper {
namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

// A path that a verb leads to stays where its builder put it.
void DemandTame(const Question& question) {
  std::string path;
  if (const auto* file = std::get_if<FileQuestion>(&question)) path = file->path;
  if (const auto* lines = std::get_if<LinesQuestion>(&question)) path = lines->path;
  if (const auto* folder = std::get_if<DirectoryQuestion>(&question)) path = folder->path;
  if (const auto* defaults = std::get_if<RdmaCmQuestion>(&question)) path = "/" + defaults->device;
  Demand((path + "/").find("/../") == std::string::npos);
  Demand(path.find('\0') == std::string::npos);
  if (const auto* mad = std::get_if<MadRequest>(&question)) Demand(CheckMadQuestion(mad->mad).ok());
}

// The reader's side: whatever the bytes are, a question that they make is one that the agent has a verb for.
void Reader(std::string_view body) {
  static const std::vector<Verb> kVerbs = ReaderVerbs();
  const bool decoded = DecodeQuestion(body, kVerbs).ok();
  const absl::StatusOr<Json> question = recording::ParseObject(body);
  if (!question.ok()) return Demand(!decoded);
  for (const ReaderQuestion& row : ReaderQuestions()) {
    Arguments arguments(*question);
    if (arguments.Text("verb") != row.verb) continue;
    const absl::StatusOr<Question> built = row.build(arguments);
    Demand(decoded == (built.ok() && arguments.status().ok()));
    if (!decoded) return;
    DemandTame(*built);
    Demand(VerbFor(*built).has_value());
    return;
  }
  Demand(!decoded);
}

void Listener(std::string_view body) {
  static const std::vector<Verb> kVerbs = ListenerVerbs();
  static_cast<void>(DecodeQuestion(body, kVerbs));
}

// What the agent has asked for.
const std::vector<Question>& Asked() {
  static const std::vector<Question> kAsked{NftListRequest(NftList::kTables), FileQuestion{kIptablesNames},
                                            RdmaCmQuestion{"rxe0", 1}, LldpQuestion{"eth0", {}}};
  return kAsked;
}

std::vector<Answer> Answers() {
  return {AnswerOf<NetlinkRequest>(
              std::vector<NetlinkMessage>{{.type = 2560, .payload = {std::byte{1}, std::byte{2}}}}),
          AnswerOf<FileQuestion>(std::string("filter\n")),
          AnswerOf<RdmaCmQuestion>(RdmaCmAnswer{"RoCE v2\n", "106\n"}),
          absl::NotFoundError("listen for LLDP on eth0: No such device")};
}

// The agent's side: an answer to each question that was asked, or none at all.
void AgentsSide(std::string_view body) {
  const absl::StatusOr<Json> answer = ReadAnswerBody(body);
  if (!answer.ok())
    return Demand(!answer.status().message().empty() || answer.status().code() != absl::StatusCode::kInternal);
  const absl::StatusOr<std::vector<Answer>> answers = ReadAnswerFiles(*answer, Asked());
  if (answers.ok()) Demand(answers->size() == Asked().size());
}

constexpr void (*kDecoders[])(std::string_view) = {Reader, Listener, AgentsSide};

std::vector<std::uint8_t> Seed(std::size_t decoder, std::string_view body) {
  std::vector<std::uint8_t> input{static_cast<std::uint8_t>(decoder)};
  input.insert(input.end(), body.begin(), body.end());
  return input;
}

std::vector<Question> SeedQuestions() {
  return {NftElementsRequest(2, "filter", "ports"), FileQuestion{PciConfigPath("0000:3b:00.0"), 256},
          MadRequest{"mlx5_0", 1, 0xffff, PortInfoRequest(1)}, RdmaCmQuestion{"rxe0", 1}};
}

}  // namespace
}  // namespace rdmaready::helper

namespace rdmaready {

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (const Question& question : helper::SeedQuestions()) {
    const auto call = helper::VerbFor(question);
    helper::Demand(call.has_value());
    seeds.push_back(helper::Seed(0, helper::QuestionBody(call->verb, call->arguments)));
  }
  seeds.push_back(
      helper::Seed(0, helper::QuestionBody("boot-file", {{"folder", 0}, {"name", "x"}, {"about", "dcb"}})));
  seeds.push_back(helper::Seed(1, helper::QuestionBody("lldp", {{"netdevs", {"eth0"}}, {"longest_ms", 100}})));
  seeds.push_back(helper::Seed(1, helper::QuestionBody("dcb-writes", {{"longest_ms", 100}})));
  seeds.push_back(
      helper::Seed(2, helper::AnswerBody(helper::WriteAnswerFiles(helper::Asked(), helper::Answers()))));
  seeds.push_back(helper::Seed(2, helper::AnswerBody(absl::NotFoundError("no such device"))));
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  rdmaready::helper::kDecoders[data[0] % std::size(rdmaready::helper::kDecoders)](body);
  return 0;
}
