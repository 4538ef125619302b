// SPDX-License-Identifier: Apache-2.0
#include "checks/storage/roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/fix.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Role = Profile::Role;

Profile Naming(std::vector<Role> roles) {
  Profile profile = VirtualFabricProfile();
  profile.roles = std::move(roles);
  return profile;
}

bool Has(const Facts& host, Role role, const Profile& profile = VirtualFabricProfile()) {
  const RoleAnswer answer = RoleOf(host, profile, role);
  return answer.not_applicable.empty() && !answer.unknown;
}

Readiness ReadinessUnder(const Facts& host, const Profile& profile) {
  return ReadinessOf(MakeLadder(JudgeHost(host, profile), {}, Rung::kHost), Rung::kHost);
}

TEST(Role, IsWhatTheProfileNamesAndNothingElse) {
  EXPECT_TRUE(Has(GoodHost(), Role::kSmbServer, Naming({Role::kSmbServer})));
  EXPECT_FALSE(Has(GoodHost(), Role::kSmbClient, Naming({Role::kSmbServer})));
  EXPECT_FALSE(Has(SmbServer(), Role::kSmbServer, Naming({Role::kNvmeHost})));
}

TEST(Role, IsWhatTheHostShowsWhereTheProfileIsSilent) {
  EXPECT_FALSE(Has(GoodHost(), Role::kSmbServer));
  EXPECT_TRUE(Has(GoodHost(), Role::kSmbClient));
  EXPECT_TRUE(Has(SmbServer(), Role::kSmbServer));
  EXPECT_FALSE(Has(GoodHost(), Role::kNvmeTarget));
  EXPECT_TRUE(Has(Loaded(GoodHost(), "nvmet_rdma"), Role::kNvmeTarget));
  EXPECT_FALSE(Has(Loaded(GoodHost(), "nfsd"), Role::kNfsServer));
  EXPECT_TRUE(Has(Loaded(Loaded(GoodHost(), "nfsd"), "rpcrdma"), Role::kNfsServer));
  EXPECT_FALSE(Has(GoodHost(), Role::kNvmeHost));
  EXPECT_TRUE(Has(Loaded(GoodHost(), "nvme_rdma"), Role::kNvmeHost));
  EXPECT_TRUE(Has(Loaded(GoodHost(), "ib_iser"), Role::kIserInitiator));
  const auto without = [](std::string_view name) {
    return WithModule(GoodHost(), name, [](KernelModule& module) { module.state = ModuleState::kAbsent; });
  };
  EXPECT_FALSE(Has(without("ib_iser"), Role::kIserInitiator));
  EXPECT_TRUE(Has(without("ib_iser"), Role::kIserInitiator, Naming({Role::kIserInitiator})));
  EXPECT_FALSE(Has(without("rpcrdma"), Role::kNfsClient));
  EXPECT_FALSE(Has(without("nvme_rdma"), Role::kNvmeHost));
  EXPECT_FALSE(Has(without("cifs"), Role::kSmbClient));
}

TEST(Role, CountsAModuleOnDiskUnderTheProfileOfItsProtocol) {
  Profile profile = VirtualFabricProfile();
  profile.name = "nvme-roce";
  EXPECT_TRUE(Has(GoodHost(), Role::kNvmeHost, profile));
  EXPECT_FALSE(Has(GoodHost(), Role::kIserInitiator, profile));
  const auto on_disk = [](KernelModule& module) { module.state = ModuleState::kInstalled; };
  const Facts host = WithModule(GoodHost(), "cifs", on_disk);
  EXPECT_FALSE(Has(host, Role::kSmbClient, profile));
  profile.name = "smb-direct-iwarp";
  EXPECT_TRUE(Has(host, Role::kSmbClient, profile));
}

TEST(Role, OfAServerThatIsConfiguredAndNotLoadedIsAServers) {
  Facts host = GoodHost();
  host.ksmbd = KsmbdConfig{.path = "/etc/ksmbd/ksmbd.conf"};
  EXPECT_TRUE(Has(host, Role::kSmbServer));
}

TEST(Role, IsUnknownWhereTheSignsAre) {
  Facts host = GoodHost();
  host.ksmbd = Denied();
  EXPECT_TRUE(RoleOf(host, VirtualFabricProfile(), Role::kSmbServer).unknown);
  EXPECT_TRUE(Has(host, Role::kSmbClient));  // cifs is loaded
  host.modules = Denied();
  EXPECT_TRUE(RoleOf(host, VirtualFabricProfile(), Role::kSmbServer).unknown);
  EXPECT_TRUE(RoleOf(host, VirtualFabricProfile(), Role::kSmbClient).unknown);
  EXPECT_TRUE(RoleOf(host, VirtualFabricProfile(), Role::kNvmeTarget).unknown);
}

// Debian's kernels are built without SMB Direct: that is said, and does not make a host unready for peers.
TEST(Role, ThatNobodyAskedForKeepsNoHostFromBeingReady) {
  const Facts debian = WithModule(GoodHost(), "cifs", [](KernelModule& module) { module.uses_rdma = false; });
  const std::vector<Finding> findings = JudgeHost(debian, VirtualFabricProfile());
  EXPECT_THAT(IdsWith(findings, Outcome::kWarn), ElementsAre("smb.client-built-in"));
  EXPECT_EQ(ReadinessUnder(debian, VirtualFabricProfile()), Readiness::kReady);
  EXPECT_EQ(ReadinessUnder(debian, Naming({Role::kSmbClient})), Readiness::kNotReady);
  EXPECT_EQ(ReadinessUnder(debian, Naming({Role::kNvmeHost})), Readiness::kReady);
}

TEST(Role, OfAGoodServerIsReady) {
  const std::vector<Finding> findings = JudgeHost(SmbServer(), Naming({Role::kSmbServer}));
  // It has one port.
  EXPECT_THAT(IdsWith(findings, Outcome::kWarn), ElementsAre("smb.multichannel-ports"));
  EXPECT_THAT(IdsWith(findings, Outcome::kUnknown), IsEmpty());
  EXPECT_EQ(ReadinessUnder(SmbServer(), Naming({Role::kSmbServer})), Readiness::kReady);
}

TEST(Role, OfAServerBuiltWithoutSmbDirectGivesOneRedLine) {
  Facts host =
      WithModule(SmbServerWith([](Facts&, Port& port) { port.listeners = std::vector<RdmaListener>{}; }),
                 "ksmbd", [](KernelModule& module) { module.uses_rdma = false; });
  const std::vector<Finding> findings = JudgeHost(host, Naming({Role::kSmbServer}));
  EXPECT_THAT(IdsWith(findings, Outcome::kFail), ElementsAre("smb.server-built-in"));
  EXPECT_EQ(Of(findings, "smb.listener").hidden_by, "smb.server-built-in");
}

TEST(Role, ThatIsAskedForIsUnknownWithoutAnswers) {
  Facts host = GoodHost();
  host.modules = Missing{};
  EXPECT_EQ(ReadinessUnder(host, Naming({Role::kSmbClient})), Readiness::kUndetermined);
}

TEST(KernelVersion, IsTheFirstTwoNumbersOfTheRelease) {
  EXPECT_EQ(*VersionOf(Kernel{.release = "6.12.117+deb12-amd64"}), (KernelVersion{6, 12}));
  EXPECT_EQ(*VersionOf(Kernel{.release = "7.0"}), (KernelVersion{7, 0}));
  EXPECT_LT((KernelVersion{6, 9}), (KernelVersion{6, 12}));
  for (const char* none : {"", "6", "6.", "x.1", "-6.1"})
    EXPECT_FALSE(VersionOf(Kernel{.release = none})) << none;
  EXPECT_EQ(VersionOf(Denied()).missing().kind, Missing::Kind::kDenied);
}

Facts WithForeignCore(Fact<bool> foreign, Fact<bool> out_of_tree) {
  Facts host = WithModule(GoodHost(), "nvme_rdma", [&foreign](KernelModule& module) {
    module.state = ModuleState::kInstalled;
    module.foreign_core = foreign;
  });
  std::vector<Port> ports = *host.ports;
  ports.front().software = false;
  ports.front().out_of_tree = out_of_tree;
  host.ports = ports;
  return host;
}

TEST(ForeignCore, NamesTheCoreThatRuns) {
  const auto verdict = [](const Facts& host) { return ForeignCore(host, "nvme_rdma", "nvme_rdma"); };
  EXPECT_THAT(verdict(WithForeignCore(true, true))->observed, testing::HasSubstr("a vendor's"));
  const std::optional<Verdict> old = verdict(WithForeignCore(true, false));
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->outcome, Outcome::kFail);
  EXPECT_THAT(old->observed, testing::HasSubstr("the RDMA core that runs, which is the kernel's own"));
  EXPECT_THAT(OneLine(old->fix.remedy()), testing::HasSubstr("reboot"));
  EXPECT_FALSE(verdict(WithForeignCore(false, false)).has_value());
}

TEST(ForeignCore, IsUnknownWhereTheCoreThatRunsCannotBeRead) {
  const std::optional<Verdict> denied = ForeignCore(WithForeignCore(Denied(), false), "nvme_rdma", "nvme_rdma");
  ASSERT_TRUE(denied.has_value());
  EXPECT_EQ(denied->outcome, Outcome::kUnknown);
}

}  // namespace
}  // namespace rdmaready
