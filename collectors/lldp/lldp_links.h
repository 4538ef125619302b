// SPDX-License-Identifier: Apache-2.0
// The netdevs that LLDP frames of the ports' links pass: a port's own, or those under it where it stands
// on others.
#pragma once

#include <functional>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

// Calls `visit` for each of them, and keeps what it changes. Of a netdev that stands on others `heard` becomes
// a Missing that says so.
void EachLink(std::vector<Port>& ports, Fact<LldpHeard> Netdev::*heard,
              const std::function<void(Netdev&)>& visit);

// The same; `above` is called for a netdev that stands on others.
void EachLink(std::vector<Port>& ports, const std::function<void(Netdev&)>& above,
              const std::function<void(Netdev&)>& visit);

// Without one nothing can be heard.
bool HasLink(const Netdev& netdev);

}  // namespace rdmaready
