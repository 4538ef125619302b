// SPDX-License-Identifier: Apache-2.0
// Evidence: which way the bytes of a share went, told by what does not know of our claims: the kernel client's
// state, the RDMA port's own counters, and the TCP connections of this network namespace.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/share/cifs_state.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// What passed through an RDMA port, in both directions, since it began to count.
struct PortTraffic {
  enum class Unit { kBytes, kPackets };
  Unit unit = Unit::kBytes;
  std::uint64_t amount = 0;

  bool operator==(const PortTraffic&) const = default;
};

struct ShareEvidence {
  CifsState cifs{};
  std::optional<PortTraffic> port{};  // absent: the driver counts neither
  // Established ones to the server's SMB port, by their local end; absent when they could not be read.
  std::optional<std::set<std::string>> tcp_connections{};
};

// Numbers and addresses of /proc/net/tcp and tcp6 as the kernel prints them: those established to port
// `remote_port` of `server_address` (numeric; IPv4-mapped ones of tcp6 too).
std::set<std::string> EstablishedTo(std::string_view proc_net_tcp, std::string_view server_address,
                                    std::uint16_t remote_port);

// `device` and `port` name the RDMA port. What cannot be read is absent.
ShareEvidence ReadEvidence(HostReader& host, const std::string& server_address, const std::string& device,
                           std::uint32_t port);

// The connection to `server_address` that `after` has and `before` has not: with nosharesock, ours. Null when
// there is none.
const CifsConnection* NewConnection(const CifsState& before, const CifsState& after,
                                    const std::string& server_address);

// How much more can have passed: a packet carries at most 4096 bytes. Absent when either
// is, or when the counter went back.
std::optional<std::uint64_t> MovedAtMostBytes(const std::optional<PortTraffic>& before,
                                              const std::optional<PortTraffic>& after);

}  // namespace rdmaready
