// SPDX-License-Identifier: Apache-2.0
// LLDP neighbours in words, one line for each.
#include <fmt/format.h>

#include "checks/words/words.h"
#include "cli/render/text_facts_words.h"

namespace rdmaready {
namespace {

void Add(std::string& text, std::string_view more) {
  if (more.empty()) return;
  text += text.empty() ? "" : ", ";
  text += more;
}

std::string_view WillingWord(bool willing) { return willing ? " willing" : ""; }

std::string ByPriority(const std::array<std::uint8_t, kPriorities>& values) {
  std::string text;
  for (const std::uint8_t value : values) text += fmt::format("{}{}", text.empty() ? "" : " ", value);
  return text;
}

std::string CeeText(const LldpCee& cee) {
  std::string text;
  if (cee.pfc) {
    Add(text,
        fmt::format("{}{}{}", PfcText(cee.pfc->enabled), std::string(WillingWord(cee.pfc->feature.willing)),
                    cee.pfc->feature.enabled ? "" : " (off)"));
  }
  if (cee.groups) {
    Add(text,
        fmt::format("groups {} of {} %{}", ByPriority(cee.groups->prio_group), ByPriority(cee.groups->percent),
                    std::string(WillingWord(cee.groups->feature.willing))));
  }
  if (cee.app) Add(text, fmt::format("{} applications", cee.app->entries.size()));
  return text;
}

std::string DcbxOf(const LldpNeighbour& agent) {
  std::string text;
  if (agent.dialects.ieee) Add(text, "DCBX IEEE");
  if (agent.pfc) Add(text, PfcText(agent.pfc->enabled) + std::string(WillingWord(agent.pfc->willing)));
  if (agent.ets) {
    Add(text, fmt::format("ETS{}, classes {} of {} %", std::string(WillingWord(agent.ets->willing)),
                          ByPriority(agent.ets->prio_tc), ByPriority(agent.ets->percent)));
  }
  if (agent.app) Add(text, "APP " + AppText(*agent.app));
  if (agent.dialects.cee) Add(text, "DCBX CEE");
  if (agent.cee) Add(text, CeeText(*agent.cee));
  if (agent.dialects.cin) Add(text, "DCBX CIN");
  return text;
}

}  // namespace

std::string LldpAgentText(const LldpNeighbour& agent) {
  std::string text = agent.system_name.empty() ? agent.chassis.text : agent.system_name;
  text += " port " + agent.port.text;
  if (!agent.system_name.empty()) Add(text, "chassis " + agent.chassis.text);
  if (agent.max_frame_bytes) Add(text, fmt::format("frames up to {} B", *agent.max_frame_bytes));
  if (agent.port_vlan_id) Add(text, fmt::format("VLAN {}", *agent.port_vlan_id));
  const std::string dcbx = DcbxOf(agent);
  Add(text, dcbx.empty() ? "no DCBX" : dcbx);
  for (const std::string& oddity : agent.oddities) Add(text, "wrong: " + oddity);
  return text;
}

std::string LldpTimeText(const LldpHeard& heard) {
  constexpr std::uint32_t kMsPerSecond = 1000;
  return fmt::format("{} in {} s", heard.peers.empty() ? "nobody" : fmt::format("{} heard", heard.peers.size()),
                     heard.listened_ms / kMsPerSecond);
}

std::string LldpadText(const LldpHeard& kept) {
  std::string text = kept.peers.empty() ? "hears nobody" : "hears " + LldpAgentText(kept.peers.front());
  for (const std::string& note : kept.notes) Add(text, note);
  return text;
}

}  // namespace rdmaready
