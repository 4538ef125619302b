// SPDX-License-Identifier: Apache-2.0
// Between: what two hosts have that does not fit, in one verdict that names both values and both repairs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "checks/check.h"
#include "checks/words/verdict.h"

namespace rdmaready {

// One of the two, and what it has.
struct DifferingSide {
  std::string_view host{};  // as the caller names it
  DifferingEnd end;
  std::string value{};  // "VLAN 711"
};

// Fails. `more`: that many other ports of the two hosts differ in the same way. The command is for the second
// host, or for the first one where the repair of the second would be a step back; the other way is the
// alternative.
Verdict DifferenceBetween(const DifferingSide& first, const DifferingSide& second, const Agreement& rule,
                          std::size_t more = 0);

// The remedy with a caution that names the host on which it is typed.
Fix OnHost(Fix fix, std::string_view host);

}  // namespace rdmaready
