// SPDX-License-Identifier: Apache-2.0
// The real reader on whatever host this is: needs no RDMA, no root.
#include "collectors/real/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/base/status.h"
#include "collectors/collect.h"
#include "collectors/commands.h"
#include "collectors/netdev.h"
#include "collectors/real/rdma_cm.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "collectors-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(RealHost, ErrorsCarryActionObjectAndTheKernelsWords) {
  RealHost host;
  EXPECT_EQ(Message(host.ReadFile("/nowhere/at/all").status()),
            "open /nowhere/at/all: No such file or directory");
  EXPECT_EQ(Message(host.ListDirectory("/nowhere").status()), "list /nowhere: No such file or directory");
  EXPECT_EQ(Message(host.ReadLink("/proc").status()), "read link /proc: Invalid argument");
  EXPECT_EQ(Message(host.ReadFile("/proc").status()), "read /proc: Is a directory");
}

TEST(RealHost, AFolderAmongScriptsHoldsNoCommands) {
  const Scratch scratch;
  RealHost host;
  const absl::StatusOr<std::vector<std::string>> commands = host.Ask(CommandsQuestion{scratch.path()});
  ASSERT_TRUE(commands.ok()) << commands.status();
  EXPECT_THAT(*commands, IsEmpty());
  EXPECT_FALSE(host.Ask(CommandsQuestion{scratch.path() + "/gone"}).ok());
}

TEST(RealHost, DirectoriesAreSortedAndFilesWhole) {
  const Scratch scratch;
  WriteFile(scratch.path() + "/b", std::string(200000, 'x'));
  WriteFile(scratch.path() + "/a", "");
  RealHost host;
  EXPECT_EQ(*host.ListDirectory(scratch.path()), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(host.ReadFile(scratch.path() + "/b")->size(), 200000U);
  EXPECT_EQ(*host.ReadFile(scratch.path() + "/a"), "");
}

TEST(RealHost, LoopbackAnswersOverNetlink) {
  RealHost host;
  const auto link = ReadLinkByIndex(host, 1);
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->name, "lo");
  const auto nobody = ReadLinkByIndex(host, 0x7fffffff);
  EXPECT_EQ(Message(nobody.status()), "ask rtnetlink GETLINK: No such device");
}

TEST(RealHost, ADumpHasEveryInterfaceAndNothingElse) {
  RealHost host;
  const auto links = host.Netlink({NETLINK_ROUTE, RTM_GETLINK, true, wire::Of(ifinfomsg{})});
  ASSERT_TRUE(links.ok()) << links.status();
  EXPECT_FALSE(links->empty());
  for (const NetlinkMessage& message : *links) EXPECT_EQ(message.type, RTM_NEWLINK);
}

TEST(RealHost, LoopbackHasNoDcb) {
  RealHost host;
  const Fact<Netdev> lo = ReadNetdev(host, ReadNetwork(host), 1);
  ASSERT_TRUE(lo);
  EXPECT_EQ(lo->dcb.pfc.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_THAT(lo->dcb.pfc.missing().detail,
              testing::AnyOf("driver has no DCB (no dcbnl_ops)", "kernel without CONFIG_DCB"));
}

template <class Request>
std::span<const std::byte> BytesOf(const Request& request) {
  return std::as_bytes(std::span(&request, 1));
}

TEST(RealHost, EthtoolIsAskedAndNeverTold) {
  RealHost host;
  ethtool_pauseparam set{};
  set.cmd = ETHTOOL_SPAUSEPARAM;
  EXPECT_EQ(host.Ethtool("lo", BytesOf(set)).status().code(), absl::StatusCode::kInvalidArgument);
  ethtool_tunable without_room{};
  without_room.cmd = ETHTOOL_GTUNABLE;
  without_room.len = 2;
  EXPECT_EQ(host.Ethtool("lo", BytesOf(without_room)).status().code(), absl::StatusCode::kInvalidArgument);
  ethtool_stats statistics{};
  statistics.cmd = ETHTOOL_GSTATS;
  statistics.n_stats = 4;
  EXPECT_EQ(host.Ethtool("lo", BytesOf(statistics)).status().code(), absl::StatusCode::kInvalidArgument);
  ethtool_sset_info sets[2]{};
  sets[0].cmd = ETHTOOL_GSSET_INFO;
  sets[0].sset_mask = 3;  // two sets want two numbers
  EXPECT_EQ(host.Ethtool("lo", BytesOf(sets)).status().code(), absl::StatusCode::kInvalidArgument);
  sets[0].sset_mask = 1U << ETH_SS_STATS;
  EXPECT_EQ(host.Ethtool("lo", BytesOf(sets))->size(), sizeof sets);
}

TEST(RealHost, EthtoolTellsWhatTheKernelSays) {
  RealHost host;
  ethtool_pauseparam pause{};
  pause.cmd = ETHTOOL_GPAUSEPARAM;
  EXPECT_EQ(host.Ethtool("lo", BytesOf(pause)).status(), ErrnoStatus(EOPNOTSUPP, "ask ethtool about lo"));
  EXPECT_EQ(host.Ethtool("no-such-dev", BytesOf(pause)).status(),
            ErrnoStatus(ENODEV, "ask ethtool about no-such-dev"));
}

TEST(RealHost, DoesNotOpenRdmaNetlinkOrVerbsBeforeTheirModulesAreThere) {
  if (std::filesystem::exists("/sys/class/infiniband")) GTEST_SKIP() << "this host has the InfiniBand stack";
  RealHost host;
  EXPECT_EQ(Message(host.Netlink(wire::DevicesRequest()).status()),
            "look at /sys/class/infiniband: ib_core is not loaded");
  EXPECT_THAT(Message(host.Ask(VerbsPortQuestion{"rxe0", 1}).status()), HasSubstr("ib_uverbs is not loaded"));
  EXPECT_THAT(Message(host.Ask(VerbsGidTableQuestion{"rxe0"}).status()), HasSubstr("ib_uverbs is not loaded"));
}

TEST(RealHost, TheLimitOfLockedMemoryIsOurs) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_MEMLOCK, &limit), 0);
  RealHost host;
  const auto memlock = host.Ask(MemlockQuestion());
  ASSERT_TRUE(memlock.ok());
  EXPECT_EQ(memlock->pid, ::getpid());
  EXPECT_EQ(memlock->limit_bytes, limit.rlim_cur == RLIM_INFINITY ? Memlock::kUnlimited : limit.rlim_cur);
}

TEST(RealHost, FactsOfThisHostAreConsistent) {
  RealHost host;
  const Facts facts = CollectFacts(host);
  ASSERT_TRUE(facts.kernel);
  ASSERT_TRUE(facts.rdma_stack);
  EXPECT_EQ(*facts.rdma_stack == RdmaStack::kLoaded, std::filesystem::exists("/sys/class/infiniband"));
  if (*facts.rdma_stack != RdmaStack::kLoaded) {
    EXPECT_THAT(*facts.ports, IsEmpty());
  }
}

TEST(RealRdmaCm, AnExistingDirectoryIsOnlyRead) {
  const Scratch scratch;
  const std::string port = scratch.path() + "/rdma_cm/rxe0/ports/1";
  std::filesystem::create_directories(port);
  WriteFile(port + "/default_roce_mode", "RoCE v2\n");
  WriteFile(port + "/default_roce_tos", "104\n");
  const auto answer = ReadRdmaCmDefaults(scratch.path(), "rxe0", 1);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, (RdmaCmAnswer{"RoCE v2\n", "104\n"}));
  EXPECT_TRUE(std::filesystem::exists(port));
}

TEST(RealRdmaCm, ADirectoryMadeForTheQuestionIsRemoved) {
  const Scratch scratch;  // a plain directory: the files do not appear as they would in configfs
  std::filesystem::create_directories(scratch.path() + "/rdma_cm");
  EXPECT_THAT(Message(ReadRdmaCmDefaults(scratch.path(), "rxe0", 1).status()), HasSubstr("default_roce_mode"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path() + "/rdma_cm"));
}

TEST(RealRdmaCm, WithoutRdmaCmNothingIsTouched) {
  const Scratch scratch;
  EXPECT_THAT(Message(ReadRdmaCmDefaults(scratch.path(), "rxe0", 1).status()),
              HasSubstr("configfs is not mounted, or rdma_cm is not loaded"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  std::filesystem::create_directory(scratch.path() + "/target");
  EXPECT_THAT(Message(ReadRdmaCmDefaults(scratch.path(), "rxe0", 1).status()),
              HasSubstr(": rdma_cm is not loaded"));
}

TEST(RealRdmaCm, ANameThatLeadsElsewhereIsRefused) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path() + "/rdma_cm");
  for (const char* name : {"", ".", "..", "../rxe0", "a/b"}) {
    EXPECT_EQ(ReadRdmaCmDefaults(scratch.path(), name, 1).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path() + "/rdma_cm"));
}

TEST(RealRdmaCm, WithoutPrivilegeTheDefaultsAreDenied) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may create anything";
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path() + "/rdma_cm");
  ASSERT_EQ(::chmod((scratch.path() + "/rdma_cm").c_str(), 0555), 0);
  EXPECT_EQ(ReadRdmaCmDefaults(scratch.path(), "rxe0", 1).status().code(), absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace rdmaready
