// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/helped_host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/helper/answers.h"
#include "agent/helper/asker.h"
#include "agent/helper/listener/verbs.h"
#include "agent/helper/reader/questions.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

constexpr auto kHelperWithin = std::chrono::seconds(5);

// Not permitted, and who could.
absl::Status DeniedBut(const Question& question, const Answer& own, const absl::Status& helper) {
  const std::string what = std::visit([](const auto& kind) { return kind.What(); }, question);
  const std::string denied = own.ok() ? what + ": only root is answered" : Message(own.status());
  return absl::PermissionDeniedError(fmt::format("{}; {}", denied, Message(helper)));
}

// What the helper made of these questions: answers for all, or one error for all.
std::vector<Answer> AnswersFrom(const HelperAsker& helper, const HelperAnswer& from,
                                std::span<const Question> questions) {
  const absl::StatusOr<std::vector<Answer>> answers =
      from.answer.ok() ? ReadAnswerFiles(*from.answer, questions)
                       : absl::StatusOr<std::vector<Answer>>(from.answer.status());
  if (answers.ok()) return *answers;
  const absl::Status why(
      answers.status().code(),
      from.answer.ok() ? fmt::format("{} answers nonsense: {}", helper.program(), Message(answers.status()))
                       : Message(answers.status()));
  return std::vector<Answer>(questions.size(), why);
}

// The agent reads by sockets of its own while its helper listens, and is no writer.
void LeaveOut(std::int64_t pid, std::vector<ProcessName>& processes) {
  std::erase_if(processes, [pid](const ProcessName& process) { return process.pid == pid; });
}

class Helped final : public HostReader {
 public:
  Helped(std::shared_ptr<HostReader> host, std::string_view directory)
      : host_(std::move(host)), reader_(directory, "reader"), listener_(directory, "listener") {}

  Answer Ask(const Question& question) override;
  std::vector<Answer> AskTogether(std::span<const Question> questions) override;

 private:
  Answer AskReader(const Question& question, Answer own) const;
  std::vector<Answer> HearLldp(std::span<const Question> questions, std::vector<Answer> own) const;
  Answer HearDcbWrites(const DcbNoticesQuestion& question);

  std::shared_ptr<HostReader> host_;
  HelperAsker reader_;
  HelperAsker listener_;
};

Answer Helped::Ask(const Question& question) {
  if (const auto* notices = std::get_if<DcbNoticesQuestion>(&question)) return HearDcbWrites(*notices);
  Answer own = host_->Ask(question);
  if (!Withheld(question, own)) return own;
  if (!std::holds_alternative<LldpQuestion>(question)) return AskReader(question, std::move(own));
  std::vector<Answer> answers{std::move(own)};
  return HearLldp(std::span(&question, 1), std::move(answers)).front();
}

std::vector<Answer> Helped::AskTogether(std::span<const Question> questions) {
  const bool all_lldp = !questions.empty() && std::ranges::all_of(questions, [](const Question& question) {
    return std::holds_alternative<LldpQuestion>(question);
  });
  if (!all_lldp) return HostReader::AskTogether(questions);
  std::vector<Answer> own = host_->AskTogether(questions);
  if (!Withheld(questions.front(), own.front())) return own;
  return HearLldp(questions, std::move(own));
}

Answer Helped::AskReader(const Question& question, Answer own) const {
  const std::optional<VerbCall> call = VerbFor(question);
  if (!call) return own;
  const TimedWait wait({.longest = kHelperWithin, .stop = {}});
  const HelperAnswer from = reader_.Ask(call->verb, call->arguments, wait);
  if (!from.reached.ok()) return DeniedBut(question, own, from.reached);
  return AnswersFrom(reader_, from, std::span(&question, 1)).front();
}

std::vector<Answer> Helped::HearLldp(std::span<const Question> questions, std::vector<Answer> own) const {
  const LldpWait& asked = std::get<LldpQuestion>(questions.front()).wait;
  Json netdevs = Json::array();
  for (const Question& question : questions) {
    netdevs.push_back(recording::FromText(std::get<LldpQuestion>(question).netdev));
  }
  const TimedWait wait({.longest = asked.longest + kHelperWithin, .stop = asked.stop});
  const HelperAnswer from =
      listener_.Ask(kHearLldp, {{"netdevs", netdevs}, {"longest_ms", asked.longest.count()}}, wait);
  if (from.reached.ok()) return AnswersFrom(listener_, from, questions);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = DeniedBut(questions[i], own[i], from.reached);
  return own;
}

// Listening takes no right, running before others does: the listener hears who wrote, and root's agent by
// itself.
Answer Helped::HearDcbWrites(const DcbNoticesQuestion& question) {
  if (::geteuid() == 0) return host_->Ask(Question(question));
  const TimedWait wait({.longest = question.wait.longest + kHelperWithin, .stop = question.wait.stop});
  const HelperAnswer from =
      listener_.Ask(kHearDcbWrites, {{"longest_ms", question.wait.longest.count()}}, wait);
  // Whoever did not listen leaves the whole time to us; after a time that is over there is nothing to add.
  const bool over = absl::IsDeadlineExceeded(from.answer.status()) || absl::IsCancelled(from.answer.status());
  if (!from.reached.ok() || (!from.answer.ok() && !over)) return host_->Ask(Question(question));
  const Question asked = question;
  absl::StatusOr<DcbNotices> notices =
      AnswerTo<DcbNoticesQuestion>(AnswersFrom(listener_, from, std::span(&asked, 1)).front());
  if (notices.ok()) {
    const std::int64_t self = ::getpid();
    LeaveOut(self, notices->residents);
    for (DcbNotice& notice : notices->notices) LeaveOut(self, notice.newcomers);
  }
  return AnswerOf<DcbNoticesQuestion>(std::move(notices));
}

}  // namespace

std::shared_ptr<HostReader> HelpedHost(std::shared_ptr<HostReader> host, std::string_view directory) {
  return std::make_shared<Helped>(std::move(host), directory);
}

}  // namespace rdmaready::helper
