// SPDX-License-Identifier: Apache-2.0
#include "checks/past_address.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/words/fix.h"
#include "checks/words/open_words.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAddressCheck = "ip.address";
constexpr std::string_view kWord = "ADDRESS";
constexpr std::string_view kMeaning = "ADDRESS: ";
constexpr std::string_view kFillIn = "fill in and run: ";

// Their remedies give the port itself an address, by AddressFix.
constexpr std::array<std::string_view, 3> kOfPort{kAddressCheck, "gid.v2-present", "link.state"};

struct Past {
  std::string address{};  // "10.0.0.1/24"
  std::int64_t unix_ns = 0;
};

// The first address of "10.0.0.1/24, 10.1.0.1/24 on dcb0.10" that the interface itself has.
std::string OwnAddress(std::string_view observed) {
  while (!observed.empty()) {
    const std::string_view one = observed.substr(0, observed.find(", "));
    const bool own = one.find(' ') == std::string_view::npos && one.find('/') != std::string_view::npos;
    if (own) return std::string(one);
    observed.remove_prefix(std::min(observed.size(), one.size() + 2));
  }
  return {};
}

std::optional<Past> PastOf(const std::string& subject, std::span<const RunRecord> earlier) {
  for (const RunRecord& run : earlier) {
    for (const Finding& finding : run.report.findings) {
      if (finding.id != kAddressCheck || finding.subject != subject || finding.outcome != Outcome::kPass)
        continue;
      const std::string address = OwnAddress(finding.observed);
      if (!address.empty()) return Past{.address = address, .unix_ns = run.started_unix_ns};
    }
  }
  return std::nullopt;
}

std::string Replaced(std::string text, std::string_view address) {
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + address.size()))
    text.replace(at, kWord.size(), address);
  return text;
}

bool AsksForAddress(const Finding& finding) {
  if (std::ranges::find(kOfPort, finding.id) == kOfPort.end() || !finding.remedy) return false;
  const auto asks = [](const RemedyStep& step) {
    return step.action.starts_with(kFillIn) && step.action.find(kWord) != std::string::npos;
  };
  return std::ranges::any_of(finding.remedy->steps, asks);
}

Remedy WithAddress(Remedy remedy, const Past& past) {
  remedy.cautions.push_back(Cat(past.address, " is the address that the port had at ", UtcText(past.unix_ns),
                                ": see first that no other host has it now"));
  std::erase_if(remedy.steps, [](const RemedyStep& step) { return step.action.starts_with(kMeaning); });
  for (RemedyStep& step : remedy.steps) {
    step.command = Replaced(step.command, past.address);
    step.action = Replaced(step.action, past.address);
    if (!step.action.starts_with(kFillIn)) continue;
    std::string command = step.action.substr(kFillIn.size());
    if (HasOpenWord(command)) continue;
    step.command = std::move(command);
    step.action.clear();
  }
  return remedy;
}

}  // namespace

bool AskForAddress(std::span<const Finding> findings) { return std::ranges::any_of(findings, AsksForAddress); }

void FillInPastAddress(std::span<const RunRecord> earlier, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (!AsksForAddress(finding)) continue;
    if (const std::optional<Past> past = PastOf(finding.subject, earlier))
      SetRemedy(finding, WithAddress(*finding.remedy, *past));
  }
}

}  // namespace rdmaready
