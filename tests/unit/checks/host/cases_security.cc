// SPDX-License-Identifier: Apache-2.0
// sec.*, roce.tos-persistent, inv.boot-path, ip.accept-local.
#include <array>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

template <class T>
Facts With(Fact<T> Facts::*part, Fact<T> value) {
  Facts host = GoodHost();
  host.*part = std::move(value);
  return host;
}

Facts Nodes(Fact<std::vector<DeviceNode>> nodes) { return With(&Facts::device_nodes, std::move(nodes)); }
Facts Keepers(Fact<std::vector<std::string>> keepers) { return With(&Facts::tos_keepers, std::move(keepers)); }
Facts Mode(Fact<bool> shared) { return With(&Facts::rdma_netns_shared, std::move(shared)); }

Facts Powers(Fact<std::uint64_t> capabilities, Fact<std::string> process = std::string("rdmaready-agent")) {
  Facts host = With(&Facts::agent_capabilities, std::move(capabilities));
  host.agent_process = std::move(process);
  return host;
}

Facts Booted(const char* mac, const char* address) {
  Facts host = WithNetdev([](Netdev& netdev) { netdev.mac = "02:00:00:00:00:01"; });
  host.boot_targets = std::vector<BootTarget>{
      {.table = "NBFT", .mac = mac, .address = address, .target = "nqn.2014-08.org.example:disk"}};
  return host;
}

// Two RDMA ports in one subnet; the second one is looked at.
Facts TwoPorts(const Fact<Ipv4Settings>& first, const Fact<Ipv4Settings>& second) {
  Facts host = WithSecond(GoodHost(), [](Port&) {});
  std::vector<Port> ports = *host.ports;
  const std::array<const Fact<Ipv4Settings>*, 2> settings{&first, &second};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    Netdev netdev = *ports[i].netdev;
    netdev.ipv4 = *settings[i];
    ports[i].netdev = netdev;
    ports[i].subnets = std::vector<Subnet>{
        {.netdev = netdev.name,
         .own = {.address = "10.0.0.1", .prefix_length = 24},
         .shared_with = {
             {.netdev = i == 0 ? "dcb1" : "dcb0", .address = "10.0.0.9", .ipv4 = *settings[1 - i]}}}};
  }
  host.ports = ports;
  return host;
}

}  // namespace

void AddSecurityCases(std::vector<CheckCase>& cases) {
  const Profile fabric = VirtualFabricProfile();
  Profile unmarked = fabric;
  unmarked.tos.reset();
  unmarked.dscp.reset();
  Profile tenants = fabric;
  tenants.multi_tenant = true;
  const Ipv4Settings off;
  const Ipv4Settings on{.accept_local = true};
  cases.insert(
      cases.end(),
      {{"sec.device-nodes", "as the kernel makes them", GoodHost(), kPass,
        "2 nodes, those of verbs open to all", "", fabric},
       {"sec.device-nodes", "umad is open", Nodes(std::vector<DeviceNode>{{"umad0", 0666}, {"uverbs0", 0666}}),
        kFail, "open to others: umad0 0666", "chmod o-rwx /dev/infiniband/umad0  #", fabric},
       {"sec.device-nodes", "umad is closed", Nodes(std::vector<DeviceNode>{{"umad0", 0600}}), kPass,
        "1 node, none open", "", fabric},
       {"sec.device-nodes", "no nodes", Nodes(std::vector<DeviceNode>{}), kNotApplicable, "no nodes", "",
        fabric},
       {"sec.device-nodes", "not readable", Nodes(Denied()), kUnknown, "Operation not permitted", "", fabric},

       {"sec.netns-shared", "shared, as the kernel starts", Mode(true), kFail,
        "shared: every network namespace sees every RDMA device", "rdma system set netns exclusive  #",
        tenants},
       {"sec.netns-shared", "exclusive", Mode(false), kPass, "exclusive", "", tenants},
       {"sec.netns-shared", "not known", Mode(Denied()), kUnknown, "not permitted", "", tenants},
       {"sec.netns-shared", "nobody asked", Mode(true), kNotApplicable, "does not ask for tenants", "", fabric},
       {"inv.netns-mode", "exclusive as asked for", Mode(false), kNotApplicable, "sec.netns-shared", "",
        tenants},

       {"sec.agent-caps", "what it needs", Powers(std::uint64_t{0x20'7000}), kPass,
        "CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_SYS_ADMIN", "", fabric},
       {"sec.agent-caps", "less", Powers(std::uint64_t{0}), kPass, "none", "", fabric},
       {"sec.agent-caps", "two more", Powers(std::uint64_t{0x21'7001}), kFail, "also CAP_CHOWN CAP_SYS_MODULE",
        "CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_SYS_ADMIN CAP_SYS_NICE' >", fabric},
       {"sec.agent-caps", "of a kernel to come", Powers(std::uint64_t{0x300'0000'0000}), kFail,
        "also CAP_CHECKPOINT_RESTORE 41", "", fabric},
       {"sec.agent-caps", "typed as root", Powers(std::uint64_t{0x1ff'ffff'ffff}, std::string("rdmaready")),
        kNotApplicable, "looked at by hand (rdmaready)", "", fabric},
       {"sec.agent-caps", "not readable", Powers(Denied()), kUnknown, "not permitted", "", fabric},
       {"sec.agent-caps", "an agent that does not say who it is", Powers(std::uint64_t{0x7000}, Missing{}),
        kUnknown, "not collected", "", fabric},

       {"roce.tos-persistent", "a unit keeps it", GoodHost(), kPass, "/etc/systemd/system/rdma-tos.service", "",
        fabric},
       {"roce.tos-persistent", "nothing keeps it", Keepers(std::vector<std::string>{}), kFail,
        "nothing sets RDMA-CM's ToS at boot",
        "ls /sys/class/infiniband | xargs mkdir -p; echo 106 | tee */ports/*/default_roce_tos", fabric},
       {"roce.tos-persistent", "not readable", Keepers(Denied()), kUnknown, "Operation not permitted", "",
        fabric},
       {"roce.tos-persistent", "no ToS asked for", Keepers(std::vector<std::string>{}), kNotApplicable,
        "does not ask", "", unmarked},

       {"inv.boot-path", "from a disk of its own", GoodHost(), kNotApplicable, "no disk of the network", "",
        fabric},
       {"inv.boot-path", "by this port", Booted("02:00:00:00:00:01", ""), kFail,
        "nqn.2014-08.org.example:disk by this port (NBFT)", "lsblk", fabric},
       {"inv.boot-path", "by this port, told by its address", Booted("", "10.0.0.1"), kFail, "by this port", "",
        fabric},
       {"inv.boot-path", "by another port", Booted("02:00:00:00:00:99", "10.0.0.1"), kPass, "not by this port",
        "", fabric},
       {"inv.boot-path", "not readable", With(&Facts::boot_targets, Fact<std::vector<BootTarget>>(Denied())),
        kUnknown, "Operation not permitted", "", fabric},

       {"ip.accept-local", "one port", GoodHost(), kNotApplicable, "no RDMA port before", "", fabric},
       {"ip.accept-local", "the first of two", TwoPorts(off, off), kNotApplicable, "no RDMA port before", "",
        fabric},
       {"ip.accept-local", "the second of two", TwoPorts(off, off), kFail, "accept_local 0 on dcb1",
        "sysctl -w net.ipv4.conf.all.accept_local=1", fabric, 1},
       {"ip.accept-local", "off on the first", TwoPorts(off, on), kFail, "accept_local 0 on dcb0", "", fabric,
        1},
       {"ip.accept-local", "on", TwoPorts(on, on), kPass, "accept_local 1 on dcb1, dcb0", "", fabric, 1},
       {"ip.accept-local", "settings not readable", TwoPorts(on, Denied()), kUnknown, "Operation not permitted",
        "", fabric, 1}});
}

}  // namespace rdmaready
