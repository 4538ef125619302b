// SPDX-License-Identifier: Apache-2.0
#include "agent/server/pass_caller.h"

#include <chrono>
#include <cstdint>

namespace rdmaready {

Caller CallerOf(access::Pass& pass, const std::string& name, const std::string& run_id) {
  Caller caller =
      WithRunId({.name = name, .run_id = run_id, .origin = pass.identity().origin, .who = pass.identity().who});
  caller.may_test = [&pass] { return pass.MayTest(); };
  caller.tested = [&pass](const LiveTest& live) {
    const bool failed = live.result.failure.kind != FailureKind::kNone ||
                        (live.reverse && live.reverse->failure.kind != FailureKind::kNone);
    const std::uint64_t bytes = live.result.bytes + (live.reverse ? live.reverse->bytes : 0);
    pass.Tested(std::chrono::nanoseconds(live.duration_ns), bytes, failed);
  };
  return caller;
}

Caller CallerOf(access::Pass& pass, const std::string& name, const std::string& run_id,
                const CallWatch& watch) {
  Caller caller = CallerOf(pass, name, run_id);
  caller.why_gone = [&watch] { return watch.reason(); };
  return caller;
}

}  // namespace rdmaready
