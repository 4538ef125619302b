// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/made_hosts.h"

#include <fmt/format.h>

#include <memory>

#include "agent/report/pack_state.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/convert/digest.h"
#include "hub/judge/host_judge.h"
#include "hub/judge/rule_book.h"

namespace rdmaready::hub {

absl::StatusOr<JudgedHost> JudgedLike(const Facts& facts, const std::string& profile,
                                      std::int64_t now_unix_ns) {
  RR_ASSIGN_OR_RETURN(const std::shared_ptr<const RuleBook> rules, RuleBook::Load({.profiles = {profile}}));
  JudgedHost like = JudgeFacts(facts, rules->RulesOf("node", now_unix_ns), "node", now_unix_ns);
  RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(DigestedText(facts)));
  RR_ASSIGN_OR_RETURN(const std::shared_ptr<const report::HostState> state,
                      report::PackState(facts, digest, now_unix_ns));
  like.facts_zlib = state->facts_zlib;
  like.facts_bytes = state->facts_bytes;
  like.host.digest = digest;
  like.host.seen_unix_ns = now_unix_ns;
  like.mark = {.run_id = "made", .sequence = 1};
  return like;
}

JudgedHost Numbered(const JudgedHost& like, std::size_t number) {
  JudgedHost host = like;
  host.host.host_id = fmt::format("00000000-0000-4000-8000-{:012}", number);
  host.host.name = fmt::format("node{:05}", number);
  return host;
}

}  // namespace rdmaready::hub
