// SPDX-License-Identifier: Apache-2.0
#include "checks/words/virtual_function.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "api/base/text.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string NumberWord(const PhysicalFunction& physical, std::string_view otherwise) {
  return physical.number ? Cat(*physical.number) : std::string(otherwise);
}

struct VirtualModel {
  std::uint16_t vendor_id;
  std::uint16_t device_id;
};

// A virtual machine does not see that its function is a virtual one: the number tells, by the tables of mlx4,
// mlx5, iavf, bnxt_en, qede, hns3 and ionic in Linux 6.12.
constexpr std::uint16_t kMellanox = 0x15b3;
constexpr std::uint16_t kIntel = 0x8086;
constexpr std::uint16_t kBroadcom = 0x14e4;
constexpr std::uint16_t kQlogic = 0x1077;
constexpr std::uint16_t kHuawei = 0x19e5;
constexpr std::uint16_t kPensando = 0x1dd8;
constexpr auto kVirtualModels = std::to_array<VirtualModel>({
    {kMellanox, 0x1002}, {kMellanox, 0x1004}, {kMellanox, 0x1012}, {kMellanox, 0x1014}, {kMellanox, 0x1016},
    {kMellanox, 0x1018}, {kMellanox, 0x101a}, {kMellanox, 0x101c}, {kMellanox, 0x101e}, {kMellanox, 0xa2d3},
    {kIntel, 0x154c},    {kIntel, 0x1571},    {kIntel, 0x1889},    {kIntel, 0x37cd},    {kBroadcom, 0x1606},
    {kBroadcom, 0x1607}, {kBroadcom, 0x1608}, {kBroadcom, 0x1609}, {kBroadcom, 0x16bd}, {kBroadcom, 0x16c1},
    {kBroadcom, 0x16c2}, {kBroadcom, 0x16c3}, {kBroadcom, 0x16c4}, {kBroadcom, 0x16c5}, {kBroadcom, 0x16cb},
    {kBroadcom, 0x16d3}, {kBroadcom, 0x16dc}, {kBroadcom, 0x16e1}, {kBroadcom, 0x16e5}, {kBroadcom, 0x16e6},
    {kBroadcom, 0x1806}, {kBroadcom, 0x1807}, {kBroadcom, 0x1808}, {kBroadcom, 0x1809}, {kBroadcom, 0x1819},
    {kBroadcom, 0x181b}, {kBroadcom, 0xd800}, {kQlogic, 0x1664},   {kQlogic, 0x8090},   {kHuawei, 0xa22e},
    {kHuawei, 0xa22f},   {kPensando, 0x1003},
});

bool IsVirtualByNumber(const PciFunction& pci) {
  return std::ranges::any_of(kVirtualModels, [&pci](const VirtualModel& model) {
    return model.vendor_id == pci.vendor_id && model.device_id == pci.device_id;
  });
}

}  // namespace

bool IsVirtualFunction(const Port& port) {
  return port.pci && (port.pci->virtual_function || IsVirtualByNumber(*port.pci));
}

std::string VirtualFunctionText(const Port& port) {
  if (!port.pci || !port.pci->physical) return "a virtual function";
  const PhysicalFunction& physical = *port.pci->physical;
  const std::string number = physical.number ? Cat(" ", *physical.number) : "";
  return Cat("virtual function", number, " of ",
             Printable(physical.netdev.empty() ? physical.address : physical.netdev));
}

std::string VirtualFunctionWords(const Port& port) {
  if (!port.pci || !port.pci->physical) return "NETDEV vf NUMBER";
  const PhysicalFunction& physical = *port.pci->physical;
  return Cat(physical.netdev.empty() ? "NETDEV" : ShellWord(physical.netdev), " vf ",
             NumberWord(physical, "NUMBER"));
}

Fact<bool> LentOf(const Port& port) {
  if (IsInfiniBand(port) || port.netdev || NotOffered(port.pci)) return false;
  if (port.pci && !IsVirtualFunction(port) && NotOffered(port.pci->physical)) return false;
  // It is a virtual function, or may be one.
  if (!NotOffered(port.netdev)) return port.netdev.missing();
  if (!port.pci) return port.pci.missing();
  if (!IsVirtualFunction(port)) return port.pci->physical.missing();
  if (!port.transport && !NotOffered(port.transport)) return port.transport.missing();
  return true;
}

bool IsLent(const Port& port) {
  const Fact<bool> lent = LentOf(port);
  return lent && *lent;
}

Fact<bool> OwnProtocolOf(const Port& port) {
  if (port.transport || port.netdev) return false;
  if (!NotOffered(port.transport)) return port.transport.missing();
  if (!NotOffered(port.netdev)) return port.netdev.missing();
  return true;
}

bool HasOwnProtocol(const Port& port) { return NotOffered(port.transport) && NotOffered(port.netdev); }

}  // namespace rdmaready
