// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts Nodes(Fact<std::vector<DeviceNode>> nodes) {
  return SecurityWith(&Facts::device_nodes, std::move(nodes));
}

Facts Powers(Fact<std::uint64_t> capabilities, Fact<std::string> process = std::string("rdmaready-agent")) {
  Facts host = SecurityWith(&Facts::agent_capabilities, std::move(capabilities));
  host.agent_process = std::move(process);
  return host;
}

Facts PowersOfRoot(std::uint64_t capabilities) {
  Facts host = Powers(capabilities);
  host.agent_user = std::uint32_t{0};
  return host;
}

Facts PowersInContainer(std::uint64_t capabilities, Fact<ControlGroup> group) {
  Facts host = PowersOfRoot(capabilities);
  host.agent_group = std::move(group);
  return host;
}

Facts PowersOfSomebody(std::uint64_t capabilities) {
  Facts host = Powers(capabilities);
  host.agent_user = Missing{};
  return host;
}

}  // namespace

std::vector<CheckCase> SecurityCases() {
  const Profile fabric = VirtualFabricProfile();
  Profile unmarked = fabric;
  unmarked.tos.reset();
  unmarked.dscp.reset();
  Profile tenants = fabric;
  tenants.multi_tenant = true;
  return {
      Passes("sec.privileged-qkey", "off", GoodHost(), "off", {.profile = tenants}),
      Fails("sec.privileged-qkey", "on", SecurityWith(&Facts::privileged_qkey, Fact<bool>(true)), "everybody",
            {.fix = "rdma system set privileged-qkey off", .profile = tenants}),
      DoesNotApply("sec.privileged-qkey", "one tenant", GoodHost(), "several tenants", {.profile = fabric}),
      DoesNotApply("sec.privileged-qkey", "an old kernel",
                   SecurityWith(&Facts::privileged_qkey, Fact<bool>(kUnsupported)), "not offered",
                   {.profile = tenants}),
      IsUnknown("sec.privileged-qkey", "denied", SecurityWith(&Facts::privileged_qkey, Fact<bool>(Denied())),
                "not permitted", {.profile = tenants}),
      Passes("sec.device-nodes", "as the kernel makes them", GoodHost(), "2 nodes, those of verbs open to all",
             {.profile = fabric}),
      Fails("sec.device-nodes", "umad is open",
            Nodes(std::vector<DeviceNode>{{"umad0", 0666}, {"uverbs0", 0666}}), "open to others: umad0 0666",
            {.fix = "chmod o-rwx /dev/infiniband/umad0  #", .profile = fabric}),
      Passes("sec.device-nodes", "umad is closed", Nodes(std::vector<DeviceNode>{{"umad0", 0600}}),
             "1 node, none open", {.profile = fabric}),
      DoesNotApply("sec.device-nodes", "no nodes", Nodes(std::vector<DeviceNode>{}), "no nodes",
                   {.profile = fabric}),
      IsUnknown("sec.device-nodes", "not readable", Nodes(Denied()), "Operation not permitted",
                {.profile = fabric}),
      Fails("sec.netns-shared", "shared, as the kernel starts", Mode(true),
            "shared: every network namespace sees every RDMA device",
            {.fix = "rdma system set netns exclusive  #", .profile = tenants}),
      Passes("sec.netns-shared", "exclusive", Mode(false), "exclusive", {.profile = tenants}),
      IsUnknown("sec.netns-shared", "not known", Mode(Denied()), "not permitted", {.profile = tenants}),
      DoesNotApply("sec.netns-shared", "nobody asked", Mode(true), "does not ask for tenants",
                   {.profile = fabric}),
      Passes("sec.agent-caps", "none", Powers(std::uint64_t{0}), "none", {.profile = fabric}),
      Fails("sec.agent-caps", "what its helpers have", Powers(std::uint64_t{0x20'1000}),
            "also CAP_NET_ADMIN CAP_SYS_ADMIN",
            {.fix = "CapabilityBoundingSet= AmbientCapabilities= >", .profile = fabric}),
      Passes("sec.agent-caps", "root's, as before there were helpers", PowersOfRoot(0xa0'7000),
             "CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_SYS_ADMIN CAP_SYS_NICE, of root's agent",
             {.profile = fabric}),
      Passes("sec.agent-caps", "root's, with helpers", PowersOfRoot(0), "none", {.profile = fabric}),
      Fails("sec.agent-caps", "two more than root's agent may have", PowersOfRoot(0x21'7001),
            "also CAP_CHOWN CAP_SYS_MODULE", {.profile = fabric}),
      Passes("sec.agent-caps", "Docker's own", PowersInContainer(0xa804'25fb, ControlGroup{"docker"}),
             "what a container runtime gives", {.profile = fabric}),
      Passes("sec.agent-caps", "CRI-O's own, with IPC_LOCK", PowersInContainer(0x45fb, ControlGroup{"overlay"}),
             "what a container runtime gives", {.profile = fabric}),
      Fails("sec.agent-caps", "Docker's own outside of a container", PowersOfRoot(0xa804'25fb),
            "also CAP_CHOWN", {.profile = fabric}),
      IsUnknown("sec.agent-caps", "Docker's own, of an unknown group", PowersInContainer(0xa804'25fb, Denied()),
                "not permitted", {.profile = fabric}),
      Fails("sec.agent-caps", "Docker's own and SYS_ADMIN", PowersOfRoot(0xa824'25fb), "also CAP_CHOWN",
            {.fix = "in a container take out of its securityContext", .profile = fabric}),
      IsUnknown("sec.agent-caps", "of whom nobody knows the user", PowersOfSomebody(0x20'1000), "not collected",
                {.profile = fabric}),
      Passes("sec.agent-caps", "none, of whom nobody knows the user", PowersOfSomebody(0), "none",
             {.profile = fabric}),
      Fails("sec.agent-caps", "of a kernel to come", Powers(std::uint64_t{0x300'0000'0000}),
            "also CAP_CHECKPOINT_RESTORE 41", {.profile = fabric}),
      Fails("sec.agent-caps", "all of root's", Powers(std::uint64_t{0x1ff'ffff'ffff}),
            "everything that root may do", {.profile = fabric}),
      Fails("sec.agent-caps", "all of root's, of an older kernel", Powers(std::uint64_t{0x3f'ffff'ffff}),
            "everything that root may do", {.profile = fabric}),
      Fails("sec.agent-caps", "all but one", Powers(std::uint64_t{0x1ff'ffff'fffe}), "also CAP_DAC_OVERRIDE",
            {.profile = fabric}),
      DoesNotApply("sec.agent-caps", "typed as root",
                   Powers(std::uint64_t{0x1ff'ffff'ffff}, std::string("rdmaready")),
                   "looked at by hand (rdmaready)", {.profile = fabric}),
      IsUnknown("sec.agent-caps", "not readable", Powers(Denied()), "not permitted", {.profile = fabric}),
      IsUnknown("sec.agent-caps", "an agent that does not say who it is",
                Powers(std::uint64_t{0x7000}, Missing{}), "not collected", {.profile = fabric})};
}

}  // namespace rdmaready
