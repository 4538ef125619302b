// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/between.h"

#include <utility>

#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBoth = "the same on both hosts";

std::string ValueAt(const DifferingSide& side) {
  const std::string text = Cat(side.value, " at ", side.host, " ", PortName(side.end.port));
  return side.end.address == nullptr ? text : Cat(text, " (", side.end.address->ip.address, ")");
}

// On the one host; or the same of the other.
Fix OneOf(const DifferingSide& odd, const DifferingSide& other, const Agreement& rule) {
  Fix fix = rule.align(odd.end, other.end);
  if (fix.empty()) return fix;
  fix = OnHost(std::move(fix), odd.host).Because(Cat("one of the two hosts is wrong, and nothing says which"));
  const std::string otherwise = FirstCommand(rule.align(other.end, odd.end).remedy());
  if (otherwise.empty()) return std::move(fix).Or(Cat("change ", Printable(other.host), ", where it is wrong"));
  return std::move(fix).Or(
      Cat("where ", Printable(odd.host), " is right, on ", Printable(other.host), ": ", otherwise));
}

Fix RepairOf(const DifferingSide& first, const DifferingSide& second, const Agreement& rule) {
  if (rule.align == nullptr) return {};
  Fix fix = OneOf(second, first, rule);
  return fix.empty() ? OneOf(first, second, rule) : fix;
}

}  // namespace

Fix OnHost(Fix fix, std::string_view host) {
  Remedy remedy = fix.remedy();
  remedy.cautions.insert(remedy.cautions.begin(), Cat("run it on ", Printable(host)));
  return Fix(std::move(remedy));
}

Verdict DifferenceBetween(const DifferingSide& first, const DifferingSide& second, const Agreement& rule,
                          std::size_t more) {
  std::string observed = Cat(ValueAt(first), ", ", ValueAt(second));
  if (more > 0) observed += Cat(", and ", more, more == 1 ? " port more" : " ports more");
  return Judged(false, std::move(observed), kBoth, rule.source, RepairOf(first, second, rule));
}

}  // namespace rdmaready
