// SPDX-License-Identifier: Apache-2.0
// host.waivers: what a site accepted for a time does not stay accepted because nobody looked again, and a
// waiver is for a check that exists.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/known_ids.h"
#include "checks/waiving.h"
#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

constexpr std::string_view kWaiversSource = "waivers of the profile and of the agent";

std::string TextOf(const Waiver& waiver) {
  return fmt::format("{}{} (until {}, {}: {})", waiver.check, waiver.port.empty() ? "" : " of " + waiver.port,
                     waiver.until, waiver.who, waiver.reason);
}

// Describes the first waiver that no finding can ever have: it has a slip in its id, or names a check that is
// gone.
std::string WhyOneIsForNoCheck(const std::vector<const Waiver*>& waivers) {
  for (const Waiver* waiver : waivers) {
    const std::string why = WhyForNoCheck(*waiver);
    if (!why.empty()) return fmt::format("waives nothing: {}: {}", TextOf(*waiver), why);
  }
  return {};
}

Verdict JudgeHostWaivers(const HostView& view) {
  constexpr std::string_view kExpected = "none that has run out, each for a check that exists";
  std::vector<const Waiver*> of_host;
  for (const Waiver& waiver : view.profile.waivers) {
    if (IsForHost(waiver, view.host.hostname)) of_host.push_back(&waiver);
  }
  if (of_host.empty()) return NotApplicable("no waiver is named");
  if (view.now_unix_ns == 0) return Unclear("when the host was judged is not known", kExpected, kWaiversSource);
  std::vector<const Waiver*> ended;
  std::ranges::copy_if(of_host, std::back_inserter(ended),
                       [&](const Waiver* waiver) { return HasEnded(*waiver, view.now_unix_ns); });
  if (!ended.empty()) {
    const std::string more = ended.size() > 1 ? fmt::format(" and {} more", ended.size() - 1) : std::string();
    return Judged(false, fmt::format("has run out: {}{}", TextOf(*ended.front()), more), kExpected,
                  kWaiversSource);
  }
  if (const std::string idle = WhyOneIsForNoCheck(of_host); !idle.empty()) {
    return Judged(false, idle, kExpected, kWaiversSource,
                  Fix()
                      .Because("the id has a slip, or this version no longer has that check")
                      .Do("correct the id of the waiver, or remove it: rdmaready explain lists the ids"));
  }
  const Waiver& next = **std::ranges::min_element(of_host, {}, &Waiver::until);
  return Judged(true, fmt::format("{} in force, the first of them until {}", of_host.size(), next.until),
                kExpected, kWaiversSource);
}

}  // namespace

std::vector<Check> WaiverChecks() {
  return {{.id = kWaiversId,
           .title = "No waiver has run out, and each is for a check that exists",
           .why = "A fault that was accepted until a day that is over counts again; a waiver of an id that no "
                  "check has "
                  "accepts nothing",
           .fix = Fix()
                      .Do("repair the fault that was waived, then remove the waiver")
                      .Or("agree on another day with the person who answers for it"),
           .judge = JudgeHostWaivers}};
}

}  // namespace rdmaready
