// SPDX-License-Identifier: Apache-2.0
// Spare ports: NICs have two or four ports, and not each of them a cable.
#pragma once

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

// Whether nobody uses the port: it has no carrier, no address, and nothing is built on it, and the host has
// others enough that do carry RDMA: as many as the profile asks for (min_ports), else one. False where any of
// that is not known. A port that has an address lost its cable: it is none. Network managers that take the
// address away with the carrier make both look the same: then only min_ports tells, and the port is warned of.
// An InfiniBand port is idle by its own state, and carries without an address too.
bool IsSpare(const Facts& host, const Port& port, const Profile& profile);

// The same; missing, with the reason, where that is not known.
Fact<bool> SpareOf(const Facts& host, const Port& port, const Profile& profile);

// Whether no test of the port is due: it is spare, or a virtual function whose interface is elsewhere.
bool IsUntested(const Facts& host, const Port& port, const Profile& profile);

// Whether the port has had no link since the host booted: nobody cabled it. False where nothing counts that.
Fact<bool> NeverHadLink(const Port& port);

}  // namespace rdmaready
