// SPDX-License-Identifier: Apache-2.0
#include "cli/render/text_facts_words.h"

#include <fmt/format.h>

#include "api/base/text.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string ByClass(const std::array<std::uint8_t, kPriorities>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}:{}", i == 0 ? "" : " ", i, values[i]);
  return text;
}

std::string_view Word(AppSelector selector) {
  switch (selector) {
    case AppSelector::kNone:
      return "none";
    case AppSelector::kEthertype:
      return "ethertype";
    case AppSelector::kStream:
      return "stream-port";
    case AppSelector::kDgram:
      return "dgram-port";
    case AppSelector::kAny:
      return "port";
    case AppSelector::kDscp:
      return "dscp";
    case AppSelector::kPcp:
      return "pcp";
  }
  return "none";
}

std::string SwitchText(std::string_view name, bool on) { return fmt::format("{} {}", name, on ? "on" : "off"); }

// "8 GT/s x8".
std::string LinkText(const PciLink& link) {
  return fmt::format("{:g} GT/s x{}", static_cast<double>(link.speed_mtps) / 1000, link.width);
}

// Rates of dcbnl are finer than megabits.
std::string KbpsText(std::uint64_t kbps) {
  constexpr std::uint64_t kPerMega = 1000;
  if (kbps % kPerMega != 0 || kbps / kPerMega > UINT32_MAX) return fmt::format("{} kb/s", kbps);
  return SpeedText(static_cast<std::uint32_t>(kbps / kPerMega));
}

}  // namespace

std::string ListWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::string MissingText(const Missing& missing) {
  return fmt::format("({}{}{})", Name(missing.kind), missing.detail.empty() ? "" : ": ", missing.detail);
}

std::string EtsText(const Ets& ets) {
  std::string tsa;
  for (std::size_t i = 0; i < ets.tsa.size(); ++i)
    tsa += fmt::format(" {}:{}", i, std::string(Name(ets.tsa[i])));
  return fmt::format("{} classes, willing {}, tsa{}, percent {}, priority to class {}", ets.traffic_classes,
                     ets.willing ? "on" : "off", tsa, ByClass(ets.tx_percent), ByClass(ets.prio_tc));
}

std::string PfcFactText(const Pfc& pfc) {
  return fmt::format("{}, up to {} classes, delay {}", PfcText(pfc.enabled), pfc.capability, pfc.delay);
}

std::string AppText(const std::vector<AppEntry>& entries) {
  std::string text;
  for (const AppEntry& entry : entries) {
    text += fmt::format("{}{} {}:{}", text.empty() ? "" : ", ", std::string(Word(entry.selector)),
                        entry.protocol, entry.priority);
  }
  return text.empty() ? "empty" : text;
}

std::string TrustText(const std::vector<AppSelector>& order) {
  std::string text;
  for (const AppSelector selector : order) text += (text.empty() ? "" : ", ") + std::string(Word(selector));
  return text.empty() ? "none" : text;
}

std::string DcbxText(const Dcbx& dcbx) {
  std::string text;
  const auto add = [&](bool on, std::string_view word) {
    if (on) text += (text.empty() ? "" : ", ") + std::string(word);
  };
  add(dcbx.host, "by the host");
  add(dcbx.lld_managed, "by firmware or a lower driver");
  add(dcbx.cee, "CEE");
  add(dcbx.ieee, "IEEE");
  add(dcbx.static_mode, "static");
  return text.empty() ? "none" : text;
}

std::string GidText(const Gid& gid) {
  std::string text;
  for (std::size_t i = 0; i < gid.raw.size(); i += 2) {
    text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", gid.raw[i], gid.raw[i + 1]);
  }
  return fmt::format("{} {} {}", text, std::string(Name(gid.type)), gid.netdev);
}

std::string TosText(std::uint8_t tos) { return fmt::format("{} (DSCP {})", tos, tos >> 2); }

std::string MemlockText(const Memlock& memlock) {
  const std::string limit =
      memlock.limit_bytes == Memlock::kUnlimited ? "unlimited" : BytesText(memlock.limit_bytes);
  return limit + (memlock.cap_ipc_lock ? ", not enforced (CAP_IPC_LOCK)" : "") +
         fmt::format(", process {}", memlock.pid);
}

std::string BufferText(const PortBuffer& buffer) {
  std::string text = BytesText(buffer.total_bytes) + ":";
  for (std::size_t i = 0; i < buffer.size_bytes.size(); ++i) {
    if (buffer.size_bytes[i] != 0) text += fmt::format(" {}:{}", i, BytesText(buffer.size_bytes[i]));
  }
  return text + ", priority to buffer " + ByClass(buffer.prio_buffer);
}

std::string ThresholdsText(const PauseThresholds& thresholds) {
  std::string text;
  for (std::size_t i = 0; i < thresholds.xoff_bytes.size(); ++i) {
    if (thresholds.xoff_bytes[i] == 0) continue;
    text += fmt::format("{}buffer {} from {}, until {}", text.empty() ? "" : "; ", i,
                        BytesText(thresholds.xoff_bytes[i]), BytesText(thresholds.xon_bytes[i]));
  }
  return text.empty() ? "no buffer" : text;
}

std::string NicTrustText(AppSelector trust) { return trust == AppSelector::kDscp ? "DSCP" : "PCP"; }

std::string DscpMapText(const DscpMap& map) {
  std::string text;
  std::size_t first = 0;
  for (std::size_t dscp = 1; dscp <= map.size(); ++dscp) {
    if (dscp < map.size() && map[dscp] == map[first]) continue;
    const std::string range =
        dscp - 1 == first ? fmt::format("{}", first) : fmt::format("{}-{}", first, dscp - 1);
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", range, map[first]);
    first = dscp;
  }
  return text;
}

std::string MaxRatesText(const MaxRatesKbps& rates) {
  std::string text;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] != 0) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", i, KbpsText(rates[i]));
  }
  return text.empty() ? "no limits" : text;
}

std::string AddressesText(const std::vector<IpAddress>& addresses) {
  std::string text;
  for (const IpAddress& ip : addresses)
    text += fmt::format("{}{}/{}", text.empty() ? "" : ", ", ip.address, ip.prefix_length);
  return text.empty() ? "none" : text;
}

std::string EgressText(const std::vector<VlanPriority>& map) {
  std::string text;
  for (const VlanPriority& row : map)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", row.from, row.pcp);
  return text.empty() ? "empty" : text;
}

std::string DriverText(const DriverInfo& info) {
  std::string text = info.driver.empty() ? "(not named)" : info.driver;
  if (!info.version.empty()) text += " " + info.version;
  if (!info.firmware.empty()) text += ", firmware " + info.firmware;
  if (!info.bus.empty()) text += ", at " + info.bus;
  return text;
}

std::string PauseText(const Pause& pause) {
  return SwitchText("rx", pause.rx) + ", " + SwitchText("tx", pause.tx) + (pause.autoneg ? ", negotiated" : "");
}

std::string StormTimeoutText(std::uint16_t timeout_ms) {
  constexpr std::uint16_t kAuto = 0xffff;
  if (timeout_ms == 0) return "off";
  return timeout_ms == kAuto ? "the driver's own" : fmt::format("{} ms", timeout_ms);
}

std::string DuplexText(Duplex duplex) {
  switch (duplex) {
    case Duplex::kUnknown:
      return "unknown duplex";
    case Duplex::kHalf:
      return "half duplex";
    case Duplex::kFull:
      return "full duplex";
  }
  return "unknown duplex";
}

std::string UpperText(const UpperNetdev& upper) {
  std::string text = upper.name + ": " + (upper.kind.empty() ? "interface" : upper.kind);
  if (upper.vlan_id) text += fmt::format(" {}", *upper.vlan_id);
  if (upper.bond_mode) text += " " + *upper.bond_mode;
  text += " over " + ListWords(upper.over);
  text += upper.admin_up ? (upper.carrier ? ", up" : ", no carrier") : ", administratively down";
  text += fmt::format(", MTU {}", BytesText(upper.mtu_bytes));
  if (upper.vlan_egress) text += ", priority to PCP " + EgressText(*upper.vlan_egress);
  if (upper.vlan_reorder && !*upper.vlan_reorder) text += ", reorder_hdr off";
  return text + (upper.addresses ? ", addresses " + AddressesText(*upper.addresses) : ", addresses not known");
}

std::string GuidText(std::uint64_t node_guid) {
  return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", node_guid >> 48U, (node_guid >> 32U) & 0xffffU,
                     (node_guid >> 16U) & 0xffffU, node_guid & 0xffffU);
}

std::string PciText(const PciFunction& pci) {
  return fmt::format("{}, {:04x}:{:04x}{}", pci.address, pci.vendor_id, pci.device_id,
                     pci.virtual_function ? ", virtual function" : "");
}

std::string PciPathText(const std::vector<PciHop>& path) {
  std::string text;
  for (const PciHop& hop : path) {
    const std::string most = hop.current == hop.max ? "" : " of " + LinkText(hop.max);
    text += fmt::format("{}{}{} at {}{}", text.empty() ? "" : "; ", LinkText(hop.current), most, hop.address,
                        PciHopSettingsText(hop));
  }
  return text;
}

std::string CountersText(const std::vector<Counter>& counters) {
  std::string counted;
  for (const Counter& counter : counters) {
    if (counter.value != 0)
      counted += fmt::format("{}{} {}", counted.empty() ? "" : ", ", counter.name, counter.value);
  }
  return fmt::format("{}, {}", counters.size(), counted.empty() ? "all 0" : "not 0: " + counted);
}

std::string ResourcesText(const RdmaResources& resources) {
  return fmt::format("{} QP, {} CQ, {} MR, {} PD, {} CM ID, {} contexts", resources.qp, resources.cq,
                     resources.mr, resources.pd, resources.cm_id, resources.ctx);
}

std::string LimitsText(const DeviceLimits& limits) {
  std::string text = fmt::format(
      "{} QP of {} work requests, {} completions, {} pieces ({} read), reads {} in {} out, {} MR, {} MW",
      limits.max_qp, limits.max_qp_wr, limits.max_cqe, limits.max_sge, limits.max_sge_rd, limits.max_qp_rd_atom,
      limits.max_qp_init_rd_atom, limits.max_mr, limits.max_mw);
  if (limits.fast_registration) text += ", fast registration";
  if (limits.mw_type_2a) text += ", MW type 2A";
  if (limits.mw_type_2b) text += ", MW type 2B";
  return text;
}

std::string ListenersText(const std::vector<RdmaListener>& listeners) {
  std::string text;
  for (const RdmaListener& listener : listeners) {
    const std::string owner =
        listener.kernel_name.empty() ? fmt::format("process {}", listener.pid) : listener.kernel_name;
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", owner, listener.port);
  }
  return text.empty() ? "nobody" : text;
}

std::string ModulesText(const std::vector<KernelModule>& modules) {
  std::string text;
  for (const KernelModule& module : modules) {
    const std::string state =
        module.state ? std::string(Name(*module.state)) : "not known (" + module.state.missing().detail + ")";
    const bool rdma = module.uses_rdma && *module.uses_rdma;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", module.name, state, rdma ? " with RDMA" : "");
  }
  return text.empty() ? "none" : text;
}

std::string OptionsText(const std::vector<KernelOption>& options) {
  std::string text;
  for (const KernelOption& option : options)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, option.value);
  return text.empty() ? "none" : text;
}

std::string KsmbdText(const KsmbdConfig& config) {
  std::string text = config.path;
  if (config.multichannel) text += *config.multichannel ? ", multichannel" : ", no multichannel";
  if (!config.interfaces.empty()) text += ", interfaces " + ListWords(config.interfaces);
  if (!config.signing.empty()) text += ", signing " + config.signing;
  if (!config.encryption.empty()) text += ", encryption " + config.encryption;
  return text;
}

std::string TcpPortsText(const std::vector<std::uint16_t>& ports) {
  std::string text;
  for (const std::uint16_t port : ports) text += fmt::format("{}{}", text.empty() ? "" : " ", port);
  return text.empty() ? "none" : text;
}

}  // namespace rdmaready
