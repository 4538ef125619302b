// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>

#include "collectors/rdma/mad.h"
#include "tests/support/mad_wire.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;

// What must hold of every answer, whatever the bytes were.
void Demand(bool holds) {
  if (!holds) std::abort();
}

template <class T>
bool OneOf(T value, std::initializer_list<T> known) {
  return std::ranges::find(known, value) != known.end();
}

void DemandSane(const IbLink& link) {
  for (const std::uint8_t lanes : {link.lanes, link.lanes_enabled, link.lanes_supported})
    Demand(OneOf<std::uint8_t>(lanes, {0, 1, 2, 4, 8, 12}));
  for (const std::uint32_t mbps : {link.lane_mbps, link.lane_mbps_enabled, link.lane_mbps_supported})
    Demand(OneOf<std::uint32_t>(mbps, {0, 2'500, 5'000, 10'000, 14'062, 25'781, 53'125, 106'250, 212'500}));
  for (const std::uint32_t bytes : {link.mtu_bytes, link.mtu_bytes_supported})
    Demand(OneOf<std::uint32_t>(bytes, {0, 256, 512, 1024, 2048, 4096}));
}

void DemandSane(const std::vector<Counter>& counters, std::size_t count) {
  std::set<std::string> names;
  for (const Counter& counter : counters) Demand(names.insert(counter.name).second);
  Demand(counters.size() == count);
}

void PortInfo(Octets bytes) {
  const absl::StatusOr<IbLink> link = DecodePortInfo(bytes);
  if (!link.ok()) return Demand(!link.status().message().empty());
  DemandSane(*link);
  Demand(DecodeMadHeader(bytes)->status == 0);
}

void Counters(Octets bytes) {
  const absl::StatusOr<std::vector<Counter>> counters = DecodePortCounters(bytes);
  if (counters.ok()) DemandSane(*counters, 17);
}

void Wide(Octets bytes) {
  const absl::StatusOr<std::vector<Counter>> counters = DecodePortCountersExtended(bytes);
  if (counters.ok()) DemandSane(*counters, 8);
}

// What passes as a question is one.
void CheckQuestion(Octets bytes) {
  if (!CheckMadQuestion(bytes).ok()) return;
  Demand(bytes.size() == kMadBytes && bytes[3] == std::byte{kMadGet});
  std::vector<std::byte> cleared(bytes.begin(), bytes.end());
  ClearTransaction(cleared);
  Demand(*DecodeMadHeader(cleared) == *DecodeMadHeader(bytes));
}

// Behind a well-formed header, so that mutations are spent on the attribute.
template <void (*decode)(Octets), mad_wire::Bytes (*good)()>
void Attribute(Octets bytes) {
  mad_wire::Bytes answer = good();
  std::copy_n(bytes.begin(), std::min(bytes.size(), answer.size() - 64), answer.begin() + 64);
  decode(answer);
}

constexpr void (*kDecoders[])(Octets) = {PortInfo,
                                         Counters,
                                         Wide,
                                         CheckQuestion,
                                         Attribute<PortInfo, mad_wire::PortInfo>,
                                         Attribute<Counters, mad_wire::PortCounters>,
                                         Attribute<Wide, mad_wire::PortCountersExtended>};

std::vector<std::uint8_t> Seed(std::size_t decoder, Octets bytes) {
  std::vector<std::uint8_t> input{static_cast<std::uint8_t>(decoder)};
  for (const std::byte byte : bytes) input.push_back(std::to_integer<std::uint8_t>(byte));
  return input;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const mad_wire::Bytes answers[] = {mad_wire::PortInfo(), mad_wire::PortCounters(),
                                     mad_wire::PortCountersExtended()};
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::size_t i = 0; i < std::size(answers); ++i) {
    seeds.push_back(Seed(i, answers[i]));
    seeds.push_back(Seed(4 + i, Octets(answers[i]).subspan(64)));
  }
  seeds.push_back(Seed(0, mad_wire::Answer(0x81, 0x15, {}, 0x0c)));
  for (const std::vector<std::byte>& question :
       {PortInfoRequest(1), PortCountersRequest(1), PortCountersExtendedRequest(255)}) {
    seeds.push_back(Seed(3, question));
  }
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy that ends where its memory ends.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1,
                                     reinterpret_cast<const std::byte*>(data) + size);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](bytes);
  return 0;
}
