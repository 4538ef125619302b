// SPDX-License-Identifier: Apache-2.0
// How SettingRow::effect changes facts: what is not known stays so.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

template <class T, class Edit>
void EditFact(Fact<T>& fact, Edit edit) {
  if (!fact) return;
  T value = *fact;
  edit(value);
  fact = std::move(value);
}

template <class Edit>
void EditPorts(Facts& facts, Edit edit) {
  EditFact(facts.ports, [&edit](std::vector<Port>& ports) {
    for (Port& port : ports) edit(port);
  });
}

// Every place in which the netdev stands.
template <class Edit>
void EditNetdevs(Port& port, const std::string& name, Edit edit) {
  if (port.netdev && port.netdev->name == name) EditFact(port.netdev, edit);
  EditFact(port.lowers, [&](std::vector<Netdev>& lowers) {
    for (Netdev& lower : lowers) {
      if (lower.name == name) edit(lower);
    }
  });
}

template <class Edit>
void EditUppers(Port& port, Edit edit) {
  EditFact(port.uppers, [&edit](std::vector<UpperNetdev>& uppers) {
    for (UpperNetdev& upper : uppers) edit(upper);
  });
}

inline bool IsBondKind(std::string_view kind) { return kind == "bond" || kind == "team" || kind == "bonding"; }

}  // namespace rdmaready
