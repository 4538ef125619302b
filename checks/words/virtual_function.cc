// SPDX-License-Identifier: Apache-2.0
#include "checks/words/virtual_function.h"

#include "api/base/text.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string NumberWord(const PhysicalFunction& physical, std::string_view otherwise) {
  return physical.number ? Cat(*physical.number) : std::string(otherwise);
}

}  // namespace

bool IsVirtualFunction(const Port& port) { return port.pci && port.pci->virtual_function; }

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

bool IsLent(const Port& port) {
  return IsVirtualFunction(port) && !IsInfiniBand(port) && NotOffered(port.netdev);
}

bool HasOwnProtocol(const Port& port) { return NotOffered(port.transport) && NotOffered(port.netdev); }

}  // namespace rdmaready
