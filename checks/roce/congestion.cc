// SPDX-License-Identifier: Apache-2.0
// ecn.*: does the NIC answer marks, slow down for answers, and let switches mark.
#include "checks/roce/congestion.h"

#include <algorithm>
#include <array>

#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/placeholders.h"
#include "checks/roce/own_marks.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNotTold = "the driver does not say";

std::string NoCongestion(const Port& port) {
  if (std::string reason = NotRoce(port); !reason.empty()) return reason;
  return IsSoftware(port) ? "a software device has no congestion control" : "";
}

// MLNX_OFED has a tree for each Ethernet port. Where several share the RDMA device, the values of the others
// are parameters by "NETDEV/NAME" (collectors/nic/congestion.h).
constexpr std::string_view kTree = "/ecn";
constexpr std::string_view kNetFolder = "/sys/class/net/";

std::optional<std::uint8_t> MemberValue(const CongestionControl& control, const std::string& name) {
  const auto found = std::ranges::find(control.parameters, name, &CongestionParameter::name);
  if (found == control.parameters.end() || found->value > UINT8_MAX) return std::nullopt;
  return static_cast<std::uint8_t>(found->value);
}

std::string SourceOf(const Fact<CongestionControl>& control) {
  return control && !control->source.empty() ? control->source : "congestion control";
}

// One value, or why there is none.
template <class T>
Fact<T> Told(const Fact<CongestionControl>& control, std::optional<T> CongestionControl::*part) {
  if (!control) return control.missing();
  const std::optional<T>& value = *control.*part;
  if (value) return *value;
  return Missing{.kind = Missing::Kind::kUnsupported, .detail = std::string(kNotTold)};
}

// One number of the driver's, by its name in each of the places where it may have been read.
struct CongestionSwitch {
  std::string ofed;       // below ecn, of MLNX_OFED
  std::string_view mlx5;  // below cc_params, of the kernel's driver; empty: it has none
  std::string_view bnxt;  // below cc, of Broadcom's driver
};

bool IsBroadcom(std::string_view source) { return source.starts_with("/sys/kernel/config/bnxt_re/"); }

// Broadcom's takes hexadecimal numbers, and none of them before it is told to apply them.
std::string BroadcomWrite(const std::string& folder, std::string_view file, unsigned value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::string high = value < 16 ? "" : std::string(1, kDigits[value / 16 % 16]);
  return Cat("echo -n 0x", high, kDigits.substr(value % 16, 1), " > ", folder, "/", file, "; ");
}

// Only of what was read: where, that is the source. `before` is written first.
Fix SwitchFix(const std::string& source, const CongestionSwitch& file, unsigned value,
              const std::string& before = "") {
  const std::string folder = ShellWord(source);
  constexpr std::string_view kCause = "the driver's default, or what somebody set by hand, is another";
  if (IsBroadcom(source)) {
    return Fix(Cat(before, BroadcomWrite(folder, file.bnxt, value), "echo -n 0x1 > ", folder, "/apply"))
        .Because(kCause)
        .Do("write it at each boot too: a unit keeps it")
        .CheckBy(Cat("cat ", folder, "/", file.bnxt));
  }
  const std::string_view name = source.ends_with("/cc_params") ? file.mlx5 : std::string_view(file.ofed);
  const std::string path = Cat(folder, "/", name);
  return Fix(Cat("echo ", value, " > ", path))
      .Because(kCause)
      .Do("write it at each boot too: a unit keeps it")
      .CheckBy(Cat("cat ", path));
}

std::string LoopNotApplicable(const Port& port, const Profile& profile) {
  if (std::string reason = NoCongestion(port); !reason.empty()) return reason;
  if (!profile.rdma_priority) return NotAsked(profile, "a priority");
  return profile.ecn || profile.cnp ? "" : NotAsked(profile, "ECN");
}

std::string PrioritiesText(std::uint8_t bitmap) {
  const std::vector<std::uint8_t> list = PrioritiesOf(bitmap);
  if (list.empty()) return "on no priority";
  return Cat(list.size() == 1 ? "on priority " : "on priorities ", ListText(list));
}

// One end of the loop: NP answers a mark with a notification, RP slows down for one.
struct LoopEnd {
  std::optional<std::uint8_t> CongestionControl::*priorities;
  std::string_view verb;  // "answers marks"
  std::string_view side;  // of the vendor's files
};
constexpr LoopEnd kNotifies{&CongestionControl::notifies, "answers marks ", "roce_np"};
constexpr LoopEnd kSlowsDown{&CongestionControl::slows_down, "slows down ", "roce_rp"};

Verdict JudgeLoopEnd(const EthernetView& view, const LoopEnd& end) {
  if (std::string reason = LoopNotApplicable(view.port, view.profile); !reason.empty())
    return NotApplicable(reason);
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("on priority ", priority);
  const Fact<CongestionControl> control = CongestionOf(view);
  const std::string source = SourceOf(control);
  const Fact<std::uint8_t> bitmap = Told(control, end.priorities);
  if (NotOffered(bitmap)) return NotApplicable(bitmap.missing().detail);
  if (!bitmap) return NoAnswer(bitmap.missing(), expected, source);
  const bool on = (static_cast<unsigned>(*bitmap) >> priority & 1U) != 0;
  // One switch of Broadcom's is for both ends, and for the traffic of one priority.
  const std::string moved =
      IsBroadcom(source) ? BroadcomWrite(ShellWord(source), "roce_prio", priority) : std::string();
  const CongestionSwitch enable{Cat(end.side, "/enable/", priority), "", "ecn_enable"};
  return Judged(on, Cat(end.verb, PrioritiesText(*bitmap)), expected, source,
                SwitchFix(source, enable, 1, moved));
}

Verdict JudgeEcnNp(const EthernetView& view) { return JudgeLoopEnd(view, kNotifies); }

Verdict JudgeEcnRp(const EthernetView& view) {
  Verdict verdict = JudgeLoopEnd(view, kSlowsDown);
  if (verdict.outcome == Outcome::kFail && IsBroadcom(verdict.source))
    return NotApplicable("one switch of the NIC is for both ends: see ecn.np");
  return verdict;
}

Verdict JudgeEcnCnpDscp(const EthernetView& view) {
  if (std::string reason = NoCongestion(view.port); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.cnp) return NotApplicable(NotAsked(view.profile, "congestion notifications"));
  const unsigned wanted = view.profile.cnp->dscp;
  const std::string expected = Cat("DSCP ", wanted);
  const Fact<CongestionControl> control = CongestionOf(view);
  const Fact<std::uint8_t> now = Told(control, &CongestionControl::cnp_dscp);
  if (NotOffered(now)) return NotApplicable(now.missing().detail);
  if (!now) return NoAnswer(now.missing(), expected, SourceOf(control));
  return Judged(*now == wanted, Cat("notifications with DSCP ", *now), expected, SourceOf(control),
                SwitchFix(SourceOf(control), {"roce_np/cnp_dscp", "np_cnp_dscp", "cnp_dscp"}, wanted));
}

std::string CnpPriorityNotApplicable(const EthernetView& view, const Fact<std::uint8_t>& now) {
  if (std::string reason = NoCongestion(view.port); !reason.empty()) return reason;
  const bool named = view.profile.cnp && view.profile.cnp->priority;
  if (!named && !kDemandsLossless.made_by(view.profile))
    return NotAsked(view.profile, "a lossless priority or one of congestion notifications");
  return NotOffered(now) ? now.missing().detail : std::string();
}

// Not a paused one; the highest is what they are given by custom.
unsigned FreePriority(const Profile& profile, unsigned paused) {
  if (profile.cnp && profile.cnp->priority) return *profile.cnp->priority;
  unsigned priority = 6;
  while (priority > 0 && (paused >> priority & 1U) != 0) --priority;
  return priority;
}

// A notification that is paused waits behind what it is to slow down; elsewhere it is only unplanned.
Verdict JudgeEcnCnpPrio(const EthernetView& view) {
  const Fact<CongestionControl> control = CongestionOf(view);
  const Fact<std::uint8_t> now = Told(control, &CongestionControl::cnp_priority);
  if (std::string reason = CnpPriorityNotApplicable(view, now); !reason.empty()) return NotApplicable(reason);
  const unsigned paused = view.profile.pfc ? BitmapOf(*view.profile.pfc) : 0U;
  const unsigned wanted = FreePriority(view.profile, paused);
  const bool named = view.profile.cnp && view.profile.cnp->priority;
  const std::string expected = named ? Cat("priority ", wanted) : std::string("one that is not paused");
  const std::string source = SourceOf(control);
  if (!now) return NoAnswer(now.missing(), expected, source);
  const std::string observed = Cat("notifications in priority ", *now);
  const Fix fix = SwitchFix(source, {"roce_np/cnp_802p_prio", "np_cnp_prio", "cnp_prio"}, wanted);
  const unsigned priority = *now;
  if (priority < kPriorities && (paused >> priority & 1U) != 0)
    return Judged(false, observed + ", which is paused", expected, source, fix);
  if (named && priority != wanted) return Warned(observed, expected, source, fix);
  return Judged(true, observed, expected, source);
}

// The two low bits of the ToS: 0 forbids a switch to mark the packet, 1 and 2 allow it, 3 is a mark.
constexpr std::string_view kEctWanted = "ECT(0) or ECT(1)";
constexpr std::array<std::string_view, 4> kEctMeaning{"Not-ECT, switches drop instead of marking", "ECT(1)",
                                                      "ECT(0)", "CE, marked from the start"};

bool MayBeMarked(std::uint8_t tos) { return (tos & 3U) == 1 || (tos & 3U) == 2; }

// Where each consumer marks its own traffic, RDMA-CM's default says nothing of it.
Verdict JudgeOwnEct(const PortView& view) {
  const unsigned wanted = *WantedTos(view.profile);
  const Fact<std::vector<OwnMark>> marks = OwnMarksOf(view, wanted);
  if (!marks) return NoAnswer(marks.missing(), kEctWanted, kOwnMarksSource);
  const auto wrong = std::ranges::find_if(*marks, [](const OwnMark& mark) { return !MayBeMarked(mark.tos); });
  const OwnMark& shown = wrong == marks->end() ? marks->front() : *wrong;
  const std::string show = Cat("grep -n NCCL_IB_TC ", ShellWord(shown.file));
  return Judged(
      wrong == marks->end(), Cat(shown.text, ": ", kEctMeaning.at(shown.tos & 3U)), kEctWanted, kOwnMarksSource,
      shown.file.empty() ? Fix() : Fix(show).Do(Cat("write NCCL_IB_TC=", wanted, " there")).CheckBy(show));
}

// Broadcom's own driver has a switch for it.
Verdict JudgeEctOfNic(const PortView& view) {
  const std::optional<std::uint8_t> bits = EctOfNic(view.port);
  if (!bits)
    return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "no ecn_marking beside roce_dscp"}, kEctWanted,
                    SourceOf(view.port.congestion));
  const std::string source = SourceOf(view.port.congestion);
  return Judged(MayBeMarked(*bits), Cat("the NIC's own mark: ", kEctMeaning.at(*bits)), kEctWanted, source,
                SwitchFix(source, {"", "", "ecn_marking"}, 1));
}

Verdict JudgeEcnEctSet(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.ecn) return NotApplicable(NotAsked(view.profile, "marking by switches (ecn)"));
  if (!WantedTos(view.profile)) return NotApplicable(NotAsked(view.profile, "a mark of RDMA's own"));
  const Fact<std::uint64_t> of_nic = DscpOfNic(view.port);
  if (of_nic) return JudgeEctOfNic(view);
  if (!NotOffered(of_nic)) return NoAnswer(of_nic.missing(), kEctWanted, "congestion control");
  const Fact<std::string> by_driver = EctOfDriver(view.host, view.port);
  if (!by_driver) return NoAnswer(by_driver.missing(), kEctWanted, "netlink link, PCI bus");
  if (!by_driver->empty()) return NotApplicable(*by_driver);
  if (view.profile.marking == Profile::Marking::kConsumers) return JudgeOwnEct(view);
  if (view.profile.tos)
    return NotApplicable(Cat("profile ", view.profile.name, " names the whole ToS: see roce.tos"));
  constexpr std::string_view kSource = "configfs rdma_cm";
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos) return NoAnswer(tos.missing(), kEctWanted, kSource);
  const unsigned better = *WantedTos(view.profile);
  const std::string device = ShellWord(view.port.device);
  return Judged(
      MayBeMarked(*tos), Cat("RDMA-CM default ToS ", *tos, ": ", kEctMeaning.at(*tos & 3U)), kEctWanted,
      kSource,
      Fix(Cat("mkdir -p /sys/kernel/config/rdma_cm/", device, " && echo ", better,
              " > /sys/kernel/config/rdma_cm/", device, "/ports/", view.port.number, "/default_roce_tos"))
          .Because("the ToS was set without the bits that allow marking")
          .Caution("connections that are open keep their ToS")
          .CheckBy(Cat("cat /sys/kernel/config/rdma_cm/", device, "/ports/", view.port.number,
                       "/default_roce_tos")));
}

Verdict JudgeEcnLoopClosed(const PortView& view) {
  if (std::string reason = NotCounted(view.port, {ErrorTopic::kEcnMarked, ErrorTopic::kCnpIgnored});
      !reason.empty())
    return NotApplicable(reason);
  constexpr std::string_view kSource = "sysfs hw_counters, two readings";
  constexpr std::string_view kExpected = "marks are answered by notifications, and none of those is ignored";
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kExpected, kSource);
  const auto grown = [&all](ErrorTopic topic) { return TotalGrowth(ChangesAbout(*all, topic)); };
  const std::uint64_t marked = grown(ErrorTopic::kEcnMarked);
  const std::uint64_t sent = grown(ErrorTopic::kCnpSent);
  const std::uint64_t handled = grown(ErrorTopic::kCnpHandled);
  const std::uint64_t ignored = grown(ErrorTopic::kCnpIgnored);
  const std::string observed = Cat(marked, " packets marked, ", sent, " notifications sent, ", handled,
                                   " received and handled, ", ignored, " ignored", InWindow(view.port));
  if (ignored > 0 && (marked == 0 || sent > 0)) return Warned(observed, kExpected, kSource);
  return Judged(marked == 0 || sent > 0, observed, kExpected, kSource);
}

// ---- ecn.firmware-mask ----

std::uint64_t SumAbout(const std::vector<Counter>& counters, ErrorTopic topic) {
  std::uint64_t sum = 0;
  for (const Counter& one : counters) {
    if (IsAbout(one.name, CounterFamily::kHardware, topic)) sum += one.value;
  }
  return sum;
}

bool CountsAbout(const std::vector<Counter>& counters, ErrorTopic topic) {
  return std::ranges::any_of(
      counters, [topic](const Counter& one) { return IsAbout(one.name, CounterFamily::kHardware, topic); });
}

std::string MaskNotApplicable(const PortView& view) {
  if (std::string reason = LoopNotApplicable(view.port, view.profile); !reason.empty()) return reason;
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (NotOffered(counters)) return counters.missing().detail;
  const bool counted = !counters || (CountsAbout(*counters, ErrorTopic::kEcnMarked) &&
                                     CountsAbout(*counters, ErrorTopic::kCnpSent));
  return counted ? "" : "the driver does not count marks and notifications";
}

Fix MaskFix(const Port& port) {
  if (!port.pci || port.pci->vendor_id != 0x15b3 || port.pci->address.empty()) return {};
  const std::string address = ShellWord(port.pci->address);
  return Fix(Cat("mlxconfig -d ", address, " set ROCE_CC_PRIO_MASK_P1=255"))
      .Because("the mask of priorities in the firmware leaves RDMA's out")
      .Caution("it holds from the next reset of the NIC on: its links drop")
      .Do("set ROCE_CC_PRIO_MASK_P2 too, where the NIC has a second port")
      .Run(Cat("mlxfwreset -d ", address, " reset"))
      .CheckBy("rdma statistic show link {device}/{port}");
}

// A switch that is off explains it: then that switch has the finding. Empty: something remains.
std::string SwitchedOff(const PortView& view, bool silent, bool deaf) {
  const Fact<CongestionControl>& control = view.port.congestion;
  if (!control) return {};
  const unsigned priority = *view.profile.rdma_priority;
  const auto off = [priority](const std::optional<std::uint8_t>& bitmap) {
    return bitmap && (static_cast<unsigned>(*bitmap) >> priority & 1U) == 0;
  };
  const bool explains_silent = silent && off(control->notifies);
  const bool explains_deaf = deaf && off(control->slows_down);
  if (silent != explains_silent || deaf != explains_deaf) return {};
  return Cat("the driver's own switch is off: see ", explains_silent ? "ecn.np" : "ecn.rp");
}

// A few marks may be of the minutes after the boot, before the NIC was set.
constexpr std::uint64_t kFewADay = 10;
constexpr std::uint64_t kDayS = 86'400;

// Then ecn.loop-closed judges what was counted.
bool CountedInWatch(const Port& port) {
  if (!NotWatched(port).empty()) return false;
  const Fact<std::vector<CounterChange>> all = HardwareChanges(port);
  if (!all) return false;
  constexpr std::array<ErrorTopic, 4> kTopics{ErrorTopic::kEcnMarked, ErrorTopic::kCnpSent,
                                              ErrorTopic::kCnpHandled, ErrorTopic::kCnpIgnored};
  return std::ranges::any_of(kTopics,
                             [&all](ErrorTopic topic) { return TotalGrowth(ChangesAbout(*all, topic)) > 0; });
}

// Which priorities firmware answers and heeds (ROCE_CC_PRIO_MASK of mlxconfig) the kernel's mlx5 does not tell:
// a mask that leaves RDMA's out shows in what was counted since boot.
Verdict JudgeEcnFirmwareMask(const PortView& view) {
  if (std::string reason = MaskNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "sysfs hw_counters";
  constexpr std::string_view kExpected = "a notification for marks, and notifications heeded";
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (!counters) return NoAnswer(counters.missing(), kExpected, kSource);
  if (CountedInWatch(view.port)) return NotApplicable("counted while it was watched: see ecn.loop-closed");
  const std::uint64_t marked = SumAbout(*counters, ErrorTopic::kEcnMarked);
  const std::uint64_t sent = SumAbout(*counters, ErrorTopic::kCnpSent);
  const std::uint64_t handled = SumAbout(*counters, ErrorTopic::kCnpHandled);
  const std::uint64_t ignored = SumAbout(*counters, ErrorTopic::kCnpIgnored);
  const std::string observed = Cat("since boot: ", marked, " marked packets and ", sent,
                                   " notifications sent, ", handled, " heeded and ", ignored, " ignored");
  const bool silent = marked > 0 && sent == 0;
  const bool deaf = ignored > 0 && handled == 0;
  if (!silent && !deaf) return Judged(true, observed, kExpected, kSource);
  if (std::string reason = SwitchedOff(view, silent, deaf); !reason.empty()) return NotApplicable(reason);
  if (!view.host.uptime_s) return NoAnswer(view.host.uptime_s.missing(), kExpected, kSource);
  const std::uint64_t most = std::max(silent ? marked : 0, deaf ? ignored : 0);
  if (most * kDayS <= kFewADay * *view.host.uptime_s)
    return NotApplicable(Cat(observed, ": too few to tell; a run of --watch shows it by ecn.loop-closed"));
  return Judged(false, observed, kExpected, kSource, MaskFix(view.port));
}

}  // namespace

Fact<CongestionControl> CongestionOf(const EthernetView& view) {
  const Fact<CongestionControl>& control = view.port.congestion;
  if (!control || !view.netdev || !control->source.starts_with(kNetFolder)) return control;
  const std::string source = Cat(kNetFolder, view.netdev->name, kTree);
  if (control->source == source) return control;
  const std::string prefix = view.netdev->name + "/";
  const bool told = std::ranges::any_of(
      control->parameters, [&prefix](const CongestionParameter& one) { return one.name.starts_with(prefix); });
  if (!told)
    return Missing{.kind = Missing::Kind::kUnsupported,
                   .detail = Cat("the driver shows none of ", view.netdev->name)};
  return CongestionControl{.source = source,
                           .notifies = MemberValue(*control, prefix + "np_enable"),
                           .slows_down = MemberValue(*control, prefix + "rp_enable"),
                           .cnp_dscp = MemberValue(*control, prefix + "np_cnp_dscp"),
                           .cnp_priority = MemberValue(*control, prefix + "np_cnp_802p_prio")};
}

std::vector<Check> CongestionChecks() {
  return {
      {.id = "ecn.np",
       .title = "The NIC answers marked packets on the RDMA priority",
       .why = "Without an answer the sender never hears of congestion, and the queue grows until it pauses",
       .fix = Fix("echo 1 > /sys/class/net/{netdev}/ecn/roce_np/enable/{priority}")
                  .Because("the answer to marks is off for this priority")
                  .Caution("only the vendor's driver has this file"),
       .depends_on = {"inv.rdma-present", "inv.transport"},
       .judge = JudgeEcnNp},
      {.id = "ecn.rp",
       .title = "The NIC slows down for congestion notifications on the RDMA priority",
       .why = "A sender that hears and goes on as before leaves it all to pauses, which stop others too",
       .fix = Fix("echo 1 > /sys/class/net/{netdev}/ecn/roce_rp/enable/{priority}")
                  .Because("slowing down is off for this priority")
                  .Caution("only the vendor's driver has this file"),
       .depends_on = {"inv.rdma-present", "inv.transport"},
       .read_with = {"ecn.np"},
       .judge = JudgeEcnRp},
      {.id = "ecn.cnp-dscp",
       .title = "The NIC sends congestion notifications with the profile's DSCP",
       .why = "With another DSCP they go to another queue, and arrive after the congestion",
       .fix = Fix("echo 48 > /sys/class/net/{netdev}/ecn/roce_np/cnp_dscp")
                  .Because("the driver's default is another DSCP")
                  .Caution("only the vendor's driver has this file"),
       .blocks_for = &kDemandsCnp,
       .depends_on = {"inv.rdma-present", "inv.transport"},
       .read_with = {"ecn.np"},
       .judge = JudgeEcnCnpDscp},
      {.id = "ecn.cnp-prio",
       .title = "The NIC sends congestion notifications in a priority that is never paused",
       .why = "A notification that waits behind a pause arrives after the congestion it is to end",
       .fix = Fix("echo 6 > /sys/class/net/{netdev}/ecn/roce_np/cnp_802p_prio")
                  .Because("the driver's default is another priority")
                  .Caution("only the vendor's driver has this file"),
       .depends_on = {"inv.rdma-present", "inv.transport"},
       .read_with = {"ecn.np"},
       .judge = JudgeEcnCnpPrio},
      {.id = "ecn.ect-set",
       .title = "RDMA-CM's packets may be marked by switches",
       .why = "A switch drops what it must not mark: the same DSCP with ECN bits 0 never hears of congestion",
       .fix = Fix("mkdir -p /sys/kernel/config/rdma_cm/{device} && echo TOS > "
                  "/sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_tos")
                  .Because("the ToS was set without the bits that allow marking")
                  .Caution("TOS is four times the DSCP, and 2"),
       .depends_on = {"gid.default-mode", "roce.tos"},
       .judge = JudgeEcnEctSet},
      {.id = "ecn.firmware-mask",
       .title = "The NIC's firmware takes part in congestion control on RDMA's priority",
       .why = "Firmware has a mask of the priorities that it answers and heeds: without RDMA's, marks have no "
              "effect",
       .fix = Fix("mlxconfig -d PCI_ADDRESS set ROCE_CC_PRIO_MASK_P1=255")
                  .Because("the mask of priorities in the firmware leaves RDMA's out")
                  .Caution("PCI_ADDRESS: of the NIC; it holds from the next reset of the NIC on")
                  .Do("set ROCE_CC_PRIO_MASK_P2 of a second port too; other NICs by their vendor's tool"),
       .depends_on = {"inv.rdma-present", "inv.transport"},
       .judge = JudgeEcnFirmwareMask},
      {.id = "ecn.loop-closed",
       .title = "Marks of congestion are answered, and answers heeded",
       .why = "Where a mark does not slow its sender down, queues grow until PFC stops everybody",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("the congestion control of the NIC is off here, or at the senders")
                  .Do("switch it on for priority {priority}: notification point here, reaction point at the "
                      "senders")
                  .Or("where both are on, the firmware's mask leaves the priority out: ROCE_CC_PRIO_MASK_P1 of "
                      "mlxconfig, on NVIDIA's NICs")
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeEcnLoopClosed},
  };
}

}  // namespace rdmaready
