// SPDX-License-Identifier: Apache-2.0
#include "agent/share/evidence.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "api/model/well_known_ports.h"
#include "collectors/rdma/counters.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kLargestPayloadBytes = 4096;  // of one packet: the largest path MTU of RDMA

// The kernel prints an address as 32-bit words of this host's byte order (net/ipv4/tcp_ipv4.c, get_tcp4_sock).
std::string KernelHex(std::span<const std::uint8_t> address) {
  std::string text;
  for (std::size_t i = 0; i < address.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &address[i], sizeof word);
    text += fmt::format("{:08X}", word);
  }
  return text;
}

// "fe80::1" of "fe80::1%eth0".
std::string WithoutScope(const std::string& address) { return address.substr(0, address.find('%')); }

// Both ways in which the kernel may write this address; empty when it is none.
std::vector<std::string> KernelForms(const std::string& address) {
  std::array<std::uint8_t, 16> raw{};
  if (inet_pton(AF_INET6, address.c_str(), raw.data()) == 1) return {KernelHex(raw)};
  std::array<std::uint8_t, 4> v4{};
  if (inet_pton(AF_INET, address.c_str(), v4.data()) != 1) return {};
  raw = {};
  raw[10] = raw[11] = 0xff;
  std::ranges::copy(v4, raw.begin() + 12);
  return {KernelHex(v4), KernelHex(raw)};
}

// The `number`th word of the line, from 0.
std::string_view Word(std::string_view line, int number) {
  for (;; --number) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos) return {};
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find(' '), line.size());
    if (number == 0) return line.substr(0, end);
    line.remove_prefix(end);
  }
}

std::optional<std::uint64_t> Sum(const Fact<std::vector<Counter>>& counters, std::string_view first,
                                 std::string_view second) {
  if (!counters) return std::nullopt;
  std::optional<std::uint64_t> sum;
  for (const Counter& counter : *counters) {
    if (counter.name == first || counter.name == second) sum = sum.value_or(0) + counter.value;
  }
  return sum;
}

std::optional<PortTraffic> ReadTraffic(HostReader& host, const std::string& device, std::uint32_t port) {
  const RdmaDevice named{.name = device};
  // In words of four octets (InfiniBand specification, PortCountersExtended).
  if (const auto words = Sum(ReadPortCounters(host, named, port), "port_xmit_data", "port_rcv_data")) {
    return PortTraffic{PortTraffic::Unit::kBytes, *words * 4};
  }
  const HwCounters hw = ReadHwCounters(host, named, port);
  if (const auto packets = Sum(hw.counters, "sent_pkts", "rcvd_pkts")) {  // rxe
    return PortTraffic{PortTraffic::Unit::kPackets, *packets};
  }
  if (const auto bytes = Sum(hw.counters, "ip4OutOctets", "ip4InOctets")) {  // irdma
    return PortTraffic{PortTraffic::Unit::kBytes, *bytes};
  }
  return std::nullopt;
}

}  // namespace

std::set<std::string> EstablishedTo(std::string_view proc_net_tcp, std::string_view server_address,
                                    std::uint16_t remote_port) {
  const std::string port = fmt::format(":{:04X}", remote_port);
  std::vector<std::string> wanted = KernelForms(WithoutScope(std::string(server_address)));
  for (std::string& form : wanted) form += port;
  std::set<std::string> found;
  while (!proc_net_tcp.empty()) {
    const std::size_t end = std::min(proc_net_tcp.find('\n'), proc_net_tcp.size());
    const std::string_view line = proc_net_tcp.substr(0, end);
    proc_net_tcp.remove_prefix(std::min(end + 1, proc_net_tcp.size()));
    if (Word(line, 3) != "01") continue;  // TCP_ESTABLISHED
    if (std::ranges::find(wanted, Word(line, 2)) != wanted.end()) found.emplace(Word(line, 1));
  }
  return found;
}

// A kernel without IPv6 has no tcp6.
std::optional<std::set<std::string>> ReadConnections(HostReader& host, const std::string& server_address) {
  if (KernelForms(WithoutScope(server_address)).empty()) return std::nullopt;
  const auto v4 = host.ReadFile("/proc/net/tcp");
  const auto v6 = host.ReadFile("/proc/net/tcp6");
  if (!v4.ok() || (!v6.ok() && !absl::IsNotFound(v6.status()))) return std::nullopt;
  std::set<std::string> found = EstablishedTo(*v4, server_address, kSmbPort);
  if (v6.ok()) found.merge(EstablishedTo(*v6, server_address, kSmbPort));
  return found;
}

ShareEvidence ReadEvidence(HostReader& host, const std::string& server_address, const std::string& device,
                           std::uint32_t port) {
  ShareEvidence evidence;
  if (const auto text = host.ReadFile("/proc/fs/cifs/DebugData"); text.ok())
    evidence.cifs = ParseCifsState(*text);
  evidence.tcp_connections = ReadConnections(host, server_address);
  evidence.port = ReadTraffic(host, device, port);
  return evidence;
}

const CifsConnection* NewConnection(const CifsState& before, const CifsState& after,
                                    const std::string& server_address) {
  const auto is_new = [&](const CifsConnection& connection) {
    if (connection.server != server_address && connection.server != "[" + server_address + "]") return false;
    return std::ranges::find(before.connections, connection.id, &CifsConnection::id) ==
           before.connections.end();
  };
  const auto found = std::ranges::find_if(after.connections, is_new);
  return found == after.connections.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> MovedAtMostBytes(const std::optional<PortTraffic>& before,
                                              const std::optional<PortTraffic>& after) {
  if (!before || !after || before->unit != after->unit || after->amount < before->amount) return std::nullopt;
  const std::uint64_t more = after->amount - before->amount;
  return after->unit == PortTraffic::Unit::kBytes ? more : more * kLargestPayloadBytes;
}

}  // namespace rdmaready
