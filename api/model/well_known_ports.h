// SPDX-License-Identifier: Apache-2.0
// Ports of RDMA and of the storage protocols over it, as IANA lists them.
#pragma once

#include <array>
#include <cstdint>

namespace rdmaready {

inline constexpr std::uint16_t kRoceV2UdpPort = 4791;

// Of TCP.
inline constexpr std::uint16_t kSmbPort = 445;
inline constexpr std::uint16_t kSmbDirectPort = 5445;  // over iWARP
inline constexpr std::uint16_t kIscsiPort = 3260;
inline constexpr std::uint16_t kNvmePort = 4420;
inline constexpr std::uint16_t kNfsRdmaPort = 20049;
inline constexpr std::array kServerPorts{kSmbPort, kSmbDirectPort, kIscsiPort, kNvmePort, kNfsRdmaPort};

}  // namespace rdmaready
