// SPDX-License-Identifier: Apache-2.0
#include "hub/access/fleet_roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "api/base/status.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using Kind = SubjectName::Kind;

constexpr char kRoles[] = R"(roles:
  - who: ["URI:rdmaready:operator/alice"]
    may: admit
  - who: ["DNS:grafana.Example.org", "URI:rdmaready:operator/bob"]
    groups: [storage]
  - who: ["URI:rdmaready:operator/b*"]
    may: operate
    groups: ["gpu-*"]
)";

const SubjectName kAlice{Kind::kUri, "rdmaready:operator/alice"};
const SubjectName kBob{Kind::kUri, "rdmaready:operator/bob"};

std::optional<std::vector<std::string>> Groups(const SubjectName& name, FleetAsk ask) {
  const auto roles = FleetRoles::Parse(kRoles, "roles.yaml");
  EXPECT_TRUE(roles.ok()) << roles.status();
  return (*roles)->GroupsOf(std::span(&name, 1), ask);
}

std::string FaultOfRoles(const std::string& yaml) {
  const auto roles = FleetRoles::Parse(yaml, "roles.yaml");
  return roles.ok() ? "none" : Message(roles.status());
}

TEST(FleetRoles, WhoMayDoMoreMayDoLess) {
  for (const FleetAsk ask : {FleetAsk::kObserve, FleetAsk::kOperate, FleetAsk::kAdmit})
    EXPECT_THAT(Groups(kAlice, ask), Optional(ElementsAre("*")));
}

TEST(FleetRoles, ARoleIsOfItsGroups) {
  EXPECT_THAT(Groups(kBob, FleetAsk::kObserve), Optional(ElementsAre("storage", "gpu-*")));
  EXPECT_THAT(Groups(kBob, FleetAsk::kOperate), Optional(ElementsAre("gpu-*")));
  EXPECT_EQ(Groups(kBob, FleetAsk::kAdmit), std::nullopt);
}

TEST(FleetRoles, WhoIsNotNamedMayNothing) {
  EXPECT_EQ(Groups({Kind::kDns, "rdmaready:operator/alice"}, FleetAsk::kObserve), std::nullopt);
  EXPECT_EQ(Groups({Kind::kDns, "x.grafana.example.org"}, FleetAsk::kObserve), std::nullopt);
  EXPECT_THAT(Groups({Kind::kDns, "grafana.example.org"}, FleetAsk::kObserve),
              Optional(ElementsAre("storage")));
}

TEST(FleetRoles, AllGroupsAreNoneOrAStar) {
  EXPECT_TRUE(AreAllGroups({}));
  EXPECT_TRUE(AreAllGroups({"storage", "*"}));
  EXPECT_FALSE(AreAllGroups({"storage", "gpu-*"}));
}

TEST(FleetRoles, EachFaultHasItsLine) {
  EXPECT_EQ(FaultOfRoles("roles:\n  - may: operate\n"), "roles.yaml:2: role 1: `who` names nobody");
  EXPECT_EQ(FaultOfRoles("roles:\n  - who: ['DNS:a']\n  - may: operate\n    who: ['alice']\n"),
            "roles.yaml:3: role 2: a pattern begins with DNS: or URI:");
  EXPECT_THAT(FaultOfRoles("roles:\n  - who: ['DNS:a']\n    may: opperate\n"), HasSubstr("roles.yaml:3"));
  EXPECT_THAT(FaultOfRoles("observe: ['DNS:a']\n"), HasSubstr("unknown key `observe`"));
}

TEST(FleetRoles, AFileThatOthersMayWriteIsRefused) {
  const std::string path = testing::TempDir() + "fleet roles.yaml";
  std::ofstream(path) << kRoles;
  ::chmod(path.c_str(), 0644);
  EXPECT_TRUE(FleetRoles::Load(path).ok());
  ::chmod(path.c_str(), 0664);
  EXPECT_TRUE(absl::IsFailedPrecondition(FleetRoles::Load(path).status()));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace rdmaready::hub
