// SPDX-License-Identifier: Apache-2.0
// Whether somebody uses an RDMA port now. Pure.
//
// A user is an owner of a queue pair, of an RDMA-CM identifier that connects or is connected, or of a context
// of PSM. Where the driver lets a process move data by objects that the kernel does not list (mlx5), it is
// unknown whether a process with a protection domain is a user; elsewhere it moves nothing. These are not
// users: listeners, the queue pairs of the kernel's management agents (SMI, GSI) and of the NIC's own driver,
// IPoIB and ibacm while the port's counters are quiet, and this process. Two rdmaready processes never test one
// port at once (PortLock), and rdmaready's helpers make no queue pair, so neither needs an exception by its
// name.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "agent/port/port_counters.h"
#include "collectors/rdma/holders.h"

namespace rdmaready {

struct PortUse {
  enum class Kind { kUnknown, kFree, kUsed };

  Kind kind = Kind::kUnknown;
  // kUsed: the users, "rping (pid 123), nvme_rdma of the kernel". kUnknown: why it is not known, with the
  // process where there is one. Printable.
  std::string text{};
  std::string port{};  // its name, where the asker filled it in

  bool operator==(const PortUse&) const = default;
};

// Owners whose objects do not count.
struct UseExceptions {
  std::int64_t process = 0;  // this one
  // The threads of this process, read just before the holders. One may have ended since: then its process can
  // no longer be read.
  std::set<std::int64_t> threads{};
  std::set<std::string> kernel{};  // modules that work for this test: of a proof, its own connection
  std::string server{};            // the IP address that those connect to; their other connections count
};

// The owners of objects on port `number`. An object of no port yet counts for each port of its device. Never
// asks the counters, so it can be called while this host's agent tests the port.
PortUse UseByHolders(const Fact<std::vector<RdmaHolder>>& holders, std::uint32_t number,
                     const UseExceptions& exceptions);

// The use of a port, of which `use` is what its own device says, and `sharing` what the device of that name
// says that shares its NIC. A user counts before a doubt.
PortUse WithSharing(const PortUse& use, const std::string& device, const PortUse& sharing);

// UseByHolders, and whether anything moves. The two readings are of the port, some moment apart, while nothing
// of this agent runs on it. Counters that could not be read: kUnknown. A driver that does not count what it
// moves (siw) leaves the holders to decide; with IPoIB on the port that is kUnknown, since its traffic is not
// seen.
PortUse UseOf(const Fact<std::vector<RdmaHolder>>& holders, std::uint32_t number,
              const UseExceptions& exceptions, const CounterReading& before, const CounterReading& after,
              const Fact<std::uint32_t>& rate_mbps);

}  // namespace rdmaready
