// SPDX-License-Identifier: Apache-2.0
// Causes: what a person has to hear of a host or of a pair, each thing once. Findings that say the same of
// several ports are one cause; so are unknown ones that have one reason and one remedy.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

struct Cause {
  const Finding* finding = nullptr;  // the first; never null
  std::vector<std::string> ids{};    // several: unknown for one reason
  std::vector<std::string> ports{};  // "mlx5_0/1", in the order of the findings; empty: of the whole host
  std::size_t follow = 0;            // checks that were not judged because of it
  std::vector<Cause> also{};         // what the same steps repair; of Joined() alone

  std::string IdsText() const;    // "ib.width, ib.speed"
  std::string PortsText() const;  // "mlx5_[0-7]/1"
};

// Failures, warnings and what is unknown; the worst first. The findings outlive the result.
std::vector<Cause> CausesOf(std::span<const Finding> findings);

// Causes of one host whose steps are the same become one: the first, with the others in `also`. An unknown one
// joins unknown ones alone, and those that block as it does.
std::vector<Cause> Joined(std::vector<Cause> causes);

// Nobody has to act on it: the host is ready, and this is an answer that is unknown and decides nothing, or
// advice about a storage module that nothing uses.
bool IsOnlyNoted(const Cause& cause, Readiness verdict);

// Those that keep a host from being ready come first.
inline bool IsInTheWay(const Cause& cause) {
  return cause.finding->blocking && cause.finding->outcome != Outcome::kWarn;
}

}  // namespace rdmaready
