// SPDX-License-Identifier: Apache-2.0
// Judging one host at the hub: its facts and the rules in, what is kept of it out. Pure.
#pragma once

#include <cstdint>

#include "api/model/facts.h"
#include "hub/judge/rule_book.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

// Verdict, counts, what is not well, and what is told first. Who reports, when and with which digest is left to
// the caller. A host that no rule is for is undetermined, and `trouble` says why.
JudgedHost JudgeFacts(const Facts& facts, const HostRules& rules, std::int64_t now_unix_ns);

}  // namespace rdmaready::hub
