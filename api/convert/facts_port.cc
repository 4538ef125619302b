// SPDX-License-Identifier: Apache-2.0
// What only an InfiniBand port has, and what was read of a port earlier.
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

void PutPkeys(const std::vector<std::uint16_t>& from, v1::Pkeys* to) {
  to->mutable_pkeys()->Assign(from.begin(), from.end());
}

Fact<std::vector<std::uint16_t>> GetPkeys(const v1::Pkeys& from) {
  std::vector<std::uint16_t> to;
  for (const std::uint32_t pkey : from.pkeys()) {
    if (pkey > 0xffff) return OutOfRange("a P_Key does not fit");
    to.push_back(static_cast<std::uint16_t>(pkey));
  }
  return to;
}

void PutIbLink(const IbLink& from, v1::IbLink* to) {
  to->set_lanes(from.lanes);
  to->set_lanes_supported(from.lanes_supported);
  to->set_lanes_enabled(from.lanes_enabled);
  to->set_lane_mbps(from.lane_mbps);
  to->set_lane_mbps_supported(from.lane_mbps_supported);
  to->set_lane_mbps_enabled(from.lane_mbps_enabled);
  to->set_mtu_bytes(from.mtu_bytes);
  to->set_mtu_bytes_supported(from.mtu_bytes_supported);
}

Fact<IbLink> GetIbLink(const v1::IbLink& from) {
  return IbLink{.lanes = Narrow<std::uint8_t>(from.lanes()),
                .lanes_supported = Narrow<std::uint8_t>(from.lanes_supported()),
                .lanes_enabled = Narrow<std::uint8_t>(from.lanes_enabled()),
                .lane_mbps = from.lane_mbps(),
                .lane_mbps_supported = from.lane_mbps_supported(),
                .lane_mbps_enabled = from.lane_mbps_enabled(),
                .mtu_bytes = from.mtu_bytes(),
                .mtu_bytes_supported = from.mtu_bytes_supported()};
}

void PutReading(const NetdevReading& from, v1::NetdevReading* to) {
  to->set_netdev(from.netdev);
  Put(from.statistics, to->mutable_statistics(), PutStatistics);
  Put(from.pfc, to->mutable_pfc(), PutPfc);
  Put(from.pause_frames, to->mutable_pause_frames(), PutPauseFrames);
  Put(from.fec, to->mutable_fec(), PutFec);
  Put(from.fcs_errors, to->mutable_fcs_errors());
  Put(from.carrier_changes, to->mutable_carrier_changes());
}

NetdevReading GetReading(const v1::NetdevReading& from) {
  NetdevReading to;
  to.netdev = from.netdev();
  to.statistics = Get<std::vector<NicStatistic>>(from.statistics(), GetStatistics);
  to.pfc = Get<Pfc>(from.pfc(), GetPfc);
  to.pause_frames = Get<PauseFrames>(from.pause_frames(), GetPauseFrames);
  to.fec = Get<Fec>(from.fec(), GetFec);
  to.fcs_errors = Get<std::uint64_t>(from.fcs_errors());
  to.carrier_changes = Get<std::uint64_t>(from.carrier_changes());
  return to;
}

}  // namespace

void PutInfiniband(const Infiniband& from, v1::Infiniband* to) {
  Put(from.lid, to->mutable_lid());
  Put(from.sm_lid, to->mutable_sm_lid());
  Put(from.pkeys, to->mutable_pkeys(), PutPkeys);
  Put(from.link, to->mutable_link(), PutIbLink);
  Put(from.pma_counters, to->mutable_pma_counters(), PutCounters);
}

Infiniband GetInfiniband(const v1::Infiniband& from) {
  Infiniband to;
  to.lid = Get<std::uint16_t>(from.lid());
  to.sm_lid = Get<std::uint16_t>(from.sm_lid());
  to.pkeys = Get<std::vector<std::uint16_t>>(from.pkeys(), GetPkeys);
  to.link = Get<IbLink>(from.link(), GetIbLink);
  to.pma_counters = Get<std::vector<Counter>>(from.pma_counters(), GetCounters);
  return to;
}

void PutEarlier(const EarlierReading& from, v1::EarlierReading* to) {
  to->set_before_ms(from.before_ms);
  Put(from.hw_counters, to->mutable_hw_counters(), PutCounters);
  Put(from.port_counters, to->mutable_port_counters(), PutCounters);
  Put(from.pma_counters, to->mutable_pma_counters(), PutCounters);
  PutList(from.netdevs, to->mutable_netdevs(), PutReading);
}

Fact<EarlierReading> GetEarlier(const v1::EarlierReading& from) {
  EarlierReading to;
  to.before_ms = from.before_ms();
  to.hw_counters = Get<std::vector<Counter>>(from.hw_counters(), GetCounters);
  to.port_counters = Get<std::vector<Counter>>(from.port_counters(), GetCounters);
  to.pma_counters = Get<std::vector<Counter>>(from.pma_counters(), GetCounters);
  to.netdevs = GetList<NetdevReading>(from.netdevs(), GetReading);
  return to;
}

}  // namespace rdmaready::convert
