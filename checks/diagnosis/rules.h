// SPDX-License-Identifier: Apache-2.0
// The rules of the diagnosis: rows, of which none names a host.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/report.h"

namespace rdmaready {

// Where the check `passes` passed at the same place, the finding `wrong` has another cause than `not_this`.
struct PassRule {
  std::string_view wrong{};
  std::string_view passes{};
  std::string_view not_this{};
};
std::span<const PassRule> PassRules();

// Returns the cause that the facts rule out of a finding about `port` (null: about the host); empty: nothing.
struct FactRule {
  std::string_view name{};
  std::string (*ruled_out)(const Facts& host, const Port* port, const Finding& finding) = nullptr;
};
std::span<const FactRule> FactRules();

}  // namespace rdmaready
