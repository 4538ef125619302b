// SPDX-License-Identifier: Apache-2.0
#include "checks/words/second_function.h"

#include <optional>
#include <string_view>

#include "checks/words/port_driver.h"
#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

// Whether all that is needed holds: no, yes, or not known.
class Needs {
 public:
  template <class Holds, template <class> class AnyFact, class T>
  void Need(const AnyFact<T>& fact, Holds holds) {
    if (fact) {
      refuted_ = refuted_ || !holds(*fact);
    } else if (NotOffered(fact)) {
      refuted_ = true;
    } else if (!gap_) {
      gap_ = fact.missing();
    }
  }

  // A fact that must be known not to be there.
  template <template <class> class AnyFact, class T>
  void NeedNone(const AnyFact<T>& fact) {
    if (fact) {
      refuted_ = true;
    } else if (!NotOffered(fact) && !gap_) {
      gap_ = fact.missing();
    }
  }

  bool refuted() const { return refuted_; }
  const std::optional<Missing>& gap() const { return gap_; }

 private:
  bool refuted_ = false;
  std::optional<Missing> gap_{};
};

std::string_view SlotOf(const PciFunction& pci) {
  return std::string_view(pci.address).substr(0, pci.address.rfind('.'));
}

void NeedPhysicalFunction(const Port& port, Needs& needs) {
  needs.Need(port.transport, [](Transport transport) { return transport == Transport::kRoce; });
  needs.Need(port.software, [](bool software) { return !software; });
  needs.Need(port.pci, [](const PciFunction& pci) { return !pci.address.empty(); });
  if (port.pci) needs.NeedNone(port.pci->physical);
}

Needs IsDownWithoutInterface(const Facts& host, const Port& port) {
  Needs needs;
  needs.NeedNone(port.netdev);
  needs.Need(port.state, [](PortState state) { return state == PortState::kDown; });
  NeedPhysicalFunction(port, needs);
  needs.Need(DriverOf(host, port), [](const std::string& driver) { return driver == "mlx5_core"; });
  return needs;
}

void NeedInterfaceOfBoard(const Port& other, const Port& port, Needs& needs) {
  needs.Need(other.state, [](PortState state) { return state == PortState::kActive; });
  needs.Need(other.netdev, [](const Netdev& netdev) { return !netdev.name.empty(); });
  NeedPhysicalFunction(other, needs);
  if (other.pci && port.pci)
    needs.Need(other.pci, [&port](const PciFunction& pci) { return SlotOf(pci) != SlotOf(*port.pci); });
  needs.Need(port.board, [](const std::string& board) { return !board.empty(); });
  needs.Need(other.board, [&port](const std::string& board) { return !port.board || board == *port.board; });
}

}  // namespace

Fact<std::string> PerhapsInterfaceOfBoth(const Facts& host, const Port& port) {
  if (!host.ports) return std::string();
  const Needs of_port = IsDownWithoutInterface(host, port);
  if (of_port.refuted()) return std::string();
  std::optional<Missing> doubt;
  for (const Port& other : *host.ports) {
    if (other.device == port.device) continue;
    Needs needs = of_port;
    NeedInterfaceOfBoard(other, port, needs);
    if (needs.refuted()) continue;
    if (!needs.gap()) return other.netdev->name;
    if (!doubt) doubt = needs.gap();
  }
  if (doubt) return *doubt;
  return std::string();
}

bool IsPerhapsSecondFunction(const Facts& host, const Port& port) {
  const Fact<std::string> shared = PerhapsInterfaceOfBoth(host, port);
  return shared && !shared->empty();
}

}  // namespace rdmaready
