// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

std::vector<CheckCase> GidBasicsRows() {
  const auto only_link_local = [](Port& port) { port.gids = std::vector<Gid>{port.gids->front()}; };
  const auto without_address = [&only_link_local](Port& port) {
    only_link_local(port);
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "fe80::1", .prefix_length = 64}};
    port.netdev = netdev;
  };
  const auto only_v1 = [](Port& port) {
    std::vector<Gid> gids = *port.gids;
    for (Gid& gid : gids) gid.type = GidType::kRoceV1;
    port.gids = gids;
  };
  const auto marked_by_nic = [](std::uint64_t dscp) {
    return WithPort([dscp](Port& port) {
      port.cm_default_tos = std::uint8_t{0};
      port.congestion = CongestionControl{.source = "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc",
                                          .parameters = {{"roce_dscp", dscp}}};
    });
  };
  return {
      Passes("gid.v2-present", "good", GoodHost(), "10.0.0.1 at index 1"),
      Fails("gid.v2-present", "address removed", WithPort(without_address), "only link-local",
            {.fix = "ip address add ADDRESS dev dcb0"}),
      Fails("gid.v2-present", "address without GID", WithPort(only_link_local), "only link-local",
            {.fix = "ip link set dev dcb0 down && ip link set dev dcb0 up  # the interface loses its IPv6 "
                    "addresses and static routes"}),
      Fails("gid.v2-present", "IPv6 address without GID", WithPort([&only_link_local](Port& port) {
              only_link_local(port);
              Netdev netdev = *port.netdev;
              netdev.addresses = std::vector<IpAddress>{{.address = "fd00::1", .prefix_length = 64},
                                                        {.address = "fe80::1", .prefix_length = 64}};
              port.netdev = netdev;
            }),
            "only link-local",
            {.fix = "ip link set dev dcb0 down && ip link set dev dcb0 up  # the interface loses its static "
                    "routes and "
                    "fd00::1/64"}),
      Fails("gid.v2-present", "RoCE v1 only", WithPort(only_v1), "only RoCE v1: 10.0.0.1",
            {.fix = "ethtool -i dcb0"}),
      Fails("gid.v2-present", "empty table", WithPort([](Port& port) { port.gids = std::vector<Gid>{}; }),
            "no RoCE v2 GID"),
      IsUnknown("gid.v2-present", "denied", WithPort([](Port& port) { port.gids = Denied(); }),
                "not permitted"),
      IsUnknown("gid.v2-present", "whether it is RoCE is not known", TransportDenied(), "not permitted"),
      IsUnknown("gid.ip-match", "whether it is RoCE is not known", TransportDenied(), "not permitted"),
      Passes("gid.default-mode", "good", GoodHost(), "RoCE v2"),
      Fails("gid.default-mode", "v1", WithPort([](Port& port) { port.cm_default_mode = GidType::kRoceV1; }),
            "RoCE v1",
            {.fix = "mkdir -p /sys/kernel/config/rdma_cm/rxe0 && echo 'RoCE v2' > "
                    "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode"}),
      IsUnknown("gid.default-mode", "no configfs",
                WithPort([](Port& port) { port.cm_default_mode = kUnsupported; }), "not offered",
                {.fix = "modprobe rdma_cm"}),
      Passes("roce.tos", "good", GoodHost(), "ToS 106 (DSCP 26)"),
      Fails("roce.tos", "not set", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }),
            "not set",
            {.fix = "mkdir -p /sys/kernel/config/rdma_cm/rxe0 && echo 106 > "
                    "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"}),
      Fails("roce.tos", "other DSCP", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{96}; }),
            "ToS 96 (DSCP 24)"),
      Warns("roce.tos", "other ECN bits", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{104}; }),
            "ECN bits differ"),
      IsUnknown("roce.tos", "denied", WithPort([](Port& port) { port.cm_default_tos = Denied(); }),
                "not permitted"),
      Fails("roce.tos", "DSCP without a ToS",
            WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "not set",
            {.fix = "echo 104 >", .profile = Without([](Profile& profile) { profile.tos.reset(); })}),
      Fails("roce.tos", "DSCP without a ToS, and marks of switches asked for",
            WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "not set",
            {.fix = "echo 106 >", .profile = Without([](Profile& profile) {
                                    profile.tos.reset();
                                    profile.ecn = Profile::Ecn{};
                                  })}),
      Passes("roce.tos", "bnxt's own mark", marked_by_nic(26), "the NIC marks RoCE with DSCP 26 by itself"),
      Fails("roce.tos", "bnxt's own mark, another", marked_by_nic(0), "DSCP 0 by itself"),
      DoesNotApply("roce.tos-persistent", "bnxt's own mark", marked_by_nic(26), "the NIC marks RoCE by itself"),
      IsUnknown("ecn.ect-set", "bnxt's own mark without its ECN bits", marked_by_nic(26), "no ecn_marking",
                {.profile = Asking([](Profile& profile) {
                   profile.tos.reset();
                   profile.ecn = Profile::Ecn{};
                 })}),
      DoesNotApply("roce.tos", "not asked", GoodHost(), "does not ask", {.profile = PcpProfile()})};
}

std::vector<CheckCase> GidNetRows() {
  const Facts missed = WithPort([](Port& port) { port.gids = std::vector<Gid>{port.gids->front()}; });
  return {
      Passes("gid.ip-match", "good", GoodHost(), "every address has its GID"),
      Fails("gid.ip-match", "address without GID", missed, "no GID for 10.0.0.1 of dcb0",
            {.fix = "ip link set dev dcb0 down && ip link set dev dcb0 up"}),
      Warns("gid.ip-match", "GID without address", WithoutAddress(), "GID 1 is for 10.0.0.1"),
      IsUnknown("gid.ip-match", "GIDs denied", WithPort([](Port& port) { port.gids = Denied(); }),
                "not permitted"),
      IsUnknown("gid.ip-match", "addresses denied", AddressesDenied(), "not permitted"),
      IsUnknown("gid.ip-match", "uppers denied", WithPort([](Port& port) { port.uppers = Denied(); }),
                "not permitted"),
      DoesNotApply("gid.ip-match", "iWARP", WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
                   "iWARP"),
      Passes("gid.vlan-match", "good", OnVlan(), "10.0.0.1 at index 1", {.profile = Tagged()}),
      Fails("gid.vlan-match", "none",
            WithVlan([](Port& port, UpperNetdev&) { port.gids = std::vector<Gid>{port.gids->front()}; }),
            "no RoCE v2 GID on dcb0.711", {.fix = "ip link set dev dcb0.711 down", .profile = Tagged()}),
      IsUnknown("gid.vlan-match", "denied", WithVlan([](Port& port, UpperNetdev&) { port.gids = Denied(); }),
                "not permitted", {.profile = Tagged()}),
      IsUnknown("gid.vlan-match", "no VLAN", GoodHost(), "no storage VLAN", {.profile = Tagged()}),
      DoesNotApply("gid.vlan-match", "not asked", GoodHost(), "does not ask")};
}

}  // namespace

std::vector<CheckCase> GidCases() { return Joined({GidBasicsRows(), GidNetRows()}); }

}  // namespace rdmaready
