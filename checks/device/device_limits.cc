// SPDX-License-Identifier: Apache-2.0
// dev.*, iw.ird-ord: who an RDMA device says it is, and what it must hold for SMB Direct in the kernel.
//
// The numbers are those of fs/smb in Linux 6.12: cifs posts 255 + 4 x 32 + 1 = 384 send requests and 256
// receive requests a connection, with 6 elements each; ksmbd 255 + 4 + 1, and for its reads and writes up to
// 840 more on a device that reads into one element only.
#include <fmt/format.h>

#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLimitsSource = "ibv_query_device";
constexpr std::string_view kNoStorage = "no storage protocol of the kernel runs over it";

// Enough from `pass` on, too little below `least`, and between them a warning.
struct Bounds {
  std::string_view what;
  std::uint32_t pass;
  std::uint32_t least;
};

Verdict JudgeLimit(const PortView& view, const Bounds& bounds, std::uint32_t DeviceLimits::*member) {
  if (HasOwnProtocol(view.port)) return NotApplicable(kNoStorage);
  const RoleAnswer smb = SmbRoleOf(view.host, view.profile);
  if (!smb.not_applicable.empty()) return NotApplicable(smb.not_applicable);
  const std::string expected = Cat("at least ", bounds.pass, " ", bounds.what);
  if (const Fact<bool> own = OwnProtocolOf(view.port); !own)
    return NoAnswer(own.missing(), expected, kLimitsSource);
  if (smb.unknown) return NoAnswer(*smb.unknown, expected, kModulesSource);
  const Fact<DeviceLimits>& limits = view.port.limits;
  if (!limits) return NoAnswer(limits.missing(), expected, kLimitsSource);
  const std::uint32_t value = (*limits).*member;
  const std::string observed = Cat(value, " ", bounds.what);
  if (value >= bounds.pass || value < bounds.least)
    return Judged(value >= bounds.pass, observed, expected, kLimitsSource);
  return Warned(observed, expected, kLimitsSource);
}

Verdict JudgeDevFastRegistration(const PortView& view) {
  if (HasOwnProtocol(view.port)) return NotApplicable(kNoStorage);
  constexpr std::string_view kExpected = "memory registration by work request";
  if (const Fact<bool> own = OwnProtocolOf(view.port); !own)
    return NoAnswer(own.missing(), kExpected, kLimitsSource);
  const Fact<DeviceLimits>& limits = view.port.limits;
  if (!limits) return NoAnswer(limits.missing(), kExpected, kLimitsSource);
  return Judged(limits->fast_registration,
                limits->fast_registration ? "fast registration" : "no fast registration", kExpected,
                kLimitsSource);
}

Verdict JudgeDevMaxQpWr(const PortView& view) {
  return JudgeLimit(view, {"work requests a queue", 1024, 384}, &DeviceLimits::max_qp_wr);
}

Verdict JudgeDevMaxCqe(const PortView& view) {
  return JudgeLimit(view, {"entries a completion queue", 384, 256}, &DeviceLimits::max_cqe);
}

Verdict JudgeDevMaxSge(const PortView& view) {
  return JudgeLimit(view, {"scatter-gather elements", 6, 6}, &DeviceLimits::max_sge);
}

Verdict JudgeDevMaxMr(const PortView& view) {
  constexpr std::uint32_t kOneConnection = 64;
  return JudgeLimit(view, {"memory regions", 16 * kOneConnection, kOneConnection}, &DeviceLimits::max_mr);
}

// Both directions: what one QP answers for a peer, and what it has under way itself.
Verdict JudgeReads(const PortView& view) {
  constexpr std::uint32_t kEnough = 8;
  const std::string expected = Cat("at least ", kEnough, " RDMA reads at once, both ways");
  const Fact<DeviceLimits>& limits = view.port.limits;
  if (!limits) return NoAnswer(limits.missing(), expected, kLimitsSource);
  const std::uint32_t answers = limits->max_qp_rd_atom;
  const std::uint32_t asks = limits->max_qp_init_rd_atom;
  const std::string observed = Cat("answers ", answers, " RDMA reads at once, has ", asks, " under way");
  if (answers == 0 || asks == 0) return Judged(false, observed, expected, kLimitsSource);
  if (answers < kEnough || asks < kEnough) return Warned(observed, expected, kLimitsSource);
  return Judged(true, observed, expected, kLimitsSource);
}

bool IsIwarp(const Port& port) { return port.transport && *port.transport == Transport::kIwarp; }

// A virtual function has 0 until the host of its physical function gives it one (mlx5: with its MAC).
// The driver reads it when it is bound to the function.
Fix GuidFix(const Port& port) {
  const std::string vf = VirtualFunctionWords(port);
  const std::string address = port.pci ? ShellWord(port.pci->address) : "FUNCTION";
  // The function of RoCE may keep the address that it has.
  const std::string mac = port.netdev && !port.netdev->mac.empty() ? ShellWord(port.netdev->mac) : "ADDRESS";
  Fix fix = Fix().Because("nobody gave the function an address: its GUID follows from it", Certainty::kLikely);
  if (IsInfiniBand(port)) {
    fix = std::move(fix)
              .Run(Cat("ip link set dev ", vf, " node_guid GUID"))
              .Run(Cat("ip link set dev ", vf, " port_guid GUID"));
  } else {
    fix = std::move(fix).Run(Cat("ip link set dev ", vf, " mac ", mac));
  }
  return std::move(fix)
      .Caution("connections over the function end: its driver is bound again")
      .Run(Cat("echo ", address, " > /sys/bus/pci/devices/", address, "/driver/unbind && echo ", address,
               " > /sys/bus/pci/drivers_probe"));
}

Verdict JudgeDevGuid(const PortView& view) {
  if (IsIwarp(view.port)) return NotApplicable("iWARP: its connections do not name the device");
  if (HasOwnProtocol(view.port)) return NotApplicable("RDMA-CM makes none of its connections");
  constexpr std::string_view kSource = "RDMA netlink";
  if (const Fact<bool> own = OwnProtocolOf(view.port); !own)
    return NoAnswer(own.missing(), "a node GUID other than 0", kSource);
  const Fact<std::uint64_t>& guid = view.port.node_guid;
  if (!guid) return NoAnswer(guid.missing(), "a node GUID other than 0", kSource);
  const bool virtual_function = IsVirtualFunction(view.port);
  const std::string whose = virtual_function ? Cat(", ", VirtualFunctionText(view.port)) : "";
  return Judged(*guid != 0, *guid != 0 ? fmt::format("node GUID {:016x}", *guid) : "node GUID 0" + whose,
                "a node GUID other than 0", kSource, virtual_function ? GuidFix(view.port) : Fix());
}

Verdict JudgeDevRdAtom(const PortView& view) {
  if (IsIwarp(view.port)) return NotApplicable("iWARP: judged as iw.ird-ord");
  if (HasOwnProtocol(view.port)) return NotApplicable(kNoStorage);
  if (const Fact<bool> own = OwnProtocolOf(view.port); !own)
    return NoAnswer(own.missing(), "at least 8 RDMA reads at once, both ways", kLimitsSource);
  return JudgeReads(view);
}

Verdict JudgeIwIrdOrd(const PortView& view) {
  const Fact<Transport>& transport = view.port.transport;
  if (transport && !IsIwarp(view.port)) return NotApplicable("not iWARP");
  if (!transport) return NoAnswer(transport.missing(), "IRD and ORD above 0", kLimitsSource);
  return JudgeReads(view);
}

Fix OtherDevice() {
  return Fix()
      .Because("the limits are those of the device, its driver and its firmware", Certainty::kCertain)
      .Do("install a newer driver and firmware of {device}")
      .Or("use another device for the storage traffic")
      .CheckBy("ibv_devinfo -v -d {device}");
}

}  // namespace

std::vector<Check> DeviceLimitsChecks() {
  const std::vector<std::string_view> readable{"drv.core-modules", "drv.userlib"};
  const std::vector<std::string_view> one_answer{"drv.core-modules", "drv.userlib", "dev.fast-registration"};
  return {
      {.id = "dev.guid",
       .title = "The RDMA device has a node GUID",
       .why = "The connection manager tells devices apart by it: of two peers that have none it may take one's "
              "connection for a stale one of the other's, refuse it, and end that",
       .fix =
           Fix()
               .Do("give the function an address, on the host of its physical function: ip link set dev NETDEV "
                   "vf NUMBER mac ADDRESS; of InfiniBand node_guid and port_guid")
               .Do("bind the driver of the function again")
               .CheckBy("rdma dev show {device}"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDevGuid},
      {.id = "dev.fast-registration",
       .title = "The device registers memory by work request",
       .why =
           "The kernel's initiators of NVMe-oF and iSER, and SMB Direct at both ends, refuse a device without "
           "(IBV_DEVICE_MEM_MGT_EXTENSIONS)",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsKernelStorage,
       .depends_on = readable,
       .judge = JudgeDevFastRegistration},
      {.id = "dev.max-qp-wr",
       .title = "The device's queues hold the requests of SMB Direct",
       .why = "The kernel's client needs 384 work requests a connection, its server up to 1024; with fewer the "
              "connection is refused, or reads and writes are cut",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsSmb,
       .depends_on = one_answer,
       .judge = JudgeDevMaxQpWr},
      {.id = "dev.max-cqe",
       .title = "The device's completion queues hold what SMB Direct has under way",
       .why = "Each of 255 credits may complete at once: a smaller completion queue is refused by the kernel",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsSmb,
       .depends_on = one_answer,
       .judge = JudgeDevMaxCqe},
      {.id = "dev.max-sge",
       .title = "A work request takes as many pieces of memory as SMB Direct uses",
       .why = "The kernel sends from 6 pieces at once; some NICs take 3 or 4, and are refused",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsSmb,
       .depends_on = one_answer,
       .judge = JudgeDevMaxSge},
      {.id = "dev.max-mr",
       .title = "The device has memory regions for many connections",
       .why = "Each connection takes up to 64 memory regions",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsSmb,
       .depends_on = one_answer,
       .judge = JudgeDevMaxMr},
      {.id = "dev.rd-atom",
       .title = "The device has enough RDMA reads at once",
       .why = "An SMB server fetches what clients write by RDMA reads: with few at once writing is slow, with "
              "none it is impossible",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsSmb,
       .depends_on = one_answer,
       .judge = JudgeDevRdAtom},
      {.id = "iw.ird-ord",
       .title = "The iWARP device has enough RDMA reads at once (IRD, ORD)",
       .why = "iWARP peers tell each other their read depths when they connect: a 0 ends the connection, and a "
              "small one makes writing to a server slow",
       .fix = OtherDevice(),
       .blocks_for = &kDemandsSmb,
       .depends_on = one_answer,
       .judge = JudgeIwIrdOrd},
  };
}

}  // namespace rdmaready
