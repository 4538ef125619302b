// SPDX-License-Identifier: Apache-2.0
#include "checks/diagnosis/rules.h"

#include <algorithm>
#include <array>

#include "checks/device/link_fix.h"
#include "checks/spare.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr PassRule kPassRules[] = {
    {"link.speed", "link.lanes", "a lost lane: the link uses all of its lanes"},
    {"link.speed", "link.module", "a faulty transceiver: it reports no fault"},
    {"ib.speed", "ib.width", "a lost lane: the link uses all lanes that are enabled"},
    {"ib.width", "ib.speed", "a slow lane: each is as fast as is enabled"},
    {"ib.sm", "link.phys-state", "the cable: the physical link is up"},
    {"ib.state-init", "link.phys-state", "the cable: the physical link is up"},
    {"pcie.bandwidth", "pcie.width",
     "a bad seat of the card: no PCIe link lost a lane that both its ends have"},
    {"pcie.bandwidth", "pcie.speed", "a PCIe link that trained too low: each runs at what both its ends can"},
    {"ip.address", "link.state", "the link: it is up"},
    {"ip.neighbor", "link.state", "this end of the link: it is up"},
    {"ip.neighbor", "ip.firewall", "the packet filter of this host: it lets RDMA in"},
    {"ip.neighbor", "ip.subnets", "two ports in one subnet: each port has its own"},
    {"gid.v2-present", "ip.address", "a missing IP address: the port has one"},
    {"gid.v2-present", "drv.roce-enabled", "RoCE switched off in the device: it is on"},
    {"gid.ip-match", "ip.address", "a missing IP address: the port has one"},
    {"mtu.roce-active", "mtu.ethernet", "the MTU of the interface: it is large enough"},
    {"mtu.vlan", "mtu.ethernet", "the MTU of the interface below: it is large enough"},
    {"mtu.path", "mtu.ethernet", "the MTU of this host: it is as the profile asks"},
    {"pfc.lossless-priority", "drv.dcb-capable", "the driver: it takes DCB settings"},
    {"pfc.lossless-priority", "pfc.capability", "the NIC: it can pause enough priorities"},
    {"pfc.switch-agrees", "pfc.lossless-priority", "this host: its PFC is as the profile asks"},
    {"ets.switch-agrees", "ets.rdma-share", "this host: its share is as the profile asks"},
    {"ets.map", "ets.capacity", "too few traffic classes: the NIC has enough"},
    {"map.dscp", "trust.mode", "the trust mode: it is as the profile asks"},
    {"drv.userlib", "drv.core-modules", "the kernel's modules: programs can reach uverbs and rdma_cm"},
    {"nvme.target-listener", "nvme.target-module", "a missing module: the kernel has the target"},
    {"iser.target-listener", "iser.target-module", "a missing module: the kernel has the target"},
    {"nfs.server-listener", "nfs.server-module", "a missing module: the kernel has NFS over RDMA"},
    {"smb.listener", "smb.server-built-in", "a kernel without SMB Direct: this one has it"},
};

bool IsActive(const Port& port) { return port.state && *port.state == PortState::kActive; }

bool SameModel(const Port& one, const Port& other) {
  return one.board && other.board && !one.board->empty() && *one.board == *other.board && one.transport &&
         other.transport && *one.transport == *other.transport;
}

bool IsOfLink(const Finding& finding) { return finding.id == "link.state" || finding.id == "link.phys-state"; }

std::string TheModel(const Facts& host, const Port* port, const Finding& finding) {
  if (port == nullptr || !IsOfLink(finding)) return {};
  const auto active = std::ranges::count_if(*host.ports, [port](const Port& other) {
    return &other != port && SameModel(*port, other) && IsActive(other);
  });
  if (active == 0) return {};
  return Cat(
      "the driver and the model of the card: ", CountText(static_cast<std::uint64_t>(active), "other port"),
      " of this model ", active == 1 ? "is" : "are", " active");
}

// The subnet manager configures a port whose physical link is up, and no other.
std::string TheSubnetManager(const Facts& /*host*/, const Port* port, const Finding& finding) {
  if (port == nullptr || !IsOfLink(finding) || !IsInfiniBand(*port) || !port->phys_state) return {};
  if (*port->phys_state == kPhysLinkUp || *port->phys_state == kPhysDisabled) return {};
  return "the subnet manager: it acts after the physical link is up";
}

std::string NeverUsed(const Facts& /*host*/, const Port* port, const Finding& finding) {
  if (port == nullptr || !IsOfLink(finding)) return {};
  const Fact<std::string> use = EarlierUse(*port);
  if (!use || use->empty()) return {};
  return Cat("a port that was never used: ", *use);
}

// These settings can be written by an LLDP agent.
std::string AnLldpAgent(const Facts& host, const Port* port, const Finding& finding) {
  constexpr std::array<std::string_view, 5> kWritten{"pfc.lossless-priority", "pfc.only-one", "ets.map",
                                                     "ets.rdma-share", "map.dscp"};
  if (port == nullptr || std::ranges::find(kWritten, finding.id) == kWritten.end()) return {};
  if (!host.lldp_agents || !host.lldp_agents->empty()) return {};
  if (finding.remedy && !finding.remedy->owner.empty()) return {};
  return "an LLDP agent of this host that writes it again: neither lldpad nor lldpd runs";
}

constexpr FactRule kFactRules[] = {
    {"model", TheModel},
    {"subnet-manager", TheSubnetManager},
    {"never-used", NeverUsed},
    {"lldp-agent", AnLldpAgent},
};

}  // namespace

std::span<const PassRule> PassRules() { return kPassRules; }

std::span<const FactRule> FactRules() { return kFactRules; }

}  // namespace rdmaready
