// SPDX-License-Identifier: Apache-2.0
// NVIDIA Cumulus Linux 5 by NVUE. The commands are those of its public documentation: "Quality of Service"
// (classification, flow control buffers, PFC, ECN, egress queues, egress scheduler) and the NVUE reference,
// "QoS", of docs.nvidia.com/networking-ethernet-software; `link mtu` was seen in public configurations only.
#include <fmt/format.h>

#include "cli/switch/plan.h"

namespace rdmaready {
namespace {

void Classify(const SwitchPlan& plan, SwitchText& text) {
  if (plan.by_pcp) {
    text.Remark("Frames are told apart by the priority in their VLAN tag.");
    text.Add("nv set qos mapping default-global trust l2");
    for (const SwitchClass& one : plan.classes)
      for (const std::uint8_t priority : one.priorities)
        text.Add(fmt::format("nv set qos mapping default-global pcp {0} switch-priority {0}", priority));
  } else if (plan.by_dscp) {
    text.Remark("Packets are told apart by their DSCP. What is not named here keeps the default: DSCP / 8.");
    text.Add("nv set qos mapping default-global trust l3");
    for (const auto& [dscp, priority] : plan.dscp_to_priority)
      text.Add(fmt::format("nv set qos mapping default-global dscp {} switch-priority {}", dscp, priority));
  }
}

void Queue(const SwitchPlan& plan, SwitchText& text) {
  if (!plan.shares) return;
  text.Remark("Each priority to the queue of its class.");
  for (std::uint8_t priority = 0; priority < 8; ++priority) {
    text.Add(fmt::format("nv set qos egress-queue-mapping default-global switch-priority {} traffic-class {}",
                         priority, ClassOf(plan, priority).queue));
  }
  text.Remark("Shares of the link (ETS).");
  for (const SwitchClass& one : plan.classes) {
    const std::string queue =
        fmt::format("nv set qos egress-scheduler default-global traffic-class {}", one.queue);
    text.Add(queue + (one.strict ? " mode strict" : " mode dwrr"));
    if (one.percent) text.Add(fmt::format("{} bw-percent {}", queue, *one.percent));
    if (one.purpose == Purpose::kHeartbeat && plan.heartbeat_percent_up_to_10g)
      text.Remark(fmt::format("  {} where the links have 10 Gb/s or less", *plan.heartbeat_percent_up_to_10g));
  }
}

void AddPause(const SwitchPlan& plan, SwitchText& text) {
  if (plan.no_pfc) {
    text.Remark("The profile wants PFC off: nothing is lossless. If it was on:");
    text.Add("nv unset qos pfc default-global");
  }
  if (plan.lossless.empty()) return;
  text.Remark("PFC, and the buffer that it needs.");
  text.Add("nv set qos traffic-pool default-lossless memory-percent " +
           text.Ask("<LOSSLESS_PERCENT>", "share of the buffer for lossless traffic"));
  text.Add("nv set qos traffic-pool default-lossy memory-percent " +
           text.Ask("<LOSSY_PERCENT>", "share of the buffer for all other traffic; both together at most 100"));
  for (const std::uint8_t priority : plan.lossless)
    text.Add(fmt::format("nv set qos pfc default-global switch-priority {}", priority));
  text.Add("nv set qos pfc default-global tx enable");
  text.Add("nv set qos pfc default-global rx enable");
  text.Add("nv set qos pfc default-global cable-length " +
           text.Ask("<CABLE_METRES>", "length of the longest cable to a host: the headroom follows from it"));
}

void Mark(const SwitchPlan& plan, SwitchText& text) {
  if (!plan.ecn_queue) return;
  const std::string queue =
      fmt::format("nv set qos congestion-control default-global traffic-class {} ", *plan.ecn_queue);
  text.Remark(plan.ecn.max_bytes ? "ECN." : "ECN. Without thresholds of the profile's, the switch's own hold.");
  text.Add(queue + "ecn enable");
  if (plan.ecn.min_bytes) text.Add(fmt::format("{}min-threshold {}", queue, *plan.ecn.min_bytes));
  if (plan.ecn.max_bytes) text.Add(fmt::format("{}max-threshold {}", queue, *plan.ecn.max_bytes));
  if (plan.ecn.probability_percent)
    text.Add(fmt::format("{}probability {}", queue, *plan.ecn.probability_percent));
}

}  // namespace

SwitchSide CumulusSide(const SwitchPlan& plan) {
  SwitchText text("#");
  if (plan.mtu_bytes != 0) {
    const std::string ports =
        text.Ask("<PORTS>", "the ports to the hosts and between the switches, like swp1-4");
    text.Add(fmt::format("nv set interface {} link mtu {}", ports, plan.mtu_bytes));
  }
  Classify(plan, text);
  Queue(plan, text);
  AddPause(plan, text);
  Mark(plan, text);
  text.Add("nv config apply");
  return std::move(text).Finish(plan, "NVIDIA Cumulus Linux 5 (NVUE)");
}

}  // namespace rdmaready
