// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

template <class T>
std::uint32_t Widen(T value) {
  return static_cast<std::uint32_t>(value);
}

void PutEts(const Ets& from, v1::Ets* to) {
  to->set_willing(from.willing);
  to->set_traffic_classes(from.traffic_classes);
  PutArray(from.tx_percent, to->mutable_tx_percent(), Widen<std::uint8_t>);
  PutArray(from.tsa, to->mutable_tsa(), Widen<Tsa>);
  PutArray(from.prio_tc, to->mutable_prio_tc(), Widen<std::uint8_t>);
}

Fact<Ets> GetEts(const v1::Ets& from) {
  Ets to;
  to.willing = from.willing();
  to.traffic_classes = Narrow<std::uint8_t>(from.traffic_classes());
  const bool whole =
      GetArray(from.tx_percent(), &to.tx_percent, Narrow<std::uint8_t>) &&
      GetArray(from.tsa(), &to.tsa, [](std::uint32_t v) { return Tsa{Narrow<std::uint8_t>(v)}; }) &&
      GetArray(from.prio_tc(), &to.prio_tc, Narrow<std::uint8_t>);
  if (!whole) return OutOfRange("ETS lists are not of length 8");
  return to;
}

void PutApp(const std::vector<AppEntry>& from, v1::AppTable* to) {
  for (const AppEntry& entry : from) {
    v1::AppEntry* row = to->add_entries();
    row->set_selector(Widen(entry.selector));
    row->set_priority(entry.priority);
    row->set_protocol(entry.protocol);
  }
}

Fact<std::vector<AppEntry>> GetApp(const v1::AppTable& from) {
  std::vector<AppEntry> to;
  for (const v1::AppEntry& row : from.entries()) {
    to.push_back({.selector = AppSelector{Narrow<std::uint8_t>(row.selector())},
                  .priority = Narrow<std::uint8_t>(row.priority()),
                  .protocol = Narrow<std::uint16_t>(row.protocol())});
  }
  return to;
}

void PutTrust(const std::vector<AppSelector>& from, v1::AppTrust* to) {
  PutArray(from, to->mutable_selectors(), Widen<AppSelector>);
}

Fact<std::vector<AppSelector>> GetTrust(const v1::AppTrust& from) {
  std::vector<AppSelector> to;
  for (const std::uint32_t selector : from.selectors())
    to.push_back(AppSelector{Narrow<std::uint8_t>(selector)});
  return to;
}

void PutDcbx(const Dcbx& from, v1::Dcbx* to) {
  to->set_host(from.host);
  to->set_lld_managed(from.lld_managed);
  to->set_cee(from.cee);
  to->set_ieee(from.ieee);
  to->set_static_mode(from.static_mode);
}

Fact<Dcbx> GetDcbx(const v1::Dcbx& from) {
  return Dcbx{.host = from.host(),
              .lld_managed = from.lld_managed(),
              .cee = from.cee(),
              .ieee = from.ieee(),
              .static_mode = from.static_mode()};
}

void PutBuffer(const PortBuffer& from, v1::PortBuffer* to) {
  PutArray(from.prio_buffer, to->mutable_prio_buffer(), Widen<std::uint8_t>);
  PutArray(from.size_bytes, to->mutable_size_bytes(), Widen<std::uint32_t>);
  to->set_total_bytes(from.total_bytes);
}

Fact<PortBuffer> GetBuffer(const v1::PortBuffer& from) {
  PortBuffer to;
  to.total_bytes = from.total_bytes();
  if (!GetArray(from.prio_buffer(), &to.prio_buffer, Narrow<std::uint8_t>) ||
      !GetArray(from.size_bytes(), &to.size_bytes, Narrow<std::uint32_t>)) {
    return OutOfRange("port buffer lists are not of length 8");
  }
  return to;
}

void PutThresholds(const PauseThresholds& from, v1::PauseThresholds* to) {
  PutArray(from.xoff_bytes, to->mutable_xoff_bytes(), Widen<std::uint32_t>);
  PutArray(from.xon_bytes, to->mutable_xon_bytes(), Widen<std::uint32_t>);
}

Fact<PauseThresholds> GetThresholds(const v1::PauseThresholds& from) {
  PauseThresholds to;
  if (!GetArray(from.xoff_bytes(), &to.xoff_bytes, Narrow<std::uint32_t>) ||
      !GetArray(from.xon_bytes(), &to.xon_bytes, Narrow<std::uint32_t>)) {
    return OutOfRange("pause threshold lists are not of length 8");
  }
  return to;
}

void PutMaxRates(const MaxRatesKbps& from, v1::MaxRates* to) {
  PutArray(from, to->mutable_kbps(), [](std::uint64_t v) { return v; });
}

Fact<MaxRatesKbps> GetMaxRates(const v1::MaxRates& from) {
  MaxRatesKbps to{};
  if (!GetArray(from.kbps(), &to, [](std::uint64_t v) { return v; })) {
    return OutOfRange("the list of rates is not of length 8");
  }
  return to;
}

void PutCee(const CeeSettings& from, v1::CeeSettings* to) {
  PutArray(from.prio_group, to->mutable_prio_group(), Widen<std::uint8_t>);
  PutArray(from.group_percent, to->mutable_group_percent(), Widen<std::uint8_t>);
  to->set_pfc_enabled(from.pfc_enabled);
}

Fact<CeeSettings> GetCee(const v1::CeeSettings& from) {
  CeeSettings to;
  to.pfc_enabled = Narrow<std::uint8_t>(from.pfc_enabled());
  if (!GetArray(from.prio_group(), &to.prio_group, Narrow<std::uint8_t>) ||
      !GetArray(from.group_percent(), &to.group_percent, Narrow<std::uint8_t>)) {
    return OutOfRange("the lists of CEE are not of length 8");
  }
  return to;
}

}  // namespace

void PutPfc(const Pfc& from, v1::Pfc* to) {
  to->set_capability(from.capability);
  to->set_enabled(from.enabled);
  to->set_delay(from.delay);
  PutArray(from.pauses_sent, to->mutable_pauses_sent(), [](std::uint64_t v) { return v; });
  PutArray(from.pauses_received, to->mutable_pauses_received(), [](std::uint64_t v) { return v; });
}

Fact<Pfc> GetPfc(const v1::Pfc& from) {
  Pfc to;
  to.capability = Narrow<std::uint8_t>(from.capability());
  to.enabled = Narrow<std::uint8_t>(from.enabled());
  to.delay = Narrow<std::uint16_t>(from.delay());
  const auto same = [](std::uint64_t v) { return v; };
  if (!GetArray(from.pauses_sent(), &to.pauses_sent, same) ||
      !GetArray(from.pauses_received(), &to.pauses_received, same)) {
    return OutOfRange("PFC counters are not of length 8");
  }
  return to;
}

namespace {

void PutPeer(const DcbPeer& from, v1::DcbPeer* to) {
  Put(from.ets, to->mutable_ets(), PutEts);
  Put(from.pfc, to->mutable_pfc(), PutPfc);
  Put(from.app, to->mutable_app(), PutApp);
}

DcbPeer GetPeer(const v1::DcbPeer& from) {
  return {.ets = Get<Ets>(from.ets(), GetEts),
          .pfc = Get<Pfc>(from.pfc(), GetPfc),
          .app = Get<std::vector<AppEntry>>(from.app(), GetApp)};
}

}  // namespace

void PutDcb(const Dcb& from, v1::Dcb* to) {
  Put(from.ets, to->mutable_ets(), PutEts);
  Put(from.pfc, to->mutable_pfc(), PutPfc);
  Put(from.app, to->mutable_app(), PutApp);
  Put(from.app_trust, to->mutable_app_trust(), PutTrust);
  Put(from.dcbx, to->mutable_dcbx(), PutDcbx);
  Put(from.buffer, to->mutable_buffer(), PutBuffer);
  Put(from.max_rate_kbps, to->mutable_max_rate_kbps(), PutMaxRates);
  Put(from.rewrite, to->mutable_rewrite(), PutApp);
  PutPeer(from.peer, to->mutable_peer());
  Put(from.cee, to->mutable_cee(), PutCee);
  Put(from.thresholds, to->mutable_thresholds(), PutThresholds);
}

void PutDcbWrites(const DcbWrites& from, v1::DcbWrites* to) {
  to->set_listened_ms(from.listened_ms);
  to->set_lost(from.lost);
  PutList(from.writes, to->mutable_writes(), [](const DcbWrite& write, v1::DcbWrite* row) {
    row->set_writer(static_cast<v1::DcbWrite::Writer>(write.writer));
    row->mutable_suspects()->Assign(write.suspects.begin(), write.suspects.end());
    row->mutable_changed()->Assign(write.changed.begin(), write.changed.end());
    row->set_times(write.times);
    row->set_first_ms(write.first_ms);
    row->set_last_ms(write.last_ms);
  });
  to->mutable_unannounced()->Assign(from.unannounced.begin(), from.unannounced.end());
}

Fact<DcbWrites> GetDcbWrites(const v1::DcbWrites& from) {
  DcbWrites to{.listened_ms = from.listened_ms(), .lost = from.lost()};
  to.writes = GetList<DcbWrite>(from.writes(), [](const v1::DcbWrite& row) {
    return DcbWrite{.writer = Enumerator(row.writer(), DcbWriter::kProcess),
                    .suspects = {row.suspects().begin(), row.suspects().end()},
                    .changed = {row.changed().begin(), row.changed().end()},
                    .times = row.times(),
                    .first_ms = row.first_ms(),
                    .last_ms = row.last_ms()};
  });
  to.unannounced.assign(from.unannounced().begin(), from.unannounced().end());
  return to;
}

Dcb GetDcb(const v1::Dcb& from) {
  return {.ets = Get<Ets>(from.ets(), GetEts),
          .pfc = Get<Pfc>(from.pfc(), GetPfc),
          .app = Get<std::vector<AppEntry>>(from.app(), GetApp),
          .app_trust = Get<std::vector<AppSelector>>(from.app_trust(), GetTrust),
          .dcbx = Get<Dcbx>(from.dcbx(), GetDcbx),
          .buffer = Get<PortBuffer>(from.buffer(), GetBuffer),
          .max_rate_kbps = Get<MaxRatesKbps>(from.max_rate_kbps(), GetMaxRates),
          .rewrite = Get<std::vector<AppEntry>>(from.rewrite(), GetApp),
          .peer = GetPeer(from.peer()),
          .cee = Get<CeeSettings>(from.cee(), GetCee),
          .thresholds = Get<PauseThresholds>(from.thresholds(), GetThresholds)};
}

}  // namespace rdmaready::convert
