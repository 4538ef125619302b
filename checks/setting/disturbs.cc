// SPDX-License-Identifier: Apache-2.0
// How long a write takes, until traffic flows again. The milliseconds are what such NICs take in general, not
// what the kernel promises: they make the dead-man timer longer, never shorter.
#include "checks/setting/consequences.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kWriteMs = 100;     // a register, or a variable
constexpr std::uint32_t kUnknownMs = 1000;  // a driver of which nothing is known
constexpr std::uint32_t kQueuesMs = 1000;   // queues closed and opened
constexpr std::uint32_t kLinkUpMs = 5000;   // a link trained anew, 100 Gb/s and faster
constexpr std::uint32_t kDeviceMs = 3000;   // an RDMA device that comes

constexpr std::string_view kLinkGoesDown = "the link goes down for a moment";
constexpr std::string_view kPortStops = "the driver stops the port for a moment";

Disturbance Quiet() { return {.estimate_ms = kWriteMs}; }

Disturbance QueuesStop(std::string_view driver, std::string_view text = kPortStops) {
  return {.text = Cat(driver, ": ", text), .estimate_ms = kQueuesMs};
}

Disturbance LinkDown(std::string_view driver, std::string_view text = kLinkGoesDown) {
  return {.text = Cat(driver, ": ", text), .estimate_ms = kLinkUpMs, .link_down = true};
}

// Hardware of an unknown driver may do anything; what is made of software alone does nothing.
Disturbance OfUnknownDriver(const SettingPlace& place) {
  const bool hardware = place.netdev != nullptr && !(place.port != nullptr && IsSoftware(*place.port));
  return {.estimate_ms = hardware ? kUnknownMs : kWriteMs};
}

}  // namespace

// mlx5 and mlx4 write a register. bnxt_set_pauseparam and ice_set_fc negotiate the link anew, the former only
// where pause is, or was, negotiated.
Disturbance PauseDisturbs(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (HasDriver(place.netdev, "mlx5_core") || HasDriver(place.netdev, "mlx4_en")) return Quiet();
  if (HasDriver(place.netdev, "ice")) return LinkDown("ice");
  if (!HasDriver(place.netdev, "bnxt_en")) return OfUnknownDriver(place);
  const std::optional<Pause> old = PauseOf(from);
  const std::optional<Pause> wanted = PauseOf(to);
  const bool negotiated = !old || !wanted || old->autoneg || wanted->autoneg;
  return negotiated ? LinkDown("bnxt") : Quiet();
}

// ice_set_priv_flags: the firmware's agent takes data centre bridging with it, and its start the link;
// mlx5e opens its channels anew for nearly every flag.
Disturbance PrivateFlagDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  if (HasDriver(place.netdev, "mlx5_core")) return QueuesStop("mlx5");
  if (!HasDriver(place.netdev, "ice")) return OfUnknownDriver(place);
  if (place.object.name != kFirmwareLldpFlag) return QueuesStop("ice");
  if (to == "on")
    return LinkDown("ice", "the link goes down for a moment, and the firmware's DCB settings are taken");
  return QueuesStop("ice",
                    "the driver stops the port for a moment, and begins with its defaults of ETS and PFC");
}

// ice_devlink_enable_roce_set makes the RDMA device, or takes it away, with all its connections.
Disturbance DevlinkDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const bool of_rdma = place.object.name == "enable_roce" || place.object.name == "enable_iwarp" ||
                       place.object.name == "enable_rdma";
  if (!of_rdma) return OfUnknownDriver(place);
  const std::string_view driver = HasDriver(place.netdev, "ice") ? "ice: " : "";
  return {.text = Cat(driver, to == "true" ? "the RDMA device comes anew"
                                           : "the RDMA device goes, with all connections"),
          .estimate_ms = kDeviceMs};
}

Disturbance DcbxDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Dcbx> wanted = DcbxOf(to);
  if (wanted && !wanted->host && place.netdev != nullptr)
    return {.text = "the firmware takes over PFC and ETS, as the switch proposes them",
            .estimate_ms = kQueuesMs};
  // mlx4_en_dcbnl_setdcbx sets both to nothing.
  if (HasDriver(place.netdev, "mlx4_en")) return QueuesStop("mlx4", "ETS and PFC are set to nothing");
  return Quiet();
}

// mlx5e_change_mtu, bnxt_change_mtu, ice_change_mtu, mlx4_en_change_mtu, qede_change_mtu.
Disturbance MtuDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view /*to*/) {
  if (HasDriver(place.netdev, "mlx5_core")) return QueuesStop("mlx5", "the driver opens its queues anew");
  if (HasDriver(place.netdev, "bnxt_en")) return QueuesStop("bnxt");
  if (HasDriver(place.netdev, "ice")) return QueuesStop("ice");
  if (HasDriver(place.netdev, "mlx4_en")) return LinkDown("mlx4");
  if (HasDriver(place.netdev, "qede")) return LinkDown("qede");
  return OfUnknownDriver(place);
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

Disturbance NothingDisturbs(const SettingPlace& /*place*/, std::string_view /*from*/, std::string_view /*to*/) {
  return Quiet();
}

std::string CommentOf(const Disturbance& disturbance) {
  const std::string& text = disturbance.text;
  if (text.empty()) return {};
  const std::size_t colon = text.find(": ");
  return "  # " + (colon == std::string::npos ? text : text.substr(colon + 2));
}

// ---- what cannot be taken back ----

// bnxt_dcbnl_setdcbx refuses whatever is asked once the firmware manages DCBX.
std::string DcbxOneWay(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Dcbx> wanted = DcbxOf(to);
  if (!HasDriver(place.netdev, "bnxt_en") || !wanted || !wanted->lld_managed) return {};
  return "bnxt_en lets nobody take DCBX from its firmware again before the driver is loaded anew";
}

std::string RecordOneWay(const SettingPlace& place, std::string_view /*from*/, std::string_view /*to*/) {
  const std::string doubt = DoubtOf(place);
  return doubt.empty() ? "" : Cat(doubt, ": what the NIC has now cannot be put back");
}

}  // namespace rdmaready
