// SPDX-License-Identifier: Apache-2.0
// host.memlock, host.memlock-users, host.memory-limit, host.cma: memory that RDMA may lock. The kernel's own
// users of RDMA (SMB, NVMe, iSER, NFS) have no such limit; a program in user space has its own limit.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/words/memlock_lines.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// What a live test needs at least when the profile is silent: its buffers are registered, and so locked.
constexpr std::uint64_t kDefaultMinimumBytes = 64ULL * 1024 * 1024;

// With CAP_IPC_LOCK the kernel does not look at the limit (ib_umem_get in drivers/infiniband/core/umem.c).
Verdict JudgeHostMemlock(const HostView& view) {
  constexpr std::string_view kSource = "getrlimit RLIMIT_MEMLOCK";
  const std::uint64_t wanted = view.profile.min_memlock_bytes.value_or(kDefaultMinimumBytes);
  const std::string expected =
      wanted == Memlock::kUnlimited ? std::string("unlimited") : "at least " + BytesText(wanted);
  const Fact<Memlock>& memlock = view.host.memlock;
  if (!memlock) return NoAnswer(memlock.missing(), expected, kSource);
  if (memlock->limit_bytes == Memlock::kUnlimited)
    return Judged(true, "locked memory unlimited", expected, kSource);
  const std::string observed = Cat(BytesText(memlock->limit_bytes), " for the agent");
  const bool enough = memlock->limit_bytes >= wanted;
  if (!enough && memlock->cap_ipc_lock)
    return Judged(true, observed + ", not enforced as it has CAP_IPC_LOCK", expected, kSource);
  return Judged(enough, observed, expected, kSource);
}

// ---- host.memlock-users ----

constexpr std::string_view kGrantSource = "systemd units, limits.conf";

bool IsOfLogins(const MemlockGrant& grant) {
  return grant.consumer == kLoginsConsumer || grant.consumer == kGroupConsumer;
}

// Programs that people start register memory where NICs reach GPUs, or NCCL is set up.
Fact<bool> PeopleUseRdma(const HostView& view) {
  const auto is_nccl = [](const ConsumerMarking& one) { return one.consumer == MarkingConsumer::kNccl; };
  if (view.profile.gpu_direct) return true;
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (!markings) return markings.missing();
  return std::ranges::any_of(*markings, is_nccl);
}

// Those of whom containers have their limit. Each host with one of them has few that use RDMA.
bool RunsContainers(const MemlockGrant& grant) {
  constexpr std::array<std::string_view, 6> kUnits{"containerd.service", "docker.service",
                                                   "crio.service",       "k3s.service",
                                                   "k3s-agent.service",  "rke2-agent.service"};
  return std::ranges::find(kUnits, grant.consumer) != kUnits.end();
}

// Modules by which a GPU's memory is registered: somebody starts programs that do it.
Fact<bool> HasPeerMemory(const HostView& view) {
  const Fact<GpuSupport>& gpu = view.host.gpu;
  if (NotOffered(gpu)) return false;
  if (!gpu) return gpu.missing();
  if (!gpu->modules) return gpu->modules.missing();
  return std::ranges::any_of(
      *gpu->modules, [](const std::string& one) { return one == "nvidia_peermem" || one == "nv_peer_mem"; });
}

// With peer memory, the programs are those of containers where the host runs any, else those of people.
Fact<bool> LoginsUseRdma(const HostView& view) {
  const Fact<bool> people = PeopleUseRdma(view);
  if (people && *people) return true;
  if (std::ranges::any_of(*view.host.memlock_grants, RunsContainers)) return people;
  const Fact<bool> peer = HasPeerMemory(view);
  if ((peer && *peer) || people) return peer;
  return people;
}

// Also where a container has the interface of a virtual function.
Fact<bool> ContainersUseRdma(const HostView& view) {
  const Fact<bool> people = PeopleUseRdma(view);
  const Fact<bool> peer = HasPeerMemory(view);
  if ((people && *people) || (peer && *peer)) return true;
  if (!view.host.ports) return view.host.ports.missing();
  std::optional<Missing> gap;
  if (!people) gap = people.missing();
  if (!peer) gap = peer.missing();
  for (const Port& port : *view.host.ports) {
    const Fact<bool> lent = LentOf(port);
    if (lent && *lent) return true;
    if (!lent) gap = lent.missing();
  }
  return gap ? Fact<bool>(*gap) : false;
}

Fact<bool> IsUser(const HostView& view, const MemlockGrant& grant) {
  if (IsOfLogins(grant)) return LoginsUseRdma(view);
  return RunsContainers(grant) ? ContainersUseRdma(view) : Fact<bool>(true);
}

bool IsEnough(const MemlockGrant& grant) { return grant.limit_bytes >= kLeastMemlockOfUsers; }

// Whether people in the group of RDMA's users may lock enough: then the limit of everybody else does not
// matter.
bool GroupHasEnough(const std::vector<MemlockGrant>& grants) {
  return std::ranges::any_of(
      grants, [](const MemlockGrant& grant) { return grant.consumer == kGroupConsumer && IsEnough(grant); });
}

std::string LimitText(const MemlockGrant& grant) {
  if (grant.limit_bytes == Memlock::kUnlimited) return "unlimited";
  return BytesText(grant.limit_bytes);
}

// For the users of RDMA alone, and as much as is asked for.
Fix LoginsFix(const Profile& profile) {
  const std::uint64_t bytes = std::max(profile.min_memlock_bytes.value_or(0), kLeastMemlockOfUsers);
  std::string lines = MemlockLines(bytes);
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 2))
    lines.replace(at, 1, "\\n");
  return Fix(Cat("groupadd -f ", kMemlockGroup))
      .Run(Cat("printf '", lines, "' > /etc/security/limits.d/90-rdma.conf"))
      .Because("the default limit of systemd is 8 MiB, and no file says more")
      .Caution("only new sessions have the limit")
      .Do(Cat("put those who run programs of RDMA into the group: gpasswd -a USER ", kMemlockGroup))
      .Or("where their programs register more: a larger number of KiB, or unlimited, in those lines")
      .CheckBy("ulimit -l");
}

Fix GrantFix(const MemlockGrant& grant, const Profile& profile) {
  if (IsOfLogins(grant)) return LoginsFix(profile);
  const std::string folder = Cat("/etc/systemd/system/", ShellWord(grant.consumer), ".d");
  const std::string unit = ShellWord(grant.consumer);
  return Fix(Cat("mkdir -p ", folder, " && printf '[Service]\\nLimitMEMLOCK=infinity\\n' > ", folder,
                 "/memlock.conf && systemctl daemon-reload && systemctl restart ", unit))
      .Caution(Cat("the restart of ", unit, " may end the jobs that it runs"))
      .CheckBy(Cat("systemctl show -p LimitMEMLOCK ", unit));
}

// Who uses RDMA, by whether the limit is enough; and why it is not known of somebody.
struct MemlockUsers {
  std::vector<const MemlockGrant*> content{};
  std::vector<const MemlockGrant*> needy{};
  std::optional<Missing> perhaps_content{};
  std::optional<Missing> perhaps_needy{};
};

MemlockUsers UsersOf(const HostView& view) {
  MemlockUsers users;
  const bool by_group = GroupHasEnough(*view.host.memlock_grants);
  for (const MemlockGrant& grant : *view.host.memlock_grants) {
    if (by_group && grant.consumer == kLoginsConsumer) continue;
    const bool enough = IsEnough(grant);
    const Fact<bool> user = IsUser(view, grant);
    if (!user) (enough ? users.perhaps_content : users.perhaps_needy) = user.missing();
    if (user && *user) (enough ? users.content : users.needy).push_back(&grant);
  }
  return users;
}

std::string GrantsText(const std::vector<const MemlockGrant*>& grants) {
  std::string text;
  for (const MemlockGrant* grant : grants) {
    text += Cat(text.empty() ? "" : ", ", Printable(grant->consumer), " ", LimitText(*grant), " by ",
                Printable(grant->source));
  }
  return text;
}

Verdict JudgeHostMemlockUsers(const HostView& view) {
  constexpr std::string_view kExpected = "unlimited, or 1 GiB at least";
  const Fact<std::vector<MemlockGrant>>& grants = view.host.memlock_grants;
  if (!grants) return NoAnswer(grants.missing(), kExpected, kGrantSource);
  const MemlockUsers users = UsersOf(view);
  if (!users.needy.empty())
    return Judged(false, GrantsText(users.needy), kExpected, kGrantSource,
                  GrantFix(*users.needy.front(), view.profile));
  if (users.perhaps_needy) return NoAnswer(*users.perhaps_needy, kExpected, kGrantSource);
  if (!users.content.empty()) return Judged(true, GrantsText(users.content), kExpected, kGrantSource);
  if (users.perhaps_content) return NoAnswer(*users.perhaps_content, kExpected, kGrantSource);
  return NotApplicable("nobody here is known to register memory in user space; the kernel has no limit");
}

// ---- host.memory-limit ----

// Pages that RDMA pins count for the control group of the process: beyond memory.max the kernel ends a process.
Verdict JudgeHostMemoryLimit(const HostView& view) {
  constexpr std::uint64_t kAgentBytes = 64ULL * 1024 * 1024;  // the agent and its helpers, without buffers
  constexpr std::string_view kLimitSource = "memory.max of the agent's control group";
  const std::uint64_t wanted = kDefaultMinimumBytes + kAgentBytes;
  const std::string expected = "at least " + BytesText(wanted);
  const Fact<std::string>& process = view.host.agent_process;
  if (!process) return NoAnswer(process.missing(), expected, kLimitSource);
  if (*process != "rdmaready-agent")
    return NotApplicable(Cat("looked at by hand (", *process, "), in a control group of its own"));
  const Fact<ControlGroup>& group = view.host.agent_group;
  if (!group) return NoAnswer(group.missing(), expected, kLimitSource);
  const Fact<std::uint64_t>& most = group->memory_max_bytes;
  if (NotOffered(most)) return NotApplicable(most.missing().detail);
  if (!most) return NoAnswer(most.missing(), expected, kLimitSource);
  const std::string observed = *most == Memlock::kUnlimited ? std::string("unlimited") : BytesText(*most);
  Fix fix;
  if (!group->container.empty()) {
    fix = Fix()
              .Do(Cat("raise the memory limit of the agent's container to ", BytesText(wanted)))
              .Because("the limit was set for the agent alone, without live tests")
              .CheckBy("cat /sys/fs/cgroup/memory.max");
  }
  return Judged(*most >= wanted, observed, expected, kLimitSource, std::move(fix));
}

// ---- host.cma ----

// The kernel moves a page out of CMA before it pins it for long (check_and_migrate_movable_pages in mm/gup.c).
Verdict JudgeHostCma(const HostView& view) {
  constexpr std::string_view kExpected = "no more free CMA memory than there is in all";
  constexpr std::string_view kCmaSource = "/proc/meminfo CmaTotal, CmaFree";
  const Fact<CmaMemory>& cma = view.host.cma;
  if (NotOffered(cma)) return NotApplicable(cma.missing().detail);
  if (!cma) return NoAnswer(cma.missing(), kExpected, kCmaSource);
  const std::string total = Cat("CmaTotal ", BytesText(cma->total_bytes));
  // The free memory moves by itself: where all is well, the finding does not name it.
  if (cma->free_bytes <= cma->total_bytes)
    return Judged(true, Cat(total, ", CmaFree not above it"), kExpected, kCmaSource);
  return Judged(false, Cat(total, ", CmaFree ", BytesText(cma->free_bytes)), kExpected, kCmaSource);
}

}  // namespace

std::vector<Check> MemlockChecks() {
  return {
      {.id = "host.memlock",
       .title = "The agent, which makes the live tests, may lock enough memory for RDMA",
       .why = "RDMA registers, hence locks, its buffers: beyond the limit registration fails. Storage services "
              "have limits of their own, the kernel has none",
       .fix = Fix("prlimit --pid {pid} --memlock=unlimited:unlimited")
                  .Do("for good: write LimitMEMLOCK=infinity into the unit of the agent")
                  .CheckBy("grep 'locked memory' /proc/{pid}/limits"),
       .blocks_for = &kDemandsMemlock,
       .depends_on = {"inv.rdma-present"},
       .in_summary = 1,
       .judge = JudgeHostMemlock},
      {.id = "host.memlock-users",
       .title = "Who uses RDMA in user space may lock the memory for it",
       .why = "Job schedulers, containers and logins have limits of their own, 8 MiB by systemd's default: "
              "registration fails there, while tests of verbs go well",
       .fix =
           Fix()
               .Do("write LimitMEMLOCK=infinity into the unit; of logins a limit below /etc/security/limits.d")
               .CheckBy("systemctl show -p LimitMEMLOCK UNIT"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostMemlockUsers},
      {.id = "host.memory-limit",
       .title = "The agent's control group leaves room for the buffers of live tests",
       .why =
           "Memory that RDMA pins counts for the control group: beyond its limit the kernel ends the agent in "
           "the middle of a test",
       .fix = Fix("systemctl set-property rdmaready-agent.service MemoryMax=infinity")
                  .Because("a drop-in file of the unit sets MemoryMax, or a slice above it has a limit")
                  .Or("raise the limit of the slice: systemctl show -p Slice rdmaready-agent.service names it")
                  .CheckBy("systemctl show -p MemoryMax rdmaready-agent.service"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostMemoryLimit},
      {.id = "host.cma",
       .title = "The kernel counts all memory that it keeps for allocations in one piece (CMA)",
       .why =
           "Pages leave CMA before RDMA may pin them for long. Large CMA areas that the kernel does not count "
           "make registration fail with ENOMEM, while memory is free",
       .fix = Fix()
                  .Because("kexec handover (KHO) keeps memory for the next kernel, as CMA that is not counted")
                  .Do("add kho=off to the kernel's command line, and reboot")
                  .Or("boot a kernel without CONFIG_KEXEC_HANDOVER")
                  .CheckBy("grep Cma /proc/meminfo"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostCma},
  };
}

}  // namespace rdmaready
