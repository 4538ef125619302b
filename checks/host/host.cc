// SPDX-License-Identifier: Apache-2.0
// host.*: limits of the host itself.
#include "api/base/text.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// What a storage service needs at least when the profile is silent: its buffers are registered, hence locked.
constexpr std::uint64_t kDefaultMinimumBytes = 64ULL * 1024 * 1024;

std::string NeverNotApplicable(const HostView&) { return {}; }

// The agent's own limit stands for those of services in user space, which were started like it. A finite one
// that is large enough passes: the profile names the number, and "unlimited" would be a matter of taste. A
// small one fails also where CAP_IPC_LOCK makes the kernel ignore it for us: the storage service may not have
// it.
Verdict JudgeMemlock(const HostView& view) {
  constexpr std::string_view kSource = "getrlimit RLIMIT_MEMLOCK";
  const std::uint64_t wanted = view.profile.min_memlock_bytes.value_or(kDefaultMinimumBytes);
  const std::string expected =
      wanted == Memlock::kUnlimited ? std::string("unlimited") : "at least " + BytesText(wanted);
  const Fact<Memlock>& memlock = view.host.memlock;
  if (!memlock) return NoAnswer(memlock.missing(), expected, kSource);
  if (memlock->limit_bytes == Memlock::kUnlimited) return Judged(true, "unlimited", expected, kSource);
  std::string observed = Cat(BytesText(memlock->limit_bytes), " for the agent");
  const bool enough = memlock->limit_bytes >= wanted;
  if (!enough && memlock->cap_ipc_lock) {
    observed += ", not enforced as it has CAP_IPC_LOCK; a storage service may not have it";
  }
  return Judged(enough, observed, expected, kSource);
}

// A process may raise its soft limit up to the hard one, and storage services do.
Verdict JudgeNofile(const HostView& view) {
  constexpr std::string_view kSource = "/proc/self/limits";
  constexpr std::string_view kExpected = "at least 4096";
  constexpr std::uint64_t kEnough = 4096;  // by experience; no standard has a number
  const Fact<OpenFiles>& files = view.host.open_files;
  if (!files) return NoAnswer(files.missing(), std::string(kExpected), kSource);
  if (files->hard == OpenFiles::kUnlimited) return Judged(true, "unlimited", std::string(kExpected), kSource);
  return Judged(files->hard >= kEnough, Cat("at most ", files->hard, ", now ", files->soft),
                std::string(kExpected), kSource);
}

}  // namespace

Check HostNofile() {
  return {
      .id = "host.nofile",
      .title = "Enough files may be open for RDMA connections",
      .why = "Every connection of RDMA-CM and every completion channel is an open file",
      .fix = "prlimit --pid {pid} --nofile=65536:65536  # for good: LimitNOFILE=65536 in the service's unit",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<HostView>{NeverNotApplicable, JudgeNofile}};
}

Check HostMemlock() {
  return {.id = "host.memlock",
          .title = "The agent, which makes the live tests, may lock enough memory for RDMA",
          .why =
              "RDMA registers, hence locks, its buffers: beyond the limit registration fails. Storage services "
              "have limits of their own, the kernel has none",
          .fix =
              "prlimit --pid {pid} --memlock=unlimited:unlimited  # the agent's; for good: "
              "LimitMEMLOCK=infinity in its unit, and in that of every storage service in user space",
          .blocks_for = &kDemandsMemlock,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{NeverNotApplicable, JudgeMemlock}};
}

}  // namespace rdmaready
