// SPDX-License-Identifier: Apache-2.0
// inv.*: is there RDMA at all, on which netdev, of which kind.
#include <algorithm>
#include <array>

#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDevicesSource = "RDMA netlink";

std::string_view WordsFor(const Port& port) {
  if (!port.transport) return "transport unknown";
  switch (*port.transport) {
    case Transport::kUnknown:
      return "transport unknown";
    case Transport::kInfiniBand:
      return "InfiniBand";
    case Transport::kRoce:
      return "RoCE";
    case Transport::kIwarp:
      return "iWARP";
  }
  return "transport unknown";
}

std::string PortsText(const std::vector<Port>& ports) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < ports.size() && i < kShown; ++i) {
    const bool software = ports[i].software && *ports[i].software;
    text += Cat(i == 0 ? "" : "; ", PortName(ports[i]), ": ", WordsFor(ports[i]),
                software ? ", software device" : "");
  }
  if (ports.size() > kShown) text += Cat("; and ", ports.size() - kShown, " more");
  return text;
}

// Debian names its kernels "6.12.117+deb12-amd64", or "...-cloud-amd64"; the package is the flavour's. There is
// no other sign of the distribution among the facts.
std::string OtherKernel(const Fact<Kernel>& kernel) {
  for (const std::string_view flavour : {"amd64", "arm64"}) {
    if (!kernel || kernel->release.size() <= flavour.size() + 1) continue;
    if (!kernel->release.ends_with(Cat("-", flavour))) continue;
    return Cat("apt-get install linux-image-", flavour,
               " && reboot  # a kernel with InfiniBand; the cloud kernels have none");
  }
  return "apt-get install linux-image-amd64 && reboot  # Debian's name, as the distribution is not known here; "
         "elsewhere its kernel with CONFIG_INFINIBAND; the cloud kernels have none";
}

Verdict NoDevices(const Facts& host) {
  const std::string release = host.kernel ? " (" + host.kernel->release + ")" : "";
  Verdict verdict = Judged(false, "no RDMA device", "at least one RDMA device", kDevicesSource);
  switch (host.rdma_stack ? *host.rdma_stack : RdmaStack::kUnknown) {
    case RdmaStack::kUnknown:
      break;
    case RdmaStack::kAbsent:
      verdict.observed = Cat("no RDMA device: this kernel", release, " is without InfiniBand (no ib_core)");
      verdict.fix = OtherKernel(host.kernel);
      break;
    case RdmaStack::kNotLoaded:
      verdict.observed = "no RDMA device: ib_core is there, but not loaded";
      verdict.fix =
          "modprobe -a ib_uverbs rdma_ucm  # then the NIC's RDMA driver (mlx5_ib, irdma, bnxt_re, qedr, "
          "iw_cxgb4), or "
          "without such a NIC: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev NETDEV";
      break;
    case RdmaStack::kLoaded:
      verdict.observed = "no RDMA device: the RDMA stack is loaded, but no driver made a device";
      verdict.fix =
          "rdma link show  # empty: load the NIC's RDMA driver (mlx5_ib, irdma, bnxt_re, qedr, iw_cxgb4), or "
          "without "
          "such a NIC: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev NETDEV";
      break;
  }
  return verdict;
}

Verdict JudgePresent(const HostView& view) {
  const Facts& host = view.host;
  if (host.ports && !host.ports->empty()) {
    return Judged(true, PortsText(*host.ports), "at least one RDMA device", kDevicesSource);
  }
  const bool absent = host.rdma_stack && *host.rdma_stack == RdmaStack::kAbsent;
  if (host.ports || absent) return NoDevices(host);
  return NoAnswer(host.ports.missing(), "at least one RDMA device", kDevicesSource);
}

std::string MappingNotApplicable(const PortView& view) {
  const bool infiniband = view.port.transport && *view.port.transport == Transport::kInfiniBand;
  return infiniband ? "InfiniBand: a port has no Ethernet interface" : "";
}

// "There is none here" is an answer: a netdev without a name, or not offered for what is known to be Ethernet.
Verdict JudgeMapping(const PortView& view) {
  const Port& port = view.port;
  constexpr std::string_view kExpected = "an Ethernet interface in this network namespace";
  if (port.netdev && !port.netdev->name.empty()) {
    return Judged(true, port.netdev->name, std::string(kExpected), kDevicesSource);
  }
  const bool ethernet =
      port.transport && (*port.transport == Transport::kRoce || *port.transport == Transport::kIwarp);
  const bool none = port.netdev || (ethernet && port.netdev.missing().kind == Missing::Kind::kUnsupported);
  if (none)
    return Judged(false, "no Ethernet interface in this network namespace", std::string(kExpected),
                  kDevicesSource);
  Verdict verdict = NoAnswer(port.netdev.missing(), std::string(kExpected), kDevicesSource);
  if (port.netdev.missing().kind == Missing::Kind::kFailed)
    verdict.fix.clear();  // the check's own tells where to look
  return verdict;
}

std::string TransportNotApplicable(const PortView& view) {
  return view.profile.transport == Profile::Transport::kAny ? NotAsked(view.profile, "a transport") : "";
}

Transport Wanted(Profile::Transport transport) {
  switch (transport) {
    case Profile::Transport::kAny:
      return Transport::kUnknown;
    case Profile::Transport::kRoceV2:
      return Transport::kRoce;
    case Profile::Transport::kIwarp:
      return Transport::kIwarp;
    case Profile::Transport::kInfiniBand:
      return Transport::kInfiniBand;
  }
  return Transport::kUnknown;
}

Verdict JudgeTransport(const PortView& view) {
  const Fact<Transport>& transport = view.port.transport;
  std::string expected(Name(view.profile.transport));
  if (!transport) return NoAnswer(transport.missing(), expected, kDevicesSource);
  if (*transport == Transport::kUnknown) {
    return NoAnswer(
        {.kind = Missing::Kind::kUnsupported, .detail = "the device does not say which transport it speaks"},
        expected, kDevicesSource);
  }
  return Judged(*transport == Wanted(view.profile.transport), std::string(WordsFor(view.port)), expected,
                kDevicesSource);
}

}  // namespace

Check InvRdmaPresent() {
  return {.id = "inv.rdma-present",
          .title = "The host has an RDMA device",
          .why = "Without one storage stays on TCP, often without saying so",
          .fix =
              "rdma link show  # empty: load the NIC's RDMA driver, or for a software device: modprobe "
              "rdma_rxe && rdma "
              "link add rxe0 type rxe netdev NETDEV",
          .blocks_for = &kDemandsRdma,
          .rule = Rule<HostView>{nullptr, JudgePresent}};
}

Check InvNetdevMapping() {
  return {
      .id = "inv.netdev-mapping",
      .title = "The RDMA port belongs to an Ethernet interface of this network namespace",
      .why = "Addresses, MTU and priorities live on the interface: without it the port cannot be reached by IP",
      .fix =
          "rdma link show {device}/{port}  # names its netdev: bring that back with  ip link set NETDEV netns "
          "1  in the "
          "namespace that holds it",
      .blocks_for = &kDemandsRdma,
      .rule = Rule<PortView>{MappingNotApplicable, JudgeMapping}};
}

Check InvTransport() {
  return {
      .id = "inv.transport",
      .title = "The port speaks the transport of the profile",
      .why = "RoCE, iWARP and InfiniBand do not talk to each other: one odd port and storage falls back to TCP",
      .fix =
          "rdma link show {device}/{port}  # another transport than {transport}: use another port, switch the "
          "NIC's "
          "protocol with devlink dev param, or choose another profile",
      .blocks_for = &kDemandsTransport,
      .depends_on = {"drv.roce-enabled"},
      .rule = Rule<PortView>{TransportNotApplicable, JudgeTransport}};
}

}  // namespace rdmaready
