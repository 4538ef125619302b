// SPDX-License-Identifier: Apache-2.0
// The values for each consumer on good hosts, and the reasons why other hosts get no values.
#include "checks/consumer/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/consumer/gid_for_jobs.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Environment Of(const Facts& host, Consumer consumer, const Profile& profile = VirtualFabricProfile(),
               std::vector<std::string> ports = {}) {
  const absl::StatusOr<Environment> environment = EnvironmentFor(
      host, {&profile, 1}, {.consumer = consumer, .ports = std::move(ports), .host_names = {"a"}});
  EXPECT_TRUE(environment.ok()) << environment.status();
  return environment.ok() ? *environment : Environment{};
}

// "NAME=VALUE" of each; the reason where the state is not kReady.
std::vector<std::string> Values(const Environment& environment) {
  std::vector<std::string> lines;
  for (const EnvVariable& one : environment.variables) lines.push_back(one.name + "=" + one.value);
  if (environment.state != Readiness::kReady) lines.push_back(environment.reason);
  return lines;
}

std::vector<std::string> Values(const Facts& host, Consumer consumer,
                                const Profile& profile = VirtualFabricProfile()) {
  return Values(Of(host, consumer, profile));
}

// A second port with the GID of its own address at `index`.
Facts TwoPorts(std::uint32_t index) {
  return WithSecond(GoodHost(), [index](Port& port) {
    std::vector<Gid> gids = *port.gids;
    for (Gid& gid : gids) gid.netdev = "dcb1";
    gids.back().raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 1, 1};
    gids.back().index = index;
    port.gids = gids;
    port.subnets = std::vector<Subnet>{{.netdev = "dcb1",
                                        .own = {.address = "10.0.1.1", .prefix_length = 24},
                                        .probe = "10.0.1.2",
                                        .route = IpRoute{.netdev = "dcb1"}}};
    port.neighbours = std::vector<Neighbour>{};
  });
}

void ExpectRefused(const Environment& environment, Readiness state, std::string_view reason) {
  EXPECT_EQ(environment.state, state) << environment.reason;
  EXPECT_THAT(environment.reason, HasSubstr(reason));
  EXPECT_THAT(environment.variables, IsEmpty());
}

TEST(Environment, NamesPortsGidMarkAndInterfaceForNccl) {
  EXPECT_THAT(Values(GoodHost(), Consumer::kNccl),
              ElementsAre("NCCL_IB_HCA==rxe0:1", "NCCL_IB_GID_INDEX=1", "NCCL_IB_TC=106", "NCCL_IB_SL=3",
                          "NCCL_SOCKET_IFNAME==eth0"));
  EXPECT_EQ(Values(GoodHost(), Consumer::kRccl), Values(GoodHost(), Consumer::kNccl));
}

TEST(Environment, SaysWhereEachValueWasRead) {
  const Environment environment = Of(GoodHost(), Consumer::kNccl);
  for (const EnvVariable& one : environment.variables) EXPECT_FALSE(one.why.empty()) << one.name;
  EXPECT_THAT(environment.variables[0].why, HasSubstr("rxe0/1 dcb0"));
  EXPECT_THAT(environment.variables[1].why, HasSubstr("10.0.0.1"));
  EXPECT_THAT(environment.variables[2].why, HasSubstr("DSCP 26"));
}

TEST(Environment, NamesDevicesAsUcxAndMoriTakeThem) {
  EXPECT_THAT(Values(TwoPorts(1), Consumer::kUcx),
              ElementsAre("UCX_NET_DEVICES=rxe0:1,rxe1:1", "UCX_IB_GID_INDEX=1", "UCX_IB_TRAFFIC_CLASS=106",
                          "UCX_IB_SL=3", "UCX_IB_PATH_MTU=4096"));
  EXPECT_THAT(Values(TwoPorts(1), Consumer::kMori),
              ElementsAre("MORI_RDMA_DEVICES=rxe0,rxe1", "MORI_IB_GID_INDEX=1", "MORI_RDMA_TC=106",
                          "MORI_RDMA_SL=3", "MORI_IB_PATH_MTU=4096", "MORI_SOCKET_IFNAME=eth0"));
}

TEST(Environment, HasOptionsOfMountsAndConnections) {
  EXPECT_THAT(Values(GoodHost(), Consumer::kSmb), ElementsAre("SMB_MOUNT_OPTIONS=rdma,vers=3.1.1"));
  EXPECT_THAT(Values(GoodHost(), Consumer::kNfs), ElementsAre("NFS_MOUNT_OPTIONS=proto=rdma,port=20049"));
  EXPECT_THAT(Values(TwoPorts(1), Consumer::kNvme),
              ElementsAre("NVME_TRANSPORT=rdma", "NVME_TRSVCID=4420", "NVME_HOST_TRADDR=10.0.0.1",
                          "NVME_HOST_TRADDR_2=10.0.1.1", "NVME_TOS=106"));
  EXPECT_THAT(Values(GoodHost(), Consumer::kSpdk),
              ElementsAre("SPDK_TRTYPE=RDMA", "SPDK_TRADDR=10.0.0.1", "SPDK_ADRFAM=IPv4", "SPDK_TRSVCID=4420",
                          "SPDK_TRANSPORT_TOS=106"));
}

TEST(Environment, LeavesTheGidToTheLibraryWherePortsHaveDifferentOnes) {
  EXPECT_THAT(
      Values(TwoPorts(5), Consumer::kNccl),
      ElementsAre("NCCL_IB_HCA==rxe0:1,rxe1:1", "NCCL_IB_GID_INDEX=-1", "NCCL_IB_ROCE_VERSION_NUM=2",
                  "NCCL_IB_ADDR_FAMILY=AF_INET", "NCCL_IB_TC=106", "NCCL_IB_SL=3", "NCCL_SOCKET_IFNAME==eth0"));
  EXPECT_THAT(Of(TwoPorts(5), Consumer::kNccl).variables[1].why, HasSubstr("rxe0/1 1, rxe1/1 5"));
  EXPECT_THAT(Values(TwoPorts(5), Consumer::kUcx), ::testing::Contains("UCX_IB_GID_INDEX=auto"));
  EXPECT_THAT(Values(TwoPorts(5), Consumer::kMori), ::testing::Contains("MORI_IB_GID_INDEX=-1"));
}

// The library would take the GID of an address outside of the storage VLAN.
TEST(Environment, GivesNoValuesWhereTheLibraryWouldChooseAWrongGid) {
  Facts host = TwoPorts(5);
  std::vector<Port> ports = *host.ports;
  std::vector<Gid> gids = *ports[1].gids;
  gids.insert(gids.begin(), {.index = 2,
                             .raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 9, 9},
                             .type = GidType::kRoceV2,
                             .netdev = "dcb1"});
  ports[1].gids = gids;
  host.ports = ports;
  for (const Consumer consumer : {Consumer::kNccl, Consumer::kUcx, Consumer::kMori})
    ExpectRefused(Of(host, consumer), Readiness::kUndetermined, "no GID index is right on every port");
}

TEST(Environment, IsOfIpv6WhereAPortHasNoOther) {
  const Facts host = WithPort([](Port& port) {
    std::vector<Gid> gids = *port.gids;
    gids.back().raw = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    port.gids = gids;
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "fd00::1", .prefix_length = 64}};
    port.netdev = netdev;
    port.subnets = std::vector<Subnet>{{.netdev = "dcb0",
                                        .own = {.address = "fd00::1", .prefix_length = 64},
                                        .probe = "fd00::2",
                                        .route = IpRoute{.netdev = "dcb0"}}};
    port.neighbours = std::vector<Neighbour>{};
  });
  EXPECT_THAT(Values(host, Consumer::kNccl), ::testing::Contains("NCCL_IB_GID_INDEX=1"));
  EXPECT_THAT(Values(host, Consumer::kSpdk), ::testing::Contains("SPDK_ADRFAM=IPv6"));
}

TEST(Environment, TakesTheAddressOnTheStorageVlan) {
  Profile profile = PcpProfile();
  profile.vlan = Profile::Vlan::kTagged;
  EXPECT_THAT(Values(OnVlan(), Consumer::kSpdk, profile), ::testing::Contains("SPDK_TRADDR=10.0.0.1"));
  profile.vlan_ids = std::vector<std::uint16_t>{712};
  EXPECT_NE(Of(OnVlan(), Consumer::kNccl, profile).state, Readiness::kReady);
}

TEST(Environment, TakesTheGidThatIsBesideTheDefaultRoute) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.addresses = std::vector<IpAddress>{{.address = "192.168.0.5", .prefix_length = 24}};
  ports.front().netdev = netdev;
  ports.front().uppers = std::vector<UpperNetdev>{
      {.name = "dcb0.711",
       .kind = "vlan",
       .over = {"dcb0"},
       .admin_up = true,
       .carrier = true,
       .mtu_bytes = 9000,
       .vlan_id = std::uint16_t{711},
       .vlan_egress = std::vector<VlanPriority>{{.from = 4, .pcp = 3}},
       .vlan_reorder = true,
       .addresses = std::vector<IpAddress>{{.address = "10.0.0.1", .prefix_length = 24}},
       .ipv4 = Ipv4Settings{}}};
  std::vector<Gid> gids = *ports.front().gids;
  Gid managed = gids.back();
  managed.raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 168, 0, 5};
  gids.push_back(managed);
  gids[gids.size() - 2].index = 5;
  ports.front().gids = gids;
  host.ports = ports;
  host.default_routes = std::vector<std::string>{"dcb0"};
  const Port& port = host.ports->front();
  const Fact<std::vector<Gid>> usable = UsableGids(host, port, VirtualFabricProfile());
  ASSERT_TRUE(usable);
  ASSERT_EQ(usable->size(), 1U);
  EXPECT_EQ(usable->front().index, 5U);
}

TEST(Environment, RefusesUcxOnTwoLinkLayers) {
  Facts host = WithSecond(GoodHost(), [](Port& port) { port = OnInfiniband().ports->front(); });
  Profile any = VirtualFabricProfile();
  any.transport = Profile::Transport::kAny;
  EXPECT_NE(Of(host, Consumer::kUcx, any).state, Readiness::kReady);
}

TEST(Environment, LeavesOutGidAndMarkOnInfiniband) {
  EXPECT_THAT(Values(OnInfiniband(), Consumer::kNccl, InfinibandProfile()),
              ElementsAre("NCCL_IB_HCA==mlx5_0:1", "NCCL_SOCKET_IFNAME==eth0"));
}

TEST(Environment, IsRefusedWhereOneOfTwoPortsIsNotReady) {
  Facts host = TwoPorts(1);
  std::vector<Port> ports = *host.ports;
  ports[1].active_mtu_bytes = 1024;
  host.ports = ports;
  const Environment environment = Of(host, Consumer::kNccl);
  ExpectRefused(environment, Readiness::kNotReady, "rxe1/1 dcb1 is not ready for nccl: mtu");
  EXPECT_THAT(environment.reason, HasSubstr("--port"));
  ASSERT_EQ(environment.left_out.size(), 1U);
  EXPECT_EQ(environment.left_out[0].port, "rxe1/1 dcb1");
  EXPECT_THAT(environment.left_out[0].why, HasSubstr("mtu"));
}

TEST(Environment, IsRefusedWhereNoPortIsReady) {
  ExpectRefused(Of(WithPfc(1U << 4), Consumer::kNccl), Readiness::kNotReady, "pfc.lossless-priority");
  const Facts down = WithPort([](Port& port) {
    port.state = PortState::kDown;
    port.phys_state = std::uint8_t{3};
    Netdev netdev = *port.netdev;
    netdev.carrier = false;
    port.netdev = netdev;
  });
  ExpectRefused(Of(down, Consumer::kNccl), Readiness::kNotReady, "link.state");
}

TEST(Environment, IsRefusedWithoutTheModuleOfTheConsumer) {
  const auto without = [](std::string_view name) {
    return WithModule(GoodHost(), name, [](KernelModule& module) { module.state = ModuleState::kAbsent; });
  };
  ExpectRefused(Of(without("nvme_rdma"), Consumer::kNvme), Readiness::kNotReady, "nvme.host-module");
  ExpectRefused(Of(without("rpcrdma"), Consumer::kNfs), Readiness::kNotReady, "nfs.client-module");
  ExpectRefused(Of(without("cifs"), Consumer::kSmb), Readiness::kNotReady, "smb.client-built-in");
  EXPECT_EQ(Of(without("nvme_rdma"), Consumer::kNccl).state, Readiness::kReady);
}

// The values go before those of files.
TEST(Environment, IsNotRefusedForWhatItPutsRight) {
  Facts host = GoodHost();
  host.markings = std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .tos = 0, .gid_index = 7}};
  host.named_devices = std::vector<NamedDevice>{
      {.device = "mlx5_9", .exact = true, .source = "/etc/nccl.conf", .key = "NCCL_IB_HCA"}};
  EXPECT_EQ(Values(host, Consumer::kNccl), Values(GoodHost(), Consumer::kNccl));
}

TEST(Environment, IsUnknownWhereAFactIsMissing) {
  ExpectRefused(Of(WithPort([](Port& port) { port.gids = Denied(); }), Consumer::kNccl),
                Readiness::kUndetermined, "not permitted");
  Facts host = GoodHost();
  host.default_routes = Denied();
  ExpectRefused(Of(host, Consumer::kNccl), Readiness::kUndetermined, "default route");
  host.ports = Denied();
  ExpectRefused(Of(host, Consumer::kNccl), Readiness::kUndetermined, "ports are not known");
  ExpectRefused(Of(WithPort([](Port& port) { port.transport = Denied(); }), Consumer::kNccl),
                Readiness::kUndetermined, "");
}

TEST(Environment, NotesWhatItsChainCannotSee) {
  Profile profile = VirtualFabricProfile();
  profile.ecn = Profile::Ecn{};
  const Facts host = WithHardware([](Port& port, PciFunction&) { port.congestion = CongestionControl{}; });
  const Environment environment = Of(host, Consumer::kNccl, profile);
  EXPECT_EQ(environment.state, Readiness::kReady) << environment.reason;
  ASSERT_EQ(environment.notes.size(), 1U);
  EXPECT_THAT(environment.notes[0], HasSubstr("chain.nccl"));
}

TEST(Environment, HasNoValueThatAShellMayReadAsItsOwn) {
  for (const std::string name : {"a$(id)", "a`id`", "a b", "a'b", "-rf", "a\nb", "a;b", "a:b", "a,b", "a=b"}) {
    Facts host = GoodHost();
    host.default_routes = std::vector<std::string>{name};
    ExpectRefused(Of(host, Consumer::kNccl), Readiness::kUndetermined, "a shell");
    const Facts device = WithPort([&name](Port& port) { port.device = name; });
    EXPECT_NE(Of(device, Consumer::kNccl).state, Readiness::kReady) << name;
    const Facts netdev = WithPort([&name](Port& port) {
      Netdev changed = *port.netdev;
      changed.name = name;
      port.netdev = changed;
      std::vector<Gid> gids = *port.gids;
      for (Gid& gid : gids) gid.netdev = name;
      port.gids = gids;
    });
    for (const Consumer consumer : {Consumer::kNccl, Consumer::kUcx, Consumer::kMori, Consumer::kSpdk,
                                    Consumer::kSmb, Consumer::kNvme, Consumer::kNfs}) {
      EXPECT_NE(Of(netdev, consumer).state, Readiness::kReady) << name << Name(consumer);
    }
  }
}

TEST(Environment, SaysNothingOfIwarpToLibrariesThatNeedRoce) {
  const Facts host = WithPort([](Port& port) { port.transport = Transport::kIwarp; });
  Profile profile = VirtualFabricProfile();
  profile.transport = Profile::Transport::kAny;
  EXPECT_THAT(Of(host, Consumer::kNccl, profile).reason, HasSubstr("iWARP"));
}

TEST(Environment, NeedsPortsOfOneMark) {
  Profile first = VirtualFabricProfile();
  first.ports = {{.netdev = "dcb0"}};
  Profile second = VirtualFabricProfile();
  second.name = "other";
  second.tos = 104;
  second.ports = {{.netdev = "dcb1"}};
  const std::vector<Profile> profiles{first, second};
  const absl::StatusOr<Environment> both = EnvironmentFor(TwoPorts(1), profiles, {.consumer = Consumer::kNccl});
  ASSERT_TRUE(both.ok());
  ExpectRefused(*both, Readiness::kUndetermined, "106 on rxe0/1, 104 on rxe1/1");
  const absl::StatusOr<Environment> one =
      EnvironmentFor(TwoPorts(1), profiles, {.consumer = Consumer::kNccl, .ports = {"rxe0"}});
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(Values(*one), ::testing::Contains("NCCL_IB_TC=106"));
}

TEST(Environment, TakesOverWhatTheAgentWaived) {
  const Facts host = WithPort([](Port& port) { port.active_mtu_bytes = 1024; });
  const Profile profile = VirtualFabricProfile();
  Finding waived{.id = "mtu.roce", .subject = "rxe0/1 dcb0"};
  const Environment before = Of(host, Consumer::kNccl);
  waived.id =
      before.reason.substr(before.reason.find("mtu."), before.reason.rfind(": ") - before.reason.find("mtu."));
  waived.id = waived.id.substr(0, waived.id.find(':'));
  waived.waived = Waived{.reason = "r", .who = "w", .until = "2030-01-01"};
  const absl::StatusOr<Environment> environment =
      EnvironmentFor(host, {&profile, 1}, {.consumer = Consumer::kNccl, .judged = {&waived, 1}});
  ASSERT_TRUE(environment.ok());
  EXPECT_EQ(environment->state, Readiness::kReady) << environment->reason;
}

TEST(Environment, RefusesTheNameOfAPortThatIsMissing) {
  const Profile profile = VirtualFabricProfile();
  const absl::StatusOr<Environment> environment =
      EnvironmentFor(GoodHost(), {&profile, 1}, {.consumer = Consumer::kNccl, .ports = {"mlx5_7"}});
  EXPECT_EQ(environment.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PlainValue, IsOfItsCharactersAndNoOption) {
  for (const char* good : {"=mlx5_0:1,mlx5_1:1", "3", "-1", "fd00::1", "rdma,vers=3.1.1", "a+b-c/d"})
    EXPECT_TRUE(IsPlainValue(good)) << good;
  for (const char* bad : {"", "-rf", "a b", "$x", "a\n", "a'b", "a\\b", "\xc3\xa4", "a;b", "--tos=1"})
    EXPECT_FALSE(IsPlainValue(bad)) << bad;
}

TEST(Consumers, HaveNamesThatReadBack) {
  EXPECT_EQ(ConsumerNames().size(), 8U);
  for (const std::string& name : ConsumerNames()) EXPECT_EQ(Name(*ConsumerFromName(name)), name);
  EXPECT_FALSE(ConsumerFromName("unknown"));
  EXPECT_FALSE(ConsumerFromName("iser"));
}

}  // namespace
}  // namespace rdmaready
