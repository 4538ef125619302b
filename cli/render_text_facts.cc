// SPDX-License-Identifier: Apache-2.0
// A readable listing of what is known of a host, and why the rest is not.
#include <fmt/format.h>

#include "api/base/text.h"
#include "checks/names.h"
#include "checks/words.h"
#include "cli/layout.h"
#include "cli/render_text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kLabelWidth = 18;

class Listing {
 public:
  explicit Listing(const Style& style) : style_(style) {}

  void Heading(std::size_t indent, std::string_view text) {
    text_ += std::string(indent, ' ') + style_.Paint(Tone::kStrong, Printable(text)) + "\n";
  }

  void Line(std::size_t indent, std::string_view label, std::string_view value) {
    text_ += std::string(indent, ' ') + Column(label, kLabelWidth) + Printable(value) + "\n";
  }

  // The value by `write`, or why there is none.
  template <class T, class Write>
  void Line(std::size_t indent, std::string_view label, const Fact<T>& fact, Write write) {
    if (fact) return Line(indent, label, write(*fact));
    const Missing& missing = fact.missing();
    const std::string why =
        "(" + std::string(Name(missing.kind)) + (missing.detail.empty() ? "" : ": " + missing.detail) + ")";
    text_ += std::string(indent, ' ') + Column(label, kLabelWidth) +
             style_.Paint(Tone::kFaint, Printable(why)) + "\n";
  }

  std::string Take() { return std::move(text_); }

 private:
  const Style& style_;
  std::string text_;
};

std::string ByClass(const std::array<std::uint8_t, kPriorities>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}:{}", i == 0 ? "" : " ", i, values[i]);
  return text;
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

std::string AddressesText(const std::vector<IpAddress>& addresses) {
  std::string text;
  for (const IpAddress& ip : addresses)
    text += fmt::format("{}{}/{}", text.empty() ? "" : ", ", ip.address, ip.prefix_length);
  return text.empty() ? "none" : text;
}

// "fe80:0000:...": the raw 16 bytes in the kernel's notation.
std::string GidText(const Gid& gid) {
  std::string text;
  for (std::size_t i = 0; i < gid.raw.size(); i += 2) {
    text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", gid.raw[i], gid.raw[i + 1]);
  }
  return fmt::format("{} {} {}", text, std::string(Name(gid.type)), gid.netdev);
}

std::string Tos(std::uint8_t tos) { return fmt::format("{} (DSCP {})", tos, tos >> 2); }

std::string Bytes(std::uint32_t bytes) { return fmt::format("{} B", bytes); }

std::string MemlockText(const Memlock& memlock) {
  const std::string limit =
      memlock.limit_bytes == Memlock::kUnlimited ? "unlimited" : BytesText(memlock.limit_bytes);
  return limit + (memlock.cap_ipc_lock ? ", not enforced (CAP_IPC_LOCK)" : "") +
         fmt::format(", process {}", memlock.pid);
}

void ListDcb(Listing& out, const Dcb& dcb) {
  out.Line(4, "PFC", dcb.pfc, PfcFactText);
  out.Line(4, "ETS", dcb.ets, EtsText);
  out.Line(4, "APP", dcb.app, AppText);
  out.Line(4, "trust", dcb.app_trust, TrustText);
  out.Line(4, "DCBX", dcb.dcbx, DcbxText);
}

void ListNetdev(Listing& out, const Netdev& netdev) {
  out.Heading(2, "interface " + netdev.name);
  out.Line(4, "driver", netdev.driver.empty() ? "(not named)" : netdev.driver);
  out.Line(4, "link",
           fmt::format("{}, {}", netdev.admin_up ? "up" : "administratively down",
                       netdev.carrier ? "carrier" : "no carrier"));
  out.Line(4, "MTU", Bytes(netdev.mtu_bytes));
  out.Line(4, "speed", netdev.speed_mbps, SpeedText);
  out.Line(4, "VLAN", netdev.vlan_id, [](std::uint16_t id) { return std::to_string(id); });
  out.Line(4, "addresses", netdev.addresses, AddressesText);
  ListDcb(out, netdev.dcb);
}

void ListPort(Listing& out, const Port& port) {
  const auto name = [](auto value) { return std::string(Name(value)); };
  out.Heading(0, "port " + PortName(port));
  out.Line(2, "transport", port.transport, name);
  out.Line(2, "software", port.software, [](bool software) { return std::string(software ? "yes" : "no"); });
  out.Line(2, "firmware", port.firmware, [](const std::string& text) { return text; });
  out.Line(2, "state", port.state, name);
  out.Line(2, "physical state", port.phys_state, [](std::uint8_t state) { return std::to_string(state); });
  out.Line(2, "active MTU", port.active_mtu_bytes, Bytes);
  out.Line(2, "largest MTU", port.max_mtu_bytes, Bytes);
  out.Line(2, "RDMA-CM mode", port.cm_default_mode, name);
  out.Line(2, "RDMA-CM ToS", port.cm_default_tos, Tos);
  if (port.gids) {
    for (const Gid& gid : *port.gids) out.Line(2, fmt::format("GID {}", gid.index), GidText(gid));
    if (port.gids->empty()) out.Line(2, "GIDs", "none");
  } else {
    out.Line(2, "GIDs", port.gids, [](const std::vector<Gid>&) { return std::string(); });
  }
  if (port.netdev) {
    ListNetdev(out, *port.netdev);
  } else {
    out.Line(2, "interface", port.netdev, [](const Netdev& netdev) { return netdev.name; });
  }
}

void ListHost(Listing& out, const HostFacts& host) {
  out.Heading(0, host.host);
  if (!host.error.empty()) return out.Line(2, "error", host.error);
  const Facts& facts = host.facts;
  out.Line(2, "host name", facts.hostname.empty() ? "(none)" : facts.hostname);
  out.Line(2, "kernel", facts.kernel, [](const Kernel& kernel) { return "Linux " + kernel.release; });
  out.Line(2, "RDMA stack", facts.rdma_stack, [](RdmaStack stack) { return std::string(Name(stack)); });
  out.Line(2, "lockable memory", facts.memlock, MemlockText);
  if (!facts.ports) {
    return out.Line(2, "RDMA ports", facts.ports, [](const std::vector<Port>&) { return std::string(); });
  }
  out.Line(2, "RDMA ports", facts.ports->empty() ? "none" : std::to_string(facts.ports->size()));
  for (const Port& port : *facts.ports) ListPort(out, port);
}

}  // namespace

std::string FactsText(const FactsRun& run, const Style& style) {
  std::string text;
  for (const HostFacts& host : run.hosts) {
    Listing out(style);
    ListHost(out, host);
    text += (text.empty() ? "" : "\n") + out.Take();
  }
  return text;
}

}  // namespace rdmaready
