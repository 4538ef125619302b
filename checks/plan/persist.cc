// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checks/dcb/kept.h"
#include "checks/dcb/pfc.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/device/boot_switch.h"
#include "checks/device/fabric_manager.h"
#include "checks/device/mtu.h"
#include "checks/net/tagging.h"
#include "checks/placeholders.h"
#include "checks/plan/boot_files.h"
#include "checks/plan/persist_managers.h"
#include "checks/plan/persist_own.h"
#include "checks/plan/persist_sysctls.h"
#include "checks/plan/persist_units.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/edit.h"
#include "checks/setting/table.h"
#include "checks/spare.h"
#include "checks/words/cluster_agent.h"
#include "checks/words/ethernet.h"
#include "checks/words/memlock_lines.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kMadeBy = "# Made by rdmaready.\n";
constexpr std::uint32_t kStandardMtu = 1500;

using Kinds = std::set<SettingKind>;

// The kinds that the plan sets at the interface.
Kinds KindsSetAt(const Plan& plan, const std::string& netdev) {
  Kinds kinds;
  for (const PlanStep& step : plan.steps) {
    if (step.object.where == netdev) kinds.insert(step.object.kind);
  }
  return kinds;
}

// The commands of a unit, and the settings that they make.
struct UnitWork {
  std::vector<std::string> commands{};
  std::vector<SettingObject> keeps{};
};

// `only`: of these kinds alone; null: of all.
UnitWork UnitCommands(const EthernetView& view, const Kinds* only) {
  UnitWork work;
  for (const SettingKind kind : kSettingKinds) {
    const SettingObject object{
        .kind = kind,
        .where = view.netdev->name,
        .name = kind == SettingKind::kPrivateFlag ? std::string(kFirmwareLldpFlag) : std::string()};
    const std::string value = ValueOf(view.host, object);
    const bool asked = only == nullptr || only->contains(kind);
    if (!asked || value.empty() || !IsSetByUnit(view, kind, value)) continue;
    const std::string from = FarFrom(kind, value);
    for (std::string& command : RowOf(kind).commands(PlaceOf(view.host, object), from, value))
      work.commands.push_back(std::move(command));
    work.keeps.push_back(object);
  }
  return work;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += Cat(text.empty() ? "" : ", ", Printable(name));
  return text;
}

// ---- one file for each purpose ----

// Names the files that set data centre bridging at boot already; empty: no file does.
std::string KeeperNote(const EthernetView& view, const KeptDcb& kept) {
  const std::string file = FileText(view.host, kept.file);
  const bool made = IsMadeAnew(kept.file);
  const std::string change = made ? Cat("instead, ", ChangeText(kept.file, StarterOf(view.host, kept.file)))
                                  : std::string("change it there instead");
  if (kept.kept == Kept::kOtherwise)
    return Cat(file, " sets ", kept.text, " at boot: ", change, made ? "" : ", or remove those lines", "; ");
  if (kept.kept == Kept::kElsewhere)
    return Cat(file, " sets ", kept.text, " at boot, and not this interface: ", change, "; ");
  const Fact<std::vector<std::string>>& keepers = view.host.dcb_keepers;
  if (!keepers || keepers->empty()) return {};
  return Cat(Joined(*keepers), keepers->size() == 1 ? " sets" : " set",
             " data centre bridging at boot already: let it set this, or take it away; ");
}

// Whether it is known that no file of the site is among the keepers.
bool IsNobodys(const Fact<std::vector<std::string>>& keepers) { return keepers && keepers->empty(); }

// A port that nobody uses needs no file; one that is kept, only what the plan changes.
void AddUnit(const EthernetView& view, const Plan& plan, std::vector<PersistFile>& files) {
  if (!NotSetHere(view).empty() || !DcbSetElsewhere(view).empty()) return;
  if (IsSpare(view.host, view.port, view.profile)) return;
  if (QosAgentOf(view.host) != nullptr) return;  // it would be a second owner
  const KeptDcb kept = KeptDcbOf(view);
  Kinds changed = KindsSetAt(plan, view.netdev->name);
  // The driver lays out the buffers anew when PFC is set.
  if (kept.pfc && changed.erase(SettingKind::kPfc) > 0) changed.erase(SettingKind::kBuffer);
  UnitWork work = UnitCommands(view, kept.kept == Kept::kHere ? &changed : nullptr);
  if (work.commands.empty()) return;
  PersistFile file = UnitFile(view.netdev->name, work.commands);
  const std::string keepers = KeeperNote(view, kept);
  file.exists_already = !keepers.empty();
  file.note = Cat(keepers, file.note);
  file.keeps = std::move(work.keeps);
  file.by_apply = IsNobodys(view.host.dcb_keepers);
  files.push_back(std::move(file));
}

void AddUnits(const PlannedPart& part, const Plan& plan, std::vector<PersistFile>& files) {
  for (const Port& port : *part.now.ports) {
    for (const NetdevRef netdev : EthernetPortsOf(port)) {
      if (netdev) AddUnit({part.now, port, netdev, *part.origin->profile}, plan, files);
    }
  }
}

// Files that are there, and switch the profile's protocol off at the next boot.
void AddSwitches(const PlannedPart& part, std::vector<PersistFile>& files) {
  for (const Port& port : *part.now.ports) {
    for (const BootWrite& write : SwitchedOffAtBoot(part.now, port, *part.origin->profile)) {
      const bool made = IsMadeAnew(write.file);
      files.push_back({.path = made ? write.started : write.file,
                       .note = Cat("sets ", Printable(write.setting), " ", Printable(write.value), " of ",
                                   Printable(port.device), " at boot, against the profile: ",
                                   made ? Cat(ChangeText(write.file, write.started), ", without those lines")
                                        : std::string("remove those lines")),
                       .exists_already = true});
    }
  }
}

// The file by which opensm of this host gets the port; what else is there stays as it is.
void AddOpensm(const PlannedPart& part, std::vector<PersistFile>& files) {
  for (const Port& port : *part.now.ports) {
    const auto line = MissingOpensmLine({part.now, port, *part.origin->profile});
    const auto same = [&line](const PersistFile& file) { return file.path == line->path; };
    if (!line || std::ranges::any_of(files, same)) continue;
    files.push_back(
        {.path = line->path,
         .content = Cat(line->text, "\n"),
         .note = Cat("the GUID of ", Printable(PortName(port)),
                     ", for opensm: replace the line there; then: systemctl restart ", ShellWord(line->unit)),
         .exists_already = true});
  }
}

// A bond or team gives its MTU to its members when it takes them (bond_enslave, team_port_add): the file is
// its.
PersistFile MtuFile(const Facts& host, const Port& port, const Netdev& netdev) {
  if (port.netdev && IsBondKind(port.netdev->driver) && netdev.master == port.netdev->name)
    return MtuFileOf(host, *port.netdev);
  if (!netdev.master.empty() && port.uppers) {
    const auto upper = std::ranges::find(*port.uppers, netdev.master, &UpperNetdev::name);
    if (upper != port.uppers->end() && IsBondKind(upper->kind)) return MtuFileOf(host, *upper);
  }
  return MtuFileOf(host, netdev);
}

// The interfaces that the VLAN stands on directly.
std::vector<std::string> BelowVlan(const Port& port, const std::string& vlan) {
  if (!port.uppers) return {};
  const auto upper = std::ranges::find(*port.uppers, vlan, &UpperNetdev::name);
  return upper == port.uppers->end() ? std::vector<std::string>{} : upper->over;
}

// The MTU where its owner keeps it; a unit for the rest.
void AddVlan(const Facts& host, const Profile& profile, const Port& port, const TaggedNetdev& vlan,
             std::vector<PersistFile>& files) {
  const std::string egress = vlan.egress ? Text(*vlan.egress) : std::string("empty");
  const bool priority = kDemandsPcp.made_by(profile) && egress != "empty";
  bool own = vlan.mtu_bytes > kStandardMtu;
  if (own) {
    PersistFile mtu =
        MtuFileOf(host, UpperNetdev{.name = vlan.name, .kind = "vlan", .mtu_bytes = vlan.mtu_bytes});
    own = mtu.path.ends_with(".service");
    if (!own && !mtu.path.empty()) files.push_back(std::move(mtu));
  }
  if (!own && !priority) return;
  files.push_back(VlanUnitFile(host, {.netdev = vlan.name,
                                      .over = BelowVlan(port, vlan.name),
                                      .mtu_bytes = own ? vlan.mtu_bytes : 0,
                                      .egress = priority ? egress : "empty"}));
}

// Whether the file keeps an MTU that the plan sets, and the interface may start at another one without it.
bool KeepsAStep(const Facts& host, const Plan& plan, const PersistFile& file) {
  return std::ranges::any_of(plan.steps, [&](const PlanStep& step) {
    return step.object.kind == SettingKind::kMtu &&
           std::ranges::find(file.keeps, step.object) != file.keeps.end() &&
           MayStartAtOtherMtu(host, step.object);
  });
}

void AddMtus(const Facts& host, const PlannedPart& part, const Plan& plan, std::vector<PersistFile>& files) {
  const Profile& profile = *part.origin->profile;
  if (!profile.mtu_bytes && !profile.roce_mtu_bytes) return;
  for (const Port& port : *part.now.ports) {
    if (IsInfiniBand(port) || IsSpare(part.now, port, profile)) continue;
    for (const NetdevRef netdev : EthernetPortsOf(port)) {
      if (!netdev) continue;
      PersistFile file = MtuFile(host, port, *netdev);
      if (netdev->mtu_bytes > kStandardMtu || KeepsAStep(host, plan, file)) files.push_back(std::move(file));
    }
    const UpperNetdev* bridge = BridgeOver(port);
    if (bridge != nullptr && bridge->mtu_bytes > kStandardMtu && bridge->addresses &&
        !bridge->addresses->empty())
      files.push_back(MtuFileOf(host, *bridge));
    if (!port.uppers) continue;
    for (const TaggedNetdev& vlan : StorageVlans(part.now, port, profile)) {
      AddVlan(host, profile, port, vlan, files);
    }
  }
}

// Which ToS the files of the boot give some ports.
enum class TosAtBoot : std::uint8_t {
  kUnknown = 0,  // a value or a port is not known
  kRight,        // each port gets the value
  kOther,        // a port gets another value
};

TosAtBoot TosAtBootOf(const Facts& host, const std::vector<SettingObject>& ports, unsigned tos) {
  const std::string value = std::to_string(tos);
  bool right = true;
  for (const SettingObject& port : ports) {
    const SettingPlace place = PlaceOf(host, port);
    const bool may_be_other = !BootOwner(host, place, value).empty();
    const bool may_be_right = !FileThatSets(host, place, value).empty();
    if (may_be_other && !may_be_right) return TosAtBoot::kOther;
    right = right && may_be_right && !may_be_other;
  }
  return right ? TosAtBoot::kRight : TosAtBoot::kUnknown;
}

// A rule of its own where nothing keeps the ToS, where a file keeps another one, or where the plan sets one and
// the files' values are not known.
bool NeedsTosFile(const Facts& host, const std::vector<SettingObject>& ports, unsigned tos, const Plan& plan) {
  if (QosAgentOf(host) != nullptr) return false;  // it would be a second owner
  const bool kept = host.tos_keepers && !host.tos_keepers->empty();
  if (!kept) return true;
  const TosAtBoot at_boot = TosAtBootOf(host, ports, tos);
  if (at_boot != TosAtBoot::kUnknown) return at_boot == TosAtBoot::kOther;
  return std::ranges::any_of(plan.steps,
                             [](const PlanStep& step) { return step.object.kind == SettingKind::kCmTos; });
}

// Whether each RDMA port of the host is among them.
bool KeepsEachDevice(const Facts& host, const std::vector<SettingObject>& keeps) {
  return host.ports && std::ranges::all_of(*host.ports, [&keeps](const Port& port) {
           return std::ranges::find(keeps, PortName(port), &SettingObject::where) != keeps.end();
         });
}

void AddTos(const Facts& now, const Facts& host, const std::vector<PlannedPart>& parts, const Plan& plan,
            std::vector<PersistFile>& files) {
  std::optional<unsigned> wanted;
  bool several = false;
  std::vector<SettingObject> keeps;
  for (const PlannedPart& part : parts) {
    const Profile& profile = *part.origin->profile;
    const std::optional<unsigned> tos = WantedTos(profile);
    if (!tos || *tos == 0 || profile.marking != Profile::Marking::kRdmaCm) continue;
    bool roce = false;
    for (const Port& port : *part.now.ports) {
      if (!NotRoce(port).empty()) continue;
      roce = true;
      keeps.push_back({.kind = SettingKind::kCmTos, .where = PortName(port)});
    }
    if (!roce) continue;
    several = several || (wanted && *wanted != *tos);
    if (!wanted) wanted = tos;
  }
  if (!wanted || !NeedsTosFile(now, keeps, *wanted, plan)) return;
  PersistFile file = TosFile(*wanted);
  // The rule holds for every RDMA device of the host: an order for some of them is not enough.
  file.by_apply = !several && IsNobodys(host.tos_keepers) && KeepsEachDevice(host, keeps);
  if (!KeepsEachDevice(host, keeps))
    file.note += "; it holds for every RDMA device of the host, and not each of them wants it";
  const bool other = TosAtBootOf(host, keeps, *wanted) == TosAtBoot::kOther;
  file.keeps = std::move(keeps);
  if (several) file.note += "; the profiles of this host want more than one ToS: make a rule for each device";
  const Fact<std::vector<std::string>>& keepers = host.tos_keepers;
  file.exists_already = keepers && !keepers->empty();
  if (file.exists_already)
    file.note +=
        Cat("; ", Joined(*keepers),
            other ? ": another ToS is set there at boot, change it there instead" : " may set it already");
  files.push_back(std::move(file));
}

void AddMemlock(const Facts& host, const std::vector<PlannedPart>& parts, std::vector<PersistFile>& files) {
  std::uint64_t wanted = 0;
  for (const PlannedPart& part : parts)
    wanted = std::max(wanted, part.origin->profile->min_memlock_bytes.value_or(0));
  if (wanted == 0) return;
  const auto of_logins = [](const MemlockGrant& grant) {
    return grant.consumer == kLoginsConsumer || grant.consumer == kGroupConsumer;
  };
  PersistFile file = MemlockFile(std::max(wanted, kLeastMemlockOfUsers));
  if (host.memlock_grants) {
    for (const MemlockGrant& grant : *host.memlock_grants) {
      if (of_logins(grant) && grant.limit_bytes >= wanted) return;
    }
    for (const MemlockGrant& grant : *host.memlock_grants) {
      if (!of_logins(grant)) continue;
      file.note += Cat("; ", Printable(grant.source), " says less now");
      file.exists_already = true;
    }
  }
  files.push_back(std::move(file));
}

void AddModuleOptions(const Facts& host, const std::vector<PlannedPart>& parts,
                      std::vector<PersistFile>& files) {
  const bool tenants =
      std::ranges::any_of(parts, [](const PlannedPart& part) { return part.origin->profile->multi_tenant; });
  if (!tenants || !host.rdma_netns_shared) return;
  files.push_back({.path = "/etc/modprobe.d/rdma-netns.conf",
                   .content = Cat(kMadeBy, "options ib_core netns_mode=0\n"),
                   .note =
                       "containers of several owners: each network namespace has RDMA devices of its own, from "
                       "the next load of ib_core on"});
}

// mlx4_en starts with the PFC of its own options, before anybody can set it.
void AddMlx4Options(const std::vector<PlannedPart>& parts, const Plan& plan, std::vector<PersistFile>& files) {
  for (const PlannedPart& part : parts) {
    const std::uint8_t mask = WantedPfc(*part.origin->profile);
    const bool sets = std::ranges::any_of(plan.steps, [&part](const PlanStep& step) {
      return step.object.kind == SettingKind::kPfc &&
             HasDriver(PlaceOf(part.now, step.object).netdev, "mlx4_en");
    });
    if (!sets) continue;
    const std::string masks = fmt::format("options mlx4_en pfctx={0:#04x} pfcrx={0:#04x}\n", mask);
    files.push_back({.path = "/etc/modprobe.d/mlx4_en.conf",
                     .content = Cat(kMadeBy, masks),
                     .note =
                         "the PFC with which mlx4_en starts, a bit for each priority (4 is 0x10); change the "
                         "line where another file there has one"});
  }
}

}  // namespace

std::vector<PersistFile> PersistFilesOf(const Facts& host, const std::vector<PlannedPart>& parts,
                                        const Plan& plan) {
  std::vector<PersistFile> files;
  // Files of this program are made whole again: nothing is left out because an earlier one has it.
  const Facts without = WithoutOwnFiles(host);
  std::vector<PlannedPart> known;
  for (const PlannedPart& part : parts) {
    if (part.now.ports) known.push_back({.origin = part.origin, .now = WithoutOwnFiles(part.now)});
  }
  for (const PlannedPart& part : known) {
    AddUnits(part, plan, files);
    AddMtus(without, part, plan, files);
    AddSwitches(part, files);
    AddOpensm(part, files);
  }
  AddTos(host, without, known, plan, files);
  AddSysctlFiles(host, without, known, plan, files);
  AddMemlock(host, known, files);
  AddModuleOptions(host, known, files);
  AddMlx4Options(known, plan, files);
  std::erase_if(files, [&host](const PersistFile& file) { return file.path.empty() || IsThere(host, file); });
  for (PersistFile& file : files) {
    file.by_apply = file.by_apply && IsBootFilePath(file.path);
    file.exists_already = file.exists_already || (file.by_apply && IsAtBoot(host, file.path));
  }
  return MergedByPath(std::move(files));
}

std::string SubjectOfSetting(const Facts& host, const SettingObject& object) {
  const SettingPlace place = PlaceOf(host, object);
  return place.port == nullptr ? std::string() : SubjectOf(*place.port);
}

}  // namespace rdmaready
