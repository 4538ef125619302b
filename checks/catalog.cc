// SPDX-License-Identifier: Apache-2.0
#include "checks/catalog.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "checks/families.h"
#include "checks/live/transfer.h"
#include "checks/probe/probe.h"
#include "checks/words/names.h"

namespace rdmaready {
namespace {

struct GroupedFamily {
  std::string_view group;  // the heading of its rows, unless a row names another
  std::vector<Check> (*rows)() = nullptr;
};

// In the order of the report.
constexpr GroupedFamily kFamilies[] = {
    {"device", BootSwitchChecks},
    {"device", InventoryChecks},
    {"device", SelectionChecks},
    {"device", FunctionChecks},
    {"device", BondChecks},
    {"device", BootChecks},
    {"device", DriverChecks},
    {"device", InfinibandChecks},
    {"device", LinkChecks},
    {"device", LinkHealthChecks},
    {"device", PcieChecks},
    {"device", GpuChecks},
    {"device", PortCountedChecks},
    {"device", RdmaCountedChecks},
    {"device", NicCountedChecks},
    {"device", DeviceLimitsChecks},
    {"device", MtuChecks},
    {"host", MemlockChecks},
    {"host", HostChecks},
    {"host", SecurityChecks},
    {"host", WaiverChecks},
    {"host", AppliedChecks},
    {"net", IpChecks},
    {"net", ArpChecks},
    {"net", FirewallChecks},
    {"net", VlanChecks},
    {"roce", GidChecks},
    {"roce", GidIndexChecks},
    {"roce", MarkingChecks},
    {"roce", CongestionChecks},
    {"dcb", DcbxChecks},
    {"dcb", DcbAtBootChecks},
    {"dcb", DriftChecks},
    {"dcb", PeerChecks},
    {"dcb", PauseChecks},
    {"dcb", PfcChecks},
    {"dcb", PfcRoomChecks},
    {"dcb", PfcCountedChecks},
    {"dcb", PriorityCountedChecks},
    {"dcb", EtsChecks},
    {"dcb", EtsOthersChecks},
    {"dcb", SwitchAgreesChecks},
    {"dcb", AppChecks},
    {"dcb", ClassificationChecks},
    {"chain", ChainChecks},
    {"storage", SmbChecks},
    {"storage", SmbServingChecks},
    {"storage", StorageRolesChecks},
    {"agreement", SharedWireChecks},
    {"agreement", AgreementChecks},
    {"pair", PairChecks},
};

std::vector<Check> FamilyByFamily() {
  std::vector<Check> all;
  for (const GroupedFamily& family : kFamilies) {
    for (Check& check : family.rows()) {
      if (check.group.empty()) check.group = family.group;
      all.push_back(std::move(check));
    }
  }
  return all;
}

// Each check behind what it depends on, and otherwise where its family has it.
class Sorter {
 public:
  explicit Sorter(std::vector<Check> all) : all_(std::move(all)), placed_(all_.size()) {}

  std::vector<Check> Sorted() && {
    for (std::size_t i = 0; i < all_.size(); ++i) Place(i);
    return std::move(sorted_);
  }

 private:
  void Place(std::size_t i) {
    if (placed_[i]) return;
    placed_[i] = true;  // before its dependencies: a circle, which a test forbids, ends here
    for (const std::string_view id : all_[i].depends_on) PlaceBefore(id);
    for (const std::string_view id : all_[i].read_with) PlaceBefore(id);
    sorted_.push_back(all_[i]);
  }

  void PlaceBefore(std::string_view id) {
    const auto found = std::ranges::find(all_, id, &Check::id);
    if (found != all_.end()) Place(static_cast<std::size_t>(found - all_.begin()));
  }

  std::vector<Check> all_;
  std::vector<bool> placed_;
  std::vector<Check> sorted_{};
};

// A live test is found under its rung; what it shows of the switches and NICs between two hosts, under "pair".
std::string_view GroupOf(const TransferCheck& check) {
  return FamilyOf(check.id) == "tx" ? "pair" : Name(check.rung);
}

// Of a server of SMB and of a share: their rung. Of the other protocols: with what else is said of them.
std::string_view GroupOf(const ProbeCheck& check) {
  return RungFromName(FamilyOf(check.id)) ? FamilyOf(check.id) : "storage";
}

std::string_view GroupOf(const Check& check) { return check.group; }

// Of the first row that `fits`; empty when none does.
template <class Fits>
std::string_view GroupWhere(Fits fits) {
  for (const TransferCheck& check : AllTransferChecks()) {
    if (fits(check.id)) return GroupOf(check);
  }
  for (const ProbeCheck& check : AllProbeChecks()) {
    if (fits(check.id)) return GroupOf(check);
  }
  for (const Check& check : AllChecks()) {
    if (fits(check.id)) return GroupOf(check);
  }
  return {};
}

}  // namespace

const std::vector<Check>& AllChecks() {
  static const std::vector<Check> kChecks = Sorter(FamilyByFamily()).Sorted();
  return kChecks;
}

const Check* FindCheck(std::string_view id) {
  const auto found = std::ranges::find(AllChecks(), id, &Check::id);
  return found == AllChecks().end() ? nullptr : &*found;
}

std::string_view GroupOf(std::string_view id) {
  std::string_view group = GroupWhere([id](std::string_view other) { return other == id; });
  if (group.empty())
    group = GroupWhere([id](std::string_view other) { return FamilyOf(other) == FamilyOf(id); });
  return group.empty() ? "other" : group;
}

bool IsLive(std::string_view group) { return RungFromName(group).value_or(Rung::kHost) != Rung::kHost; }

bool ProvesItsRung(std::string_view id) {
  const ProbeCheck* probe = FindProbeCheck(id);
  return probe == nullptr ? FindTransferCheck(id) != nullptr : probe->proof;
}

std::string_view FamilyOf(std::string_view id) { return id.substr(0, id.find('.')); }

bool Blocks(const Check& check, const Profile& profile) {
  if (check.blocks_for == nullptr || !check.blocks_for->made_by(profile)) return false;
  return !profile.advice || std::ranges::find(*profile.advice, check.blocks_for->key) == profile.advice->end();
}

Scope ScopeOf(const Check& check) {
  if (std::holds_alternative<Judge<HostView>>(check.judge)) return Scope::kHost;
  if (std::holds_alternative<Judge<PairView>>(check.judge)) return Scope::kPair;
  return Scope::kPort;
}

}  // namespace rdmaready
