// SPDX-License-Identifier: Apache-2.0
// The messages of NVMe over Fabrics that reach a discovery controller over RDMA, byte for byte: all fields
// little-endian. Sections are those of the NVMe Base Specification 2.0 and of the RDMA Transport Specification.
//
// Pure functions over values, callable from any thread. A decoder reads nothing outside the span it is given,
// whatever the bytes say; bytes behind what a message needs are tolerated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/base/octets.h"

namespace rdmaready::nvme {

inline constexpr std::uint16_t kPort = 4420;
inline constexpr std::size_t kConnectPrivateBytes = 32;  // RDMA transport, 3.2
inline constexpr std::size_t kCommandBytes = 64;
inline constexpr std::size_t kCompletionBytes = 16;
inline constexpr std::size_t kConnectDataBytes = 1024;  // Base 6.3
inline constexpr std::size_t kIdentifyBytes = 4096;
inline constexpr std::size_t kLogHeaderBytes = 1024;  // Base 5.16.1.23
inline constexpr std::size_t kLogEntryBytes = 1024;
inline constexpr std::uint16_t kAdminDepth = 32;  // the least that the specification allows
inline constexpr std::size_t kMaxNameBytes = 223;
inline constexpr std::string_view kDiscoveryName = "nqn.2014-08.org.nvmexpress.discovery";

inline constexpr std::uint32_t kPropertyCapabilities = 0x00;  // 8 bytes
inline constexpr std::uint32_t kPropertyVersion = 0x08;
inline constexpr std::uint32_t kPropertyConfiguration = 0x14;
inline constexpr std::uint32_t kPropertyStatus = 0x1c;
// Entries of 64 and 16 bytes, the NVM command set, enabled; the same with a normal shutdown asked for.
inline constexpr std::uint32_t kConfigurationEnabled = 0x00460001;
inline constexpr std::uint32_t kConfigurationShutdown = kConfigurationEnabled | 0x4000;
inline constexpr std::uint32_t kStatusReady = 0x1;
inline constexpr std::uint32_t kStatusFatal = 0x2;

// ---- RDMA connection
// --------------------------------------------------------------------------------------------

// Private data of the request for an admin queue of kAdminDepth.
std::array<std::byte, kConnectPrivateBytes> EncodeConnectPrivate();

struct ConnectAccept {
  std::uint16_t format = 0;
  std::uint16_t receive_queue = 0;  // entries at the controller
  bool operator==(const ConnectAccept&) const = default;
};
struct ConnectReject {
  std::uint16_t format = 0;
  std::uint16_t status = 0;
  bool operator==(const ConnectReject&) const = default;
};
std::optional<ConnectAccept> DecodeConnectAccept(Octets private_data);
std::optional<ConnectReject> DecodeConnectReject(Octets private_data);

// "invalid host send queue size (HSQSIZE)"; "status 77" for what has no name.
std::string RejectText(std::uint16_t status);

// ---- commands
// ---------------------------------------------------------------------------------------------------

// Memory of ours that the controller reads or writes. Below 2^24 bytes.
struct KeyedBuffer {
  std::uint64_t address = 0;
  std::uint32_t length_bytes = 0;
  std::uint32_t key = 0;
};

using Command = std::array<std::byte, kCommandBytes>;

// Connects the admin queue; `data` holds EncodeConnectData. No keep-alive timer: the connection is short.
Command EncodeConnect(std::uint16_t id, const KeyedBuffer& data);
Command EncodePropertyGet(std::uint16_t id, std::uint32_t property);
Command EncodePropertySet(std::uint16_t id, std::uint32_t property, std::uint64_t value);
Command EncodeIdentifyController(std::uint16_t id, const KeyedBuffer& to);
// `offset_bytes` from the start of the log and the buffer's length are multiples of 4.
Command EncodeDiscoveryLog(std::uint16_t id, const KeyedBuffer& to, std::uint64_t offset_bytes);

using HostId = std::array<std::byte, 16>;

// Asks for any controller of that subsystem.
std::array<std::byte, kConnectDataBytes> EncodeConnectData(const HostId& host_id, std::string_view host_name,
                                                           std::string_view subsystem_name);

// True for 1 to 223 bytes that are printable and neither blank nor comma: what can be put into the kernel's
// list of options too.
bool IsName(std::string_view name);

// ---- answers
// ----------------------------------------------------------------------------------------------------

struct Completion {
  std::uint64_t result = 0;
  std::uint16_t queue_head = 0;
  std::uint16_t id = 0;
  std::uint16_t status = 0;  // type in bits 8 to 10, code in bits 0 to 7; 0: success
  bool final = false;        // the controller says that trying again is no use
  bool operator==(const Completion&) const = default;
};
std::optional<Completion> DecodeCompletion(Octets bytes);

inline constexpr std::uint16_t kStatusInvalidHost = 0x184;
inline constexpr std::uint16_t kStatusAuthenticationRequired = 0x191;

// "Connect Invalid Host (0x184)". Command-specific codes mean what they mean for fabrics commands.
std::string StatusText(std::uint16_t status);

// Of a successful Connect's result.
inline std::uint16_t ControllerIdOf(std::uint64_t result) {
  return static_cast<std::uint16_t>(result & 0xffff);
}
inline bool DemandsAuthentication(std::uint64_t result) { return (result & (3u << 17)) != 0; }
// Which field of the Connect was wrong, of a failed one's result: "hostnqn"; empty when it does not say.
std::string_view WrongConnectField(std::uint64_t result);

struct Capabilities {
  std::uint32_t queue_entries = 0;     // most in an I/O queue
  std::uint32_t ready_timeout_ms = 0;  // of enabling and disabling
  bool operator==(const Capabilities&) const = default;
};
Capabilities DecodeCapabilities(std::uint64_t property);
// "1.3", "2.1.0" only where the third part says something.
std::string VersionText(std::uint32_t property);

struct IdentifyController {
  std::string serial{};
  std::string model{};
  std::string firmware{};
  std::string subsystem_name{};
  std::uint8_t max_transfer_shift = 0;  // of the smallest page; 0: no limit
  std::uint16_t max_commands = 0;
  std::uint32_t namespaces = 0;
  std::uint32_t io_capsule_bytes = 0;  // a command with the data it may carry
  bool keyed_buffers = false;          // the controller moves data by RDMA
  bool operator==(const IdentifyController&) const = default;
};
std::optional<IdentifyController> DecodeIdentifyController(Octets bytes);

struct LogHeader {
  std::uint64_t generation = 0;
  std::uint64_t records = 0;
  std::uint16_t format = 0;
  bool operator==(const LogHeader&) const = default;
};
std::optional<LogHeader> DecodeLogHeader(Octets bytes);

struct LogEntry {
  std::uint8_t transport = 0;       // 1 RDMA, 2 Fibre Channel, 3 TCP
  std::uint8_t address_family = 0;  // 1 IPv4, 2 IPv6, 3 InfiniBand, 4 Fibre Channel
  std::uint8_t subsystem_type = 0;  // 1 referral, 2 NVM, 3 this discovery controller
  std::uint8_t requirements = 0;    // of a secure channel
  std::uint16_t port_id = 0;
  std::uint16_t admin_entries = 0;  // most in the admin queue
  std::string service_id{};         // the port
  std::string name{};               // NQN
  std::string address{};
  bool operator==(const LogEntry&) const = default;
};
std::optional<LogEntry> DecodeLogEntry(Octets bytes);

std::string TransportText(std::uint8_t transport);  // "rdma", "tcp", "type 9"

}  // namespace rdmaready::nvme
