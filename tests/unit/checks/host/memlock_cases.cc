// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

Facts WithMemlock(Fact<Memlock> memlock) {
  Facts host = GoodHost();
  host.memlock = std::move(memlock);
  return host;
}

Facts Granting(Fact<std::vector<MemlockGrant>> grants) {
  Facts host = GoodHost();
  host.memlock_grants = std::move(grants);
  return host;
}

Facts Granting(const char* consumer, std::uint64_t limit_bytes) {
  return Granting(std::vector<MemlockGrant>{
      {.consumer = consumer, .limit_bytes = limit_bytes, .source = "/etc/systemd/system.conf"}});
}

Facts WithCma(Fact<CmaMemory> cma) {
  Facts host = GoodHost();
  host.cma = std::move(cma);
  return host;
}

std::vector<CheckCase> CmaRows() {
  return {Passes("host.cma", "counted", GoodHost(), "CmaTotal 32 MiB, CmaFree not above it"),
          Passes("host.cma", "none", WithCma(CmaMemory{}), "CmaTotal 0"),
          Fails("host.cma", "not counted", WithCma(CmaMemory{.free_bytes = 940'604 * kKiB}), "CmaTotal 0",
                {.fix = "kho=off"}),
          Fails("host.cma", "a part is not counted",
                WithCma(CmaMemory{.total_bytes = 64 * kMiB, .free_bytes = 65 * kMiB}), "CmaFree 65 MiB"),
          DoesNotApply("host.cma", "a kernel without it", WithCma(kUnsupported), "not offered"),
          IsUnknown("host.cma", "an older recording", WithCma({}), ""),
          IsUnknown("host.cma", "denied", WithCma(Denied()), "not permitted")};
}

Facts Within(Fact<ControlGroup> group) {
  Facts host = GoodHost();
  host.agent_group = std::move(group);
  return host;
}

Facts ByHand() {
  Facts host = Within(ControlGroup{.memory_max_bytes = kMiB});
  host.agent_process = std::string("rdmaready");
  return host;
}

std::vector<CheckCase> GroupRows() {
  const auto most = [](std::uint64_t bytes, const char* container) {
    return Within(ControlGroup{.container = container, .memory_max_bytes = bytes});
  };
  return {Passes("host.memory-limit", "no limit", GoodHost(), "unlimited"),
          Passes("host.memory-limit", "just enough", most(128 * kMiB, ""), "128 MiB"),
          Fails("host.memory-limit", "a unit with too little", most(96 * kMiB, ""), "96 MiB",
                {.fix = "systemctl set-property rdmaready-agent.service MemoryMax=infinity"}),
          Fails("host.memory-limit", "a container with too little", most(64 * kMiB, "kubepods"), "64 MiB",
                {.fix = "raise the memory limit of the agent's container to 128 MiB"}),
          DoesNotApply("host.memory-limit", "groups of version 1",
                       Within(ControlGroup{.memory_max_bytes = kUnsupported}), "not offered"),
          IsUnknown("host.memory-limit", "a limit that may not be read",
                    Within(ControlGroup{.memory_max_bytes = Denied()}), "not permitted"),
          DoesNotApply("host.memory-limit", "looked at by hand", ByHand(), "looked at by hand (rdmaready)"),
          IsUnknown("host.memory-limit", "an older recording", Within({}), "")};
}

// A GPU node with peer memory: sessions of people have 8 MiB.
Facts WithPeerMemory(std::vector<MemlockGrant> others) {
  others.push_back({.consumer = "logins", .limit_bytes = 8 * kMiB, .source = "/etc/systemd/system.conf"});
  Facts host = Granting(std::move(others));
  host.gpu = GpuSupport{.modules = std::vector<std::string>{"nvidia", "nvidia_peermem"}};
  return host;
}

std::vector<CheckCase> PeerMemoryRows() {
  const MemlockGrant containers{
      .consumer = "containerd.service", .limit_bytes = Memlock::kUnlimited, .source = "/etc/systemd/system"};
  const MemlockGrant group{.consumer = "logins of @rdma",
                           .limit_bytes = 1024 * kMiB,
                           .source = "/etc/security/limits.d/90-rdma.conf"};
  MemlockGrant small_group = group;
  small_group.limit_bytes = 64 * kMiB;
  Facts unknown = WithPeerMemory({});
  unknown.gpu = Denied();
  return {Fails("host.memlock-users", "peer memory, and people start the programs", WithPeerMemory({}),
                "logins 8 MiB",
                {.fix = "printf '@rdma soft memlock 1048576\\n@rdma hard memlock 1048576\\n' > "
                        "/etc/security/limits.d/90-rdma.conf"}),
          Passes("host.memlock-users", "the group of RDMA's users", WithPeerMemory({group}),
                 "logins of @rdma 1 GiB by /etc/security/limits.d/90-rdma.conf"),
          Fails("host.memlock-users", "the group has too little", WithPeerMemory({small_group}), "64 MiB"),
          Passes("host.memlock-users", "peer memory, and containers have the programs",
                 WithPeerMemory({containers}), "containerd.service unlimited"),
          IsUnknown("host.memlock-users", "peer memory is not known", unknown, "not permitted")};
}

std::vector<CheckCase> LimitRows() {
  const auto agent = [](std::uint64_t bytes, bool capable) {
    return WithMemlock(Memlock{.limit_bytes = bytes, .cap_ipc_lock = capable, .pid = 4711});
  };
  Profile gpus = VirtualFabricProfile();
  gpus.gpu_direct = true;
  Facts unmarked = Granting("logins", 8 * kMiB);
  unmarked.markings = Denied();
  Facts unmarked_with_enough = Granting("logins", Memlock::kUnlimited);
  unmarked_with_enough.markings = Denied();
  Facts perhaps_lent = Granting("docker.service", 8 * kMiB);
  perhaps_lent.ports = WithHardware([](Port& port, PciFunction& pci) {
                         pci.virtual_function = true;
                         port.netdev = Denied();
                       }).ports;
  Facts lent = Granting("docker.service", 8 * kMiB);
  lent.ports = WithHardware([](Port& port, PciFunction& pci) {
                 pci.virtual_function = true;
                 port.netdev = kUnsupported;
               }).ports;
  return {Passes("host.memlock", "unlimited", GoodHost(), "unlimited"),
          Passes("host.memlock", "finite and enough", agent(64 * kMiB, false), "64 MiB"),
          Passes("host.memlock", "64 KiB, not enforced on us", agent(64 * kKiB, true), "CAP_IPC_LOCK"),
          Fails("host.memlock", "64 KiB", agent(64 * kKiB, false), "64 KiB",
                {.fix = "prlimit --pid 4711 --memlock=unlimited:unlimited"}),
          Fails("host.memlock", "64 KiB, silent profile", agent(64 * kKiB, false), "64 KiB",
                {.profile = Without([](Profile& profile) { profile.min_memlock_bytes.reset(); })}),
          IsUnknown("host.memlock", "denied", WithMemlock(Denied()), "not permitted", {.fix = "root"}),
          Passes("host.memlock-users", "unlimited", Granting("slurmd.service", Memlock::kUnlimited),
                 "slurmd.service unlimited by /etc/systemd/system.conf"),
          Passes("host.memlock-users", "gigabytes", Granting("slurmd.service", 4096 * kMiB), "4 GiB"),
          Fails("host.memlock-users", "a service", Granting("slurmd.service", 64 * kKiB),
                "slurmd.service 64 KiB", {.fix = "LimitMEMLOCK=infinity"}),
          Fails("host.memlock-users", "exactly 64 MiB", Granting("docker.service", 64 * kMiB), "64 MiB",
                {.profile = gpus}),
          Fails("host.memlock-users", "containers that have a virtual function", lent, "docker.service 8 MiB"),
          DoesNotApply("host.memlock-users", "containers, of which none uses RDMA",
                       Granting("docker.service", 8 * kMiB), "the kernel has no limit"),
          IsUnknown("host.memlock-users", "whether people use RDMA is not known", unmarked, "not permitted"),
          IsUnknown("host.memlock-users", "nor whether those with enough do", unmarked_with_enough,
                    "not permitted"),
          IsUnknown("host.memlock-users", "whether a container has a virtual function is not known",
                    perhaps_lent, "not permitted"),
          Fails("host.memlock-users", "logins, where GPUs are", Granting("logins", 8 * kMiB), "logins 8 MiB",
                {.fix = "/etc/security/limits.d/90-rdma.conf", .profile = gpus}),
          DoesNotApply("host.memlock-users", "logins, where nobody needs them", Granting("logins", 8 * kMiB),
                       "the kernel has no limit"),
          DoesNotApply("host.memlock-users", "nobody", GoodHost(), "the kernel has no limit"),
          IsUnknown("host.memlock-users", "denied", Granting(Denied()), "not permitted")};
}

}  // namespace

std::vector<CheckCase> MemlockCases() {
  return Joined({LimitRows(), PeerMemoryRows(), GroupRows(), CmaRows()});
}

}  // namespace rdmaready
