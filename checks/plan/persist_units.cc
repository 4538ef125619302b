// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist_units.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "api/base/number.h"
#include "api/model/setting.h"
#include "checks/plan/boot_files.h"
#include "checks/plan/persist_managers.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/words/memlock_lines.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kStandardMtu = 1500;
constexpr std::string_view kFirstDropIns = "249";  // of systemd, by its systemd.link(5)
constexpr std::string_view kFileHead = "# Made by rdmaready.\n";

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

std::string UnitNameOf(std::string_view prefix, std::string_view netdev) {
  return Cat(prefix, EscapedUnitName(netdev), ".service");
}

constexpr std::string_view kMtuPrefix = "rdma-mtu-";

// A command that begins with '-' may fail. `after`: units that come first, where they are there.
PersistFile OneshotUnit(std::string_view prefix, const std::string& netdev, std::string_view what,
                        const std::vector<std::string>& commands, const std::vector<std::string>& after = {}) {
  const std::string name = UnitNameOf(prefix, netdev);
  const std::string device = "sys-subsystem-net-devices-" + EscapedUnitName(netdev) + ".device";
  std::string content =
      Cat(kFileHead, "[Unit]\nDescription=", what, " of ", netdev, "\nBindsTo=", device, "\nAfter=", device);
  for (const std::string& unit : after) content += Cat(" ", unit);
  content += "\n\n[Service]\nType=oneshot\nRemainAfterExit=yes\n";
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

// "0000:3b:00.0". Other buses have other names ("usb-0000:00:14.0-1"), and what has no bus has none.
bool IsPciAddress(std::string_view bus) {
  constexpr std::size_t kLeastBytes = 12;
  if (bus.size() < kLeastBytes || bus[bus.size() - 2] != '.') return false;
  return std::ranges::count(bus, ':') == 2 && std::ranges::count(bus, '.') == 1 &&
         bus.find_first_not_of("0123456789abcdef:.") == std::string_view::npos;
}

// The [Match] lines of a .link file: all of them must hold. The members of a bond share the bond's address, and
// PermanentMACAddress= tells them apart; before systemd 245 it is not known, and left out: so the place is
// named beside it. Empty: no line is sure to match this interface alone.
std::string MatchOf(const Netdev& netdev) {
  const bool placed = netdev.driver_info && IsPciAddress(netdev.driver_info->bus);
  if (IsVirtual(netdev.driver) || (!placed && !netdev.permanent_mac)) return {};
  const std::string path = placed ? Cat("Path=pci-", netdev.driver_info->bus, "\n") : std::string();
  if (netdev.permanent_mac)
    return Cat("PermanentMACAddress=", *netdev.permanent_mac, "\n", path, "Type=ether\n");
  return Cat(path, "Type=ether\n");
}

// Whether files of the boot set that MTU, and none another one.
bool IsMtuKept(const Facts& host, const SettingPlace& place, std::uint32_t mtu_bytes) {
  const std::vector<const BootWrite*> writers = BootWritersOf(host, place);
  const std::string mtu = std::to_string(mtu_bytes);
  return !writers.empty() && std::ranges::all_of(writers, [&mtu](const BootWrite* write) {
    return IsRightAtBoot(SettingKind::kMtu, *write, mtu);
  });
}

// Whether every file of the boot that sets another MTU is a .link file, or a drop-in of one.
bool IsOnlyInLinkFiles(const Facts& host, const SettingPlace& place, std::uint32_t mtu_bytes) {
  const std::string mtu = std::to_string(mtu_bytes);
  return std::ranges::all_of(BootWritersOf(host, place), [&mtu](const BootWrite* write) {
    return IsRightAtBoot(SettingKind::kMtu, *write, mtu) || write->started.ends_with(".link");
  });
}

// ---- the MTU of an interface ----

constexpr std::string_view kNetworkFolder = "/etc/systemd/network/";

// systemd's own, which names every interface that no other file matches.
bool IsPackagedDefault(std::string_view file) { return file.ends_with("/99-default.link") && IsMadeAnew(file); }

SettingObject MtuOf(const Netdev& netdev) { return {.kind = SettingKind::kMtu, .where = netdev.name}; }

// The owner's file, which a person changes.
PersistFile OwnersFile(const Facts& host, const SettingOwner& owner, const Netdev& netdev) {
  const std::string used = NetworkdFileOf(host, netdev.name);
  const bool another = owner.file.ends_with(".network") && !used.empty() && used != owner.file;
  return {.path = owner.file,
          .note = Cat(owner.name, " keeps MTU ", netdev.mtu_bytes, " of ", Printable(netdev.name),
                      " where this file says it: ", AdviceOf(owner),
                      another ? Cat("; networkd uses ", Printable(used), " now") : std::string()),
          .exists_already = true,
          .keeps = {MtuOf(netdev)}};
}

// A version of a distribution: "15.4" has both numbers, and "9" has a second number of 0.
struct Release {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const Release&) const = default;
};

std::optional<Release> ReleaseOf(std::string_view version) {
  const std::size_t dot = std::min(version.size(), version.find('.'));
  const auto major = ParseNumber<unsigned>(version.substr(0, dot));
  if (!major) return std::nullopt;
  const std::string_view rest = version.substr(std::min(version.size(), dot + 1));
  return Release{.major = *major, .minor = ParseNumber<unsigned>(rest.substr(0, rest.find('.'))).value_or(0)};
}

// The first release of a distribution whose systemd reads drop-ins of .link files. Earlier ones have 219 to
// 248.
struct FirstRelease {
  std::string_view id;
  Release first;
};
constexpr std::array<FirstRelease, 12> kFirstReleases{{{"debian", {12, 0}},
                                                       {"ubuntu", {22, 4}},
                                                       {"rhel", {9, 0}},
                                                       {"centos", {9, 0}},
                                                       {"ol", {9, 0}},
                                                       {"fedora", {35, 0}},
                                                       {"amzn", {2023, 0}},
                                                       {"openEuler", {22, 3}},
                                                       {"sles", {15, 4}},
                                                       {"sled", {15, 4}},
                                                       {"opensuse-leap", {15, 4}},
                                                       {"opensuse-tumbleweed", {0, 0}}}};

const FirstRelease* FirstReleaseOf(std::string_view id) {
  const auto found = std::ranges::find(kFirstReleases, id, &FirstRelease::id);
  return found == kFirstReleases.end() ? nullptr : &*found;
}

// Whether the distribution's systemd may read no drop-ins of .link files. Derivatives of Red Hat have its
// numbers; those of Ubuntu do where theirs look so ("22.04"), and Mint's "20" is 20.04. A derivative of another
// numbering counts as too old; a distribution of which nothing is known does not.
bool IsTooOldForDropIns(const Facts& host) {
  if (!host.distribution) return false;
  const auto release = ReleaseOf(host.distribution->version);
  if (const FirstRelease* own = FirstReleaseOf(host.distribution->id)) return release && *release < own->first;
  if (IsLike(host, "rhel") || IsLike(host, "centos")) return !release || release->major < 9;
  constexpr unsigned kFirstYear = 16;
  const bool of_ubuntu = IsLike(host, "ubuntu");
  const bool numbered_alike = of_ubuntu && release && release->major >= kFirstYear &&
                              (release->minor == 4 || release->minor == 10) &&
                              host.distribution->version.find('.') != std::string::npos;
  if (numbered_alike) return *release < FirstReleaseOf("ubuntu")->first;
  return of_ubuntu || IsLike(host, "debian") || IsLike(host, "suse") || IsLike(host, "fedora");
}

// LimitOfBootFile() as a sentence without its full stop.
std::string LimitSentence(std::string_view path) {
  std::string text(LimitOfBootFile(path, ""));
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

// systemd.link(5): it is read after the file that it adds to, in whatever folder that is.
PersistFile DropIn(const Facts& host, const std::string& file, const Netdev& netdev) {
  const std::string path = MtuDropInPath(host, file, netdev.mtu_bytes);
  return {.path = path,
          .content = Cat(kFileHead, MtuLines(netdev.mtu_bytes)),
          .note = Cat("MTU of ", Printable(netdev.name), " when it appears: ", Printable(file),
                      " is the .link file that holds for it, and keeps its name and all else. systemd before ",
                      kFirstDropIns,
                      " (`udevadm --version`) reads no drop-ins of .link files: add the line to "
                      "that file there. ",
                      LimitSentence(path)),
          .exists_already = IsAtBoot(host, path),
          .keeps = {MtuOf(netdev)},
          .by_apply = true};
}

// The first file that matches an interface is the only one. This one takes the place of systemd's default
// alone, with the same names: it comes after the files of a site and of netplan.
PersistFile OwnLinkFile(const Facts& host, const std::string& applied, const Netdev& netdev) {
  const std::string unknown = Cat(
      " The .link file that udev applied is not known: where ID_NET_LINK_FILE of `udevadm info /sys/class/net/",
      ShellWord(netdev.name), "` is not 99-default.link, put MTUBytes= into a drop-in of that file instead.");
  const std::string path = Cat(kNetworkFolder, "98-rdma-", netdev.name, ".link");
  return {.path = path,
          .content = Cat(kFileHead, "[Match]\n", MatchOf(netdev),
                         "\n[Link]\nNamePolicy=keep kernel database onboard slot path\nAlternativeNamesPolicy="
                         "database onboard slot path\nMTUBytes=",
                         netdev.mtu_bytes, "\n"),
          .note = Cat("MTU of ", Printable(netdev.name), " when it appears.", applied.empty() ? unknown : "",
                      " Its network manager may set another afterwards. ", LimitSentence(path), ". ",
                      ManagerNote(host, netdev.name, netdev.mtu_bytes), UnreadNote(host)),
          .keeps = {MtuOf(netdev)},
          .by_apply = true};
}

// For what a .link file of its own would rename or give another address: a bond, a bridge, an interface whose
// .link file is that of others too.
PersistFile MtuUnit(const Facts& host, const std::string& applied, const Netdev& netdev) {
  PersistFile file = OneshotUnit(kMtuPrefix, netdev.name, "MTU",
                                 {Cat("ip link set dev ", ShellWord(netdev.name), " mtu ", netdev.mtu_bytes)});
  const std::string shared =
      applied.empty() || IsPackagedDefault(applied)
          ? std::string()
          : Cat("; ", Printable(applied), ", the .link file that holds for it, stays as it is");
  file.note += Cat(shared, "; its network manager may set another MTU afterwards. ",
                   ManagerNote(host, netdev.name, netdev.mtu_bytes), UnreadNote(host));
  file.keeps = {MtuOf(netdev)};
  file.by_apply = true;
  return file;
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

PersistFile MtuFileOf(const Facts& host, const UpperNetdev& upper) {
  return MtuFileOf(host, Netdev{.name = upper.name, .driver = upper.kind, .mtu_bytes = upper.mtu_bytes});
}

PersistFile MtuFileOf(const Facts& host, const Netdev& netdev) {
  const SettingObject mtu = MtuOf(netdev);
  const SettingPlace place = PlaceOf(host, mtu);
  const SettingOwner owner = OwnerOf(host, mtu, std::to_string(netdev.mtu_bytes));
  // The MTU of a connection of NetworkManager is not known.
  if (owner.name != "NetworkManager" && IsMtuKept(host, place, netdev.mtu_bytes)) return {};
  // A drop-in goes before the value of its .link file.
  const bool in_link_file = owner.at_boot && IsOnlyInLinkFiles(host, place, netdev.mtu_bytes);
  if (!owner.empty() && !in_link_file) {
    PersistFile beside = MtuFileOfManager(host, place, owner, netdev.mtu_bytes);
    return beside.path.empty() ? OwnersFile(host, owner, netdev) : beside;
  }
  const AtBootLink link = LinkFileOf(host, place);
  if (link.own && !IsTooOldForDropIns(host)) return DropIn(host, link.file, netdev);
  const bool by_default = link.file.empty() || IsPackagedDefault(link.file);
  if (by_default && !MatchOf(netdev).empty()) return OwnLinkFile(host, link.file, netdev);
  return MtuUnit(host, link.file, netdev);
}

PersistFile VlanUnitFile(const Facts& host, const VlanAtBoot& vlan) {
  const std::string word = ShellWord(vlan.netdev);
  std::vector<std::string> commands;
  if (vlan.egress != "empty")
    commands.push_back(Cat("ip link set dev ", word, " type vlan egress-qos-map ", vlan.egress));
  // The kernel refuses a larger MTU than that of what is below.
  if (vlan.mtu_bytes > kStandardMtu)
    commands.push_back(Cat("-ip link set dev ", word, " mtu ", vlan.mtu_bytes));
  std::vector<std::string> after;
  for (const std::string& below : vlan.over) after.push_back(UnitNameOf(kMtuPrefix, below));
  PersistFile file = OneshotUnit("rdma-vlan-", vlan.netdev, "Priorities and MTU", commands, after);
  file.note +=
      Cat("; or by its network manager (systemd-networkd: [VLAN] EgressQOSMaps=, NetworkManager: "
          "vlan.egress-priority-map)",
          vlan.mtu_bytes > kStandardMtu ? Cat(". ", ManagerNote(host, vlan.netdev, vlan.mtu_bytes))
                                        : std::string());
  if (vlan.egress != "empty") file.keeps.push_back({.kind = SettingKind::kVlanEgress, .where = vlan.netdev});
  if (vlan.mtu_bytes > kStandardMtu) file.keeps.push_back({.kind = SettingKind::kMtu, .where = vlan.netdev});
  file.by_apply = true;
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

PersistFile MemlockFile(std::uint64_t bytes) {
  return {.path = "/etc/security/limits.d/90-rdma.conf",
          .content = Cat(kFileHead, MemlockLines(bytes)),
          .note = Cat("of logins that are in the group ", kMemlockGroup, ": groupadd -f ", kMemlockGroup,
                      "; gpasswd -a USER ", kMemlockGroup, "; units need LimitMEMLOCK= of their own")};
}

}  // namespace rdmaready
