// SPDX-License-Identifier: Apache-2.0
#include "api/profile/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "api/base/status.h"
#include "api/profile/profile_proto.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A directory of its own with a space in its name, gone at the end.
class LoadTest : public testing::Test {
 protected:
  LoadTest() : directory_(fs::temp_directory_path() / ("rdmaready profile " + std::to_string(::getpid()))) {
    fs::create_directories(directory_);
  }
  ~LoadTest() override { fs::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    const fs::path path = directory_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  fs::path directory_;
};

TEST(BuiltInProfiles, AreTheFilesOfThePackage) {
  std::set<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(test::SourceTree() + "/packaging/profiles")) {
    if (entry.path().extension() != ".yaml") continue;
    files.insert(entry.path().stem().string());
    EXPECT_EQ(Slurp(entry.path()), BuiltInProfileText(entry.path().stem().string()));
  }
  const std::vector<std::string> names = BuiltInProfileNames();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), files);
  EXPECT_THAT(names, Contains("virtual-fabric"));
  EXPECT_THAT(names, Contains(std::string(kDefaultProfileName)));
  EXPECT_EQ(BuiltInProfileText("none"), "");
}

TEST(BuiltInProfiles, AllLoadUnderTheirOwnNames) {
  for (const std::string& name : BuiltInProfileNames()) {
    const absl::StatusOr<Profile> profile = LoadProfile(name);
    ASSERT_TRUE(profile.ok()) << Message(profile.status());
    EXPECT_EQ(profile->name, name);
    EXPECT_FALSE(profile->summary.empty());
    EXPECT_EQ(profile->digest.size(), 64U);
  }
}

TEST(BuiltInProfiles, VirtualFabricIsWhatTheFabricIsSetTo) {
  const absl::StatusOr<Profile> loaded = LoadProfile("virtual-fabric");
  ASSERT_TRUE(loaded.ok());
  Profile expected;
  expected.name = "virtual-fabric";
  expected.summary = loaded->summary;
  expected.digest = loaded->digest;
  expected.transport = Profile::Transport::kRoceV2;
  expected.rdma_priority = 3;
  expected.trust = Profile::Trust::kDscp;
  expected.dscp = 26;
  expected.tos = 106;
  expected.pfc = std::vector<std::uint8_t>{3};
  expected.ets_rdma_percent = 50;
  expected.dcbx = Profile::Dcbx::kStatic;
  expected.mtu_bytes = 9000;
  expected.roce_mtu_bytes = 4096;
  expected.min_speed_mbps = 25'000;
  expected.min_memlock_bytes = 64ULL << 20;
  EXPECT_EQ(*loaded, expected);
}

TEST(BuiltInProfiles, SmbDirectClassifiesByPcpAndAsksForNoDscp) {
  const absl::StatusOr<Profile> profile = LoadProfile("smb-direct-roce");
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->trust, Profile::Trust::kPcp);
  EXPECT_FALSE(profile->dscp.has_value());
  EXPECT_FALSE(profile->tos.has_value());
  EXPECT_EQ(profile->pfc, (std::vector<std::uint8_t>{3}));
  EXPECT_EQ(profile->min_speed_mbps, 10'000U);
}

TEST(BuiltInProfiles, SmbDirectKeepsTheHeartbeatApartAndWantsATag) {
  const absl::StatusOr<Profile> profile = LoadProfile("smb-direct-roce");
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->vlan, Profile::Vlan::kTagged);
  EXPECT_FALSE(profile->vlan_ids.has_value());
  EXPECT_EQ(
      profile->heartbeat,
      (Profile::Heartbeat{.priority = 7, .percent = std::uint8_t{1}, .percent_up_to_10g = std::uint8_t{2}}));
  EXPECT_EQ(profile->ets_rdma_percent, 50);
  EXPECT_EQ(profile->dcbx, Profile::Dcbx::kStatic);
}

TEST(BuiltInProfiles, OfIwarpAskForNothingThatTcpDoesWithout) {
  for (const char* name : {"smb-direct-iwarp", "virtual-fabric-iwarp"}) {
    const absl::StatusOr<Profile> profile = LoadProfile(name);
    ASSERT_TRUE(profile.ok()) << name;
    EXPECT_EQ(profile->transport, Profile::Transport::kIwarp);
    EXPECT_FALSE(profile->pfc.has_value() || profile->ets_rdma_percent.has_value());
    EXPECT_FALSE(profile->roce_mtu_bytes.has_value() || profile->dscp.has_value() || profile->tos.has_value());
    EXPECT_EQ(profile->trust, Profile::Trust::kAny);
    EXPECT_EQ(profile->vlan, Profile::Vlan::kAny);
    EXPECT_EQ(profile->mtu_bytes, 9000U);
  }
}

// One digest of a profile, wherever it is shown: that by which root's apply.yaml permits it.
TEST(ParseProfile, HasTheDigestOfItsContent) {
  const absl::StatusOr<Profile> profile = ParseProfile("name: x\n", "x.yaml");
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  EXPECT_EQ(profile->digest, *ProfileContentDigest(*profile));
  EXPECT_EQ(ParseProfile("# a comment\nname: x \n", "y.yaml")->digest, profile->digest);
  EXPECT_NE(ParseProfile("name: x\nmtu_bytes: 9000\n", "x.yaml")->digest, profile->digest);
  for (const std::string& name : BuiltInProfileNames())
    EXPECT_EQ(LoadProfile(name)->digest, *ProfileContentDigest(*LoadProfile(name))) << name;
}

TEST_F(LoadTest, ReadsAFileOfOnesOwn) {
  const std::string path = Write("my profile.yaml", "name: mine\nrdma_priority: 4\npfc: []\n");
  const absl::StatusOr<Profile> profile = LoadProfile(path);
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  EXPECT_EQ(profile->name, "mine");
  EXPECT_EQ(profile->rdma_priority, 4);
  ASSERT_TRUE(profile->pfc.has_value());
  EXPECT_TRUE(profile->pfc->empty());
}

TEST_F(LoadTest, NamesTheFileAndTheLineOfAnError) {
  const std::string path = Write("bad.yaml", "name: x\n\nrdma_priority: 9\n");
  EXPECT_EQ(Message(LoadProfile(path).status()), path + ":3: key `rdma_priority`: 9 is not in 0..7");
}

TEST_F(LoadTest, RefusesWhatIsNoRegularFile) {
  const std::string fifo = (directory_ / "fifo.yaml").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(Message(LoadProfile(fifo).status()), HasSubstr("not a regular file"));
  EXPECT_THAT(Message(LoadProfile(directory_.string()).status()), HasSubstr("not a regular file"));
  EXPECT_THAT(Message(LoadProfile("/dev/zero").status()), HasSubstr("not a regular file"));
}

TEST_F(LoadTest, ReadsNoMoreThanItMust) {
  const std::string path = Write("huge.yaml", "");
  fs::resize_file(path, 100ULL << 20);  // sparse
  EXPECT_THAT(Message(LoadProfile(path).status()), HasSubstr("larger than 256 KiB"));
}

TEST_F(LoadTest, KnowsAMissingFileFromAnUnknownName) {
  const absl::Status file = LoadProfile((directory_ / "none.yaml").string()).status();
  EXPECT_EQ(file.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(file), HasSubstr("No such file"));
  const absl::Status name = LoadProfile("virtual-fabrik").status();
  EXPECT_EQ(name.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(name), HasSubstr("did you mean `virtual-fabric`?"));
  EXPECT_THAT(Message(LoadProfile("").status()), HasSubstr("built in are"));
}

}  // namespace
}  // namespace rdmaready
