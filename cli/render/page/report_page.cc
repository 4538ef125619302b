// SPDX-License-Identifier: Apache-2.0
#include "cli/render/page/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "checks/words/words_view.h"
#include "cli/render/documents.h"
#include "cli/render/page/html_page.h"
#include "cli/render/picture/compare_picture.h"
#include "cli/render/picture/mesh_picture.h"
#include "cli/render/report/causes.h"
#include "cli/render/report/remedy_notes.h"
#include "cli/render/report/verdict_sentence.h"

namespace rdmaready {
namespace {

std::string_view CssClassOf(Readiness verdict) {
  switch (verdict) {
    case Readiness::kReady:
      return "good";
    case Readiness::kNotReady:
      return "bad";
    default:
      return "warning";
  }
}

std::string_view CssClassOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "good";
    case Outcome::kFail:
      return "bad";
    case Outcome::kNotApplicable:
      return "faint";
    default:
      return "warning";
  }
}

std::string_view CssClassOf(RungOutcome outcome) {
  switch (outcome) {
    case RungOutcome::kPass:
      return "good";
    case RungOutcome::kFail:
      return "bad";
    case RungOutcome::kNotRun:
      return "faint";
    case RungOutcome::kUnknown:
      break;
  }
  return "warning";
}

void AddRemedy(const Remedy& remedy, HtmlPage& page) {
  if (!remedy.cause.empty())
    page.Paragraph((remedy.certainty == Certainty::kPossible ? "Possible cause: " : "Cause: ") + remedy.cause);
  for (const std::string& other : remedy.ruled_out) page.Paragraph("Ruled out: " + other, "faint");
  for (const std::string& caution : remedy.cautions) page.Paragraph("Caution: " + caution, "warning");
  for (const RemedyStep& step : remedy.steps) {
    if (step.command.empty())
      page.Paragraph("To do: " + ActionText(step));
    else
      page.Command(step.command);
  }
  for (const std::string& other : remedy.alternatives) page.Paragraph("Or: " + other);
  if (remedy.check.empty()) return;
  page.Paragraph("Shows that it worked:", "faint");
  page.Command(remedy.check);
}

void AddCause(const Cause& cause, HtmlPage& page) {
  const Finding& finding = *cause.finding;
  const std::string ports = cause.PortsText();
  page.Heading(3, cause.IdsText() + (ports.empty() ? "" : " on " + ports));
  page.Paragraph(Sentence(finding), CssClassOf(finding.outcome));
  if (!finding.source.empty()) page.Paragraph("Read from: " + finding.source, "faint");
  if (!finding.why.empty()) page.Paragraph("Why it matters: " + finding.why, "faint");
  if (finding.remedy) AddRemedy(*finding.remedy, page);
  if (cause.follow > 0)
    page.Paragraph(fmt::format("{} not judged because of it", CountText(cause.follow, "check")), "faint");
}

// Says why findings have no cause of their own. Those that another finding explains were not judged.
void AddNoCause(std::span<const Finding> findings, HtmlPage& page) {
  const bool passed = std::ranges::find(findings, Outcome::kPass, &Finding::outcome) != findings.end();
  const bool explained =
      std::ranges::any_of(findings, [](const Finding& finding) { return !finding.hidden_by.empty(); });
  if (!passed) return page.Paragraph("Not tested: the evidence says why.", "warning");
  if (explained) return page.Paragraph("Nothing to do for what was tested. The evidence says what was not.");
  page.Paragraph("Nothing to do.", "good");
}

void AddCauses(std::span<const Finding> findings, HtmlPage& page) {
  const std::vector<Cause> causes = CausesOf(findings);
  if (causes.empty()) AddNoCause(findings, page);
  for (const Cause& cause : causes) AddCause(cause, page);
}

void AddLadder(const Report& report, HtmlPage& page) {
  std::vector<std::string> header{"host"};
  std::vector<Rung> rungs;
  for (const Rung rung : kRungs) {
    if (rung > report.level || (IsAlone(report) && NeedsSecondHost(rung))) continue;
    rungs.push_back(rung);
    header.emplace_back(Name(rung));
  }
  header.emplace_back("verdict");
  std::vector<std::vector<HtmlPage::Cell>> rows;
  for (const HostReport& host : report.hosts) {
    std::vector<HtmlPage::Cell> row{{host.host}};
    for (const Rung rung : rungs) {
      const RungOutcome outcome = OutcomeOn(host.ladder, rung);
      row.push_back({std::string(Name(outcome)), CssClassOf(outcome)});
    }
    row.push_back({std::string(Name(host.verdict)), CssClassOf(host.verdict)});
    rows.push_back(std::move(row));
  }
  page.Table(header, rows);
}

void AddHost(const HostReport& host, const Report& report, HtmlPage& page) {
  page.Heading(2, "Host " + host.host);
  if (!host.error.empty()) return page.Paragraph("It could not be asked: " + host.error, "bad");
  page.Paragraph(VerdictSentence(host, report), CssClassOf(host.verdict));
  page.Paragraph(fmt::format("Kernel {}, agent {}", host.kernel_release, host.agent_version), "faint");
  AddCauses(host.findings, page);
}

void AddPair(const PairReport& pair, HtmlPage& page) {
  page.Heading(2, "From " + pair.from + " to " + pair.to);
  AddCauses(pair.findings, page);
}

void AddEvidence(const std::string& title, std::span<const Finding> findings, HtmlPage& page) {
  if (findings.empty()) return;
  std::vector<std::vector<HtmlPage::Cell>> rows;
  for (const Finding& finding : findings) {
    const std::string what = finding.hidden_by.empty() ? finding.observed : "follows from " + finding.hidden_by;
    rows.push_back(
        {{finding.id},
         {finding.subject},
         {std::string(finding.waived ? "waived" : Name(finding.outcome)), CssClassOf(finding.outcome)},
         {what},
         {finding.expected},
         {finding.source, "faint"}});
  }
  page.Heading(3, title);
  page.Table({"check", "of", "outcome", "seen", "wanted", "read from"}, rows);
}

void AddCompare(const JudgedCompare& compare, HtmlPage& page) {
  page.Heading(2, "RDMA beside TCP");
  page.Picture(ComparePicture(compare.run, compare.judged), compare.judged.text);
  page.Verbatim(CompareText(compare, Style()));
}

struct WrittenPage {
  std::string run_id{};
  Readiness verdict = Readiness::kUndetermined;
  std::string text{};
  std::string file{};
  std::string not_compared{};
  std::vector<std::string> not_stored{};
};

struct PageView : WordsView {
  static void Fields(const WrittenPage& page, auto& list) {
    list("run_id", page.run_id, "verdict", page.verdict, "text", page.text, "file", page.file, "not_compared",
         page.not_compared, "not_stored", page.not_stored);
  }
};

constexpr convert::DocumentOf<WrittenPage> kPageDocument{
    {"rdmaready.v1.ReportPage", &describe::Described<WrittenPage, PageView>::kType}};

std::string ProfilesText(const Report& report) {
  std::string text;
  for (const ProfileRef& profile : report.profiles)
    text += (text.empty() ? "" : ", ") + profile.name + " (" + profile.digest.substr(0, 12) + ")";
  return text.empty() ? std::string("each agent's own") : text;
}

}  // namespace

std::string PageJson(const HandedReport& handed, const std::string& file) {
  const Report& report = handed.check.report;
  return kPageDocument.Text({.run_id = report.run_id,
                             .verdict = report.verdict,
                             .text = Headline(report),
                             .file = file,
                             .not_compared = Printable(handed.not_compared),
                             .not_stored = NotStored(handed.check)});
}

std::span<const convert::Document> PageDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kPageDocument};
  return kDocuments;
}

std::string ReportPage(const HandedReport& handed) {
  const Report& report = handed.check.report;
  std::string names;
  for (const HostReport& host : report.hosts) names += (names.empty() ? "" : ", ") + host.host;
  HtmlPage page("RDMA readiness: " + names);
  page.Heading(1, "RDMA readiness: " + names);
  page.Paragraph(Headline(report), CssClassOf(report.verdict));
  page.Paragraph(fmt::format("Made {} by rdmaready {}, up to level {}, in {:.0f} s. Run {}.",
                             UtcText(report.started_unix_ns), report.version, Name(report.level),
                             static_cast<double>(report.duration_ns) / 1e9, report.run_id),
                 "faint");
  page.Paragraph("Profiles: " + ProfilesText(report), "faint");
  AddLadder(report, page);
  if (const std::optional<FirstStep> first = FirstThingToDo(report)) {
    page.Heading(2, "What to do first, " + first->where);
    page.Paragraph(Sentence(*first->finding), "bad");
    if (first->finding->remedy) AddRemedy(*first->finding->remedy, page);
  }
  for (const HostReport& host : report.hosts) AddHost(host, report, page);
  for (const PairReport& pair : report.pairs) AddPair(pair, page);
  if (report.level >= Rung::kPeer && report.hosts.size() > 1)
    page.Picture(MeshPicture(report), "The tests between the hosts");
  if (handed.compare) AddCompare(*handed.compare, page);
  if (!handed.not_compared.empty())
    page.Paragraph("RDMA beside TCP was not measured: " + handed.not_compared, "warning");
  for (const std::string& line : NotStored(handed.check)) page.Paragraph(line, "warning");
  page.Heading(2, "Evidence");
  for (const HostReport& host : report.hosts) AddEvidence("Host " + host.host, host.findings, page);
  for (const PairReport& pair : report.pairs)
    AddEvidence("From " + pair.from + " to " + pair.to, pair.findings, page);
  return std::move(page).Finish();
}

}  // namespace rdmaready
