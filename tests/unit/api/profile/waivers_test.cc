// SPDX-License-Identifier: Apache-2.0
#include "api/profile/waivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class WaiversTest : public testing::Test {
 protected:
  WaiversTest() : directory_(fs::temp_directory_path() / ("rdmaready waivers " + std::to_string(::getpid()))) {
    fs::create_directories(directory_ / "below");
  }
  ~WaiversTest() override { fs::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return (directory_ / name).string();
  }

  // The fault of a file of waivers.
  std::string Fault(const std::string& text) {
    const std::string path = Write("w.yaml", text);
    const absl::StatusOr<std::vector<Waiver>> waivers = LoadWaivers(path);
    return waivers.ok() ? "" : Message(waivers.status()).substr(path.size());
  }

  fs::path directory_;
};

constexpr const char* kList =
    "waivers:\n"
    "  - check: pfc.lossless-priority\n    host: node1*\n    port: mlx5_0/1\n    reason: the switch is "
    "replaced\n"
    "    who: Ann Example\n    until: 2026-12-31\n"
    "  - {check: host.irqbalance, reason: agreed, who: Bob, until: 2027-06-30}\n";

TEST_F(WaiversTest, AreReadFromAFileOfTheirOwn) {
  const absl::StatusOr<std::vector<Waiver>> waivers = LoadWaivers(Write("w.yaml", kList));
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  ASSERT_EQ(waivers->size(), 2U);
  EXPECT_EQ(waivers->front(), (Waiver{.check = "pfc.lossless-priority",
                                      .host = "node1*",
                                      .port = "mlx5_0/1",
                                      .reason = "the switch is replaced",
                                      .who = "Ann Example",
                                      .until = "2026-12-31"}));
  EXPECT_EQ(waivers->back().check, "host.irqbalance");
}

TEST_F(WaiversTest, StandInAProfileOrInTheFileThatItNames) {
  const std::string base = "name: p\nrdma_priority: 3\n";
  Write("below/list.yaml", kList);
  const absl::StatusOr<Profile> within = LoadProfile(Write("a.yaml", base + kList));
  const absl::StatusOr<Profile> beside = LoadProfile(Write("b.yaml", base + "waivers: below/list.yaml\n"));
  ASSERT_TRUE(within.ok()) << within.status();
  ASSERT_TRUE(beside.ok()) << beside.status();
  EXPECT_EQ(within->waivers.size(), 2U);
  EXPECT_EQ(beside->waivers, within->waivers);
  EXPECT_EQ(beside->digest, LoadProfile(Write("c.yaml", base))->digest) << "what is accepted is not a demand";
}

TEST_F(WaiversTest, AreInheritedAndReplacedAsAWhole) {
  Write("list.yaml", kList);
  Write("base.yaml", "name: base\nwaivers: list.yaml\n");
  const absl::StatusOr<Profile> same = LoadProfile(Write("a.yaml", "name: a\nextends: base.yaml\n"));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->waivers.size(), 2U);
  const absl::StatusOr<Profile> other = LoadProfile(Write(
      "b.yaml", "name: b\nextends: base.yaml\nwaivers: [{check: x, reason: r, who: w, until: 2026-12-31}]\n"));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->waivers.size(), 1U);
  EXPECT_EQ(LoadProfile(Write("c.yaml", "name: c\nextends: base.yaml\nwithout: [waivers]\n"))->waivers.size(),
            0U);
}

TEST_F(WaiversTest, GoOverTheWire) {
  const absl::StatusOr<Profile> profile = LoadProfile(Write("a.yaml", std::string("name: p\n") + kList));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(FromProto(ToProto(*profile)).value(), *profile);
}

TEST_F(WaiversTest, NeedACheckAReasonAPersonAndADay) {
  EXPECT_THAT(Fault("waivers:\n  - {reason: r, who: w, until: 2026-12-31}\n"),
              HasSubstr(":2: key `waivers[0].check`"));
  EXPECT_THAT(Fault("waivers:\n  - {check: c, who: w, until: 2026-12-31}\n"), HasSubstr("for what reason"));
  EXPECT_THAT(Fault("waivers:\n  - {check: c, reason: r, until: 2026-12-31}\n"),
              HasSubstr("who answers for it"));
  EXPECT_THAT(Fault("waivers:\n  - {check: c, reason: r, who: w}\n"),
              HasSubstr("its last day, like 2026-12-31"));
  EXPECT_THAT(Fault("waivers:\n  - {check: c, reason: r, who: w, until: 2026-02-30}\n"),
              HasSubstr(":2: key `waivers[0].until`: a waiver ends"));
  EXPECT_THAT(Fault("waivers:\n  - {check: c, reason: r, who: w, until: never}\n"), HasSubstr("a waiver ends"));
  EXPECT_THAT(Fault("waivers:\n  - {check: c, reason: \"a\\nb\", who: w, until: 2026-12-31}\n"),
              HasSubstr("one line"));
}

TEST_F(WaiversTest, HavePatternsOfOneLine) {
  const std::string rest = ", check: c, reason: r, who: w, until: 2026-12-31}\n";
  EXPECT_THAT(Fault("waivers:\n  - {port: " + std::string(257, 'x') + rest),
              HasSubstr("`waivers[0].port`: one line"));
  EXPECT_THAT(Fault("waivers:\n  - {host: \"a\\nb\"" + rest), HasSubstr("`waivers[0].host`: one line"));
}

TEST_F(WaiversTest, RefuseWhatIsNoListOfThem) {
  EXPECT_THAT(Fault(""), HasSubstr("one key `waivers`"));
  EXPECT_THAT(Fault("- 1\n"), HasSubstr("one key `waivers`"));
  EXPECT_THAT(Fault("waiver: []\n"), HasSubstr(":1: key `waiver`"));
  EXPECT_THAT(Fault("waivers: x\n"), HasSubstr("wants a list"));
  EXPECT_THAT(Fault("waivers: []\npfc: [3]\n"), HasSubstr(":2: key `pfc`"));
  EXPECT_THAT(Fault("waivers:\n  - {chek: c}\n"), HasSubstr("did you mean `check`?"));
  EXPECT_THAT(Message(LoadWaivers("/nowhere/w.yaml").status()), HasSubstr("/nowhere/w.yaml"));
}

TEST_F(WaiversTest, OfAProfileAreRefusedInTheFileThatHasThem) {
  const std::string list = Write("list.yaml", "waivers:\n  - {check: c, reason: r, who: w, until: soon}\n");
  const absl::StatusOr<Profile> profile = LoadProfile(Write("p.yaml", "name: p\nwaivers: list.yaml\n"));
  EXPECT_THAT(Message(profile.status()), HasSubstr(list + ":2: key `waivers[0].until`"));
  EXPECT_THAT(Message(LoadProfile(Write("q.yaml", "name: q\nwaivers: gone.yaml\n")).status()),
              testing::AllOf(HasSubstr("q.yaml:2: key `waivers`"), HasSubstr("gone.yaml")));
  EXPECT_THAT(Message(ParseProfile("name: x\nwaivers: list.yaml\n", "text").status()),
              EndsWith("only a profile that is a file itself names another"));
}

}  // namespace
}  // namespace rdmaready
