// SPDX-License-Identifier: Apache-2.0
// Profiles that extend another, and every fault of a chain in one go.
#include "api/profile/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/base/status.h"
#include "api/profile/load.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Lines(const ProfileReading& reading) {
  std::vector<std::string> lines;
  for (const YamlFault& fault : reading.faults) lines.push_back(fault.Line());
  return lines;
}

class ChainTest : public testing::Test {
 protected:
  ChainTest() : directory_(fs::temp_directory_path() / ("rdmaready chain " + std::to_string(::getpid()))) {
    fs::create_directories(directory_ / "below");
  }
  ~ChainTest() override { fs::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return Path(name);
  }
  std::string Path(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

TEST_F(ChainTest, TakesFromTheExtendedWhatTheExtendingDoesNotSay) {
  Write("base.yaml",
        "name: base\nsummary: of the base\nrdma_priority: 3\npfc: [3, 4]\nets: {rdma_percent: 40, "
        "tolerance_percent: 9}\n"
        "dscp: 26\ntos: 106\ntrust: dscp\n");
  const std::string path = Write(
      "site.yaml", "extends: base.yaml\nname: site\npfc: [3]\nets: {rdma_percent: 60}\ntos: 104\ntrust: any\n");
  const absl::StatusOr<ProfileReading> reading = ReadProfile(path);
  ASSERT_TRUE(reading.ok() && reading->profile) << Message(LoadProfile(path).status());
  Profile expected{.name = "site"};  // and no summary: it is nobody's but the base's
  expected.digest = reading->profile->digest;
  expected.rdma_priority = 3;
  expected.pfc = std::vector<std::uint8_t>{3};
  expected.ets_rdma_percent = 60;
  expected.ets_tolerance_percent = 9;
  expected.dscp = 26;
  expected.tos = 104;
  EXPECT_EQ(*reading->profile, expected);
  EXPECT_THAT(reading->files, ElementsAre(path, Path("base.yaml")));
  EXPECT_EQ(reading->places.at("tos").source, 0);
  EXPECT_EQ(reading->places.at("tos").line, 5);
  EXPECT_EQ(reading->places.at("dscp").source, 1);
  EXPECT_EQ(reading->places.at("ets.tolerance_percent").source, 1);
}

TEST_F(ChainTest, LooksForAFileFromTheFolderOfTheExtendingOne) {
  Write("base.yaml", "name: base\nmin_ports: 2\n");
  Write("below/middle.yaml", "extends: ../base.yaml\nname: middle\n");
  const absl::StatusOr<Profile> profile =
      LoadProfile(Write("top.yaml", "extends: below/middle.yaml\nname: top\n"));
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  EXPECT_EQ(profile->min_ports, 2);
}

TEST_F(ChainTest, TakesAwayBeforeItAdds) {
  Write("base.yaml", "name: base\nrdma_priority: 3\ndscp: 26\ntos: 106\ncnp: {dscp: 48, priority: 6}\n");
  const absl::StatusOr<Profile> profile =
      LoadProfile(Write("site.yaml", "extends: base.yaml\nwithout: [tos, cnp.priority]\nname: site\n"));
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  EXPECT_FALSE(profile->tos.has_value());
  EXPECT_EQ(profile->cnp, Profile::Cnp{.dscp = 48});
  const absl::StatusOr<Profile> anew =
      LoadProfile(Write("anew.yaml", "extends: base.yaml\nwithout: [cnp]\nname: anew\ncnp: {dscp: 40}\n"));
  ASSERT_TRUE(anew.ok()) << Message(anew.status());
  EXPECT_EQ(anew->cnp, Profile::Cnp{.dscp = 40});
}

TEST_F(ChainTest, HasTheDigestOfWhatItComesTo) {
  Write("base.yaml", "name: base\nmtu_bytes: 9000\n");
  const std::string digest = LoadProfile(Write("site.yaml", "extends: base.yaml\nname: site\n"))->digest;
  EXPECT_EQ(LoadProfile(Write("whole.yaml", "name: site\nmtu_bytes: 9000\n"))->digest, digest);
  Write("base.yaml", "name: base\nmtu_bytes: 9001\n");
  EXPECT_NE(LoadProfile(Path("site.yaml"))->digest, digest);
}

using EtsClasses = std::vector<Profile::EtsClass>;

TEST_F(ChainTest, MovesInheritedClassesWithTheRdmaPriority) {
  const std::string site = Write(
      "site.yaml", "extends: nvidia-lossless\nname: site\nrdma_priority: 4\npfc: [4]\ndscp: 32\ntos: 130\n");
  const absl::StatusOr<Profile> profile = LoadProfile(site);
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  EXPECT_EQ(profile->ets_classes, (EtsClasses{{.priorities = {0, 1, 2, 3, 5, 7}, .percent = 50},
                                              {.priorities = {4}, .percent = 50},
                                              {.priorities = {6}}}));
  const absl::StatusOr<Profile> again =
      LoadProfile(Write("again.yaml", "extends: site.yaml\nname: again\nrdma_priority: 2\npfc: [2]\n"));
  ASSERT_TRUE(again.ok()) << Message(again.status());
  EXPECT_EQ(again->ets_classes[1], (Profile::EtsClass{.priorities = {2}, .percent = 50}));
  EXPECT_EQ(again->ets_classes[0].priorities, (std::vector<std::uint8_t>{0, 1, 3, 4, 5, 7}));
}

TEST_F(ChainTest, SaysWhichFileMovedAClass) {
  const std::string site =
      Write("site.yaml", "extends: nvidia-lossless\nname: site\nrdma_priority: 4\npfc: [4]\n");
  const FieldPlaces places = ReadProfile(site)->places;
  EXPECT_EQ(places.at("ets.classes[1].priorities").source, 0);
  EXPECT_EQ(places.at("ets.classes[1].priorities").line, 3);
  EXPECT_EQ(places.at("ets.classes[2].priorities").source, 1);
}

TEST_F(ChainTest, LeavesClassesOfTheFileAsTheyAre) {
  const std::string own =
      "extends: nvidia-lossless\nname: site\nrdma_priority: 4\npfc: [4]\n"
      "ets:\n  classes:\n    - {priorities: [4], percent: 50}\n    - {priorities: [0, 1, 2, 3, 5, 6, 7], "
      "percent: 50}\n";
  EXPECT_EQ(LoadProfile(Write("own.yaml", own))->ets_classes.size(), 2U);
  const std::string shared = Write("shared.yaml",
                                   "name: s\nrdma_priority: 3\nets:\n  rdma_percent: 50\n  classes:\n"
                                   "    - {priorities: [0, 1, 2, 5, 6, 7], percent: 50}\n"
                                   "    - {priorities: [3, 4], percent: 50}\n");
  EXPECT_EQ(Message(LoadProfile(shared).status()),
            shared +
                ":7: key `ets.classes[1].priorities`: rdma_priority 3 shares its class with 4: it needs one "
                "without them");
}

TEST_F(ChainTest, SaysWhatSetsAnInheritedContradictionRight) {
  const std::string pfc = Write("pfc.yaml", "extends: nvidia-lossless\nname: p\nrdma_priority: 4\n");
  EXPECT_THAT(Message(LoadProfile(pfc).status()),
              testing::AllOf(
                  testing::StartsWith(pfc + ":3: key `pfc`: rdma_priority 4 is not among them (`pfc` is from "),
                  HasSubstr("`pfc: [4]` here sets it right, or `without: [pfc]`")));
  const std::string two = Write("two.yaml", "extends: nvidia-lossless\nname: p\npfc: [3, 4]\n");
  EXPECT_THAT(
      Message(LoadProfile(two).status()),
      testing::AllOf(testing::StartsWith(two + ":3: key `ets.classes[0].priorities`: lossless priority 4 "
                                               "shares its class with 0, 1, 2, 5 and 7"),
                     HasSubstr("or `without: [ets.classes]`")));
  const std::string dscp = Write("dscp.yaml", "extends: nvidia-lossless\nname: p\ndscp: 24\n");
  EXPECT_THAT(Message(LoadProfile(dscp).status()),
              HasSubstr("`tos: 98` here sets it right, or `without: [tos]`"));
}

TEST_F(ChainTest, NamesTheWayOfACircle) {
  Write("b.yaml", "extends: c.yaml\nname: b\n");
  Write("c.yaml", "\nextends: below/../a.yaml\nname: c\n");
  const std::string a = Write("a.yaml", "extends: b.yaml\nname: a\n");
  EXPECT_EQ(Message(LoadProfile(a).status()), Path("c.yaml") + ":2: key `extends`: a circle: " + a + " -> " +
                                                  Path("b.yaml") + " -> " + Path("c.yaml") + " -> " +
                                                  Path("below/../a.yaml"));
  const std::string self = Write("self.yaml", "extends: self.yaml\nname: self\n");
  EXPECT_THAT(Message(LoadProfile(self).status()), HasSubstr("a circle: " + self + " -> " + self));
}

TEST_F(ChainTest, EndsAtItsBound) {
  for (std::size_t i = 1; i <= kMaxChain + 1; ++i) {
    const bool last = i == kMaxChain + 1;
    Write(std::to_string(i) + ".yaml",
          (last ? "" : "extends: " + std::to_string(i + 1) + ".yaml\n") + "name: n\n");
  }
  EXPECT_TRUE(LoadProfile(Path("2.yaml")).ok());
  EXPECT_THAT(Message(LoadProfile(Path("1.yaml")).status()),
              HasSubstr("8.yaml:1: key `extends`: more than 8 profiles in a row: "));
}

TEST_F(ChainTest, SaysWhichExtendedProfileIsMissing) {
  EXPECT_THAT(
      Message(LoadProfile(Write("a.yaml", "name: a\nextends: nvidia-losless\n")).status()),
      HasSubstr("a.yaml:2: key `extends`: no profile `nvidia-losless` (did you mean `nvidia-lossless`?)"));
  EXPECT_THAT(Message(LoadProfile(Write("b.yaml", "name: b\nextends: none.yaml\n")).status()),
              HasSubstr("b.yaml:2: key `extends`: read profile " + Path("none.yaml") + ": No such file"));
  EXPECT_THAT(Message(LoadProfile(Write("c.yaml", "name: c\nextends: below/\n")).status()),
              HasSubstr("not a regular file"));
  for (const char* value : {"[a]", "{a: b}", "", "~", "''"}) {
    const std::string text = std::string("name: d\nextends: ") + value + "\n";
    EXPECT_THAT(
        Message(LoadProfile(Write("d.yaml", text)).status()),
        HasSubstr("d.yaml:2: key `extends` wants the name of a built-in profile or the path of a file"));
  }
}

// An agent judges texts of callers: they must not make it open files.
TEST_F(ChainTest, OfATextThatIsNoFileHoldsBuiltInProfilesOnly) {
  const std::string base = Write("base.yaml", "name: base\n");
  EXPECT_THAT(Message(ParseProfile("name: x\nextends: " + base + "\n", "x.yaml").status()),
              HasSubstr("x.yaml:2: key `extends`: no profile `" + base + "`"));
  EXPECT_EQ(ParseProfile("name: x\nextends: nvidia-lossless\n", "x.yaml")->dscp, 26);
}

TEST_F(ChainTest, NamesTheFileOfEachFault) {
  Write("base.yaml", "name: base\ndscp: 64\nzebra: 1\n");
  const std::string site = Write("site.yaml", "extends: base.yaml\nname: site\npfc: 3\n");
  EXPECT_THAT(Lines(*ReadProfile(site)),
              ElementsAre(site + ":3: key `pfc` wants a list of numbers, like [3]",
                          Path("base.yaml") + ":2: key `dscp`: 64 is not in 0..63",
                          Path("base.yaml") + ":2: key `dscp`: a dscp without rdma_priority",
                          Path("base.yaml") + ":3: unknown key `zebra`"));
  for (const char* text : {"name: [", "- a\n", ""}) {
    Write("base.yaml", text);
    EXPECT_THAT(Lines(*ReadProfile(site)), testing::SizeIs(2)) << text;
  }
}

// Both say it, and together it is wrong: the reader can change only what is his.
TEST_F(ChainTest, NamesTheExtendingFileWhereTheTwoDisagree) {
  const std::string site = Write("site.yaml", "extends: nvidia-lossless\nname: site\ndscp: 24\n");
  const ProfileReading reading = *ReadProfile(site);
  ASSERT_EQ(reading.faults.size(), 1U);
  EXPECT_EQ(reading.faults[0].key, "tos");
  EXPECT_EQ(reading.faults[0].line, 3);
  EXPECT_THAT(reading.faults[0].Line(),
              testing::StartsWith(site + ":3: key `tos`: 106 carries DSCP 26, and dscp is 24 (`tos` is from "
                                         "nvidia-lossless.yaml:"));
}

TEST_F(ChainTest, RefusesWithoutWhatIsNotThere) {
  EXPECT_THAT(
      Lines(*ReadProfile(Write("a.yaml", "name: a\nwithout: [tos]\n"))),
      ElementsAre(HasSubstr("a.yaml:2: key `without` takes keys from what is extended, and nothing is")));
  EXPECT_THAT(
      Lines(*ReadProfile(Write(
          "b.yaml", "name: b\nextends: nvidia-lossless\nwithout:\n  - tos\n  - cnp.prioritie\n  - [x]\n"))),
      ElementsAre(HasSubstr("b.yaml:5: key `without`: what is extended does not say `cnp.prioritie` (did "
                            "you mean `cnp.priority`?)"),
                  HasSubstr("b.yaml:6: key `without` wants a list of keys")));
  EXPECT_THAT(Lines(*ReadProfile(Write("c.yaml", "name: c\nextends: nvidia-lossless\nwithout: tos\n"))),
              ElementsAre(HasSubstr("c.yaml:3: key `without` wants a list of keys")));
}

TEST(Faults, AreAllFoundInOneRun) {
  const ProfileReading reading = ReadProfileText(
      "name: x\n"                                 // 1
      "rdma_prioritie: 3\n"                       // 2: and not that pfc lacks rdma_priority
      "dscp: 64\n"                                // 3
      "tos: high\n"                               // 4: and not that it is another DSCP
      "pfc: [3]\n"                                // 5
      "mtu_bytes: 1500\n"                         // 6
      "roce_mtu_bytes: 4096\n"                    // 7
      "mtu_bytes: 9000\n"                         // 8
      "trust: dcsp\n"                             // 9
      "cnp: {dscp: 48, priority: 9, prio: 3}\n",  // 10
      "p.yaml");
  EXPECT_FALSE(reading.profile.has_value());
  EXPECT_THAT(Lines(reading),
              ElementsAre("p.yaml:2: unknown key `rdma_prioritie` (did you mean `rdma_priority`?)",
                          "p.yaml:3: key `dscp`: 64 is not in 0..63",
                          "p.yaml:4: key `tos` wants a plain decimal number, not `high`",
                          "p.yaml:7: key `roce_mtu_bytes`: does not fit into mtu_bytes 1500",
                          "p.yaml:8: key `mtu_bytes` is there twice, first in line 6",
                          "p.yaml:9: key `trust` wants one of any, dscp, pcp, not `dcsp`",
                          "p.yaml:10: unknown key `prio` in `cnp` (did you mean `priority`?)",
                          "p.yaml:10: key `cnp.priority`: 9 is not in 0..7"));
}

TEST(Faults, OfContradictionsNameTheirKeys) {
  const auto keys = [](std::string_view text) {
    std::vector<std::string> found;
    for (const YamlFault& fault :
         ReadProfileText("name: x\nrdma_priority: 3\n" + std::string(text), "p.yaml").faults)
      found.push_back(std::to_string(fault.line) + " " + fault.key);
    return found;
  };
  EXPECT_THAT(keys("pfc: [3]\nroles: [smb-server, nvme-host]\n"), ElementsAre("4 roles"));
  EXPECT_THAT(keys("pfc: [3]\nroles: [smb-server, nvme-host]\nshare_priority: true\n"), IsEmpty());
  EXPECT_THAT(keys("pfc: [3, 5]\nets:\n  rdma_percent: 40\n  classes:\n    - {priorities: [3], percent: 40}\n"
                   "    - {priorities: [0, 1, 2, 4, 6, 7], percent: 50}\n"),
              ElementsAre("3 pfc", "6 ets.classes"));
  EXPECT_THAT(keys("ets:\n  rdma_percent: 40\n  classes:\n    - {priorities: [3], percent: 50}\n"
                   "    - {priorities: [0, 1, 2, 4, 5, 6, 7], percent: 50, strict: true}\n    - 5\n"),
              ElementsAre("4 ets.rdma_percent", "7 ets.classes[1].percent", "8 ets.classes[2]"));
}

TEST(BuiltInProfiles, DifferFromWhatTheyExtendOnlyInWhatTheySay) {
  Profile lossless = *LoadProfile("nvidia-lossless");
  EXPECT_EQ(lossless.tos, 106);
  EXPECT_EQ(lossless.cnp, (Profile::Cnp{.dscp = 48, .priority = std::uint8_t{6}}));
  EXPECT_EQ(lossless.ets_classes.size(), 3U);
  const Profile lossy = *LoadProfile("nvidia-lossy");
  lossless.name = lossy.name;
  lossless.summary = lossy.summary;
  lossless.digest = lossy.digest;
  lossless.pfc = std::vector<std::uint8_t>{};
  EXPECT_EQ(lossy, lossless);
}

TEST(BuiltInProfiles, KeepTheVendorsApart) {
  const Profile broadcom = *LoadProfile("broadcom-thor");
  EXPECT_EQ(broadcom.cnp, (Profile::Cnp{.dscp = 48, .priority = std::uint8_t{7}}));
  EXPECT_FALSE(broadcom.tos.has_value() || broadcom.ets_rdma_percent.has_value());
  EXPECT_EQ(broadcom.ecn, Profile::Ecn{});
  const Profile intel = *LoadProfile("intel-e810");
  EXPECT_EQ(intel.pfc, (std::vector<std::uint8_t>{3}));
  EXPECT_TRUE(intel.ets_rdma_percent == 50 && intel.ets_classes.empty());
  EXPECT_FALSE(intel.cnp.has_value() || intel.ecn.has_value());
  const Profile ai = *LoadProfile("ai-backend");
  EXPECT_FALSE(ai.pfc.has_value());
  EXPECT_EQ(ai.ets_rdma_percent, 90);
  EXPECT_EQ(ai.cnp, Profile::Cnp{.dscp = 48});
  const Profile nvme = *LoadProfile("nvme-roce");
  EXPECT_TRUE(nvme.tos == 106 && nvme.ets_rdma_percent == 50 && !nvme.cnp);
  const Profile infiniband = *LoadProfile("infiniband");
  EXPECT_EQ(infiniband.transport, Profile::Transport::kInfiniBand);
  EXPECT_FALSE(infiniband.mtu_bytes.has_value() || infiniband.rdma_priority.has_value());
}

TEST(InheritedAdvice, NamesEachValueOfTheFileThatStaysAdviceOfItsBase) {
  const ProfileReading reading =
      ReadProfileText("extends: nvidia-lossless\nname: own\nmtu_bytes: 9000\ndcbx: static\n", "own.yaml");
  ASSERT_TRUE(reading.profile);
  const std::vector<InheritedAdvice> own = AdviceOnOwnValues(reading);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own.front().key, "dcbx");
  EXPECT_EQ(own.back().key, "mtu_bytes");
  EXPECT_EQ(own.back().line, 3);
  EXPECT_EQ(own.back().base, "nvidia-lossless.yaml");
  EXPECT_THAT(own.back().left, ElementsAre("ets", "dcbx", "roce-mtu-bytes", "min-memlock-bytes"));
}

TEST(InheritedAdvice, SaysNothingOfAProfileThatNamesItsOwnAdviceOrRepeatsNothing) {
  EXPECT_THAT(AdviceOnOwnValues(ReadProfileText(
                  "extends: nvidia-lossless\nname: own\nmtu_bytes: 9000\nadvice: [mtu-bytes]\n", "own.yaml")),
              IsEmpty());
  EXPECT_THAT(
      AdviceOnOwnValues(ReadProfileText("extends: nvidia-lossless\nname: own\nmin_ports: 2\n", "own.yaml")),
      IsEmpty());
  EXPECT_THAT(AdviceOnOwnValues(ReadProfileText(BuiltInProfileText("nvidia-lossless"), "x.yaml")), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
