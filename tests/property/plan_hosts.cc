// SPDX-License-Identifier: Apache-2.0
#include "tests/property/plan_hosts.h"

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "api/profile/load.h"
#include "api/profile/profile_problems.h"
#include "api/profile/profile_proto.h"
#include "checks/setting/table.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready::property {
namespace {

std::uint64_t Upto(Chance& chance, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(0, most)(chance);
}
bool OneIn(Chance& chance, std::uint64_t n) { return Upto(chance, n - 1) == 0; }

template <class T>
T Any(Chance& chance, std::initializer_list<T> values) {
  return *(values.begin() + static_cast<std::ptrdiff_t>(Upto(chance, values.size() - 1)));
}

Missing NotOfferedHere() { return {.kind = Missing::Kind::kUnsupported, .detail = "not offered"}; }

// ---- what drivers come up with ----

void BeginPlain(Netdev& netdev) {
  netdev.driver = "dcbnic";
  netdev.dcb.ets = Ets{.traffic_classes = 8};
  netdev.dcb.pfc = Pfc{.capability = 8};
}

void BeginMlx5(Netdev& netdev) {
  netdev.driver = "mlx5_core";
  Ets ets{.traffic_classes = 8};
  ets.tsa.fill(Tsa::kVendor);
  ets.prio_tc = {1, 0, 2, 3, 4, 5, 6, 7};
  netdev.dcb.ets = ets;
  netdev.dcb.pfc = Pfc{.capability = 8, .delay = 7};
  netdev.dcb.dcbx = Dcbx{.host = true, .cee = true, .ieee = true};
  netdev.max_mtu_bytes = 9978;
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
  if (driver == "mlx5") BeginMlx5(netdev);
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

std::string AnyBuffer(Chance& chance) {
  BufferSetting buffer;
  buffer.size_bytes = {131'072, 65'536, 65'536, 0, 0, 0, 0, 0};
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

// ---- profiles ----

void ChangeByChance(Profile& profile, Chance& chance) {
  const auto priority = [&chance] { return static_cast<std::uint8_t>(Upto(chance, 7)); };
  const std::vector<std::function<void()>> changes{
      [&] { profile.rdma_priority = priority(); },
      [&] { profile.pfc = std::vector<std::uint8_t>{*profile.rdma_priority}; },
      [&] { profile.pfc = std::vector<std::uint8_t>{}; },
      [&] {
        profile.pfc = std::vector<std::uint8_t>{*profile.rdma_priority, priority()};
      },
      [&] { profile.pfc.reset(); },
      [&] { profile.ets_rdma_percent = static_cast<std::uint8_t>(1 + Upto(chance, 98)); },
      [&] { profile.ets_rdma_percent.reset(); },
      [&] { profile.dcbx = Profile::Dcbx::kAny; },
      [&] {
        profile.trust = Any(chance, {Profile::Trust::kAny, Profile::Trust::kPcp, Profile::Trust::kDscp});
      },
      [&] { profile.cnp = Profile::Cnp{.dscp = 48, .priority = priority()}; },
      [&] { profile.cnp = Profile::Cnp{.dscp = 48}; },
      [&] { profile.heartbeat = Profile::Heartbeat{.priority = priority(), .percent = std::uint8_t{1}}; },
      [&] { profile.vlan = Profile::Vlan::kTagged; },
      [&] {
        profile.mtu_bytes = Any<std::uint32_t>(chance, {1500, 4200, 9000, 9600});
      },
      [&] {
        profile.roce_mtu_bytes = Any<std::uint32_t>(chance, {1024, 2048, 4096});
      },
      [&] { profile.rdma_max_rate_mbps = static_cast<std::uint32_t>(1000 + Upto(chance, 40'000)); },
      [&] { profile.cable_metres = static_cast<std::uint32_t>(1 + Upto(chance, 1200)); },
      [&] { profile.ecn = Profile::Ecn{}; },
      [&] { profile.tos.reset(); },
      [&] { profile.marking = Profile::Marking::kConsumers; },
      [&] { profile.roles = std::vector<Profile::Role>{Profile::Role::kSmbServer}; }};
  const std::uint64_t count = 1 + Upto(chance, 4);
  for (std::uint64_t i = 0; i < count && profile.rdma_priority; ++i)
    changes[Upto(chance, changes.size() - 1)]();
}

// A line of YAML of a site's own.
std::string AnyKey(Chance& chance) {
  const std::string number = std::to_string(Upto(chance, 7));
  const std::string other = std::to_string(Upto(chance, 7));
  const std::string dscp = std::to_string(Upto(chance, 63));
  const std::string percent = std::to_string(1 + Upto(chance, 98));
  return Any<std::string>(
      chance,
      {"rdma_priority: " + number + "\npfc: [" + number + "]\n",
       "rdma_priority: " + number + "\npfc: []\n",
       "rdma_priority: " + number + "\n",
       "pfc: [" + number + ", " + other + "]\n",
       "dscp: " + dscp + "\ntos: " + std::to_string(4 * Upto(chance, 63) + 2) + "\n",
       "dscp: 32\ntos: 130\n",
       "trust: " + Any<std::string>(chance, {"any", "pcp", "dscp"}) + "\n",
       "ets: {rdma_percent: " + percent + "}\n",
       "ets: {at_least: true}\n",
       "ets: {rdma_percent: 40, classes: [{priorities: [0, 1, 2, 5, 6, 7], percent: 60}, {priorities: [3, 4], "
       "percent: 40}]}\n",
       "cnp: {dscp: " + dscp + ", priority: " + number + "}\n",
       "heartbeat: {priority: " + number + ", percent: 1, percent_up_to_10g: 2}\n",
       "heartbeat: {priority: " + number + "}\n",
       "dcbx: any\n",
       "vlan: tagged\n",
       "mtu_bytes: " + Any<std::string>(chance, {"1500", "4200", "9000"}) + "\n",
       "roce_mtu_bytes: " + Any<std::string>(chance, {"1024", "2048", "4096"}) + "\n",
       "rdma_max_rate_mbps: 20000\n",
       "marking: consumers\n",
       "dcb_set_by: elsewhere\n",
       "transport: roce-v2\n"});
}

}  // namespace

PlanHost MakePlanHost(Chance& chance) {
  PlanHost made{.driver = Any<std::string>(chance, {"plain", "mlx5", "bnxt", "ice", "fabric-ice"})};
  made.facts = Begun(made.driver, chance);
  if (OneIn(chance, 3)) AddSharer(made.facts);
  if (OneIn(chance, 3)) AddVlan(made.facts, chance);
  if (OneIn(chance, 4)) AddSecond(made.facts, chance);
  WriteByChance(made.facts, chance);
  LoseByChance(made.facts, chance);
  return made;
}

Profile MakePlanProfile(Chance& chance) {
  const std::vector<std::string> names = BuiltInProfileNames();
  while (true) {
    Profile profile = *LoadProfile(names[Upto(chance, names.size() - 1)]);
    if (OneIn(chance, 2)) ChangeByChance(profile, chance);
    if (!FindProblem(ToProto(profile))) return profile;
  }
}

Profile MakeDerivedProfile(Chance& chance) {
  const std::vector<std::string> names = BuiltInProfileNames();
  while (true) {
    std::string yaml = "extends: " + names[Upto(chance, names.size() - 1)] + "\nname: derived\n";
    const std::string without = Any<std::string>(chance, {"", "", "ets.classes", "tos", "ets", "cnp"});
    if (!without.empty()) yaml += "without: [" + without + "]\n";
    for (std::uint64_t i = 1 + Upto(chance, 2); i > 0; --i) yaml += AnyKey(chance);
    // A key twice, or one that contradicts another, is refused: then the next one is tried.
    const absl::StatusOr<Profile> profile = ParseProfile(yaml, "derived.yaml");
    if (profile.ok()) return *profile;
  }
}

}  // namespace rdmaready::property
