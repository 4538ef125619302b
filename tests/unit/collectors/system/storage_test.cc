// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::operator+;

const RdmaDevice kStorageDevice{.index = 3, .name = "rxe0"};

TEST(Listeners, AreTheKernelsAndProcesses) {
  const auto listeners = DecodeListeners(
      wire::CmIds(3, wire::CmId(4420, wire::OfKernel("nvmet_rdma")) + wire::CmId(7471, wire::OfProcess(42)) +
                         wire::CmId(20049, wire::OfKernel("rpcrdma"), 8, 0x106, AF_INET6)),
      kStorageDevice);
  ASSERT_TRUE(listeners.ok()) << Message(listeners.status());
  EXPECT_THAT(*listeners, ElementsAre(RdmaListener{4420, "nvmet_rdma", 0}, RdmaListener{7471, "", 42},
                                      RdmaListener{20049, "rpcrdma", 0}));
}

TEST(Listeners, AreNotThoseThatAreConnectedOrHaveNoPort) {
  const auto listeners = DecodeListeners(
      wire::CmIds(3, wire::CmId(445, wire::OfKernel("ksmbd"), 5) +             // CONNECT
                         wire::CmId(445, wire::OfKernel("x"), 8, 0x111) +      // UDP's port space
                         wire::CmId(445, wire::OfKernel("x"), 8, 0x106, 27)),  // AF_IB: a service id, no port
      kStorageDevice);
  EXPECT_THAT(*listeners, IsEmpty());
}

TEST(Listeners, OfADeviceWithoutAnyAreNone) {
  EXPECT_THAT(*DecodeListeners(wire::U32(1, 3), kStorageDevice), IsEmpty());
  FakeHost host;
  host.Answer(wire::CmIdsRequest(3), std::vector<NetlinkMessage>{});
  EXPECT_THAT(*ReadListeners(host, kStorageDevice), IsEmpty());
}

TEST(Listeners, OfAnotherDeviceAreAnError) {
  EXPECT_FALSE(DecodeListeners(wire::CmIds(4, {}), kStorageDevice).ok());
}

TEST(Listeners, AreEachOnceAndByPort) {
  FakeHost host;
  host.Answer(wire::CmIdsRequest(3),
              wire::Each({wire::CmIds(3, wire::CmId(445, wire::OfKernel("ksmbd"))),
                          wire::CmIds(3, wire::CmId(445, wire::OfKernel("ksmbd"), 8, 0x106, AF_INET6) +
                                             wire::CmId(22, wire::OfProcess(1)))}));
  EXPECT_THAT(*ReadListeners(host, kStorageDevice),
              ElementsAre(RdmaListener{22, "", 1}, RdmaListener{445, "ksmbd", 0}));
}

TEST(Listeners, ThatTheKernelDoesNotTellAreAGap) {
  FakeHost host;
  host.Answer(wire::CmIdsRequest(3), ErrnoStatus(EOPNOTSUPP, "list by RDMA netlink command 11"));
  EXPECT_EQ(ReadListeners(host, kStorageDevice).missing().kind, Missing::Kind::kUnsupported);
}

TEST(Ksmbd, IsConfiguredWhereItsToolsLook) {
  FakeHost host;
  EXPECT_EQ(ReadKsmbd(host).missing().kind, Missing::Kind::kUnsupported);
  host.files["/usr/local/etc/ksmbd/ksmbd.conf"] = std::string("[global]\nInterfaces = dcb0\n");
  EXPECT_EQ(ReadKsmbd(host)->path, "/usr/local/etc/ksmbd/ksmbd.conf");
  host.files["/etc/ksmbd/ksmbd.conf"] = std::string("[global]\n");
  EXPECT_EQ(*ReadKsmbd(host), KsmbdConfig{.path = "/etc/ksmbd/ksmbd.conf"});
  host.files["/etc/ksmbd/ksmbd.conf"] = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadKsmbd(host).missing().kind, Missing::Kind::kDenied);
}

TEST(Ksmbd, NeverAsksForThePasswords) {
  FakeHost host = GoodFakeHost();
  ASSERT_TRUE(ReadKsmbd(host));
  EXPECT_FALSE(host.Asked("read /etc/ksmbd"));
  EXPECT_FALSE(host.Asked("find lines in /etc/ksmbd/ksmbdpwd.db"));
}

TEST(Ksmbd, SettingsAreReadAsItsToolsReadThem) {
  const std::vector<std::string> lines{"; interfaces = no",
                                       "# server signing = mandatory",
                                       "\tinterfaces=dcb0, dcb1 lo",
                                       "Server Multi Channel Support = True ; since spring",
                                       "server multi channel support = no",
                                       " smb3 encryption = Mandatory \r",
                                       "server signing = auto",
                                       "bind interfaces only = yes"};
  EXPECT_EQ(DecodeKsmbd(lines), (KsmbdConfig{.multichannel = true,
                                             .interfaces = {"dcb0", "dcb1", "lo"},
                                             .signing = "auto",
                                             .encryption = "mandatory"}));
}

TEST(Ksmbd, ServesAllInterfacesUnlessItIsBoundToSome) {
  const std::vector<std::string> lines{"interfaces = dcb0"};
  EXPECT_THAT(DecodeKsmbd(lines).interfaces, IsEmpty());
}

TEST(TcpListeners, AreThePortsInStateListen) {
  const std::vector<std::string> lines{
      "   0: 00000000:01BD 00000000:0000 0A 00000000:00000000",
      "   1: 0100007F:1D2F 00000000:0000 0A 00000000:00000000",
      "   2: 00000000000000000000000000000000:01BD 00000000000000000000000000000000:0000 0A 0:0",
      "   3: 0100007F:0016 0100007F:8000 01 00000000:0A 0A ", "   4: 00000000:XYZ 0:0 0A"};
  EXPECT_THAT(DecodeTcpListeners(lines), ElementsAre(445, 7471));
}

TEST(TcpListeners, OfAKernelWithoutIpv6AreThoseOfIpv4) {
  FakeHost host = GoodFakeHost();
  EXPECT_THAT(*ReadTcpListeners(host), ElementsAre(445));
  host.files["/proc/net/tcp6"] = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadTcpListeners(host).missing().kind, Missing::Kind::kDenied);
}

TEST(Limits, AreThoseOfTheDeviceAndItsFlags) {
  FakeHost host = GoodFakeHost();
  const DeviceLimits limits = *ReadLimits(host, kStorageDevice, absl::OkStatus());
  EXPECT_EQ(limits.max_cqe, 32767U);
  EXPECT_TRUE(limits.fast_registration);
  EXPECT_FALSE(limits.mw_type_2a);
  EXPECT_FALSE(limits.mw_type_2b);
  host.verbs_devices["rxe0"] = VerbsDeviceAnswer{.device_cap_flags = 3U << 23U};
  EXPECT_FALSE(ReadLimits(host, kStorageDevice, absl::OkStatus())->fast_registration);
  EXPECT_TRUE(ReadLimits(host, kStorageDevice, absl::OkStatus())->mw_type_2b);
  FakeHost other;
  EXPECT_FALSE(ReadLimits(other, kStorageDevice, absl::FailedPreconditionError("ib_uverbs is not loaded")));
  EXPECT_FALSE(other.Asked("query verbs device"));
}

}  // namespace
}  // namespace rdmaready
