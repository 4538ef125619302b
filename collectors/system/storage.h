// SPDX-License-Identifier: Apache-2.0
// Who waits for storage clients on this host: the kernel's SMB server as it is configured, RDMA listeners,
// TCP ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

// Lines of ksmbd.conf, of which the last one of a key counts, as ksmbd.mountd takes them. Comments, and what
// does not concern RDMA, are passed over.
KsmbdConfig DecodeKsmbd(std::span<const std::string> lines);

// Where ksmbd-tools look. Nothing of the file but the settings of KsmbdConfig is read out of it, and never
// a password.
Fact<KsmbdConfig> ReadKsmbd(HostReader& host);

// Those places, and the words of the lines.
std::vector<std::string> KsmbdFiles();
std::vector<std::string> KsmbdWords();

// One message of RDMA_NLDEV_CMD_RES_CM_ID_GET, a list of identifiers: those that listen on a TCP-like or
// UDP-like port.
absl::StatusOr<std::vector<RdmaListener>> DecodeListeners(std::span<const std::byte> payload,
                                                          const RdmaDevice& device);
Fact<std::vector<RdmaListener>> ReadListeners(HostReader& host, const RdmaDevice& device);

// Ports, ascending, each once, of lines of /proc/net/tcp and tcp6 that are in state LISTEN.
std::vector<std::uint16_t> DecodeTcpListeners(std::span<const std::string> lines);
Fact<std::vector<std::uint16_t>> ReadTcpListeners(HostReader& host);

// `there` is VerbsThere(host).
Fact<DeviceLimits> ReadLimits(HostReader& host, const RdmaDevice& device, const absl::Status& there);

}  // namespace rdmaready
