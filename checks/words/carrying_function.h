// SPDX-License-Identifier: Apache-2.0
// Ports whose RDMA goes by another function of the same adapter on this host.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "checks/words/verdict.h"

namespace rdmaready {

// The switch's end of the wire to a virtual function (mlx5e_rep): a port without a protocol, judged for
// nothing.
bool IsRepresentor(const Port& port);

// The same, missing where the interface is not known: port 1 is the uplink, the others of a device in
// switchdev mode are representors.
Fact<bool> RepresentorOf(const Port& port);

// The reason for which a physical function needs neither address nor GID: it has no address, and one of its
// virtual functions on this host has. Empty where that is not so; missing where it may be so.
Fact<std::string> CarriedByFunction(const Facts& host, const Port& port);

// The same as a verdict: not applicable, or unknown. Nothing where the port is to be judged.
std::optional<Verdict> CarriedElsewhere(const Facts& host, const Port& port, std::string_view expected,
                                        std::string_view source);

}  // namespace rdmaready
