// SPDX-License-Identifier: Apache-2.0
// A recording that lacks an answer (an older version did not ask, or it was too large) must not make its host
// look better than it is, nor worse: whatever the answer would have decided is unknown. Every fifth question is
// left out, another part under each profile; with RDMAREADY_PROPERTY=all, as soak has it, every one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "collectors/collect.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;

struct JudgedRecording {
  std::map<std::string, Outcome> outcomes{};  // by check and port
  std::set<std::string> hidden{};             // not judged: looked at where the finding is that hides them
  Readiness verdict = Readiness::kUndetermined;
};

JudgedRecording Judge(Recording recording, const Profile& profile) {
  const Fact<ApplyState> applier = recording.apply_state;
  RecordedHost host(std::move(recording));
  Facts facts = CollectFacts(host);
  facts.apply_state = applier;
  const std::vector<Finding> findings = JudgeHost(facts, profile);
  JudgedRecording judged;
  for (const Finding& finding : findings) {
    // Without its netdev a port has a shorter name.
    const std::string about = finding.id + " " + finding.subject.substr(0, finding.subject.find(' '));
    judged.outcomes[about] = finding.outcome;
    if (!finding.hidden_by.empty()) judged.hidden.insert(about);
  }
  judged.verdict = ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost);
  return judged;
}

std::size_t QuestionStride() {
  const char* said = std::getenv("RDMAREADY_PROPERTY");
  return said != nullptr && std::string_view(said) == "all" ? 1 : 5;
}

// Every recording that lacks one of every `stride` questions from `first` on, and what that was.
template <class Try>
void WithoutEachQuestion(const Recording& whole, std::size_t first, std::size_t stride, Try attempt) {
  std::size_t index = 0;
  for (const auto& [question, answers] : whole.answers.entries()) {
    if (index++ % stride != first) continue;
    Recording less = whole;
    less.answers.entries().erase(question);
    attempt(std::move(less), std::visit([](const auto& kind) { return kind.What(); }, question));
  }
}

void ExpectOnlyDoubts(const JudgedRecording& whole, const JudgedRecording& less, const std::string& what) {
  if (whole.verdict != Readiness::kReady) {
    EXPECT_NE(less.verdict, Readiness::kReady) << what;
  }
  for (const auto& [check, outcome] : less.outcomes) {
    const auto before = whole.outcomes.find(check);
    if (before == whole.outcomes.end() || outcome == Outcome::kUnknown) continue;
    if (less.hidden.contains(check) || whole.hidden.contains(check)) continue;
    EXPECT_EQ(Name(outcome), Name(before->second)) << check << " without " << what;
  }
  if (less.outcomes.size() < whole.outcomes.size()) {
    EXPECT_NE(less.verdict, Readiness::kReady) << what;
  }
}

TEST(SavedGaps, LeaveUnknownWhatTheMissingAnswerWouldHaveDecided) {
  const std::string hosts = test::SourceTree() + "/tests/fixtures/hosts";
  const std::size_t stride = QuestionStride();
  std::size_t tried = 0;
  std::size_t turn = 0;
  for (const auto& entry : fs::directory_iterator(hosts)) {
    if (!fs::exists(entry.path() / "saved")) continue;  // described, not recorded
    const absl::StatusOr<std::vector<SavedRecording>> saved = LoadRecordings((entry.path() / "saved").string());
    ASSERT_TRUE(saved.ok()) << Message(saved.status());
    for (const std::string& name : BuiltInProfileNames()) {
      const Profile profile = *LoadProfile(name);
      for (const SavedRecording& one : *saved) {
        ASSERT_TRUE(one.recording.ok()) << Message(one.recording.status());
        const JudgedRecording whole = Judge(*one.recording, profile);
        WithoutEachQuestion(*one.recording, turn++ % stride, stride,
                            [&](Recording less, const std::string& what) {
                              ExpectOnlyDoubts(whole, Judge(std::move(less), profile),
                                               one.folder.substr(hosts.size()) + " " + what);
                              ++tried;
                            });
      }
    }
  }
  EXPECT_GT(tried, 100U);
}

}  // namespace
}  // namespace rdmaready
