// SPDX-License-Identifier: Apache-2.0
// host.*: limits of the host itself.
#include "api/base/text.h"
#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

// What a storage service needs at least when the profile is silent: its buffers are registered, hence locked.
constexpr std::uint64_t kDefaultMinimumBytes = 64ULL * 1024 * 1024;

std::string NeverNotApplicable(const HostView&) { return {}; }

// A finite limit that is large enough passes: the profile names the number, and "unlimited" would be a matter
// of taste. A small one fails also where CAP_IPC_LOCK makes the kernel ignore it for us: the storage service
// may not have it.
Verdict JudgeMemlock(const HostView& view) {
  constexpr std::string_view kSource = "getrlimit RLIMIT_MEMLOCK";
  const std::uint64_t wanted = view.profile.min_memlock_bytes.value_or(kDefaultMinimumBytes);
  const std::string expected =
      wanted == Memlock::kUnlimited ? std::string("unlimited") : "at least " + BytesText(wanted);
  const Fact<Memlock>& memlock = view.host.memlock;
  if (!memlock) return NoAnswer(memlock.missing(), expected, kSource);
  if (memlock->limit_bytes == Memlock::kUnlimited) return Judged(true, "unlimited", expected, kSource);
  std::string observed = BytesText(memlock->limit_bytes);
  const bool enough = memlock->limit_bytes >= wanted;
  if (!enough && memlock->cap_ipc_lock) {
    observed += " (not enforced on this process, which has CAP_IPC_LOCK; the storage service may not)";
  }
  return Judged(enough, observed, expected, kSource);
}

}  // namespace

Check HostMemlock() {
  return {.id = "host.memlock",
          .title = "Enough memory may be locked for RDMA",
          .why = "RDMA registers, hence locks, its buffers: beyond the limit registration fails",
          .fix =
              "prlimit --pid {pid} --memlock=unlimited:unlimited  # for good: LimitMEMLOCK=infinity in the "
              "service's unit; in "
              "a shell: ulimit -l unlimited",
          .blocks_for = &kDemandsMemlock,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{NeverNotApplicable, JudgeMemlock}};
}

}  // namespace rdmaready
