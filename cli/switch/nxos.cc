// SPDX-License-Identifier: Apache-2.0
// Cisco NX-OS on Nexus 9000, with its eight predefined queues (c-8q-*, c-out-8q-*). The form is that of the
// public sample in Azure/AzureLocal-Supportability, TSG/Networking/Top-Of-Rack-Switch/
// Reference-TOR-QOS-Policy-Configuration.md; `match dscp` and `priority level 1` were seen in other public
// configurations only.
#include <fmt/format.h>

#include "cli/switch/plan.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPrefix = "RDMAREADY-";

// "3", "-default" for 0: how c-out-8q-q* and c-8q-nq* end.
std::string QueueWord(std::uint8_t queue) { return queue == 0 ? "-default" : std::to_string(queue); }

std::string MatchLine(const SwitchPlan& plan, const SwitchClass& one) {
  std::string values;
  const auto add = [&values](unsigned value) {
    values += fmt::format("{}{}", values.empty() ? "" : ",", value);
  };
  if (plan.by_pcp) {
    for (const std::uint8_t priority : one.priorities) add(priority);
    return "  match cos " + values;
  }
  for (const auto& [dscp, priority] : plan.dscp_to_priority) {
    if (ClassOf(plan, priority).queue == one.queue) add(dscp);
  }
  return values.empty() ? "" : "  match dscp " + values;
}

void ClassifyNxos(const SwitchPlan& plan, SwitchText& text) {
  if (!plan.by_pcp && !plan.by_dscp) return;
  std::string policy;
  for (const SwitchClass& one : plan.classes) {
    const std::string match = one.purpose == Purpose::kDefault ? "" : MatchLine(plan, one);
    if (match.empty()) continue;
    const std::string name = std::string(kPrefix) + ClassName(one);
    text.Add("class-map type qos match-any " + name);
    text.Add(match);
    policy += fmt::format("  class {}\n    set qos-group {}\n", name, one.queue);
  }
  text.Add("policy-map type qos RDMAREADY-CLASSIFY");
  policy.pop_back();  // the last line's end
  text.Add(policy);
}

// The MTU of a class and whether it is paused. Classes of no interest get the MTU of all.
void Network(const SwitchPlan& plan, SwitchText& text) {
  if (plan.mtu_bytes == 0 && plan.lossless.empty()) return;
  text.Add("policy-map type network-qos RDMAREADY-NETWORK");
  for (const SwitchClass& one : plan.classes) {
    text.Add("  class type network-qos c-8q-nq" + QueueWord(one.queue));
    if (plan.mtu_bytes != 0) text.Add(fmt::format("    mtu {}", plan.mtu_bytes));
    for (const std::uint8_t priority : plan.lossless) {
      if (ClassOf(plan, priority).queue == one.queue) text.Add(fmt::format("    pause pfc-cos {}", priority));
    }
  }
}

std::string Threshold(std::uint32_t bytes) {
  constexpr std::uint32_t kKilobyte = 1000;
  return bytes % kKilobyte == 0 ? fmt::format("{} kbytes", bytes / kKilobyte) : fmt::format("{} bytes", bytes);
}

// Weight 0: the queue as it is now, not its average.
std::string MarkLine(const SwitchPlan& plan, SwitchText& text) {
  const std::string least =
      plan.ecn.min_bytes ? Threshold(*plan.ecn.min_bytes)
                         : text.Ask("<ECN_MIN_KBYTES>", "queue length at which ECN marking begins") + " kbytes";
  const std::string most =
      plan.ecn.max_bytes ? Threshold(*plan.ecn.max_bytes)
                         : text.Ask("<ECN_MAX_KBYTES>", "queue length at which all is marked") + " kbytes";
  const std::string probability = plan.ecn.probability_percent
                                      ? std::to_string(*plan.ecn.probability_percent)
                                      : text.Ask("<ECN_PERCENT>", "probability of marking just below that");
  return fmt::format(
      "    random-detect minimum-threshold {} maximum-threshold {} drop-probability {} weight 0 ecn", least,
      most, probability);
}

// The share of the heartbeat is of the link, that of the others of what is left: so the sample has it.
std::string ShareLine(const SwitchClass& one) {
  if (one.strict) return "    priority level 1";
  return fmt::format("    bandwidth {}percent {}", one.purpose == Purpose::kHeartbeat ? "" : "remaining ",
                     one.percent.value_or(0));
}

void Schedule(const SwitchPlan& plan, SwitchText& text) {
  if (!plan.shares && !plan.ecn_queue) return;
  text.Add("policy-map type queuing RDMAREADY-QUEUES");
  for (std::uint8_t queue = 0; queue < 8; ++queue) {
    const SwitchClass& one = ClassOf(plan, queue);
    const bool own = one.queue == queue;
    const bool marks = plan.ecn_queue == queue;
    if (!plan.shares && !marks) continue;
    text.Add("  class type queuing c-out-8q-q" + (queue == 0 ? "-default" : std::to_string(queue)));
    if (plan.shares) text.Add(own ? ShareLine(one) : "    bandwidth remaining percent 0");
    if (own && one.purpose == Purpose::kHeartbeat && plan.heartbeat_percent_up_to_10g)
      text.Remark(fmt::format("   {} where the links have 10 Gb/s or less", *plan.heartbeat_percent_up_to_10g));
    if (marks) text.Add(MarkLine(plan, text));
  }
}

void Apply(const SwitchPlan& plan, SwitchText& text) {
  const bool network = plan.mtu_bytes != 0 || !plan.lossless.empty();
  const bool queuing = plan.shares || plan.ecn_queue;
  if (network || queuing) text.Add("system qos");
  if (queuing) text.Add("  service-policy type queuing output RDMAREADY-QUEUES");
  if (network) text.Add("  service-policy type network-qos RDMAREADY-NETWORK");
  text.Add("interface " + text.Ask("<INTERFACES>",
                                   "the ports to the hosts and between the switches, like "
                                   "Ethernet1/1-4"));
  if (!plan.lossless.empty()) text.Add("  priority-flow-control mode on");
  if (plan.no_pfc) text.Add("  priority-flow-control mode off");
  if (plan.mtu_bytes != 0) text.Add(fmt::format("  mtu {}", plan.mtu_bytes));
  if (plan.by_pcp || plan.by_dscp) text.Add("  service-policy type qos input RDMAREADY-CLASSIFY");
}

}  // namespace

SwitchSide NxosSide(const SwitchPlan& plan) {
  SwitchText text("!");
  ClassifyNxos(plan, text);
  Network(plan, text);
  Schedule(plan, text);
  Apply(plan, text);
  return std::move(text).Finish(plan, "Cisco NX-OS (Nexus 9000)");
}

}  // namespace rdmaready
