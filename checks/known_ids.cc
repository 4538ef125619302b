// SPDX-License-Identifier: Apache-2.0
#include "checks/known_ids.h"

#include <algorithm>
#include <cstddef>

#include "api/base/edit_distance.h"
#include "api/base/name_pattern.h"
#include "checks/catalog.h"
#include "checks/live/transfer.h"
#include "checks/probe/probe.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Empty where no id is near.
std::string NearId(std::string_view id) {
  constexpr std::size_t kMistakes = 2;
  constexpr std::size_t kLongest = 64;
  if (id.size() > kLongest) return {};
  const std::string tail = Cat(".", id);
  std::string nearest;
  std::size_t fewest = kMistakes + 1;
  for (const std::string& known : KnownIds()) {
    if (known.ends_with(tail)) return known;
    const std::size_t mistakes = EditDistance(id, known);
    if (mistakes >= fewest || mistakes > MistakesAllowed(id, known, kMistakes)) continue;
    nearest = known;
    fewest = mistakes;
  }
  return nearest;
}

}  // namespace

const std::vector<std::string>& KnownIds() {
  static const std::vector<std::string> kIds = [] {
    std::vector<std::string> ids;
    for (const Check& check : AllChecks()) ids.emplace_back(check.id);
    for (const TransferCheck& check : AllTransferChecks()) ids.push_back(check.id);
    for (const ProbeCheck& check : AllProbeChecks()) ids.emplace_back(check.id);
    return ids;
  }();
  return kIds;
}

std::string WhyForNoCheck(const Waiver& waiver) {
  const auto fits = [&waiver](const std::string& id) { return MatchesPattern(waiver.check, id); };
  if (std::ranges::any_of(KnownIds(), fits)) return {};
  const bool pattern = waiver.check.find_first_of("*?[") != std::string::npos;
  if (pattern) return Cat("no check has an id like `", Printable(waiver.check), "`");
  const std::string near = NearId(waiver.check);
  return Cat("no check has the id `", Printable(waiver.check), "`",
             near.empty() ? std::string() : Cat(" (did you mean `", near, "`?)"));
}

}  // namespace rdmaready
