// SPDX-License-Identifier: Apache-2.0
// OASIS SARIF 2.1.0. A result whose kind is not "fail" has the level "none" (3.27.10).
#include <absl/time/time.h>

#include <map>
#include <nlohmann/json.hpp>

#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/fix.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/explanation.h"
#include "cli/render/format/judged.h"
#include "cli/render/report/check_parts.h"

namespace rdmaready {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

std::string SarifTime(std::int64_t unix_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixNanos(unix_ns), absl::UTCTimeZone());
}

std::string_view KindOf(const Finding& finding) {
  return finding.outcome == Outcome::kUnknown ? "open" : "fail";
}

std::string_view LevelOf(const Finding& finding) {
  if (finding.outcome == Outcome::kUnknown) return "none";
  return finding.outcome == Outcome::kFail && finding.blocking ? "error" : "warning";
}

Json RuleOf(const Finding& finding) {
  Json rule{{"id", finding.id},
            {"shortDescription", {{"text", finding.title.empty() ? finding.id : finding.title}}},
            {"properties", {{"category", std::string(GroupOf(finding.id))}}}};
  const std::vector<Explanation> found = Explain(finding.id);
  if (found.empty()) return rule;
  if (!found.front().why.empty()) rule["fullDescription"] = {{"text", found.front().why}};
  rule["help"] = {{"text", "rdmaready explain " + finding.id}};
  return rule;
}

Json ResultOf(const Judged& judged, std::size_t rule) {
  const Finding& finding = *judged.finding;
  std::string text = Printable(Sentence(finding));
  if (text.empty()) text = Printable(finding.title);
  if (finding.remedy) text += ". Fix: " + Printable(OneLine(*finding.remedy));
  const std::string where = judged.Where();
  const std::string subject = Printable(finding.subject);
  Json result{{"ruleId", finding.id},
              {"ruleIndex", rule},
              {"kind", KindOf(finding)},
              {"level", LevelOf(finding)},
              {"message", {{"text", where + ": " + text}}},
              {"locations",
               Json::array({{{"logicalLocations", Json::array({{{"name", subject},
                                                                {"fullyQualifiedName", where + "/" + subject},
                                                                {"kind", Name(finding.scope)}}})}}})},
              {"fingerprints",
               {{"rdmaready/v1", finding.id + "|" + where + "|" + subject +
                                     (finding.profile.empty() ? "" : "|" + Printable(finding.profile))}}},
              {"properties",
               {{"host", judged.host},
                {"outcome", Name(finding.outcome)},
                {"blocking", finding.blocking},
                {"rung", Name(finding.rung)}}}};
  if (finding.waived) {
    result["suppressions"] = Json::array(
        {{{"kind", "external"}, {"status", "accepted"}, {"justification", WaivedText(*finding.waived)}}});
  }
  return result;
}

Json InvocationOf(const Report& report) {
  Json notes = Json::array();
  for (const HostReport& host : report.hosts) {
    if (host.error.empty()) continue;
    notes.push_back({{"level", "error"}, {"message", {{"text", Printable(host.error)}}}});
  }
  Json invocation{{"executionSuccessful", notes.empty()}};
  if (report.started_unix_ns > 0) {
    invocation["startTimeUtc"] = SarifTime(report.started_unix_ns);
    invocation["endTimeUtc"] = SarifTime(report.started_unix_ns + report.duration_ns);
  }
  invocation["toolExecutionNotifications"] = std::move(notes);
  return invocation;
}

}  // namespace

std::string CheckSarif(const CheckSummary& run, const Look&) {
  const Report& report = run.report;
  Json rules = Json::array();
  Json results = Json::array();
  std::map<std::string, std::size_t> places;
  for (const Judged& judged : JudgedIn(report)) {
    const Finding& finding = *judged.finding;
    if (finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable) continue;
    const auto [place, fresh] = places.emplace(finding.id, rules.size());
    if (fresh) rules.push_back(RuleOf(finding));
    results.push_back(ResultOf(judged, place->second));
  }
  const Json document{
      {"$schema", kSarifSchema},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool",
              {{"driver",
                {{"name", "rdmaready"}, {"semanticVersion", report.version}, {"rules", std::move(rules)}}}}},
             {"automationDetails", {{"id", "rdmaready/" + report.run_id}}},
             {"invocations", Json::array({InvocationOf(report)})},
             {"results", std::move(results)},
             {"properties",
              {{"verdict", Name(report.verdict)}, {"headline", Printable(Headline(report))}}}}})}};
  return document.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready
