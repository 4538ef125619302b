// SPDX-License-Identifier: Apache-2.0
// dev.*, iw.ird-ord: what an RDMA device must be able to hold for SMB Direct in the kernel.
//
// The numbers are those of fs/smb in Linux 6.12: cifs posts 255 + 4 x 32 + 1 = 384 send requests and 256
// receive requests a connection, with 6 elements each; ksmbd 255 + 4 + 1, and for its reads and writes up to
// 840 more on a device that reads into one element only.
#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "ibv_query_device";

// Enough from `pass` on, too little below `least`, and between them a warning.
struct Bounds {
  std::string_view what;
  std::uint32_t pass;
  std::uint32_t least;
};

Verdict JudgeNumber(const PortView& view, const Bounds& bounds, std::uint32_t DeviceLimits::*member) {
  const std::string expected = Cat("at least ", bounds.pass, " ", bounds.what);
  const Fact<DeviceLimits>& limits = view.port.limits;
  if (!limits) return NoAnswer(limits.missing(), expected, kSource);
  const std::uint32_t value = (*limits).*member;
  const std::string observed = Cat(value, " ", bounds.what);
  if (value >= bounds.pass || value < bounds.least)
    return Judged(value >= bounds.pass, observed, expected, kSource);
  return Warned(observed, expected, kSource);
}

Verdict JudgeFastRegistration(const PortView& view) {
  constexpr std::string_view kExpected = "memory registration by work request";
  const Fact<DeviceLimits>& limits = view.port.limits;
  if (!limits) return NoAnswer(limits.missing(), std::string(kExpected), kSource);
  return Judged(limits->fast_registration,
                limits->fast_registration ? "fast registration" : "no fast registration",
                std::string(kExpected), kSource);
}

Verdict JudgeQueue(const PortView& view) {
  return JudgeNumber(view, {"work requests a queue", 1024, 384}, &DeviceLimits::max_qp_wr);
}

Verdict JudgeCompletions(const PortView& view) {
  return JudgeNumber(view, {"entries a completion queue", 384, 256}, &DeviceLimits::max_cqe);
}

Verdict JudgeElements(const PortView& view) {
  return JudgeNumber(view, {"scatter-gather elements", 6, 6}, &DeviceLimits::max_sge);
}

Verdict JudgeRegions(const PortView& view) {
  constexpr std::uint32_t kOneConnection = 64;
  return JudgeNumber(view, {"memory regions", 16 * kOneConnection, kOneConnection}, &DeviceLimits::max_mr);
}

// Both directions: what one QP answers for a peer, and what it has under way itself.
Verdict JudgeReads(const PortView& view) {
  constexpr std::uint32_t kEnough = 8;
  const std::string expected = Cat("at least ", kEnough, " RDMA reads at once, both ways");
  const Fact<DeviceLimits>& limits = view.port.limits;
  if (!limits) return NoAnswer(limits.missing(), expected, kSource);
  const std::uint32_t answers = limits->max_qp_rd_atom;
  const std::uint32_t asks = limits->max_qp_init_rd_atom;
  const std::string observed = Cat("answers ", answers, " RDMA reads at once, has ", asks, " under way");
  if (answers == 0 || asks == 0) return Judged(false, observed, expected, kSource);
  if (answers < kEnough || asks < kEnough) return Warned(observed, expected, kSource);
  return Judged(true, observed, expected, kSource);
}

bool IsIwarp(const Port& port) { return port.transport && *port.transport == Transport::kIwarp; }

std::string ReadsNotApplicable(const PortView& view) {
  return IsIwarp(view.port) ? "iWARP: judged as iw.ird-ord" : "";
}

std::string IwarpNotApplicable(const PortView& view) {
  return view.port.transport && !IsIwarp(view.port) ? "not iWARP" : "";
}

Verdict JudgeIrdOrd(const PortView& view) {
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), "IRD and ORD above 0", kSource);
  return JudgeReads(view);
}

constexpr std::string_view kOtherDevice =
    "ibv_devinfo -v -d {device}  # what the device can hold: use another one for SMB Direct, or a newer driver "
    "and firmware";

Check Limit(std::string_view id, std::string_view title, std::string_view why,
            Verdict (*judge)(const PortView&)) {
  return {.id = id,
          .title = title,
          .why = why,
          .fix = kOtherDevice,
          .blocks_for = &kDemandsSmb,
          .depends_on = {"drv.core-modules", "drv.userlib", "dev.fast-registration"},  // all are one answer
          .rule = Rule<PortView>{nullptr, judge}};
}

}  // namespace

Check DevFastRegistration() {
  Check check =
      Limit("dev.fast-registration", "The device registers memory by work request",
            "The kernel's SMB Direct client and server refuse a device without (IBV_DEVICE_MEM_MGT_EXTENSIONS)",
            JudgeFastRegistration);
  check.depends_on.pop_back();
  return check;
}

Check DevMaxQpWr() {
  return Limit("dev.max-qp-wr", "The device's queues hold the requests of SMB Direct",
               "The kernel's client needs 384 work requests a connection, its server up to 1024; with fewer "
               "the connection "
               "is refused, or reads and writes are cut",
               JudgeQueue);
}

Check DevMaxCqe() {
  return Limit("dev.max-cqe", "The device's completion queues hold what SMB Direct has under way",
               "Each of 255 credits may complete at once: a smaller completion queue is refused by the kernel",
               JudgeCompletions);
}

Check DevMaxSge() {
  return Limit("dev.max-sge", "A work request takes as many pieces of memory as SMB Direct uses",
               "The kernel sends from 6 pieces at once; some NICs take 3 or 4, and are refused", JudgeElements);
}

Check DevMaxMr() {
  return Limit("dev.max-mr", "The device has memory regions for many connections",
               "Each connection takes up to 64 memory regions", JudgeRegions);
}

Check DevRdAtom() {
  Check check = Limit(
      "dev.rd-atom", "The device has enough RDMA reads at once",
      "An SMB server fetches what clients write by RDMA reads: with few at once writing is slow, with none "
      "it is impossible",
      JudgeReads);
  check.rule = Rule<PortView>{ReadsNotApplicable, JudgeReads};
  return check;
}

Check IwIrdOrd() {
  Check check =
      Limit("iw.ird-ord", "The iWARP device has enough RDMA reads at once (IRD, ORD)",
            "iWARP peers tell each other their read depths when they connect: a 0 ends the connection, and a "
            "small one makes writing to a server slow",
            JudgeIrdOrd);
  check.rule = Rule<PortView>{IwarpNotApplicable, JudgeIrdOrd};
  return check;
}

}  // namespace rdmaready
