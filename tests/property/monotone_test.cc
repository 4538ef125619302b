// SPDX-License-Identifier: Apache-2.0
// Less information never reads better: a host without one of its answers, beside the host with all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "api/profile/load.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "collectors/collect.h"
#include "collectors/recording/recorded_host.h"
#include "tests/property/hosts.h"

namespace rdmaready {
namespace {

struct Judged {
  std::vector<Finding> findings{};
  Readiness verdict = Readiness::kUndetermined;
  std::unordered_map<std::string_view, std::vector<const Finding*>> by_id{};

  Judged(const Facts& facts, const Profile& profile)
      : findings(JudgeHost(facts, profile)),
        verdict(ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost)) {
    for (const Finding& finding : findings) by_id[finding.id].push_back(&finding);
  }
  Judged(const Judged&) = delete;  // by_id points into findings
  Judged& operator=(const Judged&) = delete;

  // Of a port without its netdev the same is said as of the port with it.
  const Finding* Find(const Finding& other) const {
    const auto stem = [](const Finding& finding) {
      return std::string_view(finding.subject).substr(0, finding.subject.find(' '));
    };
    const Finding* close = nullptr;
    const auto same = by_id.find(other.id);
    if (same == by_id.end()) return nullptr;
    for (const Finding* finding : same->second) {
      if (finding->subject == other.subject) return finding;
      if (stem(*finding) == stem(other)) close = finding;
    }
    return close;
  }

  // Behind something that is unknown, or is told of the whole host too: a person reads of that.
  bool HidesOpenly(const Finding& hidden, const Judged& whole) const {
    const auto causes = by_id.find(hidden.hidden_by);
    if (causes == by_id.end()) return false;
    return std::ranges::any_of(causes->second, [&](const Finding* finding) {
      const Finding* there = whole.Find(*finding);
      const bool told = there != nullptr && there->hidden_by.empty() && there->outcome == finding->outcome;
      return finding->outcome == Outcome::kUnknown || (finding->outcome == Outcome::kFail && told);
    });
  }

  bool BlocksUnknown() const {
    return std::ranges::any_of(findings, [](const Finding& finding) {
      return finding.blocking && finding.outcome == Outcome::kUnknown;
    });
  }
};

// What is better with an answer less; empty: nothing.
std::vector<std::string> Better(const Judged& whole, const Judged& less) {
  std::vector<std::string> better;
  const auto say = [&better](const Finding& finding, std::string_view before, std::string_view after) {
    better.push_back(fmt::format("{}: {} -> {}", finding.id, before, after));
  };
  for (const Finding& before : whole.findings) {
    if (!before.hidden_by.empty()) continue;  // nothing was said of it
    const Finding* after = less.Find(before);
    const bool silent = after == nullptr || !after->hidden_by.empty();
    if (silent && before.outcome != Outcome::kNotApplicable) {
      if (!less.BlocksUnknown() && !(after != nullptr && less.HidesOpenly(*after, whole)))
        say(before, Name(before.outcome), "not said");
    } else if (!silent && after->outcome != before.outcome && after->outcome != Outcome::kUnknown) {
      say(before, Name(before.outcome), Name(after->outcome));
    }
  }
  const bool ready = less.verdict == Readiness::kReady && whole.verdict != Readiness::kReady;
  if (ready) better.push_back("verdict: ready");
  return better;
}

// Of every `stride`th question, from `first` on; by what became better, an example of where.
void LeaveOut(const property::Host& host, const Profile& profile, std::size_t first, std::size_t stride,
              std::map<std::string, std::string>& better, int& compared) {
  RecordedHost complete(host.recording);
  const Judged whole(CollectFacts(complete), profile);
  std::size_t index = 0;
  for (const auto& [question, answers] : host.recording.answers.entries()) {
    if (index++ % stride != first) continue;
    Recording less = host.recording;
    less.answers.entries().erase(question);
    RecordedHost incomplete(std::move(less));
    const Judged judged(CollectFacts(incomplete), profile);
    ++compared;
    for (const std::string& what : Better(whole, judged)) {
      better.try_emplace(what, fmt::format("{} under {} without {}", host.name, profile.name,
                                           std::visit([](const auto& kind) { return kind.What(); }, question)));
    }
  }
}

TEST(LessInformation, NeverReadsBetter) {
  const property::Share share = property::ShareToTry();
  const std::vector<std::string> profiles = BuiltInProfileNames();
  std::map<std::string, std::string> better;
  int compared = 0;
  std::size_t turn = 0;
  for (const property::Host& host : property::Hosts()) {
    for (std::size_t i = 0; i < profiles.size(); ++i, ++turn) {
      if (!share.all && turn % share.profile_stride != 0) continue;
      const auto profile = LoadProfile(profiles[i]);
      ASSERT_TRUE(profile.ok());
      const std::size_t stride = share.all ? 1 : share.question_stride;
      LeaveOut(host, *profile, turn % stride, stride, better, compared);
    }
  }
  for (const auto& [what, where] : better) ADD_FAILURE() << what << "   " << where;
  RecordProperty("compared", compared);
  GTEST_LOG_(INFO) << compared << " times an answer was left out";
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace rdmaready
