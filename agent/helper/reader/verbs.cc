// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "agent/helper/answers.h"
#include "agent/helper/reader/questions.h"
#include "api/base/status.h"
#include "collectors/net/generic_families.h"
#include "collectors/real/host.h"

namespace rdmaready::helper {
namespace {

// Numbers of families are the kernel's choice: a question to another family than devlink's is none of ours.
absl::Status CheckFamily(HostReader& host, const ReaderQuestion& row, const Question& question) {
  if (row.feature != "devlink-switch") return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const std::uint16_t family,
                      FamilyNamed(ReadGenericFamilies(host), "devlink", "the kernel has no devlink"));
  if (std::get<NetlinkRequest>(question).type == family) return absl::OkStatus();
  return absl::InvalidArgumentError("that family is not devlink");
}

absl::StatusOr<Json> AskHost(const std::shared_ptr<RealHost>& host, const ReaderQuestion& row,
                             const Question& question) {
  RR_RETURN_IF_ERROR(CheckFamily(*host, row, question));
  const Answer answer = host->Ask(question);
  return WriteAnswerFiles(std::span(&question, 1), std::span(&answer, 1));
}

}  // namespace

std::vector<Verb> ReaderVerbs() {
  const auto host = std::make_shared<RealHost>();
  std::vector<Verb> verbs;
  for (const ReaderQuestion& row : ReaderQuestions()) {
    verbs.push_back({row.verb, [host, &row](Arguments& arguments) -> absl::StatusOr<Work> {
                       RR_ASSIGN_OR_RETURN(Question question, row.build(arguments));
                       return Work(
                           [host, &row, asked = std::move(question)](const std::stop_token&, const Progress&) {
                             return AskHost(host, row, asked);
                           });
                     }});
  }
  return verbs;
}

}  // namespace rdmaready::helper
