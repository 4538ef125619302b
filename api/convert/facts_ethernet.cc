// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

template <class Repeated>
std::vector<std::string> Words(const Repeated& from) {
  return {from.begin(), from.end()};
}

template <class Repeated>
void PutWords(const std::vector<std::string>& from, Repeated* to) {
  to->Assign(from.begin(), from.end());
}

void PutModes(const LinkModes& from, v1::LinkModes* to) {
  to->set_autoneg(from.autoneg);
  PutWords(from.supported, to->mutable_supported());
  PutWords(from.advertised, to->mutable_advertised());
  PutWords(from.peer, to->mutable_peer());
  to->set_lanes(from.lanes);
}

Fact<LinkModes> GetModes(const v1::LinkModes& from) {
  return LinkModes{.autoneg = from.autoneg(),
                   .supported = Words(from.supported()),
                   .advertised = Words(from.advertised()),
                   .peer = Words(from.peer()),
                   .lanes = from.lanes()};
}

void PutEee(const Eee& from, v1::Eee* to) {
  to->set_enabled(from.enabled);
  to->set_active(from.active);
}

Fact<Eee> GetEee(const v1::Eee& from) { return Eee{from.enabled(), from.active()}; }

void PutRings(const Rings& from, v1::Rings* to) {
  to->set_rx(from.rx);
  to->set_rx_max(from.rx_max);
  to->set_tx(from.tx);
  to->set_tx_max(from.tx_max);
}

Fact<Rings> GetRings(const v1::Rings& from) {
  return Rings{from.rx(), from.rx_max(), from.tx(), from.tx_max()};
}

void PutChannels(const Channels& from, v1::Channels* to) {
  to->set_rx(from.rx);
  to->set_tx(from.tx);
  to->set_combined(from.combined);
  to->set_combined_max(from.combined_max);
}

Fact<Channels> GetChannels(const v1::Channels& from) {
  return Channels{from.rx(), from.tx(), from.combined(), from.combined_max()};
}

void PutFlags(const std::vector<PrivateFlag>& from, v1::PrivateFlags* to) {
  PutList(from, to->mutable_flags(), [](const PrivateFlag& flag, v1::PrivateFlag* out) {
    out->set_name(flag.name);
    out->set_on(flag.on);
  });
}

Fact<std::vector<PrivateFlag>> GetFlags(const v1::PrivateFlags& from) {
  return GetList<PrivateFlag>(from.flags(), [](const v1::PrivateFlag& flag) {
    return PrivateFlag{flag.name(), flag.on()};
  });
}

void PutReason(const DownReason& from, v1::DownReason* to) {
  to->set_state(from.state);
  to->set_substate(from.substate);
}

Fact<DownReason> GetReason(const v1::DownReason& from) {
  return DownReason{Narrow<std::uint8_t>(from.state()), Narrow<std::uint8_t>(from.substate())};
}

void PutTemperature(const Temperature& from, v1::Temperature* to) {
  to->set_label(from.label);
  to->set_now_mc(from.now_mc);
  if (from.warn_mc) to->set_warn_mc(*from.warn_mc);
  if (from.critical_mc) to->set_critical_mc(*from.critical_mc);
}

Temperature GetTemperature(const v1::Temperature& from) {
  Temperature to{.label = from.label(), .now_mc = from.now_mc()};
  if (from.has_warn_mc()) to.warn_mc = from.warn_mc();
  if (from.has_critical_mc()) to.critical_mc = from.critical_mc();
  return to;
}

void PutTemperatures(const std::vector<Temperature>& from, v1::Temperatures* to) {
  PutList(from, to->mutable_temperatures(), PutTemperature);
}

Fact<std::vector<Temperature>> GetTemperatures(const v1::Temperatures& from) {
  return GetList<Temperature>(from.temperatures(), GetTemperature);
}

}  // namespace

void PutFec(const Fec& from, v1::Fec* to) {
  to->set_automatic(from.automatic);
  PutWords(from.configured, to->mutable_configured());
  to->set_active(from.active);
  if (from.corrected_blocks) to->set_corrected_blocks(*from.corrected_blocks);
  if (from.uncorrectable_blocks) to->set_uncorrectable_blocks(*from.uncorrectable_blocks);
}

Fact<Fec> GetFec(const v1::Fec& from) {
  Fec to{.automatic = from.automatic(), .configured = Words(from.configured()), .active = from.active()};
  if (from.has_corrected_blocks()) to.corrected_blocks = from.corrected_blocks();
  if (from.has_uncorrectable_blocks()) to.uncorrectable_blocks = from.uncorrectable_blocks();
  return to;
}

void PutPauseFrames(const PauseFrames& from, v1::PauseFrames* to) {
  to->set_sent(from.sent);
  to->set_received(from.received);
}

Fact<PauseFrames> GetPauseFrames(const v1::PauseFrames& from) {
  return PauseFrames{from.sent(), from.received()};
}

void PutEthernetLink(const EthernetLink& from, v1::EthernetLink* to) {
  Put(from.modes, to->mutable_modes(), PutModes);
  Put(from.fec, to->mutable_fec(), PutFec);
  Put(from.pause_frames, to->mutable_pause_frames(), PutPauseFrames);
  Put(from.eee, to->mutable_eee(), PutEee);
  Put(from.rings, to->mutable_rings(), PutRings);
  Put(from.channels, to->mutable_channels(), PutChannels);
  Put(from.private_flags, to->mutable_private_flags(), PutFlags);
  Put(from.fcs_errors, to->mutable_fcs_errors());
  Put(from.symbol_errors, to->mutable_symbol_errors());
  Put(from.down_reason, to->mutable_down_reason(), PutReason);
  Put(from.temperatures, to->mutable_temperatures(), PutTemperatures);
}

EthernetLink GetEthernetLink(const v1::EthernetLink& from) {
  EthernetLink to;
  to.modes = Get<LinkModes>(from.modes(), GetModes);
  to.fec = Get<Fec>(from.fec(), GetFec);
  to.pause_frames = Get<PauseFrames>(from.pause_frames(), GetPauseFrames);
  to.eee = Get<Eee>(from.eee(), GetEee);
  to.rings = Get<Rings>(from.rings(), GetRings);
  to.channels = Get<Channels>(from.channels(), GetChannels);
  to.private_flags = Get<std::vector<PrivateFlag>>(from.private_flags(), GetFlags);
  to.fcs_errors = Get<std::uint64_t>(from.fcs_errors());
  to.symbol_errors = Get<std::uint64_t>(from.symbol_errors());
  to.down_reason = Get<DownReason>(from.down_reason(), GetReason);
  to.temperatures = Get<std::vector<Temperature>>(from.temperatures(), GetTemperatures);
  return to;
}

}  // namespace rdmaready::convert
