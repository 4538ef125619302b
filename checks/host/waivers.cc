// SPDX-License-Identifier: Apache-2.0
// host.waivers: what a site accepted for a time does not stay accepted because nobody looked again.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/waiving.h"
#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

constexpr std::string_view kWaiversSource = "waivers of the profile and of the agent";

std::string TextOf(const Waiver& waiver) {
  return fmt::format("{}{} (until {}, {}: {})", waiver.check, waiver.port.empty() ? "" : " of " + waiver.port,
                     waiver.until, waiver.who, waiver.reason);
}

Verdict JudgeHostWaivers(const HostView& view) {
  constexpr std::string_view kExpected = "none that has run out";
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
  const Waiver& next = **std::ranges::min_element(of_host, {}, &Waiver::until);
  return Judged(true, fmt::format("{} in force, the first of them until {}", of_host.size(), next.until),
                kExpected, kWaiversSource);
}

}  // namespace

std::vector<Check> WaiverChecks() {
  return {{.id = kWaiversId,
           .title = "No waiver has run out",
           .why = "A fault was accepted until a day that is over: it counts again, and its repair is due",
           .fix = Fix()
                      .Do("repair the fault that was waived, then remove the waiver")
                      .Or("agree on a later day with the owner of the waiver"),
           .judge = JudgeHostWaivers}};
}

}  // namespace rdmaready
