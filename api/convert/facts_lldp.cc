// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

constexpr auto kNarrow8 = Narrow<std::uint8_t>;
constexpr auto kNarrow16 = Narrow<std::uint16_t>;

template <class T>
std::uint32_t Widen(T value) {
  return static_cast<std::uint32_t>(value);
}

// A TLV that was not sent is a message that is not set. Its Get takes no less than a whole one: nothing, where
// the sender's is not.
template <class T, class Message, class GetTlv>
std::optional<T> GetOptional(bool set, const Message& message, GetTlv get) {
  return set ? get(message) : std::optional<T>();
}

v1::LldpId ToWire(const LldpId& from) {
  v1::LldpId to;
  to.set_subtype(from.subtype);
  to.set_text(from.text);
  return to;
}

LldpId GetId(const v1::LldpId& from) { return {kNarrow8(from.subtype()), from.text()}; }

void PutEts(const LldpEts& from, v1::LldpEts* to) {
  to->set_willing(from.willing);
  to->set_credit_based_shaper(from.credit_based_shaper);
  to->set_traffic_classes(from.traffic_classes);
  PutArray(from.prio_tc, to->mutable_prio_tc(), Widen<std::uint8_t>);
  PutArray(from.percent, to->mutable_percent(), Widen<std::uint8_t>);
  PutArray(from.tsa, to->mutable_tsa(), Widen<Tsa>);
}

std::optional<LldpEts> GetEts(const v1::LldpEts& from) {
  LldpEts to{.willing = from.willing(),
             .credit_based_shaper = from.credit_based_shaper(),
             .traffic_classes = kNarrow8(from.traffic_classes())};
  const bool whole = GetArray(from.prio_tc(), &to.prio_tc, kNarrow8) &&
                     GetArray(from.percent(), &to.percent, kNarrow8) &&
                     GetArray(from.tsa(), &to.tsa, [](std::uint32_t v) { return Tsa{kNarrow8(v)}; });
  return whole ? std::optional(to) : std::nullopt;
}

void PutPfc(const LldpPfc& from, v1::LldpPfc* to) {
  to->set_willing(from.willing);
  to->set_macsec_bypass(from.macsec_bypass);
  to->set_capability(from.capability);
  to->set_enabled(from.enabled);
}

std::optional<LldpPfc> GetPfc(const v1::LldpPfc& from) {
  return LldpPfc{from.willing(), from.macsec_bypass(), kNarrow8(from.capability()), kNarrow8(from.enabled())};
}

void PutApp(const std::vector<AppEntry>& from, v1::AppTable* to) {
  PutList(from, to->mutable_entries(), [](const AppEntry& entry, v1::AppEntry* row) {
    row->set_selector(Widen(entry.selector));
    row->set_priority(entry.priority);
    row->set_protocol(entry.protocol);
  });
}

std::optional<std::vector<AppEntry>> GetApp(const v1::AppTable& from) {
  return GetList<AppEntry>(from.entries(), [](const v1::AppEntry& row) {
    return AppEntry{AppSelector{kNarrow8(row.selector())}, kNarrow8(row.priority()), kNarrow16(row.protocol())};
  });
}

// ---- the CEE dialect ----

void PutFeature(const CeeFeature& from, v1::CeeFeature* to) {
  to->set_enabled(from.enabled);
  to->set_willing(from.willing);
  to->set_error(from.error);
}

CeeFeature GetFeature(const v1::CeeFeature& from) { return {from.enabled(), from.willing(), from.error()}; }

void PutCee(const LldpCee& from, v1::LldpCee* to) {
  if (from.control) {
    to->mutable_control()->set_operating_version(from.control->operating_version);
    to->mutable_control()->set_max_version(from.control->max_version);
    to->mutable_control()->set_sequence(from.control->sequence);
    to->mutable_control()->set_acknowledged(from.control->acknowledged);
  }
  if (from.groups) {
    PutFeature(from.groups->feature, to->mutable_groups()->mutable_feature());
    PutArray(from.groups->prio_group, to->mutable_groups()->mutable_prio_group(), Widen<std::uint8_t>);
    PutArray(from.groups->percent, to->mutable_groups()->mutable_percent(), Widen<std::uint8_t>);
    to->mutable_groups()->set_traffic_classes(from.groups->traffic_classes);
  }
  if (from.pfc) {
    PutFeature(from.pfc->feature, to->mutable_pfc()->mutable_feature());
    to->mutable_pfc()->set_enabled(from.pfc->enabled);
    to->mutable_pfc()->set_traffic_classes(from.pfc->traffic_classes);
  }
  if (!from.app) return;
  PutFeature(from.app->feature, to->mutable_app()->mutable_feature());
  PutList(from.app->entries, to->mutable_app()->mutable_entries(),
          [](const CeeAppEntry& entry, v1::CeeAppEntry* row) {
            row->set_selector(entry.selector);
            row->set_protocol(entry.protocol);
            row->set_priorities(entry.priorities);
          });
}

std::optional<CeeGroups> GetGroups(const v1::CeeGroups& from) {
  CeeGroups to{.feature = GetFeature(from.feature())};
  to.traffic_classes = kNarrow8(from.traffic_classes());
  const bool whole =
      GetArray(from.prio_group(), &to.prio_group, kNarrow8) && GetArray(from.percent(), &to.percent, kNarrow8);
  return whole ? std::optional(to) : std::nullopt;
}

std::optional<LldpCee> GetCee(const v1::LldpCee& from) {
  LldpCee to;
  if (from.has_control()) {
    to.control =
        CeeControl{kNarrow8(from.control().operating_version()), kNarrow8(from.control().max_version()),
                   from.control().sequence(), from.control().acknowledged()};
  }
  to.groups = GetOptional<CeeGroups>(from.has_groups(), from.groups(), GetGroups);
  if (from.has_pfc()) {
    to.pfc = CeePfc{GetFeature(from.pfc().feature()), kNarrow8(from.pfc().enabled()),
                    kNarrow8(from.pfc().traffic_classes())};
  }
  if (from.has_app()) {
    to.app = CeeApp{
        GetFeature(from.app().feature()),
        GetList<CeeAppEntry>(from.app().entries(), [](const v1::CeeAppEntry& row) {
          return CeeAppEntry{kNarrow8(row.selector()), kNarrow16(row.protocol()), kNarrow8(row.priorities())};
        })};
  }
  return to;
}

// ---- a neighbour ----

void PutLinkTlvs(const LldpNeighbour& from, v1::LldpNeighbour* to) {
  if (from.port_vlan_id) to->set_port_vlan_id(*from.port_vlan_id);
  PutList(from.vlans, to->mutable_vlans(), [](const LldpVlan& vlan, v1::LldpVlan* row) {
    row->set_id(vlan.id);
    row->set_name(vlan.name);
  });
  if (from.aggregation) {
    to->mutable_aggregation()->set_capable(from.aggregation->capable);
    to->mutable_aggregation()->set_enabled(from.aggregation->enabled);
    to->mutable_aggregation()->set_port_id(from.aggregation->port_id);
  }
  if (from.congestion) {
    to->mutable_congestion()->set_enabled(from.congestion->enabled);
    to->mutable_congestion()->set_ready(from.congestion->ready);
  }
  if (from.mac_phy) {
    to->mutable_mac_phy()->set_autoneg_supported(from.mac_phy->autoneg_supported);
    to->mutable_mac_phy()->set_autoneg_enabled(from.mac_phy->autoneg_enabled);
    to->mutable_mac_phy()->set_advertised(from.mac_phy->advertised);
    to->mutable_mac_phy()->set_mau_type(from.mac_phy->mau_type);
  }
  if (from.max_frame_bytes) to->set_max_frame_bytes(*from.max_frame_bytes);
}

void GetLinkTlvs(const v1::LldpNeighbour& from, LldpNeighbour* to) {
  if (from.has_port_vlan_id()) to->port_vlan_id = kNarrow16(from.port_vlan_id());
  to->vlans = GetList<LldpVlan>(from.vlans(), [](const v1::LldpVlan& row) {
    return LldpVlan{kNarrow16(row.id()), row.name()};
  });
  if (from.has_aggregation()) {
    to->aggregation = LldpAggregation{from.aggregation().capable(), from.aggregation().enabled(),
                                      from.aggregation().port_id()};
  }
  if (from.has_congestion()) {
    to->congestion = LldpCongestion{kNarrow8(from.congestion().enabled()), kNarrow8(from.congestion().ready())};
  }
  if (from.has_mac_phy()) {
    to->mac_phy = LldpMacPhy{from.mac_phy().autoneg_supported(), from.mac_phy().autoneg_enabled(),
                             kNarrow16(from.mac_phy().advertised()), kNarrow16(from.mac_phy().mau_type())};
  }
  if (from.has_max_frame_bytes()) to->max_frame_bytes = kNarrow16(from.max_frame_bytes());
}

void PutDcbx(const LldpNeighbour& from, v1::LldpNeighbour* to) {
  to->set_dcbx_ieee(from.dialects.ieee);
  to->set_dcbx_cee(from.dialects.cee);
  to->set_dcbx_cin(from.dialects.cin);
  if (from.ets) PutEts(*from.ets, to->mutable_ets());
  if (from.ets_recommended) PutEts(*from.ets_recommended, to->mutable_ets_recommended());
  if (from.pfc) PutPfc(*from.pfc, to->mutable_pfc());
  if (from.app) PutApp(*from.app, to->mutable_app());
  if (from.cee) PutCee(*from.cee, to->mutable_cee());
}

void GetDcbx(const v1::LldpNeighbour& from, LldpNeighbour* to) {
  to->dialects = {from.dcbx_ieee(), from.dcbx_cee(), from.dcbx_cin()};
  to->ets = GetOptional<LldpEts>(from.has_ets(), from.ets(), GetEts);
  to->ets_recommended = GetOptional<LldpEts>(from.has_ets_recommended(), from.ets_recommended(), GetEts);
  to->pfc = GetOptional<LldpPfc>(from.has_pfc(), from.pfc(), GetPfc);
  to->app = GetOptional<std::vector<AppEntry>>(from.has_app(), from.app(), GetApp);
  to->cee = GetOptional<LldpCee>(from.has_cee(), from.cee(), GetCee);
}

void PutNeighbour(const LldpNeighbour& from, v1::LldpNeighbour* to) {
  to->set_source_mac(from.source_mac);
  to->set_destination_mac(from.destination_mac);
  to->set_frames(from.frames);
  to->set_first_ms(from.first_ms);
  to->set_last_ms(from.last_ms);
  *to->mutable_chassis() = ToWire(from.chassis);
  *to->mutable_port() = ToWire(from.port);
  to->set_ttl_s(from.ttl_s);
  to->set_port_description(from.port_description);
  to->set_system_name(from.system_name);
  to->set_system_description(from.system_description);
  to->set_capabilities(from.capabilities);
  to->set_capabilities_enabled(from.capabilities_enabled);
  PutList(from.management, to->mutable_management(),
          [](const LldpManagementAddress& address, v1::LldpManagementAddress* row) {
            row->set_address(address.address);
            row->set_interface_number(address.interface_number);
          });
  PutLinkTlvs(from, to);
  PutDcbx(from, to);
  to->set_unknown_tlvs(from.unknown_tlvs);
  for (const std::string& oddity : from.oddities) to->add_oddities(oddity);
}

LldpNeighbour GetNeighbour(const v1::LldpNeighbour& from) {
  LldpNeighbour to;
  to.source_mac = from.source_mac();
  to.destination_mac = from.destination_mac();
  to.frames = from.frames();
  to.first_ms = from.first_ms();
  to.last_ms = from.last_ms();
  to.chassis = GetId(from.chassis());
  to.port = GetId(from.port());
  to.ttl_s = kNarrow16(from.ttl_s());
  to.port_description = from.port_description();
  to.system_name = from.system_name();
  to.system_description = from.system_description();
  to.capabilities = kNarrow16(from.capabilities());
  to.capabilities_enabled = kNarrow16(from.capabilities_enabled());
  to.management = GetList<LldpManagementAddress>(from.management(), [](const v1::LldpManagementAddress& row) {
    return LldpManagementAddress{row.address(), row.interface_number()};
  });
  GetLinkTlvs(from, &to);
  GetDcbx(from, &to);
  to.unknown_tlvs = from.unknown_tlvs();
  to.oddities.assign(from.oddities().begin(), from.oddities().end());
  return to;
}

}  // namespace

void PutLldp(const LldpHeard& from, v1::LldpHeard* to) {
  to->set_listened_ms(from.listened_ms);
  PutList(from.peers, to->mutable_peers(), PutNeighbour);
  PutList(from.own, to->mutable_own(), PutNeighbour);
  for (const std::string& note : from.notes) to->add_notes(note);
}

Fact<LldpHeard> GetLldp(const v1::LldpHeard& from) {
  LldpHeard to;
  to.listened_ms = from.listened_ms();
  to.peers = GetList<LldpNeighbour>(from.peers(), GetNeighbour);
  to.own = GetList<LldpNeighbour>(from.own(), GetNeighbour);
  to.notes.assign(from.notes().begin(), from.notes().end());
  return to;
}

}  // namespace rdmaready::convert
