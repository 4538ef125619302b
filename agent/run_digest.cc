// SPDX-License-Identifier: Apache-2.0
#include "agent/run_digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>

#include "api/base/digest.h"
#include "api/convert/digest.h"
#include "api/profile/profile_proto.h"
#include "checks/waiving.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

constexpr std::size_t kShownDigits = 16;  // of a digest

}  // namespace

std::string KindOfRun(const CheckOrder& order, const Caller& caller, Rung judged, const HostReport& report) {
  std::string kind = fmt::format("check {} by {}", Name(judged), report.agent_version);
  // Of what was judged by, and not what its sender says of it.
  for (const Profile& profile : order.profiles) {
    const std::string digest = Sha256(ToProto(profile).SerializeAsString()).value_or("");
    kind += fmt::format(", {} {}", profile.name, digest.substr(0, kShownDigits));
  }
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
    // What a live test saw, and which waiver has run out, is in no fact: the body would tell of another.
    const bool told_by_facts = finding.rung == Rung::kHost && finding.id != kWaiversId;
    if (!told_by_facts && CallsForAction(finding.outcome)) add(finding.observed);
    if (!finding.waived) continue;
    add("waived");
    for (const std::string& word : {finding.waived->reason, finding.waived->who, finding.waived->until}) add(word);
  }
  return Sha256(text).value_or("");
}

}  // namespace rdmaready
