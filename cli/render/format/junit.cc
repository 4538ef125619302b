// SPDX-License-Identifier: Apache-2.0
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/version.h"
#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/words/fix.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/render/format/judged.h"
#include "cli/render/picture/svg.h"
#include "cli/render/report/check_parts.h"

namespace rdmaready {
namespace {

std::string Seconds(std::int64_t ns) { return fmt::format("{:.6f}", static_cast<double>(ns) / 1e9); }

struct Counts {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  std::int64_t duration_ns = 0;

  void Add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    duration_ns += other.duration_ns;
  }
  std::string Attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{}")", tests, failures,
                       errors, skipped, Seconds(duration_ns));
  }
};

std::string Details(const Finding& finding) {
  std::string text;
  const std::string fix = finding.remedy ? OneLine(*finding.remedy) : "";
  for (const auto& [label, value] : {std::pair<std::string_view, const std::string&>{"requires", finding.title},
                                     {"why", finding.why},
                                     {"source", finding.source},
                                     {"fix", fix}}) {
    if (!value.empty()) text += fmt::format("{}: {}\n", label, XmlText(value));
  }
  return text;
}

// What stands inside of the case; counts it.
std::string Result(const Finding& finding, Counts& counts) {
  const std::string message = XmlText(Sentence(finding));
  if (finding.outcome == Outcome::kPass) return {};
  if (finding.waived) {
    ++counts.skipped;
    return fmt::format("      <skipped message=\"waived {}; {}: {}\"/>\n", XmlText(WaivedText(*finding.waived)),
                       Name(finding.outcome), message);
  }
  if (finding.blocking && finding.outcome == Outcome::kFail) {
    ++counts.failures;
    return fmt::format("      <failure type=\"fail\" message=\"{}\">{}</failure>\n", message, Details(finding));
  }
  if (finding.blocking && finding.outcome == Outcome::kUnknown) {
    ++counts.errors;
    return fmt::format("      <error type=\"unknown\" message=\"{}\">{}</error>\n", message, Details(finding));
  }
  ++counts.skipped;
  const std::string why = finding.hidden_by.empty() ? message : "follows from " + XmlText(finding.hidden_by);
  return fmt::format("      <skipped message=\"{}: {}\"/>\n", Name(finding.outcome), why);
}

struct Suite {
  std::string host{};
  std::string group{};
  std::string cases{};
  Counts counts{};
};

class Suites {
 public:
  void Add(const Judged& judged) {
    const Finding& finding = *judged.finding;
    Suite& suite = Of(judged.Where(), std::string(GroupOf(finding.id)));
    ++suite.counts.tests;
    suite.counts.duration_ns += finding.duration_ns;
    const std::string inside = Result(finding, suite.counts);
    const std::string profile = finding.profile.empty() ? "" : " (" + finding.profile + ")";
    suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"{} {}{}\" time=\"{}\"",
                               XmlText(suite.group), XmlText(finding.id), XmlText(finding.subject),
                               XmlText(profile), Seconds(finding.duration_ns));
    suite.cases += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
  }

  void AddError(const HostReport& host) {
    Suite& suite = Of(Printable(host.host), "agent");
    ++suite.counts.tests;
    ++suite.counts.errors;
    suite.cases += fmt::format(
        "    <testcase classname=\"agent\" name=\"answers\" time=\"{}\">\n      <error type=\"no-answer\" "
        "message=\"{}\"/>\n    </testcase>\n",
        Seconds(0), XmlText(host.error));
  }

  std::string Text(const Report& report) const {
    Counts all;
    for (const Suite& suite : suites_) all.Add(suite.counts);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rdmaready\" {}>\n", all.Attributes());
    const std::string began =
        absl::FormatTime("%Y-%m-%dT%H:%M:%S", absl::FromUnixNanos(report.started_unix_ns), absl::UTCTimeZone());
    for (const Suite& suite : suites_) {
      text += fmt::format("  <testsuite name=\"{}\" hostname=\"{}\" timestamp=\"{}\" {}>\n    <properties>\n",
                          XmlText(suite.group), XmlText(suite.host), began, suite.counts.Attributes());
      for (const auto& [name, value] : {std::pair<std::string_view, std::string>{"host", suite.host},
                                        {"level", std::string(Name(report.level))},
                                        {"run_id", report.run_id},
                                        {"version", report.version},
                                        {"verdict", std::string(Name(report.verdict))}}) {
        text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, XmlText(value));
      }
      text += "    </properties>\n" + suite.cases + "  </testsuite>\n";
    }
    return text + "</testsuites>\n";
  }

 private:
  Suite& Of(const std::string& host, const std::string& group) {
    const auto found = std::ranges::find_if(
        suites_, [&](const Suite& suite) { return suite.host == host && suite.group == group; });
    return found != suites_.end() ? *found : suites_.emplace_back(Suite{.host = host, .group = group});
  }

  std::vector<Suite> suites_;
};

}  // namespace

std::string FailureJunit(ExitStatus status, std::string_view host, std::string_view error) {
  if (status == ExitStatus::kUsage) return {};  // no test of anything was asked for
  Suites suites;
  suites.AddError({.host = host.empty() ? "rdmaready" : std::string(host), .error = std::string(error)});
  return suites.Text({.version = std::string(kVersion)});
}

std::string CheckJunit(const CheckSummary& run, const Look&) {
  Suites suites;
  for (const HostReport& host : run.report.hosts) {
    if (!host.error.empty()) suites.AddError(host);
  }
  for (const Judged& judged : JudgedIn(run.report)) suites.Add(judged);
  return suites.Text(run.report);
}

}  // namespace rdmaready
