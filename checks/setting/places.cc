// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/places.h"

#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

template <class Visit>
void ForEachPort(const Facts& facts, Visit visit) {
  if (!facts.ports) return;
  for (const Port& port : *facts.ports) visit(port);
}

}  // namespace

std::map<std::string, const Netdev*> EthernetPortsOf(const Facts& facts) {
  std::map<std::string, const Netdev*> all;
  ForEachPort(facts, [&all](const Port& port) {
    for (const NetdevRef& netdev : EthernetPortsOf(port)) {
      if (netdev) all.emplace(netdev->name, &*netdev);
    }
  });
  return all;
}

std::map<std::string, const Netdev*> NetdevsOf(const Facts& facts) {
  std::map<std::string, const Netdev*> all = EthernetPortsOf(facts);
  ForEachPort(facts, [&all](const Port& port) {
    if (port.netdev) all.emplace(port.netdev->name, &*port.netdev);
  });
  return all;
}

std::map<std::string, const UpperNetdev*> UppersOf(const Facts& facts) {
  std::map<std::string, const UpperNetdev*> all;
  ForEachPort(facts, [&all](const Port& port) {
    if (!port.uppers) return;
    for (const UpperNetdev& upper : *port.uppers) all.emplace(upper.name, &upper);
  });
  return all;
}

std::map<std::string, const Port*> PortsOf(const Facts& facts) {
  std::map<std::string, const Port*> all;
  ForEachPort(facts, [&all](const Port& port) { all.emplace(PortName(port), &port); });
  return all;
}

std::map<std::string, const Port*> DevlinksOf(const Facts& facts) {
  std::map<std::string, const Port*> all;
  ForEachPort(facts, [&all](const Port& port) {
    if (port.pci) all.emplace("pci/" + port.pci->address, &port);
  });
  return all;
}

}  // namespace rdmaready
