// SPDX-License-Identifier: Apache-2.0
#include "api/profile/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSite[] = R"(groups:
  - hosts: ["gpu[01-16]", trainer*]
    profiles:
      - profile: ai-backend
        ports: [{netdev: rail*}]
      - profile: smb-direct-roce
        ports: [{subnet: 10.1.0.0/16}, {vlan: 711}]
        expected: false
  - hosts: ["*"]
    profiles:
      - profile: smb-direct-roce
)";

class SiteTest : public testing::Test {
 protected:
  SiteTest() : directory_(fs::temp_directory_path() / ("rdmaready site " + std::to_string(::getpid()))) {
    fs::create_directories(directory_);
  }
  ~SiteTest() override { fs::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    const fs::path path = directory_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  static std::vector<std::string> FaultsOf(const std::string& yaml) {
    std::vector<std::string> lines;
    for (const YamlFault& fault : ReadSite(yaml, "s.yaml").faults) lines.push_back(fault.Line());
    return lines;
  }

  fs::path directory_;
};

TEST_F(SiteTest, SaysWhichProfilesAHostFollowsOnWhichPorts) {
  const std::vector<std::string> names{Write("site.yaml", kSite)};
  const absl::StatusOr<Site> site = LoadSite(names);
  ASSERT_TRUE(site.ok()) << site.status();
  const auto gpu = site->ProfilesOf("gpu07.example.org");
  ASSERT_TRUE(gpu.ok() && gpu->size() == 2) << gpu.status();
  EXPECT_EQ((*gpu)[0].name, "ai-backend");
  EXPECT_THAT((*gpu)[0].ports, ElementsAre(Profile::PortSelector{.netdev = "rail*"}));
  EXPECT_TRUE((*gpu)[0].ports_expected);
  EXPECT_EQ((*gpu)[1].ports.size(), 2U);
  EXPECT_EQ((*gpu)[1].ports[1].vlan, 711);
  EXPECT_FALSE((*gpu)[1].ports_expected);
  const auto other = site->ProfilesOf("fs1");
  ASSERT_TRUE(other.ok() && other->size() == 1);
  EXPECT_TRUE((*other)[0].ports.empty());
  EXPECT_FALSE((*other)[0].ports_expected);
  EXPECT_NE((*other)[0].digest, (*gpu)[1].digest) << "other ports are another demand";
}

TEST_F(SiteTest, TakesProfilesThatAPersonNamesForEveryHost) {
  const std::vector<std::string> names{"ai-backend",
                                       Write("mine.yaml", "name: mine\nextends: smb-direct-roce\n")};
  const absl::StatusOr<Site> site = LoadSite(names);
  ASSERT_TRUE(site.ok()) << site.status();
  const auto any = site->ProfilesOf("whatever");
  ASSERT_TRUE(any.ok() && any->size() == 2);
  EXPECT_EQ((*any)[1].name, "mine");
}

TEST_F(SiteTest, SeesProfilesFromItsOwnFolder) {
  Write("mine.yaml", "name: mine\nextends: smb-direct-roce\n");
  const std::vector<std::string> names{
      Write("site.yaml", "groups:\n  - hosts: [a]\n    profiles: [{profile: ./mine.yaml}]\n")};
  const absl::StatusOr<Site> site = LoadSite(names);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->ProfilesOf("a")->front().name, "mine");
  const absl::Status other = site->ProfilesOf("b").status();
  EXPECT_TRUE(absl::IsInvalidArgument(other));
  EXPECT_THAT(std::string(other.message()), HasSubstr("names no group for host b"));
}

TEST_F(SiteTest, NamesEveryFaultWithItsLine) {
  EXPECT_THAT(
      FaultsOf(R"(groups:
  - hosts: []
    profiles:
      - profile: ai-backend
        port: [{netdev: a}]
      - profile: ai-backend
        ports: [{subnet: 10.1.0.0}]
      - profile: smb-direct-roc
      - ports: [{netdev: b}]
      - profile: smb-direct-roce
        expected: true
)"),
      ElementsAre(HasSubstr("s.yaml:2: key `groups[0]`: a group names its hosts"),
                  HasSubstr("s.yaml:5: unknown key `port` in `groups[0].profiles[0]`"),
                  HasSubstr("s.yaml:7: key `groups[0].profiles[1].ports[0].subnet`: a subnet is"),
                  HasSubstr("s.yaml:8: key `groups[0].profiles[2].profile`: no profile `smb-direct-roc`"),
                  HasSubstr("s.yaml:9: key `groups[0].profiles[3]`: an entry names its profile"),
                  HasSubstr("s.yaml:11: key `groups[0].profiles[4].expected`: says nothing without")));
  EXPECT_THAT(FaultsOf("groups: []\n"), ElementsAre(HasSubstr("at least one group")));
  EXPECT_THAT(FaultsOf("groups: [\n").size(), 1U);
}

TEST_F(SiteTest, SaysHowManyMoreFaultsThereAre) {
  const std::vector<std::string> names{Write("site.yaml", "groups: [{hosts: [], profiles: []}]\n")};
  const absl::Status status = LoadSite(names).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("and 1 more fault: `rdmaready profile check"));
}

TEST_F(SiteTest, DividesAProfileAmongRails) {
  const std::vector<Rail> rails{{"a", {{.subnet = "10.1.0.0/16"}}}, {"b", {{.netdev = "rail-b*"}}}};
  const std::vector<std::string> names{Write("mine.yaml", "extends: ai-backend\nname: mine\nmin_ports: 2\n")};
  const absl::StatusOr<Site> whole = LoadSite(names);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const absl::StatusOr<Site> site = OnRails(*whole, rails);
  ASSERT_TRUE(site.ok()) << site.status();
  const auto profiles = site->ProfilesOf("any");
  ASSERT_TRUE(profiles.ok() && profiles->size() == 2);
  EXPECT_EQ((*profiles)[0].name, "mine.a");
  EXPECT_EQ((*profiles)[1].name, "mine.b");
  EXPECT_EQ((*profiles)[1].ports, rails[1].ports);
  EXPECT_TRUE((*profiles)[1].ports_expected) << "every host has to have the rail";
  EXPECT_FALSE((*profiles)[1].min_ports.has_value());
  EXPECT_NE((*profiles)[0].digest, (*profiles)[1].digest);
  EXPECT_EQ((*profiles)[0].pfc, whole->groups[0].profiles[0].pfc);
}

TEST_F(SiteTest, DividesNothingElseAmongRails) {
  const std::vector<Rail> rails{{"a", {{.netdev = "x"}}}};
  const std::vector<std::string> two{"ai-backend", "infiniband"};
  const std::vector<std::string> of_ports{
      Write("p.yaml", "extends: ai-backend\nname: p\nports: [{netdev: y}]\n")};
  const std::vector<std::string> site{Write("site.yaml", kSite)};
  for (const auto& names : {two, of_ports, site}) {
    const absl::StatusOr<Site> whole = LoadSite(names);
    ASSERT_TRUE(whole.ok()) << whole.status();
    EXPECT_THAT(OnRails(*whole, rails).status().message(), HasSubstr("rails divide the ports of one profile"));
  }
  const std::vector<std::string> one{"ai-backend"};
  EXPECT_THAT(OnRails(*LoadSite(one), std::vector<Rail>{{"a", {}}, {std::string(64, 'x'), {{.netdev = "x"}}}})
                  .status()
                  .message(),
              HasSubstr("rail a: "));
}

TEST_F(SiteTest, SeesFilesBesideAnotherOne) {
  EXPECT_EQ(ProfileBeside("a b/f.yaml", "site.yaml"), "a b/site.yaml");
  EXPECT_EQ(ProfileBeside("f.yaml", "../x/p.yml"), "../x/p.yml");
  EXPECT_EQ(ProfileBeside("a/f.yaml", "/etc/p.yaml"), "/etc/p.yaml");
  EXPECT_EQ(ProfileBeside("a/f.yaml", "ai-backend"), "ai-backend");
}

}  // namespace
}  // namespace rdmaready
