// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/saved_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "cli/render/json.h"
#include "cli/render/text.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/collectors/recording/sealed.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class SavedHosts : public testing::Test {
 protected:
  SavedHosts() {
    std::string pattern = (fs::temp_directory_path() / "rdmaready saved XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~SavedHosts() override { fs::remove_all(directory_); }

  std::string Save(const std::string& name, FakeHost host = GoodFakeHost(), const std::string& below = "",
                   const std::string& judged_by = "", const std::optional<JudgedBy>& chosen = std::nullopt) {
    Recording recording = RecordFacts(host);
    recording.judged_by = judged_by;
    const absl::StatusOr<RecordingFiles> files = EncodeRecording(recording);
    HostSaver saver(directory_ + below);
    EXPECT_TRUE(saver.Prepare({name}).ok());
    const absl::StatusOr<std::string> folder = saver.Save(*files, name, chosen);
    EXPECT_TRUE(folder.ok()) << folder.status();
    return folder.value_or("");
  }

  static std::vector<Finding> Timeless(std::vector<Finding> findings) {
    for (Finding& finding : findings) finding.duration_ns = 0;
    return findings;
  }

  std::string directory_;
};

TEST_F(SavedHosts, AreJudgedAsLiveOnes) {
  FakeHost sick = GoodFakeHost();
  sick.files["/sys/class/net/dcb0/speed"] = std::string("1000\n");
  Save("a");
  Save("b", sick);
  const absl::StatusOr<std::vector<SavedHost>> hosts = LoadSavedHosts({directory_});
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  const CheckSummary run = JudgeSavedHosts(*hosts, SiteOf({VirtualFabricProfile()}));
  ASSERT_EQ(run.report.hosts.size(), 2U);
  FakeHost good = GoodFakeHost();
  FakeHost* live[] = {&good, &sick};
  for (std::size_t i = 0; i < 2; ++i) {
    const HostReport& report = run.report.hosts[i];
    EXPECT_EQ(report.host, i == 0 ? "a" : "b");
    EXPECT_EQ(report.kernel_release, "6.12.1");
    // What follows is how it compares with the other one.
    Facts facts = CollectFacts(*live[i]);
    facts.apply_state = RecordFacts(*live[i]).apply_state;
    const std::vector<Finding> expected = JudgeHost(facts, VirtualFabricProfile());
    std::vector<Finding> own = Timeless(report.findings);
    ASSERT_GT(own.size(), expected.size());
    EXPECT_TRUE(own[expected.size()].id.starts_with("agree."));
    own.resize(expected.size());
    EXPECT_EQ(own, expected);
    EXPECT_EQ(report.ladder, MakeLadder(report.findings, {}, Rung::kHost));
    EXPECT_TRUE(run.notes[i].software);
  }
  EXPECT_NE(Timeless(run.report.hosts[0].findings), Timeless(run.report.hosts[1].findings));
}

TEST_F(SavedHosts, SayWhenTheyWereRecordedAndLiveOnesDoNot) {
  Save("a");
  CheckSummary run = JudgeSavedHosts(*LoadSavedHosts({directory_}), SiteOf({VirtualFabricProfile()}));
  EXPECT_THAT(CheckText(run, Style()), HasSubstr("recorded 2023-11-14 22:13:20 UTC"));
  EXPECT_THAT(CheckJson(run), HasSubstr("\"recorded\""));
  run.notes[0].recorded_by.clear();
  EXPECT_THAT(CheckText(run, Style()), Not(HasSubstr("recorded")));
  EXPECT_THAT(CheckJson(run), Not(HasSubstr("\"recorded\"")));
}

Profile Asks(const std::string& yaml) { return *ParseProfile(yaml, "p.yaml"); }

std::string Text(const JudgedBy& judged_by) { return *EncodeJudgedBy(judged_by); }

TEST_F(SavedHosts, JudgesByTheProfilesThatAreKept) {
  const Profile lossy = Asks("extends: virtual-fabric\nname: lossy\npfc: []\n");
  Save("a", GoodFakeHost(), "", Text({.profiles = {lossy}, .chosen_by = "agent"}));
  const std::vector<SavedHost> hosts = *LoadSavedHosts({directory_});
  const CheckSummary kept = JudgeSavedHosts(hosts);
  const CheckSummary named = JudgeSavedHosts(hosts, SiteOf({lossy}));
  EXPECT_EQ(Timeless(kept.report.hosts[0].findings), Timeless(named.report.hosts[0].findings));
  EXPECT_EQ(kept.report.verdict, named.report.verdict);
  EXPECT_EQ(kept.report.hosts[0].profiles, (std::vector<ProfileRef>{{"lossy", lossy.digest}}));
  EXPECT_THAT(Complaints(kept), testing::IsEmpty());
  EXPECT_THAT(Complaints(named), testing::IsEmpty());
}

TEST_F(SavedHosts, SayThatTheyAreJudgedByAnotherProfile) {
  const Profile lossy = Asks("extends: virtual-fabric\nname: lossy\npfc: []\n");
  const std::string kept = Text({.profiles = {lossy}, .chosen_by = "agent"});
  Save("a1", GoodFakeHost(), "", kept);
  Save("a2", GoodFakeHost(), "", kept);
  const CheckSummary run =
      JudgeSavedHosts(*LoadSavedHosts({directory_}), SiteOf({*LoadProfile("virtual-fabric")}));
  EXPECT_THAT(Complaints(run), testing::ElementsAre("2 hosts (a[1-2]): judged by virtual-fabric (digest " +
                                                    LoadProfile("virtual-fabric")->digest.substr(0, 12) +
                                                    "); the recording was made under lossy (digest " +
                                                    lossy.digest.substr(0, 12) + ")"));
  EXPECT_THAT(CheckJson(run), HasSubstr(lossy.digest));
}

TEST_F(SavedHosts, WithoutAProfileAreJudgedByTheDefaultAndSayIt) {
  Save("a");
  const CheckSummary run = JudgeSavedHosts(*LoadSavedHosts({directory_}));
  EXPECT_EQ(run.report.hosts[0].profiles[0].name, kDefaultProfileName);
  EXPECT_THAT(Complaints(run),
              testing::ElementsAre(testing::AllOf(
                  HasSubstr("host a: the recording keeps no profile, made by rdmaready "),
                  HasSubstr(": judged by the default smb-direct-roce; another with --profile"))));
}

TEST_F(SavedHosts, KeepTheWaiversOfTheAgentUnderAnyProfile) {
  FakeHost sick = GoodFakeHost();
  sick.files["/sys/class/net/dcb0/speed"] = std::string("1000\n");
  const Profile fabric = *LoadProfile("virtual-fabric");
  const Waiver accepted{.check = "*", .reason = "a new switch", .who = "Ann", .until = "2261-01-01"};
  Save("a", sick, "", Text({.profiles = {fabric}, .waivers = {accepted}, .chosen_by = "agent"}));
  const std::vector<SavedHost> hosts = *LoadSavedHosts({directory_});
  EXPECT_EQ(WaivedOf(JudgeSavedHosts(hosts).report), WaivedOf(JudgeSavedHosts(hosts, SiteOf({fabric})).report));
  EXPECT_GT(WaivedOf(JudgeSavedHosts(hosts).report), 0U);
}

TEST_F(SavedHosts, KeepWhatACallerChoseInPlaceOfTheAgentsProfile) {
  const Waiver accepted{.check = "*", .reason = "a new switch", .who = "Ann", .until = "2261-01-01"};
  const std::string of_agent =
      Text({.profiles = {*LoadProfile("infiniband")}, .waivers = {accepted}, .chosen_by = "agent"});
  Save("a", GoodFakeHost(), "", of_agent,
       JudgedBy{.profiles = {*LoadProfile("virtual-fabric")}, .chosen_by = "--profile", .group = "gpu"});
  Save("b", GoodFakeHost(), "", of_agent, JudgedBy{.group = "gpu"});
  const std::vector<SavedHost> hosts = *LoadSavedHosts({directory_});
  ASSERT_TRUE(hosts[0].judged_by && hosts[1].judged_by);
  EXPECT_EQ(hosts[0].judged_by->profiles.front().name, "virtual-fabric");
  EXPECT_EQ(hosts[0].judged_by->waivers, std::vector<Waiver>{accepted});
  EXPECT_EQ(hosts[0].judged_by->chosen_by, "--profile");
  EXPECT_EQ(hosts[1].judged_by->profiles.front().name, "infiniband");
  EXPECT_EQ(hosts[1].judged_by->chosen_by, "agent");
  EXPECT_EQ(JudgeSavedHosts(hosts).notes[1].group, "gpu");
}

TEST_F(SavedHosts, AsksForAProfileWhereTheKeptOneCannotBeRead) {
  Save("a", GoodFakeHost(), "", "{\"profiles\": [{\"name\": \"x\", \"dscp\": 64}]}");
  const std::vector<SavedHost> hosts = *LoadSavedHosts({directory_});
  const CheckSummary run = JudgeSavedHosts(hosts);
  EXPECT_THAT(run.report.hosts[0].error,
              HasSubstr("host a: the profile that its recording keeps cannot be read: "));
  EXPECT_EQ(StatusOf(run), ExitStatus::kUsage);
  EXPECT_EQ(JudgeSavedHosts(hosts, SiteOf({VirtualFabricProfile()})).report.hosts[0].error, "");
}

TEST_F(SavedHosts, ThatCannotBeReadAreNamedBesideTheOthers) {
  Save("a");
  fs::remove(Save("b") + "/verbs.jsonl");
  const absl::StatusOr<std::vector<SavedHost>> hosts = LoadSavedHosts({directory_});
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  const CheckSummary run = JudgeSavedHosts(*hosts, SiteOf({VirtualFabricProfile()}));
  ASSERT_EQ(run.report.hosts.size(), 2U);
  EXPECT_FALSE(run.report.hosts[0].findings.empty());
  EXPECT_TRUE(run.report.hosts[1].findings.empty());
  EXPECT_EQ(run.report.hosts[1].host, directory_ + "/b");
  EXPECT_EQ(run.report.hosts[1].error,
            "read recording " + directory_ + "/b/verbs.jsonl: No such file or directory");
  EXPECT_NE(run.report.hosts[1].verdict, Readiness::kReady);
  EXPECT_EQ(StatusOf(run), ExitStatus::kUsage);
  fs::remove(directory_ + "/a/verbs.jsonl");
  EXPECT_FALSE(LoadSavedHosts({directory_}).ok());
}

TEST_F(SavedHosts, AreToldApartByTheirFoldersWhenTheirNamesAreOne) {
  const std::string before = Save("a", GoodFakeHost(), "/before");
  const std::string after = Save("a", GoodFakeHost(), "/after");
  const absl::StatusOr<std::vector<SavedHost>> hosts = LoadSavedHosts({directory_ + "/before", after});
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_EQ((*hosts)[0].name, before);
  EXPECT_EQ((*hosts)[1].name, after);
  EXPECT_THAT(LoadSavedHosts({after, after}).status().message().data(), HasSubstr("named twice"));
}

TEST_F(SavedHosts, AnAgentThatSendsNonsenseIsNamedAndNothingIsWritten) {
  HostSaver saver(directory_);
  const absl::Status status = saver.Save({{"recording.json", "{}"}}, "node1").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(Message(status), HasSubstr("host node1: its recording cannot be read: recording.json: "));
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(SavedHosts, WhoCannotBeSavedIsKnownBeforeAnybodyIsAsked) {
  Save("a");
  EXPECT_EQ(HostSaver(directory_).Prepare({"b", "a"}).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(HostSaver(directory_ + "/x/y").Prepare({"a"}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(SavedText, NamesTheFolderOfEachHostAndLeavesErrorsToStandardError) {
  SaveRun run;
  run.hosts.push_back({.host = "a", .folder = "out/a"});
  run.hosts.push_back({.host = "b", .error = "host b: refused", .failure = ExitStatus::kUnreachable});
  EXPECT_EQ(SavedText(run), "a: saved in out/a\n");
  EXPECT_THAT(SavedJson(run), HasSubstr("rdmaready.v1.Saved"));
  EXPECT_THAT(SavedJson(run), HasSubstr("host b: refused"));
}

}  // namespace
}  // namespace rdmaready
