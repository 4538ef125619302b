// SPDX-License-Identifier: Apache-2.0
// Spare ports: NICs have two or four ports, and not each of them a cable.
#pragma once

#include <cstddef>
#include <string>

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

// Whether nobody uses the port: it has no carrier, no address, and nothing is built on it, and the host has
// others enough that do carry RDMA: as many as the profile asks for (min_ports), else one. False where any of
// that is not known. A port that has an address lost its cable: it is none. Network managers that take the
// address away with the carrier make both look the same: then only min_ports tells, and the port is warned of.
// An InfiniBand port is idle by its own state, and carries without an address too; one that a subnet manager
// gave a LID, or that moved data, was in use and is not spare.
bool IsSpare(const Facts& host, const Port& port, const Profile& profile);

// The same; missing, with the reason, where that is not known.
Fact<bool> SpareOf(const Facts& host, const Port& port, const Profile& profile);

// Whether no test of the port is due: it is spare, a plane of another port, or a virtual function whose
// interface is elsewhere.
bool IsUntested(const Facts& host, const Port& port, const Profile& profile);

// Whether the port has had no link since the host booted: nobody cabled it. False where nothing counts that.
Fact<bool> NeverHadLink(const Port& port);

// How many ports of the same board and link layer there are beside this one, where every one of them carries
// RDMA; else 0. Where seven of eight rails are up, the eighth is hardly a spare. 0 also where its adapter has
// another port: not each port of a card has a cable.
Fact<std::size_t> EqualsInUse(const Facts& host, const Port& port);

// "it has LID 868", "it moved data": of an InfiniBand port that was in use since the driver was loaded. Empty:
// it was not.
Fact<std::string> EarlierUse(const Port& port);

}  // namespace rdmaready
