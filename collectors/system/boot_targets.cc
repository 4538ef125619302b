// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_targets.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "api/base/octets.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/net/links.h"

namespace rdmaready {
namespace {

constexpr std::string_view kTables = "/sys/firmware/acpi/tables";
constexpr std::string_view kIbft = "/sys/firmware/ibft";

// ---- NBFT: every number is little-endian ----

constexpr std::size_t kTableHeaderBytes = 64;
constexpr std::size_t kControlBytes = 64;
constexpr std::size_t kHeapObjectBytes = 6;  // where it is in the table, 4 bytes, and how long, 2
constexpr std::size_t kInterfaceBytes = 32;
constexpr std::size_t kTargetBytes = 128;
constexpr std::size_t kTransportBytes = 60;  // up to what is read of it
constexpr std::uint8_t kControlId = 1;
constexpr std::uint8_t kInterfaceId = 3;
constexpr std::uint8_t kTargetId = 4;
constexpr std::uint8_t kTransportId = 7;
constexpr std::size_t kMaxNameBytes = 256;

absl::Status BadTable(std::string_view why) { return absl::DataLossError("decode NBFT: " + std::string(why)); }

std::uint8_t TableOctet(Octets bytes, std::size_t at) { return GetLittle<std::uint8_t>(bytes, at); }

// Empty when that part is not in the table.
Octets Part(Octets table, std::size_t offset, std::size_t length) {
  if (offset > table.size() || length > table.size() - offset) return {};
  return table.subspan(offset, length);
}

Octets HeapObject(Octets table, Octets reference) {
  return Part(table, GetLittle<std::uint32_t>(reference, 0), GetLittle<std::uint16_t>(reference, 4));
}

std::string MacOf(Octets bytes) {
  const bool none = std::ranges::all_of(bytes, [](std::byte one) { return one == std::byte{0}; });
  return none ? std::string() : MacText(bytes).value_or("");
}

// IPv4 stands in the last four bytes, as ::ffff:a.b.c.d.
std::string AddressOf(Octets bytes) {
  constexpr std::array<std::uint8_t, 12> kIpv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool none = std::ranges::all_of(bytes, [](std::byte one) { return one == std::byte{0}; });
  if (none) return {};
  const bool ipv4 = std::memcmp(bytes.data(), kIpv4.data(), kIpv4.size()) == 0;
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(ipv4 ? AF_INET : AF_INET6, bytes.data() + (ipv4 ? kIpv4.size() : 0), text.data(), text.size());
  return text.data();
}

// What stands between a host and its boot disk is shown to people: nothing but plain characters.
std::string PlainName(Octets bytes) {
  std::string name;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kMaxNameBytes))) {
    const char letter = static_cast<char>(byte);
    if (letter == '\0') break;
    name += letter > ' ' && letter <= '~' ? letter : '?';
  }
  return name;
}

// A list of descriptors that the control structure refers to: offset 4 bytes, length of each 2,
// version, number.
struct List {
  std::size_t offset = 0;
  std::size_t each = 0;
  std::size_t count = 0;
};
List ListAt(Octets control, std::size_t at) {
  return {GetLittle<std::uint32_t>(control, at), GetLittle<std::uint16_t>(control, at + 4),
          TableOctet(control, at + 7)};
}

// The host's ports by their number in the table: MAC and address of each.
using Interfaces = std::map<std::uint8_t, BootTarget>;

absl::StatusOr<Interfaces> InterfacesOf(Octets table, const List& list) {
  constexpr std::size_t kTransportReference = 16;
  Interfaces interfaces;
  for (std::size_t i = 0; i < list.count; ++i) {
    const Octets one = Part(table, list.offset + i * list.each, list.each);
    if (one.size() < kInterfaceBytes) return BadTable("a host interface outside of the table");
    if ((TableOctet(one, 2) & 1U) == 0) continue;  // not valid: not used
    if (TableOctet(one, 0) != kInterfaceId) return BadTable("a host interface that is none");
    const Octets transport = HeapObject(table, one.subspan(kTransportReference, kHeapObjectBytes));
    if (transport.size() < kTransportBytes || TableOctet(transport, 0) != kTransportId)
      return BadTable("a host interface without its addresses");
    if ((TableOctet(transport, 6) & 1U) == 0) continue;
    interfaces[TableOctet(one, 1)] = {.table = "NBFT",
                                      .mac = MacOf(transport.subspan(11, 6)),
                                      .address = AddressOf(transport.subspan(20, 16))};
  }
  return interfaces;
}

absl::Status AddTargets(Octets table, Octets subsystem, const Interfaces& interfaces,
                        std::vector<BootTarget>& targets) {
  constexpr std::size_t kPrimaryInterface = 46;
  constexpr std::size_t kOtherInterfaces = 48;
  constexpr std::size_t kName = 54;
  if ((GetLittle<std::uint16_t>(subsystem, 3) & 1U) == 0) return absl::OkStatus();
  if (TableOctet(subsystem, 0) != kTargetId) return BadTable("a subsystem that is none");
  std::vector<std::uint8_t> numbers{TableOctet(subsystem, kPrimaryInterface)};
  for (const std::byte one : HeapObject(table, subsystem.subspan(kOtherInterfaces, kHeapObjectBytes)))
    numbers.push_back(std::to_integer<std::uint8_t>(one));
  const std::string name = PlainName(HeapObject(table, subsystem.subspan(kName, kHeapObjectBytes)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto found = interfaces.find(numbers[i]);
    const bool twice = std::find(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                 numbers[i]) != numbers.begin() + static_cast<std::ptrdiff_t>(i);
    if (twice || (found == interfaces.end() && i > 0)) continue;
    BootTarget target = found == interfaces.end() ? BootTarget{.table = "NBFT"} : found->second;
    target.target = name;
    targets.push_back(std::move(target));
  }
  return absl::OkStatus();
}

// ---- iBFT as sysfs shows it ----

std::string ReadTrimmed(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  return text.ok() ? TrimRight(*text) : std::string();
}

absl::StatusOr<std::vector<BootTarget>> ReadIbft(HostReader& host, const std::vector<std::string>& entries) {
  std::vector<BootTarget> targets;
  for (const std::string& entry : entries) {
    if (!entry.starts_with("target")) continue;
    const std::string folder = std::string(kIbft) + "/" + entry;
    RR_ASSIGN_OR_RETURN(const std::string name, host.ReadFile(folder + "/target-name"));
    const std::string nic = std::string(kIbft) + "/ethernet" + ReadTrimmed(host, folder + "/nic-assoc");
    targets.push_back({.table = "iBFT",
                       .mac = ReadTrimmed(host, nic + "/mac"),
                       .address = ReadTrimmed(host, nic + "/ip-addr"),
                       .target = TrimRight(name)});
  }
  return targets;
}

absl::StatusOr<std::vector<std::string>> ListOrNone(HostReader& host, std::string_view path) {
  absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(path);
  if (!names.ok() && names.status().code() == absl::StatusCode::kNotFound) return std::vector<std::string>{};
  return names;
}

bool IsIbft(const std::string& table) { return table == "iBFT" || table == "IBFT"; }

}  // namespace

absl::StatusOr<std::vector<BootTarget>> DecodeNbft(Octets table) {
  if (table.size() < kTableHeaderBytes + kControlBytes) return BadTable("too short");
  if (std::memcmp(table.data(), "NBFT", 4) != 0) return BadTable("another table");
  const std::size_t length = GetLittle<std::uint32_t>(table, 4);
  if (length < kTableHeaderBytes + kControlBytes || length > table.size()) return BadTable("another length");
  table = table.first(length);
  const auto sum = std::accumulate(table.begin(), table.end(), 0U, [](unsigned sum_so_far, std::byte one) {
    return sum_so_far + std::to_integer<unsigned>(one);
  });
  if ((sum & 0xffU) != 0) return BadTable("its checksum is wrong");
  if (TableOctet(table, 8) != 1) return BadTable("of another version");
  const Octets control = table.subspan(kTableHeaderBytes, kControlBytes);
  std::vector<BootTarget> targets;
  if ((TableOctet(control, 6) & 1U) == 0) return targets;
  if (TableOctet(control, 0) != kControlId) return BadTable("no control structure");
  RR_ASSIGN_OR_RETURN(const Interfaces interfaces, InterfacesOf(table, ListAt(control, 16)));
  const List list = ListAt(control, 24);
  for (std::size_t i = 0; i < list.count; ++i) {
    const Octets one = Part(table, list.offset + i * list.each, list.each);
    if (one.size() < kTargetBytes) return BadTable("a subsystem outside of the table");
    RR_RETURN_IF_ERROR(AddTargets(table, one, interfaces, targets));
  }
  return targets;
}

Fact<std::vector<BootTarget>> ReadBootTargets(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> decoded = ListOrNone(host, kIbft);
  const absl::StatusOr<std::vector<std::string>> tables = ListOrNone(host, kTables);
  if (!decoded.ok()) return MissingFrom(decoded.status());
  if (!tables.ok()) return MissingFrom(tables.status());
  if (decoded->empty() && std::ranges::any_of(*tables, IsIbft)) {
    return Missing{Missing::Kind::kFailed, "there is an iBFT, and iscsi_ibft, which decodes it, is not loaded"};
  }
  absl::StatusOr<std::vector<BootTarget>> targets = ReadIbft(host, *decoded);
  if (!targets.ok()) return MissingFrom(targets.status());
  for (const std::string& name : *tables) {
    if (!name.starts_with("NBFT")) continue;  // several are numbered
    const absl::StatusOr<std::string> table = host.ReadFile(std::string(kTables) + "/" + name);
    if (!table.ok()) return MissingFrom(table.status());
    absl::StatusOr<std::vector<BootTarget>> more = DecodeNbft(std::as_bytes(std::span(*table)));
    if (!more.ok()) return MissingFrom(more.status());
    std::ranges::move(*more, std::back_inserter(*targets));
  }
  return *std::move(targets);
}

}  // namespace rdmaready
