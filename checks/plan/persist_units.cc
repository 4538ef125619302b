// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist_units.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "api/model/setting.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFileHead = "# Made by `rdmaready plan --persist`.\n";

// systemd.unit(5): what of a name stands for itself in a unit's.
std::string EscapedUnitName(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string escaped;
  for (const char one : name) {
    const auto byte = static_cast<unsigned char>(one);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '_' || byte == ':' ||
                       (byte == '.' && !escaped.empty());
    if (plain) {
      escaped += one;
    } else {
      escaped += Cat("\\x", kDigits.substr(byte >> 4U, 1), kDigits.substr(byte & 0xfU, 1));
    }
  }
  return escaped;
}

// In a unit a percent sign is a specifier, a backslash an escape, and a dollar sign a variable. A command that
// runs another one needs a shell.
std::string ExecWords(std::string_view command) {
  const bool shell = command.find("$(") != std::string_view::npos;
  std::string words;
  for (const char one : command) {
    if (shell && one == '"') words += '\\';
    words += one;
    if (one == '%' || one == '\\' || (shell && one == '$')) words += one;
  }
  return shell ? Cat("/bin/sh -c \"", words, "\"") : words;
}

PersistFile OneshotUnit(const std::string& prefix, const std::string& netdev, std::string_view what,
                        const std::vector<std::string>& commands) {
  const std::string name = prefix + EscapedUnitName(netdev) + ".service";
  const std::string device = "sys-subsystem-net-devices-" + EscapedUnitName(netdev) + ".device";
  std::string content = Cat(kFileHead, "[Unit]\nDescription=", what, " of ", netdev, "\nBindsTo=", device,
                            "\nAfter=", device, "\n\n[Service]\nType=oneshot\nRemainAfterExit=yes\n");
  for (const std::string& command : commands) content += Cat("ExecStart=", ExecWords(command), "\n");
  content += Cat("\n[Install]\nWantedBy=", device, "\n");
  return {.path = "/etc/systemd/system/" + name,
          .content = std::move(content),
          .note = Cat("then: systemctl daemon-reload && systemctl enable ", ShellWord(name))};
}

bool IsLike(const Facts& host, std::string_view id) {
  if (!host.distribution) return false;
  return host.distribution->id == id ||
         std::ranges::find(host.distribution->like, id) != host.distribution->like.end();
}

// How the network's manager of such a distribution is told of an MTU, as far as one is usual there.
std::string ManagerNote(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes) {
  const std::string nmcli = Cat("NetworkManager: nmcli connection modify CONNECTION 802-3-ethernet.mtu ",
                                mtu_bytes, "  (CONNECTION: that of ", Printable(netdev), ")");
  if (IsLike(host, "debian")) return Cat("ifupdown: a line `mtu ", mtu_bytes, "` in its stanza; ", nmcli);
  return nmcli;
}

// The address of such an interface is that of a member.
bool IsVirtual(std::string_view kind) {
  return kind == "bonding" || kind == "bond" || kind == "team" || kind == "bridge" || kind == "vlan";
}

// The [Match] lines of a .link file. udev looks at an interface when it appears: a member of a bond has its
// permanent address then, and not the bond's, which it shows later.
std::string MatchOf(const Netdev& netdev) {
  // Before systemd 245 there is no PermanentMACAddress=.
  if (netdev.permanent_mac) return Cat("MACAddress=", *netdev.permanent_mac, "\nType=ether");
  const bool own = netdev.master.empty() && !IsVirtual(netdev.driver);
  if (!netdev.mac.empty() && own) return Cat("MACAddress=", netdev.mac, "\nType=ether");
  const bool pci = netdev.driver_info && !netdev.driver_info->bus.empty();
  return pci ? Cat("Path=pci-", netdev.driver_info->bus) : Cat("OriginalName=", netdev.name);
}

// Whether files of the boot set that MTU, and none another one.
bool IsMtuKept(const Facts& host, const SettingPlace& place, std::uint32_t mtu_bytes) {
  const std::vector<const BootWrite*> writers = BootWritersOf(host, place);
  const std::string mtu = std::to_string(mtu_bytes);
  return !writers.empty() && std::ranges::all_of(writers, [&mtu](const BootWrite* write) {
    return IsRightAtBoot(SettingKind::kMtu, *write, mtu);
  });
}

// ---- what the unit of an Ethernet port sets ----

// A kind that such a unit sets: whether the profile asks for it, and a value of which all differs.
struct UnitRule {
  SettingKind kind = SettingKind::kUnknown;
  bool (*asked)(const EthernetView& view, std::string_view value) = nullptr;
  std::string (*far)(std::string_view value) = nullptr;
};

bool AsksForLossless(const EthernetView& view, std::string_view /*value*/) {
  return kDemandsLossless.made_by(view.profile);
}
bool AsksForStaticDcbx(const EthernetView& view, std::string_view /*value*/) {
  return view.profile.dcbx == Profile::Dcbx::kStatic;
}
bool AsksForEts(const EthernetView& view, std::string_view value) {
  return view.profile.ets_rdma_percent.has_value() ||
         (view.netdev->driver == "bnxt_en" && AsksForLossless(view, value));
}
bool AsksForPfc(const EthernetView& view, std::string_view /*value*/) { return view.profile.pfc.has_value(); }
bool AsksForBuffer(const EthernetView& view, std::string_view value) {
  return AsksForLossless(view, value) && value.find("prio 0,0,0,0,0,0,0,0") == std::string_view::npos;
}
bool HasRows(const EthernetView& /*view*/, std::string_view value) { return value != "empty"; }
bool AsksForMaxRate(const EthernetView& view, std::string_view /*value*/) {
  return view.profile.rdma_max_rate_mbps.has_value();
}
bool AsksForTrust(const EthernetView& view, std::string_view /*value*/) {
  return view.profile.trust != Profile::Trust::kAny;
}

std::string OtherPause(std::string_view value) {
  const auto wanted = PauseOf(value);
  return wanted ? Text(Pause{.autoneg = wanted->autoneg, .rx = !wanted->rx, .tx = !wanted->tx}) : std::string();
}

std::string OtherFlag(std::string_view value) { return value == "on" ? "off" : "on"; }

std::string OtherDcbx(std::string_view value) { return value == "none" ? "host ieee" : "none"; }

std::string OtherEts(std::string_view value) {
  std::optional<EtsSetting> other = EtsSettingOf(value);
  if (!other) return {};
  other->prio_tc[0] = other->prio_tc[0] == 0 ? 1 : 0;
  return Text(*other);
}

std::string OtherPfc(std::string_view value) {
  std::optional<PfcSetting> other = PfcSettingOf(value);
  if (!other) return {};
  other->enabled = static_cast<std::uint8_t>(~other->enabled);
  return Text(*other);
}

std::string OtherBuffer(std::string_view value) {
  std::optional<BufferSetting> other = BufferSettingOf(value);
  if (!other) return {};
  other->prio_buffer[0] = other->prio_buffer[0] == 0 ? 1 : 0;
  other->size_bytes[0] = other->size_bytes[0] == 0 ? 1 : 0;
  return Text(*other);
}

std::string OtherRates(std::string_view value) {
  std::optional<MaxRatesKbps> other = MaxRatesOf(value);
  if (!other) return {};
  for (std::uint64_t& kbps : *other) kbps = kbps == 0 ? 0 : kbps + 1;
  return Text(*other);
}

std::string NoRows(std::string_view /*value*/) { return "empty"; }

std::string NoOrder(std::string_view /*value*/) { return "nothing"; }

constexpr std::array<UnitRule, 9> kUnitRules{{{SettingKind::kPause, AsksForLossless, OtherPause},
                                              {SettingKind::kPrivateFlag, AsksForStaticDcbx, OtherFlag},
                                              {SettingKind::kDcbx, AsksForStaticDcbx, OtherDcbx},
                                              {SettingKind::kEts, AsksForEts, OtherEts},
                                              {SettingKind::kPfc, AsksForPfc, OtherPfc},
                                              {SettingKind::kBuffer, AsksForBuffer, OtherBuffer},
                                              {SettingKind::kMaxRate, AsksForMaxRate, OtherRates},
                                              {SettingKind::kApp, HasRows, NoRows},
                                              {SettingKind::kTrust, AsksForTrust, NoOrder}}};

const UnitRule* UnitRuleOf(SettingKind kind) {
  const auto found = std::ranges::find(kUnitRules, kind, &UnitRule::kind);
  return found == kUnitRules.end() ? nullptr : &*found;
}

}  // namespace

bool IsSetByUnit(const EthernetView& view, SettingKind kind, std::string_view value) {
  const UnitRule* rule = UnitRuleOf(kind);
  return rule != nullptr && rule->asked(view, value);
}

std::string FarFrom(SettingKind kind, std::string_view value) {
  const UnitRule* rule = UnitRuleOf(kind);
  return rule == nullptr ? "" : rule->far(value);
}

PersistFile UnitFile(const std::string& netdev, const std::vector<std::string>& commands) {
  return OneshotUnit("rdma-dcb-", netdev, "Data centre bridging", commands);
}

std::string UnreadNote(const Facts& host) {
  const std::string unread = UnreadAtBoot(host, SettingKind::kMtu);
  return unread.empty() ? unread : Cat("; ", unread);
}

PersistFile LinkFile(const Facts& host, const UpperNetdev& upper) {
  return LinkFile(host, Netdev{.name = upper.name, .driver = upper.kind, .mtu_bytes = upper.mtu_bytes});
}

PersistFile LinkFile(const Facts& host, const Netdev& netdev) {
  const SettingObject mtu{.kind = SettingKind::kMtu, .where = netdev.name};
  const SettingPlace place = PlaceOf(host, mtu);
  const SettingOwner owner = OwnerOf(host, mtu, std::to_string(netdev.mtu_bytes));
  // The MTU of a connection of NetworkManager is not known.
  if (owner.name != "NetworkManager" && IsMtuKept(host, place, netdev.mtu_bytes)) return {};
  if (!owner.empty())
    return {.path = owner.file,
            .content = owner.name == "systemd-networkd" ? Cat("[Link]\nMTUBytes=", netdev.mtu_bytes, "\n") : "",
            .note = Cat(owner.name, " keeps MTU ", netdev.mtu_bytes, " of ", Printable(netdev.name),
                        " where this file says it: ", AdviceOf(owner)),
            .exists_already = true};
  if (const BootWrite* link = LinkFileOf(host, place); link != nullptr)
    return {.path = link->file,
            .content = Cat("[Link]\nMTUBytes=", netdev.mtu_bytes, "\n"),
            .note = Cat("add the line: it is the only .link file that holds for ", Printable(netdev.name)),
            .exists_already = true};
  // The first file that matches an interface is the only one: it must name it as before.
  const std::string match = MatchOf(netdev);
  return {
      .path = Cat("/etc/systemd/network/10-rdma-", netdev.name, ".link"),
      .content = Cat(kFileHead, "[Match]\n", match,
                     "\n\n[Link]\nNamePolicy=keep kernel database onboard slot path\nAlternativeNamesPolicy="
                     "database onboard slot path\nMTUBytes=",
                     netdev.mtu_bytes, "\n"),
      .note = Cat("MTU of ", Printable(netdev.name),
                  " when it appears. Its network manager may set another afterwards. ",
                  ManagerNote(host, netdev.name, netdev.mtu_bytes), UnreadNote(host))};
}

PersistFile VlanUnitFile(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes,
                         std::string_view egress) {
  std::vector<std::string> commands;
  if (mtu_bytes > 1500) commands.push_back(Cat("ip link set dev ", ShellWord(netdev), " mtu ", mtu_bytes));
  if (egress != "empty")
    commands.push_back(Cat("ip link set dev ", ShellWord(netdev), " type vlan egress-qos-map ", egress));
  PersistFile file = OneshotUnit("rdma-vlan-", netdev, "MTU and priorities", commands);
  file.note +=
      Cat("; or by its network manager (systemd-networkd: [VLAN] EgressQOSMaps=, NetworkManager: "
          "vlan.egress-priority-map)",
          mtu_bytes > 1500 ? Cat(". ", ManagerNote(host, netdev, mtu_bytes)) : std::string());
  return file;
}

PersistFile TosFile(unsigned tos) {
  return {
      .path = "/etc/udev/rules.d/90-rdma-tos.rules",
      .content = Cat("ACTION==\"add\", SUBSYSTEM==\"infiniband\", RUN+=\"/bin/sh -c 'modprobe rdma_cm; "
                     "cd /sys/kernel/config/rdma_cm || exit; ls /sys/class/infiniband | xargs mkdir -p; echo ",
                     tos, " | tee */ports/*/default_roce_tos'\"\n"),
      .note = "RDMA-CM's ToS of every RDMA device; then: udevadm control --reload"};
}

PersistFile MemlockFile() {
  return {.path = "/etc/security/limits.d/90-rdma.conf",
          .content = Cat(kFileHead, "* soft memlock unlimited\n* hard memlock unlimited\n"),
          .note = "of logins; units need LimitMEMLOCK=infinity of their own"};
}

}  // namespace rdmaready
