// SPDX-License-Identifier: Apache-2.0
// How this host gets to a server: its address, and the RDMA port that leads there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/port/port_choice.h"
#include "agent/probe/byte_stream.h"
#include "api/model/facts.h"

namespace rdmaready {

// What is asked of the host's network; a test gives others.
struct ProbeNetwork {
  // Numeric addresses of a name (or of an address), IPv4 first. kUnreachable when there are none. Takes as long
  // as the host's resolver does.
  std::function<absl::StatusOr<std::vector<std::string>>(const std::string& name)> resolve{};
  // From which of this host's addresses packets go there. kUnreachable without a route.
  std::function<absl::StatusOr<std::string>(const std::string& address)> source_of{};
  TcpConnector connect_tcp{};
};

ProbeNetwork HostNetwork();

// OK for what may be the name or the address of a server; InvalidArgument with one clear line for all else.
absl::Status CheckTarget(const std::string& target);

struct ProbePath {
  std::string address{};  // the server's
  PortAddress port{};     // this host's; an empty device: no RDMA port leads to the address
  bool iwarp = false;
};

// The port whose address is `source`; nothing when that is no RDMA port's address. kInternal when the ports are
// not known.
absl::StatusOr<ProbePath> PathFrom(const Facts& facts, const std::string& source, const std::string& address);

}  // namespace rdmaready
