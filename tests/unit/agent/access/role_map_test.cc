// SPDX-License-Identifier: Apache-2.0
#include "agent/access/role_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "agent/access/role.h"
#include "api/base/status.h"
#include "tests/support/made_certificate.h"

namespace rdmaready::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = SubjectName::Kind;

constexpr char kMap[] = R"(# who may do what
observe: ["URI:spiffe://example.org/monitoring/*", "DNS:*.example.org"]
test: "DNS:admin[1-4].example.org"
prove: ["URI:spiffe://example.org/storage/*"]
agent: ["DNS:*.Storage.Example.org"]
apply:
)";

RoleMap Parsed(const std::string& yaml) {
  absl::StatusOr<RoleMap> map = ParseRoleMap(yaml, "roles.yaml");
  EXPECT_TRUE(map.ok()) << map.status();
  return map.ok() ? *std::move(map) : RoleMap();
}

std::string FaultOf(const std::string& yaml) {
  const absl::StatusOr<RoleMap> map = ParseRoleMap(yaml, "roles.yaml");
  EXPECT_TRUE(absl::IsInvalidArgument(map.status()));
  return map.ok() ? "" : Message(map.status());
}

RoleSet RolesOf(const RoleMap& map, const std::string& names) {
  return map.RolesOf(SubjectNames(MadeCertificate("somebody", names)));
}

RoleSet Set(std::initializer_list<Role> roles) {
  RoleSet set;
  for (const Role role : roles) set.Add(role);
  return set;
}

TEST(Role, WhoMayProveMayTestAndObserveButNobodyElseMayMore) {
  EXPECT_TRUE(RoleSet(Role::kProve).Has(Role::kTest) && RoleSet(Role::kProve).Has(Role::kObserve));
  EXPECT_TRUE(RoleSet(Role::kTest).Has(Role::kObserve) && RoleSet(Role::kApply).Has(Role::kObserve));
  EXPECT_FALSE(RoleSet(Role::kTest).Has(Role::kProve) || RoleSet(Role::kObserve).Has(Role::kTest));
  EXPECT_TRUE(RoleSet(Role::kApply).Has(Role::kTest) && RoleSet(Role::kApply).Has(Role::kProve));
  EXPECT_FALSE(RoleSet(Role::kProve).Has(Role::kApply) || RoleSet(Role::kAgent).Has(Role::kApply));
  EXPECT_FALSE(RoleSet(Role::kAgent).Has(Role::kObserve) || RoleSet(Role::kProve).Has(Role::kAgent));
  EXPECT_FALSE(RoleSet().Has(Role::kNone) || RoleSet(Role::kProve).Has(Role::kNone));
}

TEST(Role, NamesReadBack) {
  for (const Role role : kRoles) EXPECT_EQ(RoleOfName(RoleName(role)), role);
  EXPECT_EQ(RoleOfName("root"), Role::kNone);
  EXPECT_EQ(RoleOfName("none"), Role::kNone);
  EXPECT_EQ(HighestRole(Set({Role::kProve, Role::kAgent})), Role::kProve);
  EXPECT_EQ(HighestRole({}), Role::kNone);
}

TEST(RoleMap, ANameHasTheRolesOfThePatternsThatItFits) {
  const RoleMap map = Parsed(kMap);
  EXPECT_EQ(RolesOf(map, "DNS:admin3.example.org"), Set({Role::kTest}));
  EXPECT_EQ(RolesOf(map, "DNS:admin7.example.org"), Set({Role::kObserve}));
  EXPECT_EQ(RolesOf(map, "URI:spiffe://example.org/storage/anna"), Set({Role::kProve}));
  EXPECT_EQ(RolesOf(map, "URI:spiffe://example.org/monitoring/1"), Set({Role::kObserve}));
  EXPECT_EQ(RolesOf(map, "DNS:example.org"), RoleSet());
  EXPECT_EQ(RolesOf(map, ""), RoleSet());
}

TEST(RoleMap, SeveralNamesHaveTheRolesOfAll) {
  EXPECT_EQ(RolesOf(Parsed(kMap), "DNS:n1.storage.example.org,URI:spiffe://example.org/storage/anna"),
            Set({Role::kAgent, Role::kProve}));
}

TEST(RoleMap, DnsHasNoCaseAndUrisHave) {
  EXPECT_TRUE(RolesOf(Parsed(kMap), "DNS:N1.STORAGE.example.ORG").Has(Role::kAgent));
  EXPECT_TRUE(RolesOf(Parsed(kMap), "URI:spiffe://example.org/STORAGE/anna").empty());
}

TEST(RoleMap, AUriIsNoDnsNameAndAnAddressIsNeither) {
  const RoleMap map = Parsed("prove: ['DNS:*']\n");
  EXPECT_TRUE(RolesOf(map, "URI:spiffe://example.org/storage/anna,IP:10.0.0.1,email:a@example.org").empty());
  EXPECT_TRUE(RolesOf(map, "DNS:x").Has(Role::kProve));
}

TEST(RoleMap, APatternStandsForTheWholeName) {
  const RoleMap map = Parsed("prove: ['DNS:a.example']\n");
  EXPECT_TRUE(RolesOf(map, "DNS:a.example.attacker.org").empty());
  EXPECT_TRUE(RolesOf(map, "DNS:aa.example").empty());
  EXPECT_TRUE(RolesOf(map, "DNS:a.example").Has(Role::kProve));
}

TEST(RoleMap, TheCommonNameCountsForNothing) {
  const RoleMap map = Parsed("prove: ['DNS:*']\n");
  EXPECT_TRUE(map.RolesOf(SubjectNames(MadeCertificate("admin1.example.org", ""))).empty());
}

TEST(RoleMap, NothingIsWhatAnEmptyFileGives) {
  EXPECT_THAT(Parsed("").rows(), IsEmpty());
  EXPECT_TRUE(RolesOf(Parsed("# nobody\n"), "DNS:a").empty());
}

TEST(RoleMap, FaultsHaveFileLineAndAWayOut) {
  EXPECT_EQ(FaultOf("observe: []\ntset: ['DNS:a']\n"),
            "roles.yaml:2: unknown role `tset` (did you mean `test`?)");
  EXPECT_EQ(FaultOf("root: ['DNS:a']\n"),
            "roles.yaml:1: unknown role `root` (roles are observe, test, prove, apply, agent, stress)");
  EXPECT_EQ(FaultOf("none: ['DNS:*']\n"),
            "roles.yaml:1: unknown role `none` (roles are observe, test, prove, apply, agent, stress)");
  EXPECT_EQ(FaultOf("test: [a.example.org]\n"),
            "roles.yaml:1: role `test`: a pattern begins with DNS: or URI:");
  EXPECT_EQ(FaultOf("test: [['DNS:a']]\n"), "roles.yaml:1: role `test`: a pattern begins with DNS: or URI:");
  EXPECT_EQ(FaultOf("test: {DNS: a}\n"), "roles.yaml:1: role `test`: a list of patterns is expected");
  EXPECT_EQ(FaultOf("- test\n"), "roles.yaml:1: a role map is `role: [patterns]`, a line for each role");
  EXPECT_THAT(FaultOf("test: ['DNS:']\n"), HasSubstr("a pattern is 1 to 256 printable characters"));
  EXPECT_THAT(FaultOf("test: ['DNS:a b']\n"), HasSubstr("without spaces"));
  EXPECT_THAT(FaultOf("test: ['DNS:a']\ntest: ['DNS:b']\n"), HasSubstr("roles.yaml:2"));
  std::string many = "test:\n";
  for (std::size_t i = 0; i <= kMaxPatterns; ++i) many += "  - DNS:a\n";
  EXPECT_THAT(FaultOf(many), HasSubstr("more than 256 patterns"));
}

TEST(RoleMap, NamesOfACertificateAreItsDnsNamesAndUrisInOrder) {
  EXPECT_THAT(SubjectNames(MadeCertificate("x", "URI:spiffe://a/B,DNS:C.example,IP:10.0.0.1")),
              ElementsAre(SubjectName{Kind::kUri, "spiffe://a/B"}, SubjectName{Kind::kDns, "c.example"}));
  EXPECT_EQ(NameText({Kind::kUri, "spiffe://a/B"}), "URI:spiffe://a/B");
  EXPECT_THAT(SubjectNames("no certificate"), IsEmpty());
}

TEST(RoleMap, NamesThatNobodyCouldMeanAreLeftOut) {
  EXPECT_THAT(SubjectNames(MadeCertificate("x", "DNS:a b,DNS:ok,URI:" + std::string(kMaxNameBytes + 1, 'u'))),
              ElementsAre(SubjectName{Kind::kDns, "ok"}));
  std::string many = "DNS:first";
  for (int i = 0; i < 100; ++i) many += ",DNS:more";
  EXPECT_EQ(SubjectNames(MadeCertificate("x", many)).size(), kMaxNames);
}

TEST(RoleMap, TheWorstPatternsAndNamesAreComparedInTime) {
  std::string pattern;
  while (pattern.size() + 3 <= kMaxPatternBytes) pattern += "?*";
  std::string yaml = "prove:\n";
  for (std::size_t i = 0; i < kMaxPatterns; ++i) yaml += "  - \"URI:" + pattern + "x\"\n";
  const RoleMap map = Parsed(yaml);
  const std::vector<SubjectName> names(kMaxNames, {Kind::kUri, std::string(kMaxNameBytes, 'y')});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(map.RolesOf(names).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

class RoleMapFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/roles-" + std::to_string(::getpid()) + ".yaml";
    std::ofstream(path_) << "test: ['DNS:a']\n";
    ::chmod(path_.c_str(), 0644);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_;
};

TEST_F(RoleMapFile, OfItsOwnerAloneIsRead) {
  const absl::StatusOr<RoleMap> map = LoadRoleMap(path_);
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(map->rows().size(), 1U);
}

TEST_F(RoleMapFile, ThatOthersMayWriteIsRefused) {
  for (const ::mode_t mode : {0664U, 0646U}) {
    ::chmod(path_.c_str(), mode);
    const absl::StatusOr<RoleMap> map = LoadRoleMap(path_);
    EXPECT_TRUE(absl::IsFailedPrecondition(map.status()));
    EXPECT_THAT(Message(map.status()), HasSubstr("chmod go-w"));
  }
}

TEST_F(RoleMapFile, OfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(::chown(path_.c_str(), 12345, 0), 0);
  EXPECT_THAT(Message(LoadRoleMap(path_).status()), HasSubstr("the file is of user 12345 with mode 0644"));
}

TEST_F(RoleMapFile, ThatIsNotThereIsAnError) {
  EXPECT_THAT(Message(LoadRoleMap(path_ + ".no").status()), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace rdmaready::access
