// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using Kind = PortUse::Kind;
using Holders = Fact<std::vector<RdmaHolder>>;

constexpr std::uint8_t kSmi = 0;
constexpr std::uint8_t kGsi = 1;
constexpr std::uint8_t kRc = 2;
constexpr std::uint8_t kUd = 4;
constexpr std::int64_t kOwnPid = 100;

RdmaHolder QueuePair(std::string kernel, std::uint8_t type = kRc) {
  return {.port = 1, .queue_pair = 17, .type = type, .state = 3, .kernel_name = std::move(kernel)};
}

RdmaHolder QueuePairOf(std::int64_t pid, std::string command) {
  return {.port = 1,
          .queue_pair = 18,
          .type = kRc,
          .state = 3,
          .thread = pid,
          .process = pid,
          .command = std::move(command)};
}

RdmaHolder Identifier(std::string kernel, std::uint8_t state) {
  return {
      .object = RdmaHolder::Object::kConnection, .port = 1, .state = state, .kernel_name = std::move(kernel)};
}

PortUse Owners(std::vector<RdmaHolder> holders) {
  return UseByHolders(Holders(std::move(holders)), 1, {.process = kOwnPid});
}

CounterReading Counted(std::uint64_t packets, std::chrono::milliseconds when) {
  CounterReading reading{.when = Clock::TimePoint(when)};
  reading.hw.counters = std::vector<Counter>{{"sent_pkts", packets}, {"rcvd_pkts", 0}};
  reading.pma = Missing{Missing::Kind::kUnsupported, "none"};
  return reading;
}

CounterReading Uncounted() {
  CounterReading reading;
  reading.hw.counters = reading.pma = Missing{Missing::Kind::kUnsupported, "none"};
  return reading;
}

const Fact<std::uint32_t> kRateUnknown = Missing{Missing::Kind::kFailed, "speed unknown"};

PortUse UseWith(std::vector<RdmaHolder> holders, const CounterReading& before, const CounterReading& after) {
  return UseOf(Holders(std::move(holders)), 1, {.process = kOwnPid}, before, after, kRateUnknown);
}

TEST(PortUse, NamesTheProcessThatHoldsAQueuePair) {
  EXPECT_EQ(Owners({QueuePairOf(123, "rping")}), (PortUse{.kind = Kind::kUsed, .text = "rping (pid 123)"}));
  EXPECT_EQ(Owners({QueuePairOf(123, "")}).text, "pid 123");
  EXPECT_EQ(Owners({QueuePairOf(123, "a\nb")}).text, "a?b (pid 123)");
}

TEST(PortUse, NamesTheKernelConsumerThatHoldsAQueuePair) {
  for (const char* name : {"nvme_rdma", "cifs", "ksmbd", "rpcrdma", "smc", "rdma_cm"})
    EXPECT_EQ(Owners({QueuePair(name)}),
              (PortUse{.kind = Kind::kUsed, .text = std::string(name) + " of the kernel"}));
}

TEST(PortUse, CountsAnOwnerOnceAndNamesThreeOfMany) {
  EXPECT_EQ(Owners({QueuePairOf(1, "a"), QueuePairOf(1, "a"), QueuePair("cifs")}).text,
            "a (pid 1), cifs of the kernel");
  EXPECT_EQ(Owners({QueuePairOf(1, "a"), QueuePairOf(2, "b"), QueuePairOf(3, "c"), QueuePairOf(4, "d"),
                    QueuePairOf(5, "e")})
                .text,
            "a (pid 1), b (pid 2), c (pid 3) and 2 more");
}

TEST(PortUse, CountsAConnectionThatHasNoQueuePairYet) {
  for (std::uint8_t state = 1; state <= 5; ++state)
    EXPECT_EQ(Owners({Identifier("nvme_rdma", state)}).kind, Kind::kUsed) << int{state};
}

TEST(PortUse, IgnoresListenersAndIdentifiersThatAreOnlyBoundOrOver) {
  for (const int state : {0, 6, 7, 8, 9, 10})
    EXPECT_EQ(Owners({Identifier("ksmbd", static_cast<std::uint8_t>(state))}).kind, Kind::kFree) << int{state};
}

TEST(PortUse, IgnoresManagementQueuePairsOfTheKernelOnly) {
  EXPECT_EQ(Owners({QueuePair("ib_core", kSmi), QueuePair("ib_core", kGsi)}).kind, Kind::kFree);
  RdmaHolder of_process = QueuePairOf(7, "x");
  of_process.type = kGsi;
  EXPECT_EQ(Owners({of_process}).kind, Kind::kUsed);
}

TEST(PortUse, IgnoresTheDriversOwnQueuePairs) {
  EXPECT_EQ(Owners({QueuePair("mlx5_ib", kUd), QueuePair("mlx4_ib", kUd)}).kind, Kind::kFree);
}

TEST(PortUse, IgnoresThisProcess) {
  EXPECT_EQ(Owners({QueuePairOf(kOwnPid, "rdmaready-agent")}).kind, Kind::kFree);
}

TEST(PortUse, IgnoresAThreadOfThisProcessThatEndedBeforeItsProcessWasRead) {
  constexpr std::int64_t kEnded = 101;
  const UseExceptions own{.process = kOwnPid, .threads = {kOwnPid, kEnded}};
  EXPECT_EQ(UseByHolders(Holders({QueuePairOf(kEnded, "")}), 1, own).kind, Kind::kFree);
  EXPECT_EQ(UseByHolders(Holders({QueuePairOf(kEnded + 1, "")}), 1, own).text, "pid 102");
}

RdmaHolder DomainOf(std::int64_t pid) {
  return {.object = RdmaHolder::Object::kDomain, .thread = pid, .process = pid, .command = "ucx"};
}

TEST(PortUse, IsUnknownWhereAProcessMayHaveObjectsThatTheKernelDoesNotList) {
  const PortUse use = Owners({QueuePair("ib_core", kGsi), DomainOf(7)});
  EXPECT_EQ(use, (PortUse{.kind = Kind::kUnknown,
                          .text = "ucx (pid 7) may use it by objects that the kernel does not list"}));
  EXPECT_EQ(Owners({DomainOf(7), QueuePairOf(8, "x")}).text, "x (pid 8)");
  EXPECT_EQ(Owners({DomainOf(kOwnPid)}).kind, Kind::kFree);
  EXPECT_EQ(Owners({{.object = RdmaHolder::Object::kDomain}}).kind, Kind::kUnknown);
  using std::chrono::milliseconds;
  EXPECT_EQ(UseWith({DomainOf(7)}, Counted(0, milliseconds(0)), Counted(0, milliseconds(100))).kind,
            Kind::kUnknown);
}

TEST(PortUse, AnOpenContextOfPsmIsAUser) {
  EXPECT_EQ(Owners({{.object = RdmaHolder::Object::kContexts}}),
            (PortUse{.kind = Kind::kUsed, .text = "a process with a context of PSM"}));
}

TEST(PortUse, CountsUsersOfADeviceThatSharesTheNic) {
  const PortUse idle{.kind = Kind::kFree, .port = "mlx5_0/1"};
  const PortUse used{.kind = Kind::kUsed, .text = "x (pid 7)", .port = "mlx5_0/1"};
  const PortUse unknown{.kind = Kind::kUnknown, .text = "no answer", .port = "mlx5_0/1"};
  EXPECT_EQ(WithSharing(used, "rxe1", {.kind = Kind::kFree}), used);
  EXPECT_EQ(WithSharing(idle, "rxe1", {.kind = Kind::kUsed, .text = "y (pid 8)"}),
            (PortUse{Kind::kUsed, "y (pid 8) through rxe1, which shares its NIC", "mlx5_0/1"}));
  EXPECT_EQ(WithSharing(used, "rxe1", {.kind = Kind::kUsed, .text = "y (pid 8)"}).text,
            "x (pid 7) and y (pid 8) through rxe1, which shares its NIC");
  EXPECT_EQ(WithSharing(unknown, "rxe1", {.kind = Kind::kUsed, .text = "y"}).kind, Kind::kUsed);
  EXPECT_EQ(WithSharing(idle, "rxe1", {.kind = Kind::kUnknown, .text = "gone"}).text,
            "of RDMA device rxe1, which shares its NIC: gone");
  EXPECT_EQ(WithSharing(used, "rxe1", {.kind = Kind::kUnknown, .text = "gone"}), used);
}

TEST(PortUse, IgnoresConnectionsOfTheTestsOwnModuleToItsServerOnly) {
  const UseExceptions own{.process = kOwnPid, .kernel = {"cifs"}, .server = "10.0.0.2"};
  const auto use = [&](const std::string& kernel, const std::string& remote) {
    RdmaHolder queue_pair = QueuePair(kernel);
    queue_pair.remote = remote;
    RdmaHolder identifier = Identifier(kernel, 5);
    identifier.remote = remote;
    return UseByHolders(Holders(std::vector<RdmaHolder>{queue_pair, identifier}), 1, own).kind;
  };
  EXPECT_EQ(use("cifs", "10.0.0.2"), Kind::kFree);
  EXPECT_EQ(use("cifs", "10.0.0.3"), Kind::kUsed);
  EXPECT_EQ(use("cifs", ""), Kind::kUsed);
  EXPECT_EQ(use("rpcrdma", "10.0.0.2"), Kind::kUsed);
  EXPECT_EQ(use("rdma_cm", "10.0.0.2"), Kind::kUsed);
  EXPECT_EQ(use("rdma_cm", ""), Kind::kFree) << "its identifier came or went between two lists";
  EXPECT_EQ(Owners({QueuePair("rdma_cm")}).kind, Kind::kUsed) << "without a proof";
}

TEST(PortUse, IgnoresTheOtherPortsOfTheDevice) {
  RdmaHolder other = QueuePairOf(7, "x");
  other.port = 2;
  EXPECT_EQ(Owners({other}).kind, Kind::kFree);
  other.port = 0;  // it is of no port yet
  EXPECT_EQ(Owners({other}).kind, Kind::kUsed);
}

TEST(PortUse, AnObjectWithoutAnOwnerIsOfAnotherContainer) {
  const PortUse use = Owners({{.port = 1, .queue_pair = 9, .type = kRc, .state = 3}});
  EXPECT_EQ(use.kind, Kind::kUsed);
  EXPECT_THAT(use.text, HasSubstr("of a container"));
}

TEST(PortUse, IsUnknownWhereTheOwnersCannotBeRead) {
  const PortUse use = UseByHolders(Missing{Missing::Kind::kFailed, "list: no"}, 1, {});
  EXPECT_EQ(use.kind, Kind::kUnknown);
  EXPECT_THAT(use.text, HasSubstr("list: no"));
}

TEST(PortUse, AQuietPortWithoutUsersIsFree) {
  using std::chrono::milliseconds;
  EXPECT_EQ(UseWith({}, Counted(50, milliseconds(0)), Counted(60, milliseconds(100))).kind, Kind::kFree);
  EXPECT_EQ(UseWith({}, Counted(0, milliseconds(0)), Counted(11, milliseconds(100))).kind, Kind::kUsed);
  EXPECT_EQ(UseWith({QueuePairOf(7, "x")}, Counted(0, milliseconds(0)), Counted(0, milliseconds(100))).text,
            "x (pid 7)");
}

TEST(PortUse, IpoibIsAUserWhenThePortIsNotQuiet) {
  using std::chrono::milliseconds;
  const std::vector<RdmaHolder> ipoib{QueuePair("ib_ipoib", kUd)};
  EXPECT_EQ(Owners(ipoib).kind, Kind::kFree);
  EXPECT_EQ(UseWith(ipoib, Counted(0, milliseconds(0)), Counted(9, milliseconds(100))).kind, Kind::kFree);
  EXPECT_THAT(UseWith(ipoib, Counted(0, milliseconds(0)), Counted(900, milliseconds(100))).text,
              HasSubstr("IPoIB"));
}

CounterReading Words(std::uint64_t words, std::chrono::milliseconds when) {
  CounterReading reading{.when = Clock::TimePoint(when)};
  reading.hw.counters = Missing{Missing::Kind::kUnsupported, "none"};
  reading.pma = std::vector<Counter>{{"port_xmit_data", words}, {"port_rcv_data", 0}};
  return reading;
}

TEST(PortUse, IsQuietBelowAThousandthOfTheRateInTheUnitOfTheDriver) {
  using std::chrono::milliseconds;
  const auto use = [](const CounterReading& before, const CounterReading& after,
                      const Fact<std::uint32_t>& rate_mbps) {
    return UseOf(Holders(std::vector<RdmaHolder>{QueuePair("ib_ipoib", kUd)}), 1, {.process = kOwnPid}, before,
                 after, rate_mbps)
        .kind;
  };
  // 4 Gb/s: 500,000 bytes a second are 125,000 words, or 118 packets.
  EXPECT_EQ(use(Words(0, milliseconds(0)), Words(12'500, milliseconds(100)), 4'000U), Kind::kFree);
  EXPECT_EQ(use(Words(0, milliseconds(0)), Words(12'501, milliseconds(100)), 4'000U), Kind::kUsed);
  EXPECT_EQ(use(Counted(0, milliseconds(0)), Counted(11, milliseconds(100)), 4'000U), Kind::kFree);
  EXPECT_EQ(use(Counted(0, milliseconds(0)), Counted(12, milliseconds(100)), 4'000U), Kind::kUsed);
  // 400 Gb/s: a megabyte a second, and no more.
  EXPECT_EQ(use(Words(0, milliseconds(0)), Words(25'000, milliseconds(100)), 400'000U), Kind::kFree);
  EXPECT_EQ(use(Words(0, milliseconds(0)), Words(25'001, milliseconds(100)), 400'000U), Kind::kUsed);
  EXPECT_EQ(use(Counted(0, milliseconds(0)), Counted(23, milliseconds(100)), 400'000U), Kind::kFree);
  EXPECT_EQ(use(Counted(0, milliseconds(0)), Counted(24, milliseconds(100)), 400'000U), Kind::kUsed);
  EXPECT_EQ(use(Words(0, milliseconds(0)), Words(100, milliseconds(100)), kRateUnknown), Kind::kFree);
  EXPECT_EQ(use(Words(0, milliseconds(0)), Words(101, milliseconds(100)), kRateUnknown), Kind::kUsed);
  EXPECT_EQ(use(Words(0, milliseconds(0)), Counted(9, milliseconds(100)), kRateUnknown), Kind::kUnknown)
      << "the unit changed";
}

TEST(PortUse, ManagersAreUsersOnlyWhenThePortIsNotQuiet) {
  using std::chrono::milliseconds;
  RdmaHolder datagrams = QueuePairOf(7, "ibacm");
  datagrams.type = kUd;
  RdmaHolder domain = datagrams;
  domain.object = RdmaHolder::Object::kDomain;
  EXPECT_EQ(Owners({datagrams, domain}).kind, Kind::kFree);
  EXPECT_EQ(UseWith({datagrams}, Counted(0, milliseconds(0)), Counted(9, milliseconds(100))).kind, Kind::kFree);
  EXPECT_THAT(UseWith({datagrams}, Counted(0, milliseconds(0)), Counted(900, milliseconds(100))).text,
              HasSubstr("ibacm, or a user"));
  EXPECT_EQ(UseWith({datagrams}, Uncounted(), Uncounted()).kind, Kind::kUnknown);
  EXPECT_EQ(Owners({QueuePairOf(7, "ibacm")}).kind, Kind::kUsed) << "a queue pair of type RC";
  datagrams.command = domain.command = "srp_daemon";
  EXPECT_EQ(Owners({datagrams, domain}).kind, Kind::kFree);
}

TEST(PortUse, ADriverWithoutCountersLeavesTheOwnersToDecide) {
  EXPECT_EQ(UseWith({}, Uncounted(), Uncounted()).kind, Kind::kFree);
  EXPECT_EQ(UseWith({QueuePairOf(7, "x")}, Uncounted(), Uncounted()).kind, Kind::kUsed);
  EXPECT_EQ(UseWith({QueuePair("ib_ipoib", kUd)}, Uncounted(), Uncounted()).kind, Kind::kUnknown);
}

TEST(PortUse, CountersThatCannotBeReadOrWereSetBackMakeItUnknown) {
  using std::chrono::milliseconds;
  CounterReading lost = Uncounted();
  lost.pma = Missing{Missing::Kind::kFailed, "no answer"};
  EXPECT_THAT(UseWith({}, lost, Uncounted()).text, HasSubstr("no answer"));
  EXPECT_EQ(UseWith({}, Uncounted(), lost).kind, Kind::kUnknown);
  EXPECT_EQ(UseWith({}, Counted(9, milliseconds(0)), Counted(8, milliseconds(100))).kind, Kind::kUnknown);
  EXPECT_EQ(UseWith({}, Counted(9, milliseconds(0)), Uncounted()).kind, Kind::kUnknown);
}

}  // namespace
}  // namespace rdmaready
