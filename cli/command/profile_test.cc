// SPDX-License-Identifier: Apache-2.0
#include "cli/command/profile_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/profile/chain.h"
#include "api/profile/site.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "checks/known_ids.h"
#include "cli/bundle/saved.h"
#include "cli/fleet/saved_hosts.h"
#include "cli/fleet/site_choice.h"
#include "rdmaready/v1/profile_tests.pb.h"

namespace rdmaready {
namespace {

using v1::ProfileTests;

constexpr std::size_t kMostTests = 1000;
constexpr YamlLimits kLimits{.what = "file of tests", .bytes = kMaxYamlBytes, .keys = 256};

ExpectedFinding::Outcome OutcomeOf(ProfileTests::Outcome outcome) {
  switch (outcome) {
    case ProfileTests::OUTCOME_PASS:
      return ExpectedFinding::Outcome::kPass;
    case ProfileTests::OUTCOME_WARN:
      return ExpectedFinding::Outcome::kWarn;
    case ProfileTests::OUTCOME_FAIL:
      return ExpectedFinding::Outcome::kFail;
    case ProfileTests::OUTCOME_UNKNOWN:
      return ExpectedFinding::Outcome::kUnknown;
    case ProfileTests::OUTCOME_NOT_APPLICABLE:
      return ExpectedFinding::Outcome::kNotApplicable;
    default:  // said, or protobuf's sentinels
      return ExpectedFinding::Outcome::kSaid;
  }
}

ExpectedOfHosts::Verdict VerdictOf(ProfileTests::Verdict verdict) {
  switch (verdict) {
    case ProfileTests::VERDICT_READY:
      return ExpectedOfHosts::Verdict::kReady;
    case ProfileTests::VERDICT_NOT_READY:
      return ExpectedOfHosts::Verdict::kNotReady;
    case ProfileTests::VERDICT_UNDETERMINED:
      return ExpectedOfHosts::Verdict::kUndetermined;
    default:  // any, or protobuf's sentinels
      return ExpectedOfHosts::Verdict::kAny;
  }
}

ExpectedOfHosts ExpectedOf(const ProfileTests::Test& test) {
  ExpectedOfHosts expected{.host = test.host(),
                           .verdict = VerdictOf(test.verdict()),
                           .not_said = {test.not_said().begin(), test.not_said().end()},
                           .nothing_else = test.nothing_else()};
  for (const ProfileTests::Expected& one : test.findings())
    expected.findings.push_back(
        {.check = one.check(), .outcome = OutcomeOf(one.outcome()), .port = one.port(), .says = one.says()});
  return expected;
}

class TestFile {
 public:
  explicit TestFile(std::string file) : file_(std::move(file)) {}

  absl::StatusOr<ProfileTestsRun> Run() {
    RR_RETURN_IF_ERROR(Read());
    ProfileTestsRun run{.file = file_};
    for (int i = 0; i < message_.tests_size(); ++i) {
      RR_ASSIGN_OR_RETURN(ProfileTestResult result, RunOne(message_.tests(i), fmt::format("tests[{}]", i)));
      run.tests.push_back(std::move(result));
    }
    return run;
  }

 private:
  absl::Status Read() {
    RR_ASSIGN_OR_RETURN(const std::string text, ReadProfileFile(file_));
    const std::optional<YamlNode> root = ParseYaml(text, file_, faults_, kLimits);
    if (root) places_ = FillMessage(*root, std::span(&file_, 1), {.most_items = kMostTests}, message_, faults_);
    if (root && faults_.empty()) Check();
    if (faults_.empty()) return absl::OkStatus();
    std::ranges::stable_sort(faults_, {}, &YamlFault::line);
    const std::size_t more = faults_.size() - 1;
    return absl::InvalidArgumentError(
        faults_.front().Line() +
        (more == 0 ? "" : fmt::format(" (and {} more fault{})", more, more > 1 ? "s" : "")));
  }

  void Check() {
    if (message_.tests().empty()) Fault("tests", "a file of tests names at least one");
    for (int i = 0; i < message_.tests_size(); ++i) CheckTest(message_.tests(i), fmt::format("tests[{}]", i));
  }

  void CheckTest(const ProfileTests::Test& test, const std::string& path) {
    if (test.name().empty()) Fault(path, "a test has a name");
    if (test.facts().empty() == test.bundle().empty())
      Fault(path, "a test names its saved hosts: `facts` with a folder, or `bundle` with a file");
    for (int i = 0; i < test.findings_size(); ++i)
      CheckId(test.findings(i).check(), fmt::format("{}.findings[{}].check", path, i));
    for (const std::string& pattern : test.not_said()) CheckId(pattern, path + ".not_said");
    const bool expects = test.verdict() != ProfileTests::VERDICT_ANY || !test.findings().empty() ||
                         !test.not_said().empty() || test.nothing_else();
    if (!expects) Fault(path, "it expects nothing: `verdict`, `findings`, `not_said` or `nothing_else`");
  }

  // One that no finding can have would hold for ever, or never.
  void CheckId(const std::string& pattern, const std::string& path) {
    const std::string why = WhyForNoCheck({.check = pattern});
    if (!why.empty()) Fault(path, pattern.empty() ? "an id, or a pattern of ids" : why);
  }

  // The line of the key, or of what it is in.
  int LineOf(std::string_view key) const {
    for (;;) {
      if (const auto place = places_.find(key); place != places_.end()) return place->second.line;
      const std::size_t end = key.find_last_of(".[");
      if (end == std::string_view::npos) return 1;
      key = key.substr(0, end);
    }
  }

  void Fault(const std::string& key, const std::string& text) {
    faults_.push_back(
        {.file = file_, .line = LineOf(key), .key = key, .text = fmt::format("key `{}`: {}", key, text)});
  }

  absl::Status Refused(const std::string& key, const absl::Status& why) const {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}: key `{}`: {}", file_, LineOf(key), key, Message(why)));
  }

  std::string Beside(const std::string& path) const {
    const std::filesystem::path named(path);
    return named.is_absolute() ? path : (std::filesystem::path(file_).parent_path() / named).string();
  }

  absl::StatusOr<CheckSummary> Judge(const ProfileTests::Test& test, const std::string& path) const {
    const std::string key = path + (test.bundle().empty() ? ".facts" : ".bundle");
    const absl::StatusOr<std::vector<SavedHost>> hosts = test.bundle().empty()
                                                             ? LoadSavedHosts({Beside(test.facts())})
                                                             : bundle::LoadBundle(Beside(test.bundle()), {});
    if (!hosts.ok()) return Refused(key, hosts.status());
    if (test.profile().empty()) return JudgeSavedHosts(*hosts);
    const std::string name = ProfileBeside(file_, test.profile());
    const absl::StatusOr<Site> site = ChooseSite(std::span(&name, 1));
    return site.ok() ? absl::StatusOr<CheckSummary>(JudgeSavedHosts(*hosts, *site))
                     : Refused(path + ".profile", site.status());
  }

  absl::StatusOr<ProfileTestResult> RunOne(const ProfileTests::Test& test, const std::string& path) const {
    RR_ASSIGN_OR_RETURN(const CheckSummary run, Judge(test, path));
    const std::vector<HostReport>& hosts = run.report.hosts;
    if (!test.host().empty() && std::ranges::find(hosts, test.host(), &HostReport::host) == hosts.end()) {
      std::string names;
      for (const HostReport& host : hosts) names += (names.empty() ? "" : ", ") + host.host;
      return Refused(path + ".host",
                     absl::InvalidArgumentError("no such host is saved there; there are " + names));
    }
    for (const HostReport& host : hosts) {
      if (!host.error.empty()) return Refused(path, absl::InvalidArgumentError(host.error));
    }
    return ProfileTestResult{
        .name = test.name(), .line = LineOf(path), .differences = MismatchesOf(ExpectedOf(test), run.report)};
  }

  std::string file_;
  ProfileTests message_{};
  FieldPlaces places_{};
  std::vector<YamlFault> faults_{};
};

}  // namespace

absl::StatusOr<ProfileTestsRun> RunProfileTests(const std::string& file) { return TestFile(file).Run(); }

ExitStatus TestProfiles(const Context& context, const std::string& file) {
  const absl::StatusOr<ProfileTestsRun> run = RunProfileTests(file);
  if (!run.ok()) return context.Fail(ExitStatus::kUsage, Message(run.status()));
  context.Print(ProfileTestsJson(*run), ProfileTestsText(*run, context.style()));
  const bool passed =
      std::ranges::all_of(run->tests, [](const ProfileTestResult& test) { return test.differences.empty(); });
  return passed ? ExitStatus::kOk : ExitStatus::kNotReady;
}

}  // namespace rdmaready
