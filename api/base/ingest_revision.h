// SPDX-License-Identifier: Apache-2.0
// Which revisions of rdmaready.v1.Ingest understand each other: a revision and the ones beside it. So a fleet
// is updated in any order, as long as no part of it falls two revisions behind. Pure.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace rdmaready {

// Why an agent and a hub of these revisions do not go together, and which of them is behind; empty: they do.
// 0 is a peer that names none: it counts as 1, the first there was.
inline std::string WhyRevisionsDiffer(std::uint32_t agent, std::uint32_t hub) {
  const std::uint32_t of_agent = std::max<std::uint32_t>(agent, 1), of_hub = std::max<std::uint32_t>(hub, 1);
  const bool agent_is_newer = of_agent > of_hub;
  if ((agent_is_newer ? of_agent - of_hub : of_hub - of_agent) <= 1) return {};
  return fmt::format(
      "the agent speaks revision {} of Ingest, the hub revision {}, and they may differ by one: update the {}",
      of_agent, of_hub, agent_is_newer ? "hub" : "agent");
}

}  // namespace rdmaready
