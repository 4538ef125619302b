// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_wire.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rdmaready::nvme {
namespace {

constexpr std::uint8_t kFabrics = 0x7f;
constexpr std::uint8_t kIdentify = 0x06;
constexpr std::uint8_t kGetLogPage = 0x02;
constexpr std::uint8_t kPropertySet = 0x00;
constexpr std::uint8_t kConnect = 0x01;
constexpr std::uint8_t kPropertyGet = 0x04;
constexpr std::uint8_t kBuffersByDescriptor = 0x40;  // flags: an SGL and no PRP
constexpr std::uint8_t kKeyedData = 0x40;            // SGL: a keyed data block, by its address
constexpr std::uint8_t kLogDiscovery = 0x70;
constexpr std::uint8_t kIdentifyController = 0x01;
constexpr std::uint16_t kAnyController = 0xffff;

template <std::size_t N>
void PutByte(std::array<std::byte, N>& bytes, std::size_t at, std::uint8_t value) {
  bytes[at] = static_cast<std::byte>(value);
}

Command Head(std::uint8_t opcode, std::uint16_t id) {
  Command command{};
  PutByte(command, 0, opcode);
  PutByte(command, 1, kBuffersByDescriptor);
  PutLittle(command, 2, id);
  PutByte(command, 39, kKeyedData);  // of no bytes, where a command moves none: any other kind is refused
  return command;
}

Command Fabrics(std::uint8_t type, std::uint16_t id) {
  Command command = Head(kFabrics, id);
  PutByte(command, 4, type);
  return command;
}

void PutBuffer(Command& command, const KeyedBuffer& buffer) {
  PutLittle(command, 24, buffer.address);
  PutLittle(command, 32, static_cast<std::uint16_t>(buffer.length_bytes & 0xffff));
  PutByte(command, 34, static_cast<std::uint8_t>((buffer.length_bytes >> 16) & 0xff));
  PutLittle(command, 35, buffer.key);
}

bool IsEightBytes(std::uint32_t property) { return property == kPropertyCapabilities; }

std::string_view GenericName(std::uint16_t status) {
  switch (status) {
    case 0x00:
      return "Success";
    case 0x01:
      return "Invalid Command Opcode";
    case 0x02:
      return "Invalid Field in Command";
    case 0x04:
      return "Data Transfer Error";
    case 0x06:
      return "Internal Error";
    case 0x0b:
      return "Invalid Namespace or Format";
    case 0x0c:
      return "Command Sequence Error";
    case 0x0f:
      return "Data SGL Length Invalid";
    case 0x11:
      return "SGL Descriptor Type Invalid";
    case 0x14:
      return "SGL Offset Invalid";
    case 0x19:
      return "Keep Alive Timeout Expired";
    default:
      return {};
  }
}

std::string_view CommandName(std::uint16_t status) {
  switch (status) {
    case 0x109:
      return "Invalid Log Page";
    case 0x180:
      return "Connect Incompatible Format";
    case 0x181:
      return "Connect Controller Busy";
    case 0x182:
      return "Connect Invalid Parameters";
    case 0x183:
      return "Connect Restart Discovery";
    case kStatusInvalidHost:
      return "Connect Invalid Host";
    case 0x190:
      return "Discover Restart";
    case kStatusAuthenticationRequired:
      return "Authentication Required";
    default:
      return {};
  }
}

}  // namespace

std::array<std::byte, kConnectPrivateBytes> EncodeConnectPrivate() {
  std::array<std::byte, kConnectPrivateBytes> bytes{};  // 0: format 0, 2: queue 0
  PutLittle(bytes, 4, kAdminDepth);
  PutLittle(bytes, 6, static_cast<std::uint16_t>(kAdminDepth - 1));  // counted from 0
  return bytes;
}

std::optional<ConnectAccept> DecodeConnectAccept(Octets bytes) {
  if (bytes.size() < 4) return std::nullopt;
  return ConnectAccept{.format = GetLittle<std::uint16_t>(bytes, 0),
                       .receive_queue = GetLittle<std::uint16_t>(bytes, 2)};
}

std::optional<ConnectReject> DecodeConnectReject(Octets bytes) {
  if (bytes.size() < 4) return std::nullopt;
  return ConnectReject{.format = GetLittle<std::uint16_t>(bytes, 0),
                       .status = GetLittle<std::uint16_t>(bytes, 2)};
}

std::string RejectText(std::uint16_t status) {
  constexpr std::array<std::string_view, 10> kNames = {"",
                                                       "invalid private data length",
                                                       "invalid private data format (RECFMT)",
                                                       "invalid queue id (QID)",
                                                       "invalid host send queue size (HSQSIZE)",
                                                       "invalid host receive queue size (HRQSIZE)",
                                                       "no resources",
                                                       "invalid inbound read depth (IRD)",
                                                       "invalid outbound read depth (ORD)",
                                                       "invalid controller id (CNTLID)"};
  if (status > 0 && status < kNames.size()) return std::string(kNames[status]);
  return absl::StrCat("status ", status);
}

Command EncodeConnect(std::uint16_t id, const KeyedBuffer& data) {
  Command command = Fabrics(kConnect, id);  // 40: format 0, 42: queue 0, 46: no attributes, 48: no keep-alive
  PutBuffer(command, data);
  PutLittle(command, 44, static_cast<std::uint16_t>(kAdminDepth - 1));
  return command;
}

Command EncodePropertyGet(std::uint16_t id, std::uint32_t property) {
  Command command = Fabrics(kPropertyGet, id);
  PutByte(command, 40, IsEightBytes(property) ? 1 : 0);
  PutLittle(command, 44, property);
  return command;
}

Command EncodePropertySet(std::uint16_t id, std::uint32_t property, std::uint64_t value) {
  Command command = Fabrics(kPropertySet, id);
  PutByte(command, 40, IsEightBytes(property) ? 1 : 0);
  PutLittle(command, 44, property);
  PutLittle(command, 48, value);
  return command;
}

Command EncodeIdentifyController(std::uint16_t id, const KeyedBuffer& to) {
  Command command = Head(kIdentify, id);
  PutBuffer(command, to);
  PutByte(command, 40, kIdentifyController);
  return command;
}

Command EncodeDiscoveryLog(std::uint16_t id, const KeyedBuffer& to, std::uint64_t offset_bytes) {
  Command command = Head(kGetLogPage, id);
  PutBuffer(command, to);
  const std::uint32_t words = to.length_bytes / 4 - 1;  // counted from 0
  PutByte(command, 40, kLogDiscovery);
  PutLittle(command, 42, static_cast<std::uint16_t>(words & 0xffff));
  PutLittle(command, 44, static_cast<std::uint16_t>(words >> 16));
  PutLittle(command, 48, offset_bytes);
  return command;
}

std::array<std::byte, kConnectDataBytes> EncodeConnectData(const HostId& host_id, std::string_view host_name,
                                                           std::string_view subsystem_name) {
  std::array<std::byte, kConnectDataBytes> bytes{};
  std::copy(host_id.begin(), host_id.end(), bytes.begin());
  PutLittle(bytes, 16, kAnyController);
  PutText(bytes, 256, kMaxNameBytes, subsystem_name);
  PutText(bytes, 512, kMaxNameBytes, host_name);
  return bytes;
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(),
                     [](char letter) { return letter > ' ' && letter <= '~' && letter != ','; });
}

std::optional<Completion> DecodeCompletion(Octets bytes) {
  if (bytes.size() < kCompletionBytes) return std::nullopt;
  const std::uint16_t field = GetLittle<std::uint16_t>(bytes, 14);
  return Completion{.result = GetLittle<std::uint64_t>(bytes, 0),
                    .queue_head = GetLittle<std::uint16_t>(bytes, 8),
                    .id = GetLittle<std::uint16_t>(bytes, 12),
                    .status = static_cast<std::uint16_t>((field >> 1) & 0x7ff),
                    .final = (field & 0x8000) != 0};
}

std::string StatusText(std::uint16_t status) {
  std::string_view name = GenericName(status);
  if (name.empty()) name = CommandName(status);
  return absl::StrFormat("%s (0x%03x)", name.empty() ? std::string("status without a name") : std::string(name),
                         status);
}

// Bits 0 to 15 the offset of the field, bit 16: of the data, else of the command.
std::string_view WrongConnectField(std::uint64_t result) {
  switch (result & 0x1ffff) {
    case 0x10000 + 16:
      return "cntlid";
    case 0x10000 + 256:
      return "subnqn";
    case 0x10000 + 512:
      return "hostnqn";
    case 42:
      return "qid";
    case 44:
      return "sqsize";
    default:
      return {};
  }
}

Capabilities DecodeCapabilities(std::uint64_t property) {
  return {.queue_entries = static_cast<std::uint32_t>(property & 0xffff) + 1,
          .ready_timeout_ms = static_cast<std::uint32_t>((property >> 24) & 0xff) * 500};
}

std::string VersionText(std::uint32_t property) {
  const std::uint32_t third = property & 0xff;
  std::string text = absl::StrCat(property >> 16, ".", (property >> 8) & 0xff);
  if (third != 0) absl::StrAppend(&text, ".", third);
  return text;
}

std::optional<IdentifyController> DecodeIdentifyController(Octets bytes) {
  if (bytes.size() < kIdentifyBytes) return std::nullopt;
  constexpr std::uint64_t kCapsuleUnitBytes = 16;
  constexpr std::uint64_t kMostCapsuleBytes = 0xffffffff;
  return IdentifyController{.serial = GetText(bytes, 4, 20),
                            .model = GetText(bytes, 24, 40),
                            .firmware = GetText(bytes, 64, 8),
                            .subsystem_name = GetText(bytes, 768, 256),
                            .max_transfer_shift = GetLittle<std::uint8_t>(bytes, 77),
                            .max_commands = GetLittle<std::uint16_t>(bytes, 514),
                            .namespaces = GetLittle<std::uint32_t>(bytes, 516),
                            .io_capsule_bytes = static_cast<std::uint32_t>(std::min(
                                GetLittle<std::uint32_t>(bytes, 1792) * kCapsuleUnitBytes, kMostCapsuleBytes)),
                            .keyed_buffers = (GetLittle<std::uint32_t>(bytes, 536) & (1u << 2)) != 0};
}

std::optional<LogHeader> DecodeLogHeader(Octets bytes) {
  if (bytes.size() < kLogHeaderBytes) return std::nullopt;
  return LogHeader{.generation = GetLittle<std::uint64_t>(bytes, 0),
                   .records = GetLittle<std::uint64_t>(bytes, 8),
                   .format = GetLittle<std::uint16_t>(bytes, 16)};
}

std::optional<LogEntry> DecodeLogEntry(Octets bytes) {
  if (bytes.size() < kLogEntryBytes) return std::nullopt;
  return LogEntry{.transport = GetLittle<std::uint8_t>(bytes, 0),
                  .address_family = GetLittle<std::uint8_t>(bytes, 1),
                  .subsystem_type = GetLittle<std::uint8_t>(bytes, 2),
                  .requirements = GetLittle<std::uint8_t>(bytes, 3),
                  .port_id = GetLittle<std::uint16_t>(bytes, 4),
                  .admin_entries = GetLittle<std::uint16_t>(bytes, 8),
                  .service_id = GetText(bytes, 32, 32),
                  .name = GetText(bytes, 256, 256),
                  .address = GetText(bytes, 512, 256)};
}

std::string TransportText(std::uint8_t transport) {
  switch (transport) {
    case 1:
      return "rdma";
    case 2:
      return "fc";
    case 3:
      return "tcp";
    case 254:
      return "loop";
    default:
      return absl::StrCat("type ", transport);
  }
}

}  // namespace rdmaready::nvme
