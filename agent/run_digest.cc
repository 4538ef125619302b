// SPDX-License-Identifier: Apache-2.0
#include "agent/run_digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>

#include "api/base/digest.h"
#include "api/convert/digest.h"
#include "checks/words/names.h"

namespace rdmaready {
namespace {

constexpr std::size_t kShownDigits = 16;  // of a profile's digest

}  // namespace

std::string KindOfRun(const CheckOrder& order, const Caller& caller, Rung judged, const HostReport& report) {
  std::string kind = fmt::format("check {} by {}", Name(judged), report.agent_version);
  for (const ProfileRef& profile : report.profiles)
    kind += fmt::format(", {} {}", profile.name, profile.digest.substr(0, kShownDigits));
  if (!order.ports.empty()) kind += fmt::format(", ports {}", fmt::join(order.ports, " "));
  if (order.watch.count() > 0) kind += ", watched";
  if (caller.compares) kind += ", own";
  return kind;
}

std::string DigestOfRun(const Facts& facts, const HostReport& report) {
  std::string text = DigestedText(facts);
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "|{}", static_cast<int>(report.verdict));
  for (const RungResult& rung : report.ladder)
    fmt::format_to(to, "|{} {}", static_cast<int>(rung.rung), static_cast<int>(rung.outcome));
  const auto add = [&](std::string_view word) { fmt::format_to(to, "{}:{}", word.size(), word); };
  for (const Finding& finding : report.findings) {
    fmt::format_to(to, "|{}", static_cast<int>(finding.outcome));
    for (const std::string_view word : {std::string_view(finding.id), std::string_view(finding.subject),
                                        std::string_view(finding.profile), std::string_view(finding.hidden_by)})
      add(word);
    if (!finding.waived) continue;
    add("waived");
    for (const std::string& word : {finding.waived->reason, finding.waived->who, finding.waived->until}) add(word);
  }
  return Sha256(text).value_or("");
}

}  // namespace rdmaready
