// SPDX-License-Identifier: Apache-2.0
#include "tests/property/plan_hosts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "checks/setting/driver_rules.h"
#include "checks/setting/table.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready::property {
namespace {

Missing NotOfferedHere() { return {.kind = Missing::Kind::kUnsupported, .detail = "not offered"}; }

// ---- what drivers come up with ----

void BeginPlain(Netdev& netdev) {
  netdev.driver = "dcbnic";
  netdev.dcb.ets = Ets{.traffic_classes = 8};
  netdev.dcb.pfc = Pfc{.capability = 8};
}

// Kernels before June 2026 show the share 100 for a class that is not ETS, later ones 0. The total of the
// buffers is that of a ConnectX with cells of 128 bytes, or of one with 144.
void BeginMlx5(Netdev& netdev, Chance& chance) {
  netdev.driver = "mlx5_core";
  Ets ets{.traffic_classes = 8};
  ets.tsa.fill(Tsa::kVendor);
  ets.tx_percent.fill(Any<std::uint8_t>(chance, {100, 0}));
  ets.prio_tc = {1, 0, 2, 3, 4, 5, 6, 7};
  netdev.dcb.ets = ets;
  netdev.dcb.pfc = Pfc{.capability = 8, .delay = 7};
  netdev.dcb.dcbx = Dcbx{.host = true, .cee = true, .ieee = true};
  netdev.max_mtu_bytes = 9978;
  PortBuffer buffer{.total_bytes = Any<std::uint32_t>(chance, {262'016, 1'027'728})};
  buffer.size_bytes[0] = buffer.total_bytes;
  netdev.dcb.buffer = buffer;
}

void BeginMlx4(Netdev& netdev) {
  netdev.driver = "mlx4_en";
  Ets ets{.traffic_classes = 8};
  ets.tsa.fill(Tsa::kVendor);
  ets.prio_tc = {0, 1, 2, 3, 4, 5, 6, 7};
  netdev.dcb.ets = ets;
  netdev.dcb.pfc = Pfc{.capability = 8};
  netdev.dcb.dcbx = Dcbx{.host = true, .cee = true, .ieee = true};
  netdev.dcb.buffer = NotOfferedHere();
  netdev.pause = Pause{.rx = true, .tx = true};
}

void BeginByFirmware(Netdev& netdev, std::string driver, Dcbx mode, bool willing) {
  netdev.driver = std::move(driver);
  Ets ets{.willing = willing, .traffic_classes = 8};
  ets.tsa[0] = Tsa::kEts;
  ets.tx_percent[0] = 100;
  netdev.dcb.ets = ets;
  netdev.dcb.pfc = Pfc{.capability = 8};
  netdev.dcb.dcbx = mode;
  netdev.dcb.buffer = NotOfferedHere();
  netdev.dcb.max_rate_kbps = NotOfferedHere();
}

void BeginBnxt(Netdev& netdev) {
  netdev.driver = "bnxt_en";
  netdev.dcb.ets = Ets{.traffic_classes = 8};
  netdev.dcb.pfc = Pfc{.capability = 2};
  netdev.dcb.buffer = NotOfferedHere();
  netdev.dcb.max_rate_kbps = NotOfferedHere();
}

void BeginIce(Netdev& netdev, std::string driver, bool agent) {
  netdev.driver = std::move(driver);
  Ets ets{.willing = true, .traffic_classes = 8};
  ets.tsa[0] = Tsa::kEts;
  ets.tx_percent[0] = 100;
  netdev.dcb.ets = ets;
  netdev.dcb.pfc = Pfc{.capability = 8};
  netdev.dcb.buffer = NotOfferedHere();
  netdev.dcb.max_rate_kbps = NotOfferedHere();
  netdev.dcb.dcbx = Dcbx{.host = !agent, .lld_managed = agent, .ieee = true};
  netdev.link.private_flags = std::vector<PrivateFlag>{{.name = "fw-lldp-agent", .on = agent}};
}

void Begin(Netdev& netdev, const std::string& driver, Chance& chance) {
  netdev.dcb.app = std::vector<AppEntry>{};
  PortBuffer buffer{.total_bytes = 262'144};
  buffer.size_bytes[0] = buffer.total_bytes;
  netdev.dcb.buffer = buffer;
  if (driver == "plain") BeginPlain(netdev);
  if (driver == "mlx5") BeginMlx5(netdev, chance);
  if (driver == "mlx4") BeginMlx4(netdev);
  if (driver == "cxgb4") BeginByFirmware(netdev, "cxgb4", {.lld_managed = true, .ieee = true}, true);
  if (driver == "qede") BeginByFirmware(netdev, "qede", {.ieee = true, .static_mode = OneIn(chance, 2)}, false);
  if (driver == "hns3") BeginByFirmware(netdev, "hns3", {.host = true, .ieee = true}, true);
  if (driver == "i40e") BeginByFirmware(netdev, "i40e", {.host = true, .ieee = true}, false);
  if (driver == "bnxt") BeginBnxt(netdev);
  if (driver == "ice") BeginIce(netdev, "ice", OneIn(chance, 3));
  if (driver == "fabric-ice") BeginIce(netdev, "dcbnic", OneIn(chance, 3));
}

Facts Begun(const std::string& driver, Chance& chance) {
  const bool software = driver == "plain" || driver == "fabric-ice";
  Facts host = software ? GoodHost() : Hardware();
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  Begin(netdev, driver, chance);
  ports.front().netdev = netdev;
  ports.front().cm_default_tos = std::uint8_t{0};
  ports.front().cm_default_mode = Any(chance, {GidType::kRoceV2, GidType::kRoceV1});
  host.ports = ports;
  std::vector<Sysctl> sysctls;
  for (const std::string where : {"all", "dcb0", "dcb1", "eth5"}) {
    for (const std::string name : {"accept_local", "arp_announce", "arp_ignore", "rp_filter"})
      sysctls.push_back({.name = "net.ipv4.conf." + where + "." + name});
  }
  std::ranges::sort(sysctls, {}, &Sysctl::name);
  host.sysctls = sysctls;
  return host;
}

// ---- what stands beside and on it ----

void AddSharer(Facts& host) {
  std::vector<Port> ports = *host.ports;
  std::vector<Subnet> subnets = *ports.front().subnets;
  subnets.front().shared_with = {{.netdev = "eth5", .address = "10.0.0.5", .ipv4 = Ipv4Settings{}}};
  ports.front().subnets = subnets;
  host.ports = ports;
}

void AddVlan(Facts& host, Chance& chance) {
  std::vector<Port> ports = *host.ports;
  Port& port = ports.front();
  Netdev netdev = *port.netdev;
  UpperNetdev vlan{.name = "dcb0.711",
                   .ifindex = 7,
                   .kind = "vlan",
                   .over = {"dcb0"},
                   .admin_up = true,
                   .carrier = true,
                   .mtu_bytes = 1500};
  vlan.vlan_id = std::uint16_t{711};
  vlan.vlan_egress = std::vector<VlanPriority>{};
  vlan.vlan_reorder = !OneIn(chance, 3);
  vlan.ipv4 = Ipv4Settings{};
  vlan.addresses = netdev.addresses;
  if (OneIn(chance, 2)) netdev.addresses = std::vector<IpAddress>{};
  port.netdev = netdev;
  port.uppers = std::vector<UpperNetdev>{vlan};
  host.ports = ports;
}

void AddSecond(Facts& host, Chance& chance) {
  const bool shares = OneIn(chance, 2);
  host = WithSecond(host, [shares](Port& port) {
    std::vector<Subnet> subnets = *port.subnets;
    subnets.front().netdev = "dcb1";
    subnets.front().own.address = shares ? "10.0.0.9" : "10.0.1.1";
    if (shares)
      subnets.front().shared_with = {{.netdev = "dcb0", .address = "10.0.0.1", .ipv4 = Ipv4Settings{}}};
    port.subnets = subnets;
    port.uppers = std::vector<UpperNetdev>{};
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = subnets.front().own.address, .prefix_length = 24}};
    port.netdev = netdev;
  });
}

// ---- writes that the driver took ----

std::string AnyEts(Chance& chance) {
  EtsSetting ets{.willing = OneIn(chance, 3)};
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority)
    ets.prio_tc[priority] = static_cast<std::uint8_t>(OneIn(chance, 2) ? priority : Upto(chance, 3));
  unsigned left = 100;
  for (std::uint8_t tc = 0; tc < kPriorities; ++tc) {
    ets.tsa[tc] = Any(chance, {Tsa::kStrict, Tsa::kEts, Tsa::kEts, Tsa::kVendor});
    if (ets.tsa[tc] != Tsa::kEts) continue;
    const auto share = static_cast<std::uint8_t>(tc == 7 ? left : Upto(chance, left));
    ets.tx_percent[tc] = share;
    left -= share;
  }
  for (std::uint8_t tc = 0; left > 0 && tc < kPriorities; ++tc) {
    if (ets.tsa[tc] != Tsa::kEts) continue;
    ets.tx_percent[tc] = static_cast<std::uint8_t>(ets.tx_percent[tc] + left);
    left = 0;
  }
  return Text(ets);
}

std::string AnyRows(Chance& chance) {
  std::vector<AppEntry> rows;
  const std::uint64_t count = Upto(chance, 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.push_back({.selector = AppSelector::kDscp,
                    .priority = static_cast<std::uint8_t>(Upto(chance, 7)),
                    .protocol = Any<std::uint16_t>(chance, {26, 48, 10, 46, 0})});
  }
  if (OneIn(chance, 3))
    rows.push_back(
        {.selector = AppSelector::kEthertype, .priority = static_cast<std::uint8_t>(Upto(chance, 7))});
  if (OneIn(chance, 4)) rows.push_back({.selector = AppSelector::kDgram, .priority = 5, .protocol = 4791});
  return Text(rows);
}

// Whole cells of 128 bytes and of 144.
std::string AnyBuffer(Chance& chance) {
  BufferSetting buffer;
  buffer.size_bytes = {129'024, 64'512, 64'512, 0, 0, 0, 0, 0};
  for (std::uint8_t& own : buffer.prio_buffer) own = static_cast<std::uint8_t>(Upto(chance, 2));
  return Text(buffer);
}

std::string AnyRates(Chance& chance) {
  MaxRatesKbps rates{};
  rates[Upto(chance, 7)] = 1'000'000 * Upto(chance, 30);
  return Text(rates);
}

std::string AnyValue(const SettingObject& object, Chance& chance) {
  switch (object.kind) {
    case SettingKind::kPause:
      return Text(Pause{.autoneg = OneIn(chance, 3), .rx = OneIn(chance, 2), .tx = OneIn(chance, 2)});
    case SettingKind::kPrivateFlag:
    case SettingKind::kVlanReorder:
      return OneIn(chance, 2) ? "on" : "off";
    case SettingKind::kDcbx:
      return Any<std::string>(chance,
                              {"host ieee", "host cee ieee", "host ieee static", "cee ieee", "host cee"});
    case SettingKind::kMtu:
      return Any<std::string>(chance, {"1500", "2000", "4200", "9000"});
    case SettingKind::kEts:
      return AnyEts(chance);
    case SettingKind::kPfc:
      return Text(PfcSetting{.enabled = static_cast<std::uint8_t>(Upto(chance, 255)),
                             .delay = static_cast<std::uint16_t>(Any(chance, {0, 7, 100}))});
    case SettingKind::kBuffer:
      return AnyBuffer(chance);
    case SettingKind::kMaxRate:
      return AnyRates(chance);
    case SettingKind::kApp:
      return AnyRows(chance);
    case SettingKind::kVlanEgress:
      return Any<std::string>(chance, {"empty", "0:3", "2:4 4:3", "2:3"});
    case SettingKind::kSysctl:
      return Any<std::string>(chance, {"0", "1", "2"});
    case SettingKind::kCmMode:
      return Any<std::string>(chance, {"RoCE v2", "IB/RoCE v1"});
    case SettingKind::kCmTos:
      return Any<std::string>(chance, {"0", "104", "106", "24"});
    case SettingKind::kUnknown:
    case SettingKind::kDevlinkParameter:
    case SettingKind::kTrust:
      break;
  }
  return {};
}

void WriteByChance(Facts& host, Chance& chance) {
  const std::uint64_t writes = Upto(chance, 14);
  for (std::uint64_t i = 0; i < writes; ++i) {
    const std::vector<Setting> all = SettingsOf(host);
    const SettingObject object = all[Upto(chance, all.size() - 1)].object;
    const std::string value = AnyValue(object, chance);
    if (!value.empty() && IsCanonical(object.kind, value)) static_cast<void>(WriteSetting(host, object, value));
  }
}

// ---- what nobody could read ----

void LoseByChance(Facts& host, Chance& chance) {
  std::vector<Port> ports = *host.ports;
  Port& port = ports.front();
  Netdev netdev = *port.netdev;
  const Missing denied = Denied();
  const std::vector<std::function<void()>> losses{[&] { netdev.dcb.ets = denied; },
                                                  [&] { netdev.dcb.pfc = denied; },
                                                  [&] { netdev.dcb.app = denied; },
                                                  [&] { netdev.dcb.dcbx = denied; },
                                                  [&] { netdev.dcb.buffer = denied; },
                                                  [&] { netdev.pause = denied; },
                                                  [&] { netdev.speed_mbps = denied; },
                                                  [&] { port.cm_default_tos = denied; },
                                                  [&] { port.cm_default_mode = denied; },
                                                  [&] { port.congestion = denied; },
                                                  [&] { port.uppers = denied; },
                                                  [&] { port.transport = denied; },
                                                  [&] { port.active_mtu_bytes = denied; },
                                                  [&] { host.sysctls = denied; },
                                                  [&] {
                                                    // By its flag alone the fabric's NIC is told from a plain
                                                    // one.
                                                    if (netdev.driver == "ice")
                                                      netdev.link.private_flags = denied;
                                                  },
                                                  [&] { port.resources = denied; },
                                                  [&] { netdev.driver.clear(); },
                                                  [&] { netdev.max_mtu_bytes = denied; },
                                                  [&] { port.subnets = denied; },
                                                  [&] { netdev.dcb.max_rate_kbps = denied; }};
  const std::uint64_t count = OneIn(chance, 2) ? 0 : Upto(chance, 3);
  for (std::uint64_t i = 0; i < count; ++i) losses[Upto(chance, losses.size() - 1)]();
  if (OneIn(chance, 40)) {
    port.netdev = denied;
  } else {
    port.netdev = netdev;
  }
  host.ports = ports;
}

// mlx5.pfc.firmware-buffers of DRIVERS.md: the lossless priorities in a buffer of their own, each half of the
// total in whole cells.
PortBuffer LaidOut(std::uint32_t total, std::uint8_t lossless) {
  PortBuffer buffer{.total_bytes = total};
  buffer.size_bytes[0] = total;
  if (lossless == 0) return buffer;
  constexpr std::uint32_t kWholeCellsBytes = 1152;
  buffer.size_bytes[1] = total / 2 / kWholeCellsBytes * kWholeCellsBytes;
  buffer.size_bytes[0] = total - buffer.size_bytes[1];
  for (std::size_t priority = 0; priority < kPriorities; ++priority)
    buffer.prio_buffer[priority] = static_cast<std::uint8_t>(lossless >> priority & 1U);
  return buffer;
}

bool IsLeftOpen(const Fact<PortBuffer>& buffer) {
  return !buffer && buffer.missing().detail == kBuffersAfterPfc;
}

}  // namespace

std::span<const std::string_view> PlanDrivers() {
  static constexpr std::array<std::string_view, 10> kDrivers{"plain", "mlx5",  "bnxt", "ice",  "fabric-ice",
                                                             "mlx4",  "cxgb4", "qede", "hns3", "i40e"};
  return kDrivers;
}

void ReadBuffersAgain(Facts& host, Chance& chance) {
  if (!host.ports) return;
  std::vector<Port> ports = *host.ports;
  const bool of_firmware = OneIn(chance, 2);
  const auto total = Any<std::uint32_t>(chance, {262'016, 1'027'728});
  for (Port& port : ports) {
    if (!port.netdev || !IsLeftOpen(port.netdev->dcb.buffer)) continue;
    Netdev netdev = *port.netdev;
    PortBuffer buffer = LaidOut(total, netdev.dcb.pfc ? netdev.dcb.pfc->enabled : std::uint8_t{0});
    if (!of_firmware) {
      const BufferSetting other = *BufferSettingOf(AnyBuffer(chance));
      buffer.prio_buffer = other.prio_buffer;
      buffer.size_bytes = other.size_bytes;
    }
    netdev.dcb.buffer = buffer;
    port.netdev = netdev;
  }
  host.ports = ports;
}

PlanHost MakePlanHost(std::string_view driver, Chance& chance) {
  PlanHost made{.driver = std::string(driver)};
  made.facts = Begun(made.driver, chance);
  if (OneIn(chance, 3)) AddSharer(made.facts);
  if (OneIn(chance, 3)) AddVlan(made.facts, chance);
  if (OneIn(chance, 4)) AddSecond(made.facts, chance);
  WriteByChance(made.facts, chance);
  ReadBuffersAgain(made.facts, chance);
  LoseByChance(made.facts, chance);
  return made;
}

}  // namespace rdmaready::property
