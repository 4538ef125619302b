// SPDX-License-Identifier: Apache-2.0
// What the catalogue says of a check, and what a profile asks for.
#include <fmt/format.h>

#include "api/base/text.h"
#include "checks/names.h"
#include "checks/words.h"
#include "cli/layout.h"
#include "cli/render_text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kLabelWidth = 12;

std::string Line(const Style& style, std::string_view label, std::string_view text) {
  std::string out;
  const std::size_t room = style.width == 0 ? 0 : style.width - kLabelWidth;
  for (const std::string& line : Wrap(text, room))
    out += Column(out.empty() ? label : "", kLabelWidth) + line + "\n";
  return out;
}

std::string Joined(const std::vector<std::string>& words, std::string_view none) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? std::string(none) : text;
}

std::string_view ScopeWords(std::string_view scope) {
  if (scope == "host") return "the whole host";
  if (scope == "port") return "each RDMA port";
  return "each pair of ports of two hosts";
}

std::string Effect(const Explanation& explanation) {
  if (!explanation.blocking) return "no: it is said, and changes no verdict";
  const std::string when = explanation.blocks_when.empty() ? "yes" : explanation.blocks_when;
  return when + ": fail or unknown keeps a host from being ready";
}

// As Markdown's readers make it of a heading: without its dots.
std::string Anchor(std::string_view id) {
  std::string anchor(id);
  std::erase(anchor, '.');
  return anchor;
}

std::string OneText(const Explanation& explanation, const Style& style) {
  return style.Paint(Tone::kStrong, explanation.id) + "\n" + Line(style, "requires", explanation.title) +
         Line(style, "family", explanation.family) + Line(style, "why", explanation.why) +
         Column("fix", kLabelWidth) + Typed(style, kLabelWidth, explanation.fix) +
         Line(style, "blocking", Effect(explanation)) +
         Line(style, "judged for", ScopeWords(explanation.scope)) +
         Line(style, "depends on", Joined(explanation.depends_on, "nothing"));
}

template <class T>
std::string Asked(const std::optional<T>& value, std::string_view unit) {
  return value ? fmt::format("{}{}", *value, unit) : std::string("not asked for");
}

std::string HeartbeatText(const std::optional<Profile::Heartbeat>& heartbeat) {
  if (!heartbeat) return "not asked for";
  std::string text = fmt::format("priority {}", heartbeat->priority);
  if (heartbeat->percent) text += fmt::format(", {} % of the link", *heartbeat->percent);
  if (heartbeat->percent_up_to_10g) text += fmt::format(" ({} % up to 10 Gb/s)", *heartbeat->percent_up_to_10g);
  return text;
}

std::string CnpText(const std::optional<Profile::Cnp>& cnp) {
  if (!cnp) return "not asked for";
  return fmt::format("DSCP {}", cnp->dscp) +
         (cnp->priority ? fmt::format(", priority {}", *cnp->priority) : "");
}

std::string VlanText(const Profile& profile) {
  if (profile.vlan == Profile::Vlan::kAny) return "not asked for";
  std::string text(Name(profile.vlan));
  if (!profile.vlan_ids) return text;
  for (std::size_t i = 0; i < profile.vlan_ids->size(); ++i)
    text += fmt::format("{}{}", i == 0 ? ", " : " or ", (*profile.vlan_ids)[i]);
  return text;
}

std::string RolesText(const Profile& profile) {
  if (!profile.roles) return "not asked for";
  std::vector<std::string> names;
  for (const Profile::Role role : *profile.roles) names.emplace_back(Name(role));
  return Joined(names, "none");
}

}  // namespace

std::string ExplainText(const std::vector<Explanation>& explanations, const Style& style) {
  std::string text;
  for (const Explanation& explanation : explanations)
    text += (text.empty() ? "" : "\n") + OneText(explanation, style);
  return text;
}

std::string CatalogueMarkdown(const std::vector<Explanation>& catalogue) {
  std::string text =
      "# Checks and live tests\n\n"
      "A blocking check that fails, or is unknown, keeps a host from being ready. Advice is said, and changes "
      "no "
      "verdict.\n\n| id | family | severity | blocks |\n| --- | --- | --- | --- |\n";
  for (const Explanation& entry : catalogue) {
    text += fmt::format("| [{0}](#{1}) | {2} | {3} | {4} |\n", entry.id, Anchor(entry.id), entry.family,
                        SeverityOf(entry), BlocksText(entry));
  }
  for (const Explanation& entry : catalogue) {
    text += fmt::format(
        "\n## {}\n\n{}.\n\n- **Why:** {}\n- **Fix:** `{}`\n- **Blocking:** {}\n- **Judged for:** {}\n- "
        "**Depends on:** {}\n",
        entry.id, entry.title, entry.why, entry.fix, BlocksText(entry), std::string(ScopeWords(entry.scope)),
        Joined(entry.depends_on, "nothing"));
  }
  return text;
}

std::string CatalogueTable(const std::vector<Explanation>& catalogue, const Style& style) {
  std::vector<std::vector<std::string>> rows{{"id", "family", "severity", "blocks"}};
  for (const Explanation& entry : catalogue) {
    rows.push_back({entry.id, entry.family, std::string(SeverityOf(entry)), std::string(BlocksText(entry))});
  }
  return Table(style, rows, 0);
}

std::string ProfileText(const Profile& profile, const Style& style) {
  const auto line = [&](std::string_view label, std::string_view text) {
    return "  " + Column(label, 20) + Printable(text) + "\n";
  };
  const std::string pfc = !profile.pfc           ? "not asked for"
                          : profile.pfc->empty() ? "off"
                                                 : "on for " + ListText(*profile.pfc);
  const std::string ets =
      profile.ets_rdma_percent
          ? fmt::format("{} % (within {} points)", *profile.ets_rdma_percent, profile.ets_tolerance_percent)
          : std::string("not asked for");
  return style.Paint(Tone::kStrong, Printable(profile.name)) + "\n" + "  " + Printable(profile.summary) + "\n" +
         line("transport", Name(profile.transport)) + line("RDMA priority", Asked(profile.rdma_priority, "")) +
         line("trust", Name(profile.trust)) + line("DSCP", Asked(profile.dscp, "")) +
         line("ToS", Asked(profile.tos, "")) + line("PFC", pfc) + line("ETS share", ets) +
         line("heartbeat", HeartbeatText(profile.heartbeat)) + line("CNP", CnpText(profile.cnp)) +
         line("VLAN", VlanText(profile)) + line("DCBX", Name(profile.dcbx)) +
         line("MTU at least", Asked(profile.mtu_bytes, " B")) +
         line("RoCE MTU", Asked(profile.roce_mtu_bytes, " B")) +
         line("speed at least", profile.min_speed_mbps ? SpeedText(*profile.min_speed_mbps) : "not asked for") +
         line("roles", RolesText(profile)) + line("ports at least", Asked(profile.min_ports, "")) +
         line("lockable memory", profile.min_memlock_bytes ? "at least " + BytesText(*profile.min_memlock_bytes)
                                                           : "not asked for") +
         line("digest", profile.digest);
}

}  // namespace rdmaready
