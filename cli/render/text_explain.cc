// SPDX-License-Identifier: Apache-2.0
// What the catalogue says of a check.
#include <fmt/format.h>

#include "cli/layout.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kExplainLabelWidth = 12;

std::string Line(const Style& style, std::string_view label, std::string_view text) {
  std::string out;
  const std::size_t room = style.width == 0 ? 0 : style.width - kExplainLabelWidth;
  for (const std::string& line : Wrap(text, room))
    out += Column(out.empty() ? label : "", kExplainLabelWidth) + line + "\n";
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

std::string FixText(const Explanation& explanation, const Style& style) {
  const Remedy& remedy = explanation.remedy;
  if (remedy.empty())
    return Column("fix", kExplainLabelWidth) + Typed(style, kExplainLabelWidth, explanation.fix);
  std::string text;
  if (!remedy.cause.empty()) text += Line(style, "cause", remedy.cause);
  for (const std::string& caution : remedy.cautions) text += Line(style, "caution", caution);
  for (const RemedyStep& step : remedy.steps) {
    const std::string_view label = &step == &remedy.steps.front() ? "fix" : "";
    text += step.command.empty() ? Line(style, label, step.action)
                                 : Column(label, kExplainLabelWidth) + step.command + "\n";
  }
  for (const std::string& other : remedy.alternatives) text += Line(style, "or", other);
  if (!remedy.check.empty()) text += Column("check", kExplainLabelWidth) + remedy.check + "\n";
  return text;
}

std::string OneText(const Explanation& explanation, const Style& style) {
  return style.Paint(Tone::kStrong, explanation.id) + "\n" + Line(style, "requires", explanation.title) +
         Line(style, "family", explanation.family) + Line(style, "why", explanation.why) +
         (explanation.example.empty() ? "" : Line(style, "example", explanation.example)) +
         FixText(explanation, style) + Line(style, "blocking", Effect(explanation)) +
         (explanation.speed.empty() ? "" : Line(style, "speed", explanation.speed)) +
         Line(style, "judged for", ScopeWords(explanation.scope)) +
         Line(style, "depends on", Joined(explanation.depends_on, "nothing"));
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
    const std::string example = entry.example.empty() ? "" : "- **Example:** " + entry.example + "\n";
    text += fmt::format(
        "\n## {}\n\n{}.\n\n- **Why:** {}\n{}- **Fix:** `{}`\n- **Blocking:** {}\n- **Judged for:** {}\n- "
        "**Depends on:** {}\n",
        entry.id, entry.title, entry.why, example, entry.fix, BlocksText(entry),
        std::string(ScopeWords(entry.scope)), Joined(entry.depends_on, "nothing"));
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

}  // namespace rdmaready
