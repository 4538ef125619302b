// SPDX-License-Identifier: Apache-2.0
// SONiC by CONFIG_DB. Tables and fields are those of sonic-net/sonic-buildimage,
// files/build_templates/qos_config.j2; `config interface mtu` was seen in public configurations only.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/switch/plan.h"

namespace rdmaready {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMap = "RDMAREADY";
constexpr const char* kWred = "RDMAREADY_RDMA";

std::string Text(unsigned number) { return std::to_string(number); }

std::string SchedulerOf(const SwitchClass& one) { return "rdmaready." + Text(one.queue); }

// What the switch classifies by, in full: what is nobody's gets priority 0.
void Classify(const SwitchPlan& plan, Json& tables) {
  constexpr unsigned kDscps = 64;
  if (plan.by_pcp) {
    for (unsigned pcp = 0; pcp < 8; ++pcp) tables["DOT1P_TO_TC_MAP"][kMap][Text(pcp)] = Text(pcp);
  }
  if (!plan.by_dscp) return;
  for (unsigned dscp = 0; dscp < kDscps; ++dscp) {
    unsigned priority = 0;
    for (const auto& [wanted, to] : plan.dscp_to_priority) {
      if (wanted == dscp) priority = to;
    }
    tables["DSCP_TO_TC_MAP"][kMap][Text(dscp)] = Text(priority);
  }
}

// A lossless priority has a buffer (priority group) of its own number, all others share that of 0.
void MapQueues(const SwitchPlan& plan, Json& tables) {
  for (std::uint8_t priority = 0; priority < 8; ++priority) {
    const bool lossless = std::ranges::find(plan.lossless, priority) != plan.lossless.end();
    const std::string queue = Text(ClassOf(plan, priority).queue);
    tables["TC_TO_QUEUE_MAP"][kMap][Text(priority)] = queue;
    tables["TC_TO_PRIORITY_GROUP_MAP"][kMap][Text(priority)] = Text(lossless ? priority : 0U);
    if (!plan.lossless.empty()) tables["MAP_PFC_PRIORITY_TO_QUEUE"][kMap][Text(priority)] = queue;
  }
}

void Schedule(const SwitchPlan& plan, const std::string& port, Json& tables) {
  if (!plan.shares) return;
  for (const SwitchClass& one : plan.classes) {
    Json& scheduler = tables["SCHEDULER"][SchedulerOf(one)];
    scheduler["type"] = one.strict ? "STRICT" : "DWRR";
    if (one.percent) scheduler["weight"] = Text(*one.percent);
    tables["QUEUE"][port + "|" + Text(one.queue)]["scheduler"] = SchedulerOf(one);
  }
}

void Mark(const SwitchPlan& plan, const std::string& port, SwitchText& text, Json& tables) {
  if (!plan.ecn_queue) return;
  const std::string least = plan.ecn.min_bytes
                                ? Text(*plan.ecn.min_bytes)
                                : text.Ask("<ECN_MIN_BYTES>", "queue length at which ECN marking begins");
  const std::string most = plan.ecn.max_bytes
                               ? Text(*plan.ecn.max_bytes)
                               : text.Ask("<ECN_MAX_BYTES>", "queue length at which all is marked");
  const std::string probability = plan.ecn.probability_percent
                                      ? Text(*plan.ecn.probability_percent)
                                      : text.Ask("<ECN_PERCENT>", "probability of marking just below that");
  Json& wred = tables["WRED_PROFILE"][kWred];
  wred["ecn"] = "ecn_all";
  for (const std::string color : {"green", "yellow", "red"}) {
    wred["wred_" + color + "_enable"] = "true";
    wred[color + "_min_threshold"] = least;
    wred[color + "_max_threshold"] = most;
    wred[color + "_drop_probability"] = probability;
  }
  tables["QUEUE"][port + "|" + Text(*plan.ecn_queue)]["wred_profile"] = kWred;
}

void BindPort(const SwitchPlan& plan, const std::string& port, SwitchText& text, Json& tables) {
  // No reference into `tables`: another table may move it.
  Json maps;
  if (plan.by_pcp) maps["dot1p_to_tc_map"] = kMap;
  if (plan.by_dscp) maps["dscp_to_tc_map"] = kMap;
  maps["tc_to_queue_map"] = kMap;
  maps["tc_to_pg_map"] = kMap;
  std::string enabled;
  for (const std::uint8_t priority : plan.lossless) {
    enabled += (enabled.empty() ? "" : ",") + Text(priority);
    tables["BUFFER_PG"][port + "|" + Text(priority)]["profile"] = text.Ask(
        "<LOSSLESS_BUFFER>", "a lossless BUFFER_PROFILE; NULL where the switch computes it (dynamic model)");
  }
  if (!enabled.empty()) {
    maps["pfc_to_queue_map"] = kMap;
    maps["pfc_enable"] = enabled;
  }
  tables["PORT_QOS_MAP"][port] = std::move(maps);
}

}  // namespace

SwitchSide SonicSide(const SwitchPlan& plan) {
  SwitchText text("#");
  const std::string port = text.Ask(
      "<PORT>", "a port, like Ethernet0; whatever names it is needed for each port to a host or a switch");
  if (plan.mtu_bytes != 0) text.Add(fmt::format("sudo config interface mtu {} {}", port, plan.mtu_bytes));
  if (plan.by_pcp || plan.by_dscp) {
    Json tables;
    Classify(plan, tables);
    MapQueues(plan, tables);
    Schedule(plan, port, tables);
    Mark(plan, port, text, tables);
    BindPort(plan, port, text, tables);
    if (plan.heartbeat_percent_up_to_10g) {
      text.Remark(fmt::format("The weight of the heartbeat is {} where the links have 10 Gb/s or less.",
                              *plan.heartbeat_percent_up_to_10g));
    }
    if (plan.no_pfc)
      text.Remark("The profile wants PFC off: take every priority out of pfc_enable, if there is one.");
    if (!plan.lossless.empty())
      text.Remark(
          "Mellanox and Barefoot ASICs also need a PFC_PRIORITY_TO_PRIORITY_GROUP_MAP, as qos_config.j2 has "
          "it.");
    text.Add("cat > rdmaready-qos.json <<'END'\n" + tables.dump(2) + "\nEND");
    text.Add("sudo config load rdmaready-qos.json -y");
  }
  text.Add("sudo config save -y");
  return std::move(text).Finish(plan, "SONiC (CONFIG_DB)");
}

}  // namespace rdmaready
