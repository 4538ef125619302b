// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/set_elsewhere.h"

#include <algorithm>
#include <array>

#include "checks/spare.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

struct OtherTool {
  std::string_view driver;
  std::string_view who;
};

// Drivers without dcbnl_ops whose NICs have DCB all the same.
constexpr std::array<OtherTool, 5> kTools{{
    {"ionic", "the vendor's tool does (nicctl)"},
    {"mana", "the cloud's host does"},
    {"ena", "the cloud's host does"},
    {"erdma", "the cloud's host does"},
    {"iavf", "the physical function's host does"},
}};

constexpr std::uint16_t kMellanoxVendor = 0x15b3;
constexpr std::array<std::uint16_t, 4> kBlueFields{0xa2d2, 0xa2d6, 0xa2dc, 0xa2df};  // BlueField, -2, -3, -4

// mlx5_core registers dcbnl_ops only for the function that manages the port (vport_group_manager).
std::string OfMlx5(const Port& port) {
  const bool blue = port.pci && port.pci->vendor_id == kMellanoxVendor &&
                    std::ranges::find(kBlueFields, port.pci->device_id) != kBlueFields.end();
  return blue ? "set elsewhere: BlueField in DPU mode, its Arm side has it"
              : "set elsewhere: this function does not manage the port (mlx5_core, vport_group_manager)";
}

// A virtual function's frames go through the port of its physical one. The same profile judges that port where
// it is among these, unless it is a spare or has no RoCE.
const Port* JudgedPhysicalPort(const EthernetView& view) {
  const Fact<PciFunction>& pci = view.port.pci;
  if (!pci || !pci->virtual_function || !pci->physical || !view.host.ports) return nullptr;
  const auto found = std::ranges::find_if(*view.host.ports, [&pci](const Port& other) {
    return other.pci && other.pci->address == pci->physical->address && other.netdev;
  });
  if (found == view.host.ports->end() || !found->transport || !NotRoce(*found).empty()) return nullptr;
  const Fact<bool> spare = SpareOf(view.host, *found, view.profile);
  return spare && !*spare ? &*found : nullptr;
}

}  // namespace

std::string DcbSetElsewhere(const EthernetView& view) {
  if (!view.netdev || !NotOffered(view.netdev->dcb.ets) || !NotOffered(view.netdev->dcb.pfc)) return {};
  if (view.port.pci && view.port.pci->virtual_function)
    return "set elsewhere: a virtual function, its physical function has it";
  const std::string& driver = view.netdev->driver;
  if (driver == "mlx5_core") return OfMlx5(view.port);
  const auto tool = std::ranges::find(kTools, driver, &OtherTool::driver);
  return tool == kTools.end() ? "" : Cat("set elsewhere: ", driver, " has no dcbnl, ", tool->who);
}

std::string NotSetHere(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (const Port* const physical = JudgedPhysicalPort(view);
      physical != nullptr && !DcbSetElsewhere(view).empty())
    return Cat("set at its physical function ", physical->netdev->name, ", which is judged");
  return view.profile.dcb_set_by == Profile::DcbSetBy::kElsewhere ? DcbSetElsewhere(view) : "";
}

}  // namespace rdmaready
