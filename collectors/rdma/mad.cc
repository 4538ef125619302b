// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/mad.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "api/base/octets.h"
#include "api/base/status.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::size_t kData = 64;  // where the attribute begins, in both classes
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kGetResponse = 0x81;
constexpr std::uint16_t kPortInfo = 0x0015;
constexpr std::uint16_t kPortCounters = 0x0012;
constexpr std::uint16_t kPortCountersExtended = 0x001d;

// Places in a MAD, which is big endian, are constants of ours; its length was checked.
std::uint8_t Octet(std::span<const std::byte> mad, std::size_t at) {
  return std::to_integer<std::uint8_t>(mad[at]);
}

std::uint8_t Upper(std::uint8_t octet) { return static_cast<std::uint8_t>(octet >> 4U); }
std::uint8_t Lower(std::uint8_t octet) { return octet & 0x0fU; }

std::vector<std::byte> Request(std::uint8_t management_class, std::uint16_t attribute) {
  std::vector<std::byte> mad(kMadBytes);
  mad[0] = std::byte{kVersion};
  mad[1] = std::byte{management_class};
  mad[2] = std::byte{kVersion};
  mad[3] = std::byte{kMadGet};
  PutBig(mad, 16, attribute);
  return mad;
}

std::vector<std::byte> CountersRequest(std::uint16_t attribute, std::uint8_t port) {
  std::vector<std::byte> mad = Request(kMadPerformance, attribute);
  mad[kData + 1] = std::byte{port};  // PortSelect
  return mad;
}

// Of the status bits 2 to 4, and class specific ones (section 13.4.7).
absl::Status StatusOf(std::uint16_t status, std::string_view what) {
  constexpr std::uint16_t kBusy = 0x0001;
  constexpr std::array<std::string_view, 8> kWords{
      "",         "bad version", "method not supported",     "method and attribute not supported", "reserved",
      "reserved", "reserved",    "bad attribute or modifier"};
  if (status == 0) return absl::OkStatus();
  const std::size_t code = status >> 2U & 7U;
  const std::string text = fmt::format("ask for {}: the agent answers with status {}{}", what, status,
                                       code != 0 ? " (" + std::string(kWords[code]) + ")" : "");
  if (code == 2 || code == 3) return absl::UnimplementedError(text);
  if ((status & kBusy) != 0) return absl::UnavailableError(text);
  return absl::InternalError(text);
}

absl::Status CheckAnswer(std::span<const std::byte> answer, std::uint8_t management_class,
                         std::uint16_t attribute, std::string_view what) {
  RR_ASSIGN_OR_RETURN(const MadHeader header, DecodeMadHeader(answer));
  if (header.base_version != kVersion || header.management_class != management_class ||
      header.method != kGetResponse || header.attribute != attribute) {
    return Malformed(what, "the datagram is no answer to it");
  }
  return StatusOf(header.status, what);
}

// Bit masks: 1X, 4X, 8X, 12X, 2X.
constexpr std::array<std::uint8_t, 5> kLanes{1, 4, 8, 12, 2};

// Of those that the mask holds, the most; 0 for none.
std::uint8_t MostLanes(std::uint8_t mask) {
  std::uint8_t most = 0;
  for (std::size_t bit = 0; bit < kLanes.size(); ++bit) {
    if ((unsigned{mask} >> bit & 1U) != 0) most = std::max(most, kLanes.at(bit));
  }
  return most;
}

// SDR, DDR, QDR.
std::uint32_t FastestPlain(std::uint8_t mask) {
  constexpr std::array<std::uint32_t, 3> kMbps{2'500, 5'000, 10'000};
  const auto bits = static_cast<unsigned>(std::bit_width(mask & 7U));
  return bits == 0 ? 0 : kMbps.at(bits - 1);
}

// FDR, EDR, HDR, NDR.
std::uint32_t FastestExtended(std::uint8_t mask) {
  constexpr std::array<std::uint32_t, 4> kMbps{14'062, 25'781, 53'125, 106'250};
  const auto bits = static_cast<unsigned>(std::bit_width(mask & 0x0fU));
  return bits == 0 ? 0 : kMbps.at(bits - 1);
}

std::uint32_t MtuOf(std::uint8_t code) {
  constexpr std::uint8_t kLargest = 5;
  return code == 0 || code > kLargest ? 0 : std::uint32_t{128} << code;
}

// In use is one, not several.
std::uint8_t OnlyOne(std::uint8_t mask) { return std::has_single_bit(mask) ? mask : std::uint8_t{0}; }

struct Field {
  const char* name;
  std::size_t at;  // within the attribute
  std::size_t bytes;
};

std::vector<Counter> Read(std::span<const std::byte> answer, std::span<const Field> fields) {
  std::vector<Counter> counters;
  for (const Field& field : fields)
    counters.push_back({field.name, GetBig(answer, kData + field.at, field.bytes)});
  return counters;
}

}  // namespace

std::vector<std::byte> PortInfoRequest(std::uint8_t port) {
  constexpr std::uint16_t kPermissive = 0xffff;  // the LID of the port at the end of the route
  std::vector<std::byte> mad = Request(kMadDirectedRoute, kPortInfo);
  PutBig(mad, 20, std::uint32_t{port});  // AttributeModifier
  PutBig(mad, 32, kPermissive);
  PutBig(mad, 34, kPermissive);
  return mad;
}

std::vector<std::byte> PortCountersRequest(std::uint8_t port) { return CountersRequest(kPortCounters, port); }

std::vector<std::byte> PortCountersExtendedRequest(std::uint8_t port) {
  return CountersRequest(kPortCountersExtended, port);
}

absl::StatusOr<MadHeader> DecodeMadHeader(std::span<const std::byte> mad) {
  constexpr std::uint64_t kWithoutDirection = 0x7fff;
  if (mad.size() != kMadBytes)
    return Malformed("management datagram", fmt::format("{} bytes, not 256", mad.size()));
  const std::uint64_t status_mask = Octet(mad, 1) == kMadDirectedRoute ? kWithoutDirection : 0xffffU;
  return MadHeader{.base_version = Octet(mad, 0),
                   .management_class = Octet(mad, 1),
                   .class_version = Octet(mad, 2),
                   .method = Octet(mad, 3),
                   .status = static_cast<std::uint16_t>(GetBig<std::uint16_t>(mad, 4) & status_mask),
                   .attribute = GetBig<std::uint16_t>(mad, 16),
                   .modifier = GetBig<std::uint32_t>(mad, 20)};
}

absl::Status CheckMadQuestion(std::span<const std::byte> mad) {
  RR_ASSIGN_OR_RETURN(const MadHeader header, DecodeMadHeader(mad));
  const bool known = header.management_class == kMadDirectedRoute || header.management_class == kMadPerformance;
  if (header.base_version == kVersion && header.method == kMadGet && known) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("send a management datagram: it is no question (class {}, method {})",
                  header.management_class, header.method));
}

void ClearTransaction(std::span<std::byte> mad) {
  for (std::size_t i = 8; i < 16 && i < mad.size(); ++i) mad[i] = std::byte{0};
}

namespace {

// XDR is in use: a field of its own tells, which CapabilityMask2 announces. The plain speeds then read as QDR
// (mlx5_query_mad_ifc_port in drivers/infiniband/hw/mlx5/mad.c). Which faster ones are enabled is not told
// here.
bool RunsXdr(std::span<const std::byte> answer) {
  constexpr std::uint64_t kCapabilityMask2 = 1U << 15U;
  constexpr std::uint64_t kExtendedSpeeds2 = 1U << 11U;
  constexpr std::uint64_t kXdr = 1U << 12U;
  constexpr std::uint64_t kWanted = kExtendedSpeeds2 | kXdr;
  if ((GetBig<std::uint32_t>(answer, kData + 20) & kCapabilityMask2) == 0) return false;
  if ((GetBig<std::uint16_t>(answer, kData + 60) & kWanted) != kWanted) return false;
  return (Upper(Octet(answer, kData + 56)) & 6U) == 2;
}

}  // namespace

absl::StatusOr<IbLink> DecodePortInfo(std::span<const std::byte> answer) {
  if (absl::Status status = CheckAnswer(answer, kMadDirectedRoute, kPortInfo, "PortInfo"); !status.ok())
    return status;
  const auto octet = [&answer](std::size_t at) { return Octet(answer, kData + at); };
  constexpr std::uint64_t kIsExtendedSpeedsSupported = 1U << 14U;  // of CapabilityMask
  const bool extended = (GetBig<std::uint32_t>(answer, kData + 20) & kIsExtendedSpeedsSupported) != 0;

  IbLink link;
  link.lanes_enabled = MostLanes(octet(29));
  link.lanes_supported = MostLanes(octet(30));
  link.lanes = MostLanes(OnlyOne(octet(31)));
  link.lane_mbps_supported = FastestPlain(Upper(octet(32)));
  link.lane_mbps = FastestPlain(OnlyOne(Upper(octet(35))));
  link.lane_mbps_enabled = FastestPlain(Lower(octet(35)));
  link.mtu_bytes = MtuOf(Upper(octet(36)));
  link.mtu_bytes_supported = MtuOf(Lower(octet(41)));
  if (RunsXdr(answer)) {
    constexpr std::uint32_t kXdrMbps = 212'500;
    link.lane_mbps = link.lane_mbps_supported = link.lane_mbps_enabled = kXdrMbps;
    return link;
  }
  if (!extended) return link;
  // 0: no extended speed, the plain one counts.
  if (octet(62) >> 4U != 0) link.lane_mbps = FastestExtended(OnlyOne(Upper(octet(62))));
  link.lane_mbps_supported = std::max(link.lane_mbps_supported, FastestExtended(Lower(octet(62))));
  link.lane_mbps_enabled = std::max(link.lane_mbps_enabled, FastestExtended(octet(63)));
  return link;
}

absl::StatusOr<std::vector<Counter>> DecodePortCounters(std::span<const std::byte> answer) {
  static constexpr Field kErrors[] = {{"symbol_error", 4, 2},
                                      {"link_error_recovery", 6, 1},
                                      {"link_downed", 7, 1},
                                      {"port_rcv_errors", 8, 2},
                                      {"port_rcv_remote_physical_errors", 10, 2},
                                      {"port_rcv_switch_relay_errors", 12, 2},
                                      {"port_xmit_discards", 14, 2},
                                      {"port_xmit_constraint_errors", 16, 1},
                                      {"port_rcv_constraint_errors", 17, 1}};
  static constexpr Field kRest[] = {{"VL15_dropped", 22, 2},     {"port_xmit_data", 24, 4},
                                    {"port_rcv_data", 28, 4},    {"port_xmit_packets", 32, 4},
                                    {"port_rcv_packets", 36, 4}, {"port_xmit_wait", 40, 4}};
  if (absl::Status status = CheckAnswer(answer, kMadPerformance, kPortCounters, "PortCounters"); !status.ok())
    return status;
  std::vector<Counter> counters = Read(answer, kErrors);
  const std::uint8_t overruns = Octet(answer, kData + 19);
  counters.push_back({"local_link_integrity_errors", Upper(overruns)});
  counters.push_back({"excessive_buffer_overrun_errors", Lower(overruns)});
  for (Counter& counter : Read(answer, kRest)) counters.push_back(std::move(counter));
  return counters;
}

absl::StatusOr<std::vector<Counter>> DecodePortCountersExtended(std::span<const std::byte> answer) {
  static constexpr Field kFields[] = {
      {"port_xmit_data", 8, 8},          {"port_rcv_data", 16, 8},         {"port_xmit_packets", 24, 8},
      {"port_rcv_packets", 32, 8},       {"unicast_xmit_packets", 40, 8},  {"unicast_rcv_packets", 48, 8},
      {"multicast_xmit_packets", 56, 8}, {"multicast_rcv_packets", 64, 8},
  };
  constexpr std::string_view kWhat = "PortCountersExtended";
  if (absl::Status status = CheckAnswer(answer, kMadPerformance, kPortCountersExtended, kWhat); !status.ok())
    return status;
  return Read(answer, kFields);
}

}  // namespace rdmaready
