// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using wire::operator+;
using Object = RdmaHolder::Object;

const RdmaDevice kHeldDevice{.index = 3, .name = "rxe0"};

TEST(Holders, NamesQueuePairsOfTheKernelAndOfProcesses) {
  const auto holders = DecodeQueuePairs(
      wire::QueuePairs(3, wire::QueuePair(1, 1, wire::OfKernel("ib_core")) +
                              wire::QueuePair(17, 2, wire::OfProcess(42), 2) + wire::QueuePair(18, 4, {}, 0)),
      kHeldDevice);
  ASSERT_TRUE(holders.ok()) << holders.status();
  ASSERT_THAT(*holders, SizeIs(3));
  EXPECT_EQ((*holders)[0],
            (RdmaHolder{.port = 1, .queue_pair = 1, .type = 1, .state = 3, .kernel_name = "ib_core"}));
  EXPECT_EQ((*holders)[1], (RdmaHolder{.port = 2, .queue_pair = 17, .type = 2, .state = 3, .thread = 42}));
  EXPECT_EQ((*holders)[2], (RdmaHolder{.queue_pair = 18, .type = 4, .state = 3}));
}

TEST(Holders, ReadsConnectionsWithTheirStateAndQueuePair) {
  const auto holders = DecodeConnections(
      wire::CmIds(3, wire::CmId(445, wire::OfKernel("ksmbd")) + wire::Connection(17, wire::OfProcess(42))),
      kHeldDevice);
  ASSERT_TRUE(holders.ok()) << holders.status();
  ASSERT_THAT(*holders, SizeIs(2));
  EXPECT_EQ((*holders)[0].object, Object::kConnection);
  EXPECT_EQ((*holders)[0].state, 8);
  EXPECT_EQ((*holders)[0].queue_pair, 0u);
  EXPECT_EQ((*holders)[1].state, 5);
  EXPECT_EQ((*holders)[1].queue_pair, 17u);
  EXPECT_EQ((*holders)[0].remote, "");
  EXPECT_EQ((*holders)[1].remote, "10.0.0.2");
  EXPECT_EQ((*holders)[1].thread, 42);
}

TEST(Holders, RefusesAnAnswerAboutAnotherDeviceAndAnEntryWithoutItsState) {
  EXPECT_FALSE(DecodeQueuePairs(wire::QueuePairs(4, {}), kHeldDevice).ok());
  EXPECT_FALSE(DecodeConnections(wire::CmIds(4, {}), kHeldDevice).ok());
  const wire::Bytes stateless =
      wire::Nest(RDMA_NLDEV_ATTR_RES_QP_ENTRY, wire::U32(RDMA_NLDEV_ATTR_RES_LQPN, 17));
  EXPECT_FALSE(DecodeQueuePairs(wire::QueuePairs(3, stateless), kHeldDevice).ok());
}

TEST(Holders, GiveAQueuePairMadeThroughRdmaCmTheNameOfItsConsumer) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::QueuePairsRequest(3),
              wire::One(wire::QueuePairs(3, wire::QueuePair(17, 2, wire::OfKernel("rdma_cm")) +
                                                wire::QueuePair(18, 2, wire::OfKernel("rdma_cm")))));
  host.Answer(wire::CmIdsRequest(3),
              wire::One(wire::CmIds(3, wire::Connection(17, wire::OfKernel("nvme_rdma")))));
  const auto holders = ReadHolders(host, "rxe0");
  ASSERT_TRUE(holders) << holders.missing().detail;
  ASSERT_THAT(*holders, SizeIs(3));
  EXPECT_EQ((*holders)[0].kernel_name, "nvme_rdma");
  EXPECT_EQ((*holders)[0].remote, "10.0.0.2");
  EXPECT_EQ((*holders)[1].remote, "");
  EXPECT_EQ((*holders)[1].kernel_name, "rdma_cm");
}

TEST(Holders, NameTheProcessOfAThread) {
  FakeHost host = GoodFakeHost();
  host.files["/proc/43/status"] = "Name:\tworker\nUmask:\t0022\nTgid:\t42\nNgid:\t0\n";
  host.files["/proc/42/comm"] = "rping\n";
  host.Answer(wire::QueuePairsRequest(3),
              wire::One(wire::QueuePairs(3, wire::QueuePair(17, 2, wire::OfProcess(43)) +
                                                wire::QueuePair(18, 2, wire::OfProcess(77)))));
  const auto holders = ReadHolders(host, "rxe0");
  ASSERT_TRUE(holders) << holders.missing().detail;
  EXPECT_EQ((*holders)[0].process, 42);
  EXPECT_EQ((*holders)[0].command, "rping");
  EXPECT_EQ((*holders)[1].process, 77);  // it may have ended, or be hidden
  EXPECT_EQ((*holders)[1].command, "");
}

TEST(Holders, ReportWhyAListCannotBeRead) {
  FakeHost host = GoodFakeHost();
  EXPECT_THAT(ReadHolders(host, "rxe7").missing().detail, HasSubstr("no RDMA device rxe7"));
  host.Answer(wire::CmIdsRequest(3), ErrnoStatus(EPERM, "list"));
  EXPECT_FALSE(ReadHolders(host, "rxe0"));
  host.Answer(wire::QueuePairsRequest(3), ErrnoStatus(EOPNOTSUPP, "list"));
  EXPECT_EQ(ReadHolders(host, "rxe0").missing().kind, Missing::Kind::kUnsupported);
}

TEST(Holders, ReadAnEmptyDeviceAsAnEmptyList) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::QueuePairsRequest(3), std::vector<NetlinkMessage>());
  host.Answer(wire::CmIdsRequest(3), std::vector<NetlinkMessage>());
  const auto holders = ReadHolders(host, "rxe0");
  ASSERT_TRUE(holders);
  EXPECT_THAT(*holders, testing::IsEmpty());
}

// Only the GSI queue pair of the kernel, on a device of that driver.
FakeHost HostWithDriver(const std::string& driver) {
  FakeHost host = GoodFakeHost();
  host.links["/sys/class/infiniband/rxe0/device/driver"] = "../../../../bus/pci/drivers/" + driver;
  host.Answer(wire::CmIdsRequest(3), std::vector<NetlinkMessage>());
  return host;
}

TEST(Holders, ListDomainsOfProcessesWhereMlx5HasObjectsThatTheKernelDoesNotList) {
  for (const char* driver : {"mlx5_core", "mlx5_core.sf"}) {
    FakeHost host = HostWithDriver(driver);
    host.files["/proc/42/comm"] = "ucx_perftest\n";
    host.Answer(wire::DomainsRequest(3), wire::One(wire::Domains(3, wire::Domain(wire::OfKernel("ib_core")) +
                                                                        wire::Domain(wire::OfProcess(42)))));
    const auto holders = ReadHolders(host, "rxe0");
    ASSERT_TRUE(holders) << holders.missing().detail;
    ASSERT_THAT(*holders, SizeIs(2)) << driver;
    EXPECT_EQ((*holders)[1],
              (RdmaHolder{.object = Object::kDomain, .thread = 42, .process = 42, .command = "ucx_perftest"}));
  }
}

TEST(Holders, AskForDomainsOnlyWhereTheDriverHasUnlistedObjects) {
  for (const char* driver : {"bnxt_re", "mlx4_core", "irdma"}) {
    FakeHost host = HostWithDriver(driver);
    host.Answer(wire::DomainsRequest(3), wire::One(wire::Domains(3, wire::Domain(wire::OfProcess(42)))));
    const auto holders = ReadHolders(host, "rxe0");
    ASSERT_TRUE(holders) << holders.missing().detail;
    EXPECT_THAT(*holders, SizeIs(1)) << driver;
  }
}

TEST(Holders, ReportThatTheDriverOrItsDomainsCannotBeRead) {
  FakeHost host = HostWithDriver("mlx5_core");
  host.Answer(wire::DomainsRequest(3), ErrnoStatus(EINVAL, "list domains"));
  EXPECT_THAT(ReadHolders(host, "rxe0").missing().detail, HasSubstr("list domains"));
  host.links["/sys/class/infiniband/rxe0/device/driver"] = ErrnoStatus(EACCES, "read the driver");
  EXPECT_THAT(ReadHolders(host, "rxe0").missing().detail, HasSubstr("read the driver"));
}

TEST(Holders, ShowOpenContextsOfPsm) {
  for (const char* driver : {"hfi1", "ib_qib"}) {
    FakeHost host = HostWithDriver(driver);
    EXPECT_FALSE(ReadHolders(host, "rxe0")) << driver;
    host.files["/sys/class/infiniband/rxe0/nctxts"] = "16\n";
    host.files["/sys/class/infiniband/rxe0/nfreectxts"] = "16\n";
    EXPECT_THAT(*ReadHolders(host, "rxe0"), SizeIs(1));
    host.files["/sys/class/infiniband/rxe0/nfreectxts"] = "15\n";
    EXPECT_EQ(ReadHolders(host, "rxe0")->back(), (RdmaHolder{.object = Object::kContexts}));
  }
}

TEST(Holders, RefuseAListFromWhichAnOldKernelMayHideOtherPidNamespaces) {
  FakeHost host = GoodFakeHost();
  host.files["/proc/sys/kernel/osrelease"] = "5.4.0-150-generic\n";
  EXPECT_TRUE(ReadHolders(host, "rxe0")) << "the kernel's GSI queue pair is listed";
  host.Answer(wire::QueuePairsRequest(3),
              wire::One(wire::QueuePairs(3, wire::QueuePair(17, 2, wire::OfProcess(42)))));
  host.Answer(wire::CmIdsRequest(3), std::vector<NetlinkMessage>());
  EXPECT_THAT(ReadHolders(host, "rxe0").missing().detail, HasSubstr("PID namespaces"));
  host.links["/proc/self/ns/pid"] = "pid:[4026532222]";
  EXPECT_FALSE(ReadHolders(host, "rxe0"));
  host.links["/proc/self/ns/pid"] = "pid:[4026531836]";
  EXPECT_TRUE(ReadHolders(host, "rxe0")) << "the first namespace sees all";
  host.links.erase("/proc/self/ns/pid");
  host.files["/proc/sys/kernel/osrelease"] = "5.5.0\n";
  EXPECT_TRUE(ReadHolders(host, "rxe0"));
  host.files["/proc/sys/kernel/osrelease"] = "nonsense\n";
  EXPECT_FALSE(ReadHolders(host, "rxe0"));
}

}  // namespace
}  // namespace rdmaready
