// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "collectors/lldp/lldp.h"
#include "collectors/lldp/lldpad_messages.h"
#include "tests/support/lldp_wire.h"
#include "tests/support/lldpad_wire.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;
using lldp_wire::operator+;

// What must hold of every answer, whatever the bytes were.
void Demand(bool holds) {
  if (!holds) std::abort();
}

bool Clean(const std::string& text) {
  return text.size() <= 1022 &&  // hexadecimal of the longest information
         std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

bool InRange(const LldpEts& ets) {
  return ets.traffic_classes <= kPriorities &&
         std::ranges::all_of(ets.prio_tc, [](std::uint8_t tc) { return tc < kPriorities; });
}

void DemandSane(const LldpNeighbour& agent) {
  for (const std::string* text :
       {&agent.source_mac, &agent.destination_mac, &agent.chassis.text, &agent.port.text,
        &agent.port_description, &agent.system_name, &agent.system_description}) {
    Demand(Clean(*text));
  }
  Demand(agent.source_mac.size() == 17 && agent.destination_mac.size() == 17);
  for (const LldpVlan& vlan : agent.vlans) Demand(Clean(vlan.name));
  for (const LldpManagementAddress& address : agent.management) Demand(Clean(address.address));
  for (const std::string& oddity : agent.oddities) Demand(Clean(oddity));
  Demand(agent.oddities.size() <= 16 && agent.vlans.size() <= 64 && agent.management.size() <= 64);
  Demand(!agent.ets || InRange(*agent.ets));
  Demand(!agent.ets_recommended || InRange(*agent.ets_recommended));
  Demand(agent.dialects.ieee || !(agent.ets || agent.ets_recommended || agent.pfc || agent.app));
  Demand(agent.dialects.cee == agent.cee.has_value());
  if (agent.app) {
    for (const AppEntry& entry : *agent.app)
      Demand(entry.priority < kPriorities && entry.selector >= AppSelector::kEthertype &&
             entry.selector <= AppSelector::kDscp);
  }
  if (agent.cee && agent.cee->groups) {
    for (const std::uint8_t group : agent.cee->groups->prio_group)
      Demand(group < kPriorities || group == CeeGroups::kNoLimit);
  }
}

void Frame(Octets bytes) {
  const absl::StatusOr<LldpNeighbour> agent = DecodeLldpFrame(bytes);
  if (!agent.ok()) return Demand(!agent.status().message().empty());
  DemandSane(*agent);
  Demand(*DecodeLldpFrame(bytes) == *agent);
}

// Without an Ethernet header: the same, but for the addresses that it has not.
void Unit(Octets bytes) {
  absl::StatusOr<LldpNeighbour> agent = DecodeLldpUnit(bytes);
  if (!agent.ok()) return Demand(!agent.status().message().empty());
  Demand(agent->source_mac.empty() && agent->destination_mac.empty());
  agent->source_mac = agent->destination_mac = "02:00:00:00:00:01";
  DemandSane(*agent);
}

// Behind a well-formed head, so that mutations are spent on what comes after it.
void Rest(Octets bytes) {
  const absl::StatusOr<LldpNeighbour> agent =
      DecodeLldpFrame(lldp_wire::Header() + lldp_wire::Chassis() + lldp_wire::Port() + lldp_wire::Ttl() +
                      lldp_wire::Bytes(bytes.begin(), bytes.end()));
  if (agent.ok()) DemandSane(*agent);
}

// Frames of a length each, the first byte says.
void Several(Octets bytes) {
  LldpFrames frames;
  std::uint32_t now_ms = 0;
  while (!bytes.empty()) {
    const auto length = std::to_integer<std::size_t>(bytes.front());
    const Octets frame = bytes.subspan(1, std::min(length, bytes.size() - 1));
    bytes = bytes.subspan(1 + frame.size());
    now_ms += 10;
    frames.frames.push_back({.sent_here = (length & 1U) != 0,
                             .first_ms = now_ms,
                             .last_ms = now_ms,
                             .bytes = {frame.begin(), frame.end()}});
  }
  const LldpHeard heard = DecodeLldp(frames);
  Demand(heard.peers.size() + heard.own.size() <= frames.frames.size() && heard.notes.size() <= 17);
  for (const std::string& note : heard.notes) Demand(note.size() < 4096);
  for (const std::vector<LldpNeighbour>* agents : {&heard.peers, &heard.own}) {
    for (const LldpNeighbour& agent : *agents) {
      DemandSane(agent);
      Demand(agent.ttl_s > 0 && agent.first_ms <= agent.last_ms);
    }
  }
}

// As lldpad would answer, and what it has would be decoded.
void Kept(Octets bytes) {
  const std::string answer(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  static_cast<void>(DecodeLldpadMode("dcb0", answer));
  const auto unit = DecodeLldpadTlvs("dcb0", LldpadTlvs::kNeighbour, answer);
  if (!unit.ok()) return Demand(!unit.status().message().empty());
  Demand(unit->size() * 2 < kLongestLldpadAnswer);
  Unit(*unit);
}

constexpr void (*kDecoders[])(Octets) = {Frame, Rest, Several, Unit, Kept};

std::vector<std::uint8_t> Seed(std::size_t decoder, const lldp_wire::Bytes& bytes) {
  std::vector<std::uint8_t> input{static_cast<std::uint8_t>(decoder)};
  for (const std::byte byte : bytes) input.push_back(std::to_integer<std::uint8_t>(byte));
  return input;
}

lldp_wire::Bytes WithLength(const lldp_wire::Bytes& frame) {
  return lldp_wire::Raw({static_cast<int>(frame.size())}) + frame;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  namespace wire = lldp_wire;
  using wire::Raw;
  std::vector<std::vector<std::uint8_t>> seeds = {Seed(0, wire::FullFrame()), Seed(0, wire::LldpadFrame()),
                                                  Seed(0, wire::Frame({}))};
  for (const wire::Bytes& tlv :
       {wire::Tlv(5, wire::Text("leaf1")), wire::Tlv(7, Raw({0, 4, 0, 4})),
        wire::Tlv(8, Raw({5, 1, 10, 0, 0, 1, 2, 0, 0, 0, 3, 0})), wire::Of8021(1, Raw({0, 7})),
        wire::Of8021(3, Raw({0, 7, 1}) + wire::Text("a")), wire::Of8021(7, Raw({3, 0, 0, 0, 9})),
        wire::Of8021(8, Raw({8, 8})), wire::EtsConfiguration(), wire::EtsRecommendation(), wire::Pfc(),
        wire::App(), wire::Of8023(1, Raw({3, 0, 0, 0, 30})), wire::Of8023(3, Raw({3, 0, 0, 0, 9})),
        wire::Of8023(4, Raw({36, 0})), wire::Cee(), wire::OfCee(2, wire::CeeGroups()),
        wire::OfCee(2, wire::CeeApp()), wire::OfCee(1, {})}) {
    seeds.push_back(Seed(1, tlv));
  }
  const wire::Bytes goodbye = wire::Header() + wire::Chassis() + wire::Port() + wire::Ttl(0) + wire::End();
  seeds.push_back(
      Seed(2, WithLength(wire::Frame(wire::Pfc())) + WithLength(wire::Frame(wire::EtsConfiguration()))));
  seeds.push_back(Seed(2, WithLength(wire::Frame({})) + WithLength(goodbye)));
  const wire::Bytes unit = lldpad_wire::UnitOf(wire::LldpadFrame());
  seeds.push_back(Seed(3, unit));
  seeds.push_back(Seed(4, wire::Text(lldpad_wire::Neighbour("dcb0", unit))));
  seeds.push_back(Seed(4, wire::Text(lldpad_wire::Mode("dcb0", "0004rxtx"))));
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
