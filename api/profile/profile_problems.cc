// SPDX-License-Identifier: Apache-2.0
#include "api/profile/profile_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/base/number.h"
#include "api/base/prefix_index.h"
#include "api/profile/class_problems.h"
#include "api/profile/problem_words.h"
#include "api/profile/waivers.h"

namespace rdmaready {
namespace {

using Problems = std::vector<ProfileProblem>;

void CheckText(const v1::Profile& message, Problems& problems) {
  constexpr std::size_t kLongestName = 64;
  constexpr std::size_t kLongestSummary = 256;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  if (message.name().empty()) {
    problems.push_back({"name", "a profile needs a name"});
  } else if (message.name().size() > kLongestName || !std::ranges::all_of(message.name(), plain)) {
    problems.push_back({"name", "a name is at most 64 of a-z 0-9 - . _"});
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (message.summary().size() > kLongestSummary || std::ranges::any_of(message.summary(), control))
    problems.push_back({"summary", "a summary is one line of at most 256 bytes"});
}

void CheckEnums(const v1::Profile& message, Problems& problems) {
  const auto demand = [&problems](bool valid, std::string_view field) {
    if (!valid) problems.push_back({std::string(field), "a value from a newer version"});
  };
  demand(v1::Profile::Transport_IsValid(message.transport()), "transport");
  demand(v1::Profile::Trust_IsValid(message.trust()), "trust");
  demand(v1::Profile::Dcbx_IsValid(message.dcbx()), "dcbx");
  demand(v1::Profile::Vlan_IsValid(message.vlan()), "vlan");
  demand(v1::Profile::Setter_IsValid(message.dcb_set_by()), "dcb_set_by");
  demand(v1::Profile::Marking_IsValid(message.marking()), "marking");
}

void CheckRanges(const v1::Profile& message, Problems& problems) {
  struct Range {
    std::string_view field;
    bool present;
    std::uint64_t value;
    std::uint64_t low;
    std::uint64_t high;
  };
  const v1::Profile::Heartbeat& heartbeat = message.heartbeat();
  const v1::Profile::Ecn& ecn = message.ecn();
  constexpr std::uint64_t kLongestQueueBytes = 1ULL << 30;
  const std::array<Range, 23> ranges{{
      {"rdma_priority", message.has_rdma_priority(), message.rdma_priority(), 0, kHighestPriority},
      {"dscp", message.has_dscp(), message.dscp(), 0, 63},
      {"tos", message.has_tos(), message.tos(), 0, 255},
      {"ets.rdma_percent", message.has_ets(), message.ets().rdma_percent(), 0, 100},
      {"ets.tolerance_percent", message.has_ets() && message.ets().has_tolerance_percent(),
       message.ets().tolerance_percent(), 0, 100},
      {"mtu_bytes", message.has_mtu_bytes(), message.mtu_bytes(), 576, 65535},
      {"min_speed_mbps", message.has_min_speed_mbps(), message.min_speed_mbps(), 1, 10'000'000},
      {"rdma_max_rate_mbps", message.has_rdma_max_rate_mbps(), message.rdma_max_rate_mbps(), 1, 10'000'000},
      {"cable_metres", message.has_cable_metres(), message.cable_metres(), 1, 100'000},
      {"min_throughput_mbps", message.has_min_throughput_mbps(), message.min_throughput_mbps(), 1, 10'000'000},
      {"min_worst_mbps", message.has_min_worst_mbps(), message.min_worst_mbps(), 1, 10'000'000},
      {"max_latency_us", message.has_max_latency_us(), message.max_latency_us(), 1, 10'000'000},
      {"max_tcp_percent", message.has_max_tcp_percent(), message.max_tcp_percent(), 1, 1'000},
      {"max_outage_ms", message.has_max_outage_ms(), message.max_outage_ms(), 1, 600'000},
      {"heartbeat.priority", message.has_heartbeat(), heartbeat.priority(), 0, kHighestPriority},
      {"heartbeat.percent", heartbeat.has_percent(), heartbeat.percent(), 1, 99},
      {"heartbeat.percent_up_to_10g", heartbeat.has_percent_up_to_10g(), heartbeat.percent_up_to_10g(), 1, 99},
      {"cnp.dscp", message.has_cnp(), message.cnp().dscp(), 0, 63},
      {"cnp.priority", message.cnp().has_priority(), message.cnp().priority(), 0, kHighestPriority},
      {"min_ports", message.has_min_ports(), message.min_ports(), 1, 64},
      {"ecn.min_bytes", ecn.has_min_bytes(), ecn.min_bytes(), 1, kLongestQueueBytes},
      {"ecn.max_bytes", ecn.has_max_bytes(), ecn.max_bytes(), 1, kLongestQueueBytes},
      {"ecn.probability_percent", ecn.has_probability_percent(), ecn.probability_percent(), 1, 100},
  }};
  for (const Range& range : ranges) {
    if (range.present && (range.value < range.low || range.value > range.high))
      problems.push_back(OutOfRange(std::string(range.field), range.value, range.low, range.high));
  }
  constexpr std::array<std::uint32_t, 5> kRoceMtus{256, 512, 1024, 2048, 4096};
  if (message.has_roce_mtu_bytes() &&
      std::ranges::find(kRoceMtus, message.roce_mtu_bytes()) == kRoceMtus.end()) {
    problems.push_back(
        {"roce_mtu_bytes", NumberText(message.roce_mtu_bytes()) + " is not 256, 512, 1024, 2048 or 4096"});
  }
}

void CheckPfc(const v1::Profile& message, Problems& problems) {
  unsigned seen = 0;
  for (const std::uint32_t priority : message.pfc().priorities()) {
    if (priority > kHighestPriority) {
      problems.push_back(OutOfRange("pfc", priority, 0, kHighestPriority));
      return;
    }
    if ((seen >> priority & 1U) != 0)
      problems.push_back({"pfc", "priority " + NumberText(priority) + " is there twice"});
    seen |= 1U << priority;
  }
  if (seen == 0) return;
  if (!message.has_rdma_priority()) {
    problems.push_back({"pfc", "a lossless priority without rdma_priority", "rdma_priority"});
  } else if (message.rdma_priority() <= kHighestPriority && (seen >> message.rdma_priority() & 1U) == 0) {
    problems.push_back({"pfc", "rdma_priority " + NumberText(message.rdma_priority()) + " is not among them",
                        "rdma_priority", "pfc: [" + NumberText(message.rdma_priority()) + "]"});
  }
}

void CheckTogether(const v1::Profile& message, Problems& problems) {
  if (message.has_dscp() && message.has_tos() && message.tos() >> 2 != message.dscp()) {
    problems.push_back({"tos",
                        NumberText(message.tos()) + " carries DSCP " + NumberText(message.tos() >> 2) +
                            ", and dscp is " + NumberText(message.dscp()),
                        "dscp", "tos: " + NumberText(message.dscp() << 2 | (message.tos() & 3U))});
  }
  if (message.has_rdma_max_rate_mbps() && !message.has_rdma_priority())
    problems.push_back(
        {"rdma_max_rate_mbps", "a limit of RDMA's class without rdma_priority", "rdma_priority"});
  if (message.has_rdma_max_rate_mbps() && message.has_min_throughput_mbps() &&
      message.min_throughput_mbps() > message.rdma_max_rate_mbps()) {
    problems.push_back(
        {"min_throughput_mbps", "more than rdma_max_rate_mbps lets through", "rdma_max_rate_mbps"});
  }
  if (message.has_min_worst_mbps() && message.has_min_throughput_mbps() &&
      message.min_worst_mbps() > message.min_throughput_mbps()) {
    problems.push_back(
        {"min_worst_mbps", "more in the worst 100 ms than min_throughput_mbps in all", "min_throughput_mbps"});
  }
  if (message.has_rdma_max_rate_mbps() && message.has_min_worst_mbps() &&
      message.min_worst_mbps() > message.rdma_max_rate_mbps()) {
    problems.push_back({"min_worst_mbps", "more than rdma_max_rate_mbps lets through", "rdma_max_rate_mbps"});
  }
  if (message.has_cable_metres() && message.pfc().priorities().empty())
    problems.push_back({"cable_metres", "a cable's length without a lossless priority", "pfc"});
  if (message.has_dscp() && !message.has_rdma_priority())
    problems.push_back({"dscp", "a dscp without rdma_priority", "rdma_priority"});
  if (message.trust() == v1::Profile::TRUST_DSCP && !message.has_dscp())
    problems.push_back({"trust", "trust dscp without a dscp", "dscp"});
  if (message.has_ets() && !message.has_rdma_priority()) {
    problems.push_back({"ets", "a share for RDMA without rdma_priority", "rdma_priority"});
  } else if (message.has_ets() && message.rdma_priority() == 0) {
    problems.push_back({"ets", "a share for RDMA, and rdma_priority 0 is everybody's", "rdma_priority"});
  }
  if (message.has_mtu_bytes() && message.has_roce_mtu_bytes() &&
      message.roce_mtu_bytes() >= message.mtu_bytes()) {
    problems.push_back(
        {"roce_mtu_bytes", "does not fit into mtu_bytes " + NumberText(message.mtu_bytes()), "mtu_bytes"});
  }
  const v1::Profile::Ecn& ecn = message.ecn();
  if (ecn.has_min_bytes() && ecn.has_max_bytes() && ecn.min_bytes() > ecn.max_bytes())
    problems.push_back(
        {"ecn.min_bytes", "more than max_bytes " + NumberText(ecn.max_bytes()), "ecn.max_bytes"});
}

void CheckHeartbeat(const v1::Profile& message, Problems& problems) {
  if (!message.has_heartbeat()) return;
  const v1::Profile::Heartbeat& heartbeat = message.heartbeat();
  const std::string priority = "priority " + NumberText(heartbeat.priority());
  if (message.has_rdma_priority() && message.rdma_priority() == heartbeat.priority())
    problems.push_back({"heartbeat.priority", priority + " is RDMA's", "rdma_priority"});
  else if (IsPaused(message, heartbeat.priority()))
    problems.push_back({"heartbeat.priority", priority + " is paused by pfc", "pfc"});
  else if (message.has_ets() && heartbeat.priority() == 0)
    problems.push_back(
        {"heartbeat.priority", "a class for the heartbeat, and priority 0 is everybody's", "ets"});
  if (!heartbeat.has_percent()) {
    if (heartbeat.has_percent_up_to_10g())
      problems.push_back({"heartbeat.percent_up_to_10g", "without percent", "heartbeat.percent"});
    return;
  }
  if (!message.has_ets()) {
    problems.push_back({"heartbeat.percent", "a share without ets", "ets"});
    return;
  }
  const std::uint32_t most = std::max(heartbeat.percent(), heartbeat.percent_up_to_10g());
  if (std::uint64_t{most} + message.ets().rdma_percent() >= 100)
    problems.push_back(
        {"heartbeat.percent", "with ets.rdma_percent it leaves nothing for other traffic", "ets.rdma_percent"});
}

void CheckCnp(const v1::Profile& message, Problems& problems) {
  if (!message.has_cnp()) return;
  const v1::Profile::Cnp& cnp = message.cnp();
  if (message.has_dscp() && message.dscp() == cnp.dscp())
    problems.push_back({"cnp.dscp", NumberText(cnp.dscp()) + " is RDMA's", "dscp"});
  if (!message.has_dscp() && message.has_tos() && message.tos() >> 2 == cnp.dscp())
    problems.push_back(
        {"cnp.dscp", NumberText(cnp.dscp()) + " is what tos " + NumberText(message.tos()) + " carries", "tos"});
  if (cnp.has_priority() && IsPaused(message, cnp.priority()))
    problems.push_back({"cnp.priority", NumberText(cnp.priority()) + " is paused by pfc", "pfc"});
}

void CheckVlanIds(const v1::Profile& message, Problems& problems) {
  if (!message.has_vlan_ids()) return;
  constexpr std::uint32_t kHighest = 4094;
  std::vector<std::uint32_t> seen;
  for (const std::uint32_t id : message.vlan_ids().ids()) {
    if (id < 1 || id > kHighest) problems.push_back(OutOfRange("vlan_ids", id, 1, kHighest));
    if (std::ranges::find(seen, id) != seen.end())
      problems.push_back({"vlan_ids", "VLAN " + NumberText(id) + " is there twice"});
    seen.push_back(id);
  }
  if (seen.empty()) problems.push_back({"vlan_ids", "an empty list"});
  if (message.vlan() != v1::Profile::VLAN_TAGGED)
    problems.push_back({"vlan_ids", "without vlan tagged", "vlan"});
}

// A protocol of storage; 0 for what is none. Its server and its client share a priority by nature.
int ProtocolOf(int role) {
  switch (static_cast<v1::Profile::Role>(role)) {
    case v1::Profile::ROLE_SMB_SERVER:
    case v1::Profile::ROLE_SMB_CLIENT:
      return 1;
    case v1::Profile::ROLE_NVME_TARGET:
    case v1::Profile::ROLE_NVME_HOST:
      return 2;
    case v1::Profile::ROLE_ISER_TARGET:
    case v1::Profile::ROLE_ISER_INITIATOR:
      return 3;
    case v1::Profile::ROLE_NFS_SERVER:
    case v1::Profile::ROLE_NFS_CLIENT:
      return 4;
    default:  // unknown, or protobuf's sentinels
      return 0;
  }
}

void CheckRoles(const v1::Profile& message, Problems& problems) {
  if (!message.has_roles()) return;
  std::vector<int> seen;
  unsigned protocols = 0;
  for (const int role : message.roles().roles()) {
    if (role == v1::Profile::ROLE_UNKNOWN || !v1::Profile::Role_IsValid(role))
      problems.push_back({"roles", "a value from a newer version"});
    if (std::ranges::find(seen, role) != seen.end()) problems.push_back({"roles", "a role is there twice"});
    seen.push_back(role);
    protocols |= 1U << ProtocolOf(role);
  }
  if (seen.empty()) problems.push_back({"roles", "an empty list"});
  protocols >>= 1;
  const bool several = (protocols & (protocols - 1)) != 0;
  if (several && !message.share_priority() && IsPaused(message, message.rdma_priority())) {
    problems.push_back(
        {"roles",
         "several protocols on one lossless priority " + NumberText(message.rdma_priority()) +
             ": congestion of one pauses the other; `share_priority: true` says that it is wished",
         "pfc"});
  }
}

// Of what a driver's name and a firmware's version are made.
bool IsPlainWord(std::string_view word) {
  constexpr std::size_t kLongest = 64;
  return !word.empty() && word.size() <= kLongest && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

void CheckFirmware(const v1::Profile& message, Problems& problems) {
  std::vector<std::string_view> seen;
  for (int i = 0; i < message.firmware_size(); ++i) {
    const v1::Profile::Firmware& floor = message.firmware(i);
    const std::string path = fmt::format("firmware[{}]", i);
    if (!IsPlainWord(floor.driver())) problems.push_back({path + ".driver", "the name of a driver is missing"});
    if (!IsPlainWord(floor.min()) || floor.min().front() < '0' || floor.min().front() > '9')
      problems.push_back({path + ".min", "a version begins with a number, like 16.35.4030"});
    if (std::ranges::find(seen, floor.driver()) != seen.end())
      problems.push_back({path + ".driver", floor.driver() + " is there twice"});
    seen.push_back(floor.driver());
  }
}

void CheckPkeys(const v1::Profile& message, Problems& problems) {
  if (!message.has_pkeys()) return;
  constexpr std::uint32_t kHighest = 0x7fff;
  std::vector<std::uint32_t> seen;
  for (const std::uint32_t partition : message.pkeys().partitions()) {
    if (partition < 1 || partition > kHighest) problems.push_back(OutOfRange("pkeys", partition, 1, kHighest));
    if (std::ranges::find(seen, partition) != seen.end())
      problems.push_back({"pkeys", "partition " + NumberText(partition) + " is there twice"});
    seen.push_back(partition);
  }
  if (seen.empty()) problems.push_back({"pkeys", "an empty list"});
}

void CheckTlvs(const v1::Profile& message, Problems& problems) {
  if (!message.has_lldp_tlvs()) return;
  std::vector<int> seen;
  for (const int tlv : message.lldp_tlvs().tlvs()) {
    if (tlv == v1::Profile::TLV_UNKNOWN || !v1::Profile::Tlv_IsValid(tlv))
      problems.push_back({"lldp_tlvs", "a value from a newer version"});
    if (std::ranges::find(seen, tlv) != seen.end()) problems.push_back({"lldp_tlvs", "a TLV is there twice"});
    seen.push_back(tlv);
  }
  if (seen.empty()) problems.push_back({"lldp_tlvs", "an empty list"});
}

bool IsSubnet(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto bits = ParseNumber<unsigned>(text.substr(slash + 1));
  return bits && ParseAddress(std::string(text.substr(0, slash)), *bits);
}

// A port that the selector names must be able to have what the profile asks for.
void CheckSelectorAgrees(const v1::Profile& message, const v1::Profile::PortSelector& port,
                         const std::string& path, Problems& problems) {
  constexpr auto kAny = v1::Profile::TRANSPORT_ANY;
  if (port.transport() != kAny && message.transport() != kAny && port.transport() != message.transport())
    problems.push_back({path + ".transport",
                        "a port of that transport has never the one that `transport` asks for", "transport"});
  const auto& ids = message.vlan_ids().ids();
  if (port.has_vlan() && !ids.empty() && std::ranges::find(ids, port.vlan()) == ids.end())
    problems.push_back({path + ".vlan", NumberText(port.vlan()) + " is not among vlan_ids", "vlan_ids"});
}

void CheckPorts(const v1::Profile& message, Problems& problems) {
  constexpr std::uint32_t kHighestVlan = 4094;
  for (int i = 0; i < message.ports_size(); ++i) {
    const v1::Profile::PortSelector& port = message.ports(i);
    const std::string path = fmt::format("ports[{}]", i);
    if (!v1::Profile::Transport_IsValid(port.transport()))
      problems.push_back({path + ".transport", "a value from a newer version"});
    if (!port.subnet().empty() && !IsSubnet(port.subnet()))
      problems.push_back({path + ".subnet", "a subnet is an address and a length, like 10.1.0.0/16"});
    if (port.has_vlan() && (port.vlan() < 1 || port.vlan() > kHighestVlan))
      problems.push_back(OutOfRange(path + ".vlan", port.vlan(), 1, kHighestVlan));
    CheckSelectorAgrees(message, port, path, problems);
    if (port.ByteSizeLong() == 0)
      problems.push_back({path, "says nothing of a port: leave `ports` out for every port"});
  }
  if (message.ports_expected() && message.ports_size() == 0)
    problems.push_back({"ports_expected", "says nothing without `ports`", "ports"});
}

void CheckAdvice(const v1::Profile& message, Problems& problems) {
  if (!message.has_advice()) return;
  std::vector<int> seen;
  for (const int key : message.advice().keys()) {
    if (key == v1::Profile::KEY_UNKNOWN || !v1::Profile::Key_IsValid(key))
      problems.push_back({"advice", "a value from a newer version"});
    if (std::ranges::find(seen, key) != seen.end()) problems.push_back({"advice", "a key is there twice"});
    seen.push_back(key);
  }
  if (seen.empty()) problems.push_back({"advice", "an empty list"});
}

}  // namespace

std::vector<ProfileProblem> FindProblems(const v1::Profile& message) {
  Problems problems;
  for (const auto check : {CheckText, CheckEnums, CheckRanges, CheckPfc, CheckTogether, FindClassProblems,
                           CheckHeartbeat, CheckCnp, CheckVlanIds, CheckRoles, CheckFirmware, CheckPkeys,
                           CheckTlvs, CheckPorts, CheckAdvice, FindWaiverProblems}) {
    check(message, problems);
  }
  return problems;
}

std::optional<ProfileProblem> FindProblem(const v1::Profile& message) {
  std::vector<ProfileProblem> problems = FindProblems(message);
  if (problems.empty()) return std::nullopt;
  return std::move(problems.front());
}

}  // namespace rdmaready
