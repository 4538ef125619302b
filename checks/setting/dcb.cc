// SPDX-License-Identifier: Apache-2.0
// Data centre bridging of an Ethernet port, by dcbnl.
#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/ets_plan.h"
#include "checks/setting/consequences.h"
#include "checks/setting/dcb_commands.h"
#include "checks/setting/dcb_effects.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/places.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// ---- reading ----

template <class T, class TextOfValue>
std::vector<Setting> ReadDcb(const Facts& facts, SettingKind kind, Fact<T> Dcb::*part, TextOfValue text) {
  std::vector<Setting> settings;
  for (const auto& [name, netdev] : EthernetPortsOf(facts)) {
    const Fact<T>& fact = netdev->dcb.*part;
    if (FirmwareHasDcb(*netdev, kind)) continue;
    if (fact) AddSetting(settings, {.kind = kind, .where = name}, text(*fact));
  }
  return settings;
}

constexpr auto kText = [](const auto& value) { return Text(value); };

std::vector<Setting> ReadDcbxSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kDcbx, &Dcb::dcbx, kText);
}

std::vector<Setting> ReadEtsSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kEts, &Dcb::ets, [](const Ets& ets) { return Text(SettingOf(ets)); });
}

std::vector<Setting> ReadPfcSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kPfc, &Dcb::pfc,
                 [](const Pfc& pfc) { return Text(PfcSetting{.enabled = pfc.enabled, .delay = pfc.delay}); });
}

std::vector<Setting> ReadBufferSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kBuffer, &Dcb::buffer, [](const PortBuffer& buffer) {
    return Text(BufferSetting{.prio_buffer = buffer.prio_buffer, .size_bytes = buffer.size_bytes});
  });
}

std::vector<Setting> ReadMaxRateSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kMaxRate, &Dcb::max_rate_kbps, kText);
}

std::vector<Setting> ReadAppSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kApp, &Dcb::app, kText);
}

std::vector<Setting> ReadTrustSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kTrust, &Dcb::app_trust, kText);
}

// ---- disturbance, and steps that nobody can undo ----

Disturbance DcbxDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Dcbx> wanted = DcbxOf(to);
  if (wanted && !wanted->host && place.netdev != nullptr)
    return {.text = "the firmware takes over PFC and ETS, as the switch proposes them",
            .estimate_ms = kQueuesMs};
  // mlx4_en_dcbnl_setdcbx sets both to nothing.
  if (HasDriver(place.netdev, "mlx4_en")) return QueuesStop("mlx4", "ETS and PFC are set to nothing");
  return Quiet();
}

// ice_pf_dcb_cfg disables what is affected; bnxt_setup_mq_tc and hclge_ieee_setets do so where the map changes.
Disturbance EtsDisturbs(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (HasDriver(place.netdev, "mlx5_core") || HasDriver(place.netdev, "mlx4_en")) return Quiet();
  if (HasDriver(place.netdev, "ice")) return QueuesStop("ice");
  const std::optional<EtsSetting> old = EtsSettingOf(from);
  const std::optional<EtsSetting> wanted = EtsSettingOf(to);
  const bool map_stays = old && wanted && old->prio_tc == wanted->prio_tc;
  if (HasDriver(place.netdev, "bnxt_en")) return map_stays ? Quiet() : QueuesStop("bnxt");
  if (HasDriver(place.netdev, "hns3")) return map_stays ? Quiet() : QueuesStop("hns3");
  return OfUnknownDriver(place);
}

// mlx5e_dcbnl_ieee_setpfc toggles the link where the priorities change, ice_pf_dcb_cfg closes and opens the
// port's queues, and so do bnxt_queue_remap, where a class becomes lossless, and hclge_ieee_setpfc.
Disturbance PfcDisturbs(const SettingPlace& place, std::string_view from, std::string_view to) {
  const std::optional<PfcSetting> old = PfcSettingOf(from);
  const std::optional<PfcSetting> wanted = PfcSettingOf(to);
  const bool stays = old && wanted && old->enabled == wanted->enabled;
  if (HasDriver(place.netdev, "mlx5_core")) return stays ? Quiet() : LinkDown("mlx5");
  if (HasDriver(place.netdev, "mlx4_en") || stays) return Quiet();
  if (HasDriver(place.netdev, "ice")) return QueuesStop("ice");
  if (HasDriver(place.netdev, "hns3")) return QueuesStop("hns3");
  if (!HasDriver(place.netdev, "bnxt_en")) return OfUnknownDriver(place);
  return wanted && wanted->enabled == 0 ? Quiet() : QueuesStop("bnxt");
}

// With the first row of DSCP ice goes over from the tag to the DSCP, and back with the last one; each row stops
// its queues. mlx5e_set_trust_state opens its channels anew where what must be inlined changes with the trust.
Disturbance AppDisturbs(const SettingPlace& place, std::string_view from, std::string_view to) {
  const bool trust_changes = HasDscpRow(from) != HasDscpRow(to);
  if (HasDriver(place.netdev, "ice")) {
    return trust_changes
               ? QueuesStop("ice", "the driver stops the port for a moment, and begins with new classes")
               : QueuesStop("ice");
  }
  if (HasDriver(place.netdev, "mlx5_core"))
    return trust_changes ? QueuesStop("mlx5", "the driver opens its queues anew") : Quiet();
  if (HasDriver(place.netdev, "bnxt_en")) return Quiet();
  return OfUnknownDriver(place);
}

// bnxt_dcbnl_setdcbx refuses whatever is asked once the firmware manages DCBX.
std::string DcbxOneWay(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Dcbx> wanted = DcbxOf(to);
  if (!HasDriver(place.netdev, "bnxt_en") || !wanted || !wanted->lld_managed) return {};
  return "bnxt_en lets nobody take DCBX from its firmware again before the driver is loaded anew";
}

// mlx5e_dcbnl_setbuffer: no write of dcbnl gives the buffers back to the firmware.
std::string BufferOneWay(const SettingPlace& place, std::string_view /*from*/, std::string_view /*to*/) {
  const bool mlx5 = place.netdev != nullptr && DcbDriverOf(*place.netdev) == DcbDriver::kMlx5;
  return mlx5 ? "mlx5's firmware lays the buffers out no more once they were set, until the driver is loaded "
                "anew"
              : "";
}

// cxgb4 and qede have no function that deletes a row (cxgb4_dcb_ops, qede_dcbnl_ops).
std::string AppOneWay(const SettingPlace& place, std::string_view /*from*/, std::string_view /*to*/) {
  const bool keeps = HasDriver(place.netdev, "cxgb4") || HasDriver(place.netdev, "qede");
  return keeps ? Cat("the firmware of ", place.netdev->driver, " keeps a row that is deleted") : "";
}

template <class T>
std::string DoubtOfRecord(const Netdev& netdev, Fact<T> Dcb::*part) {
  const FactRef<T> believed = DcbFact(NetdevRef(netdev), part);
  return believed || !(netdev.dcb.*part) ? "" : believed.missing().detail;
}

std::string DoubtOfEts(const Netdev& netdev) { return DoubtOfRecord(netdev, &Dcb::ets); }
std::string DoubtOfPfc(const Netdev& netdev) { return DoubtOfRecord(netdev, &Dcb::pfc); }

std::string RecordOneWay(const SettingPlace& place, std::string_view /*from*/, std::string_view /*to*/) {
  const std::string doubt = DoubtOf(place);
  return doubt.empty() ? "" : Cat(doubt, ": what the NIC has now cannot be put back");
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one row for each kind
std::vector<SettingRow> DcbRows() {
  return {
      {.kind = SettingKind::kDcbx,
       .words = "DCBX",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl DCBX",
       .right = "dcb-settings",
       .serves = {"dcbx.mode"},
       .opens_others = true,
       .read = ReadDcbxSettings,
       .commands = DcbxCommands,
       .note = DcbxNote,
       .disturbs = DcbxDisturbs,
       .one_way = DcbxOneWay,
       .effect = DcbxEffect},
      {.kind = SettingKind::kApp,
       .words = "APP table",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl IEEE APP",
       .right = "dcb-settings",
       .serves = {"map.dscp", "map.cnp-dscp", "map.default-prio", "map.duplicates", "map.pcp", "trust.mode",
                  "app.roce-udp", "app.roce-ethertype", "app.smb-port"},
       .read = ReadAppSettings,
       .commands = AppCommands,
       .note = AppNote,
       .disturbs = AppDisturbs,
       .one_way = AppOneWay,
       .effect = AppEffect},
      {.kind = SettingKind::kTrust,
       .words = "trust",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl APP trust",
       .right = "dcb-settings",
       .serves = {"trust.apptrust-order", "trust.mode"},
       .read = ReadTrustSettings,
       .commands = TrustCommands,
       .note = TrustNote,
       .disturbs = NothingDisturbs,
       .effect = TrustEffect},
      {.kind = SettingKind::kEts,
       .words = "ETS",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl IEEE ETS",
       .right = "dcb-settings",
       .serves = {"dcbx.willing", "ets.map", "ets.rdma-share", "ets.min-default", "ets.sum", "ets.tsa",
                  "ets.three-classes", "ets.cluster-share", "ets.map-contiguous", "ets.classes"},
       .read = ReadEtsSettings,
       .commands = EtsCommands,
       .disturbs = EtsDisturbs,
       .one_way = RecordOneWay,
       .doubt = DoubtOfEts,
       .effect = EtsEffect},
      {.kind = SettingKind::kPfc,
       .words = "PFC",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl IEEE PFC",
       .right = "dcb-settings",
       .serves = {"pfc.lossless-priority", "pfc.only-one", "pfc.not-default", "pfc.not-heartbeat",
                  "pfc.off-when-lossy", "pfc.headroom"},
       .read = ReadPfcSettings,
       .commands = PfcCommands,
       .disturbs = PfcDisturbs,
       .one_way = RecordOneWay,
       .doubt = DoubtOfPfc,
       .effect = PfcEffect},
      {.kind = SettingKind::kBuffer,
       .words = "receive buffers",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl buffer",
       .right = "dcb-settings",
       .serves = {"pfc.headroom"},
       .read = ReadBufferSettings,
       .commands = BufferCommands,
       .disturbs = NothingDisturbs,
       .one_way = BufferOneWay,
       .effect = BufferEffect},
      {.kind = SettingKind::kMaxRate,
       .words = "rate limits",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kDcbnl,
       .api = "dcbnl IEEE maxrate",
       .right = "dcb-settings",
       .serves = {"ets.maxrate"},
       .read = ReadMaxRateSettings,
       .commands = MaxRateCommands,
       .note = MaxRateNote,
       .disturbs = NothingDisturbs,
       .effect = MaxRateEffect},
  };
}

}  // namespace rdmaready
