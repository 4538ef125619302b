// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/infiniband.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/rdma/mad.h"

namespace rdmaready {
namespace {

constexpr std::uint16_t kFirstMulticastLid = 0xc000;
constexpr std::uint16_t kPermissiveLid = 0xffff;
constexpr std::uint16_t kMembership = 0x8000;  // of a P_Key; the rest names the partition

std::string PortFile(const RdmaDevice& device, std::uint32_t port, std::string_view file) {
  return SysfsPath(device, fmt::format("ports/{}/{}", port, file));
}

Fact<std::uint16_t> ReadHex16(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (!text.ok()) return MissingFrom(text.status());
  if (const std::optional<std::uint16_t> number = DecodeHex16(*text)) return *number;
  return Missing{Missing::Kind::kFailed, "read " + path + ": \"" + TrimRight(*text) + "\" is no number"};
}

// Slots in the order of their numbers; an empty one holds partition 0, which is none.
void ReadPkeys(HostReader& host, const RdmaDevice& device, std::uint32_t port, Infiniband& ib) {
  const auto give_up = [&ib](const Missing& why) {
    ib.pkeys = why;
    ib.pkey_slots = why;
  };
  const std::string folder = PortFile(device, port, "pkeys");
  absl::StatusOr<std::vector<std::string>> slots = host.ListDirectory(folder);
  if (!slots.ok()) return give_up(MissingFrom(slots.status()));
  std::ranges::sort(*slots, NaturalLess);
  std::vector<std::uint16_t> keys;
  std::vector<std::uint16_t> numbers;
  for (const std::string& slot : *slots) {
    const std::optional<std::uint16_t> number = ParseNumber<std::uint16_t>(slot);
    if (!number) continue;
    const Fact<std::uint16_t> key = ReadHex16(host, folder + "/" + slot);
    if (!key) return give_up(key.missing());
    if ((*key & ~kMembership) == 0) continue;
    keys.push_back(*key);
    numbers.push_back(*number);
  }
  ib.pkeys = std::move(keys);
  ib.pkey_slots = std::move(numbers);
}

Fact<IbLink> ReadLinkInfo(HostReader& host, const RdmaDevice& device, std::uint8_t port) {
  const absl::StatusOr<std::vector<std::byte>> answer = host.Ask(
      MadRequest{.device = device.name, .port = port, .lid = kPermissiveLid, .mad = PortInfoRequest(port)});
  if (!answer.ok()) return MissingFrom(answer.status());
  const absl::StatusOr<IbLink> link = DecodePortInfo(*answer);
  if (!link.ok()) return MissingFrom(link.status());
  return *link;
}

// Puts the counters of 64 bits in the place of those of 32, and after them what these have not.
void Widen(std::vector<Counter>& counters, const std::vector<Counter>& wide) {
  for (const Counter& counter : wide) {
    const auto narrow = std::ranges::find(counters, counter.name, &Counter::name);
    if (narrow != counters.end()) {
      narrow->value = counter.value;
    } else {
      counters.push_back(counter);
    }
  }
}

// The agent of the port itself, by the port's own LID: through the adapter, not through the network.
Fact<std::vector<Counter>> ReadPmaCounters(HostReader& host, const RdmaDevice& device, std::uint8_t port,
                                           const Fact<std::uint16_t>& lid) {
  if (!lid) return lid.missing();
  if (*lid == 0 || *lid >= kFirstMulticastLid) {
    return Missing{Missing::Kind::kFailed,
                   "ask the performance agent: the port has no LID by which to reach its own"};
  }
  MadRequest request{.device = device.name, .port = port, .lid = *lid, .mad = PortCountersRequest(port)};
  const absl::StatusOr<std::vector<std::byte>> answer = host.Ask(request);
  if (!answer.ok()) return MissingFrom(answer.status());
  absl::StatusOr<std::vector<Counter>> counters = DecodePortCounters(*answer);
  if (!counters.ok()) return MissingFrom(counters.status());

  request.mad = PortCountersExtendedRequest(port);
  const absl::StatusOr<std::vector<std::byte>> extended = host.Ask(request);
  if (extended.ok()) {
    const absl::StatusOr<std::vector<Counter>> wide = DecodePortCountersExtended(*extended);
    if (wide.ok()) Widen(*counters, *wide);  // an older agent has none
  }
  return *std::move(counters);
}

Infiniband NoneOf(const Missing& why) {
  return {.lid = why, .sm_lid = why, .pkeys = why, .pkey_slots = why, .link = why, .pma_counters = why};
}

}  // namespace

std::optional<std::uint16_t> DecodeHex16(std::string_view text) {
  const std::string number = TrimRight(text);
  if (!number.starts_with("0x")) return std::nullopt;
  return ParseNumber<std::uint16_t>(std::string_view(number).substr(2), 16);
}

Infiniband ReadInfiniband(HostReader& host, const RdmaDevice& device, std::uint32_t port,
                          const Fact<Transport>& transport) {
  if (!transport) return NoneOf(transport.missing());
  if (*transport != Transport::kInfiniBand)
    return NoneOf({Missing::Kind::kUnsupported, "not an InfiniBand port"});
  if (port == 0 || port > std::numeric_limits<std::uint8_t>::max())
    return NoneOf({Missing::Kind::kFailed, fmt::format("no InfiniBand device has a port {}", port)});
  const auto number = static_cast<std::uint8_t>(port);
  Infiniband ib;
  ib.lid = ReadHex16(host, PortFile(device, port, "lid"));
  ib.sm_lid = ReadHex16(host, PortFile(device, port, "sm_lid"));
  ReadPkeys(host, device, port, ib);
  ib.link = ReadLinkInfo(host, device, number);
  // Without the right to ask the one agent there is none to ask the other.
  const bool silent = !ib.link && ib.link.missing().kind != Missing::Kind::kFailed;
  ib.pma_counters =
      silent ? Fact<std::vector<Counter>>(ib.link.missing()) : ReadPmaCounters(host, device, number, ib.lid);
  return ib;
}

}  // namespace rdmaready
