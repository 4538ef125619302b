// SPDX-License-Identifier: Apache-2.0
#include "cli/render/page/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/render/page/html_page.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HandedReport Handed() { return {.check = SickCheck()}; }

TEST(HtmlPage, EscapesEveryTextAndForbidsScripts) {
  HtmlPage page("<b>");
  page.Heading(1, "a <script>alert(1)</script>");
  page.Paragraph("x & \"y\"", "bad");
  page.Command("echo '<'");
  page.List({"<i>"});
  page.Table({"<th>"}, {{{"<td>", "faint"}}});
  page.Verbatim("one\n<two>\n");
  page.Picture("<svg></svg>", "\"onload=");
  const std::string text = std::move(page).Finish();
  EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(text, HasSubstr("default-src 'none'; style-src 'unsafe-inline'; img-src data:"));
  for (const char* const raw : {"<script", "<b>", "<i>", "<two>", "\"onload", "<svg"})
    EXPECT_THAT(text, Not(HasSubstr(raw)));
  EXPECT_THAT(text, HasSubstr("<h1>a &lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
  EXPECT_THAT(text, HasSubstr("<p class=\"bad\">x &amp; &quot;y&quot;</p>"));
  EXPECT_THAT(text, HasSubstr("<pre>one\n&lt;two&gt;\n</pre>"));
  EXPECT_THAT(text, HasSubstr("src=\"data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=\" alt=\"&quot;onload=\""));
}

TEST(ReportPage, HasVerdictCausesRemediesAndEvidence) {
  const HandedReport handed = Handed();
  const std::string page = ReportPage(handed);
  for (const HostReport& host : handed.check.report.hosts) {
    EXPECT_THAT(page, HasSubstr("<h2>Host " + host.host + "</h2>"));
    for (const Finding& finding : host.findings) EXPECT_THAT(page, HasSubstr("<td>" + finding.id + "</td>"));
  }
  EXPECT_THAT(page, HasSubstr("What to do first"));
  EXPECT_THAT(page, HasSubstr("<h2>Evidence</h2>"));
}

TEST(ReportPage, IsTheSameForAHostNamedAsAScript) {
  HandedReport handed = Handed();
  handed.check.report.hosts[0].host = "<script>alert(1)</script>";
  handed.check.report.hosts[0].error = "<img src=x onerror=alert(1)>";
  handed.check.report.hosts[0].findings.at(0).observed = "</td><script>";
  const std::string page = ReportPage(handed);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(ReportPage, CallsNothingWellThatWasNotTested) {
  HandedReport handed = Handed();
  handed.check.report.pairs = {
      {.from = "a", .to = "b"},
      {.from = "b", .to = "a", .findings = {HiddenBehind("peer.connect", "link.state")}}};
  handed.not_compared = "host b could not be asked";
  const std::string page = ReportPage(handed);
  EXPECT_THAT(page, Not(HasSubstr("Nothing to do.")));
  EXPECT_THAT(page,
              HasSubstr("<h2>From b to a</h2>\n<p class=\"warning\">Not tested: the evidence says why.</p>"));
  EXPECT_THAT(page, HasSubstr("RDMA beside TCP was not measured: host b could not be asked"));
}

TEST(ReportPage, SaysInJsonWhereItIs) {
  const auto json = nlohmann::json::parse(PageJson(Handed(), "a b.html"));
  EXPECT_EQ(json["file"], "a b.html");
  EXPECT_EQ(json["verdict"], "not-ready");
}

}  // namespace
}  // namespace rdmaready
