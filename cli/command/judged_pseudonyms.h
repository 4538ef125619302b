// SPDX-License-Identifier: Apache-2.0
// The profiles of a host, for a bundle under pseudonyms. Pure.
#pragma once

#include <optional>

#include "api/profile/judged_by.h"
#include "cli/bundle/pseudonyms.h"
#include "cli/fleet/saved_hosts.h"

namespace rdmaready {

struct HiddenJudging {
  // The same verdict about `host` under its pseudonyms: selectors of ports name the ports of this host that
  // they select, waivers are those of this host. Nothing: which ports a profile is for is not known.
  std::optional<JudgedBy> judged_by{};
  bool left_out = false;  // of the profiles something was left out: free text, selectors, waivers of others
};

// The names of built-in profiles stay; another's becomes a pseudonym, and its digest that of what is left.
HiddenJudging UnderPseudonyms(const bundle::Pseudonyms& pseudonyms, const JudgedBy& judged_by,
                              const SavedHost& host);

}  // namespace rdmaready
