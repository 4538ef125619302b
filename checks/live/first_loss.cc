// SPDX-License-Identifier: Apache-2.0
#include "checks/live/first_loss.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "checks/counted/error_counters.h"
#include "checks/live/loss_signs.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

struct DirectionEnd {
  const EndCounters& counters;
  const std::string& netdev;  // its first Ethernet port; empty: not known
};

// One direction of the transfer.
struct Direction {
  DirectionEnd from;
  DirectionEnd to;
  bool has_requests = true;   // it leads from an initiator to its responder
  bool has_responses = true;  // and the other way

  std::string Text() const { return Cat("on the way ", from.counters.host, " -> ", to.counters.host); }
};

bool IsRoce(const TransferResult& result) { return result.transport.starts_with("roce"); }

// A drop that may be of any class.
bool HasNoPriority(const NicChange& one) { return !one.priority; }

// The priority, other than RDMA's, in which this end received most of the packets; nothing where RDMA's has
// most, or that is not known.
std::optional<std::uint32_t> WrongPriority(const EndCounters& end, const TransferPlace& place) {
  if (!end.packets || !place.rdma_priority || *place.rdma_priority >= kPriorities) return std::nullopt;
  const auto& received = end.packets->received;
  const auto most = std::ranges::max_element(received);
  const auto priority = static_cast<std::uint32_t>(most - received.begin());
  if (*most == 0 || priority == *place.rdma_priority) return std::nullopt;
  return priority;
}

// Words for people and for a shell: the names come from agents.
std::string NicText(const DirectionEnd& end, const std::string& netdev = {}) {
  const std::string& named = netdev.empty() ? end.netdev : netdev;
  return Printable(Cat(end.counters.host, "'s NIC", named.empty() ? "" : " ", named));
}
std::string NicWord(const DirectionEnd& end, const std::string& netdev = {}) {
  const std::string& named = netdev.empty() ? end.netdev : netdev;
  return named.empty() ? "NETDEV" : ShellWord(named);
}
std::string OnHostOf(const DirectionEnd& end) { return Printable(Cat("run it on ", end.counters.host)); }
std::string PlanOf(const DirectionEnd& end) { return Cat("rdmaready plan ", ShellWord(end.counters.host)); }

std::string LossText(const std::string& where, const Direction& way, const LossGrowth& growth) {
  return Printable(Cat("first lost ", where, ", ", way.Text(), ": ", growth.text));
}

// A NIC drops the frames that wait when its link goes down, and some count them as kDropSent.
bool LostLink(const EndCounters& end, const std::string& netdev) {
  const auto of_port = [&](const NicChange& one) { return netdev.empty() || one.netdev == netdev; };
  return !!GrownIf(end, {NicCounter::kLinkDown}, of_port) || !!Grown(end, LossSign::kLinkDown);
}

// A counter of RDMA's priority, or of a priority that is not known.
bool MayBeOfClass(const NicChange& one, const TransferPlace& place) {
  return !one.priority || !place.rdma_priority || one.priority == place.rdma_priority;
}

// Pauses of RDMA's priority, else of the whole link where the NIC counts none of a priority.
LossGrowth Paused(const EndCounters& end, const TransferPlace& place, NicCounter of_class, NicCounter of_link,
                  const std::string& netdev) {
  const auto wanted = [&](const NicChange& one) {
    return (netdev.empty() || one.netdev == netdev) && MayBeOfClass(one, place);
  };
  return GrownIf(end, {Counts(end, {of_class}, wanted) ? of_class : of_link}, wanted);
}

Fix FixOfLostLink(const Direction& way, const std::string& netdev) {
  return Fix(Cat("ethtool ", NicWord(way.from, netdev)))
      .Caution(OnHostOf(way.from))
      .Because("its link went down, and the NIC dropped the frames that waited")
      .Do(Cat("find why the link of ", NicText(way.from, netdev),
              " went down: its cable, its transceiver, or its switch port"),
          StepSite::kPort)
      .Or("where a person took the link down: test again");
}

Fix FixOfLongPause(const Direction& way, const std::string& netdev, const LossGrowth& pausing) {
  if (!pausing) {
    return Fix(Cat("ethtool -S ", NicWord(way.from, netdev)))
        .Caution(OnHostOf(way.from))
        .Because("the network paused it for so long that it dropped frames")
        .Do("find the receiver that pauses most, by the counters of the switch ports", StepSite::kSwitch);
  }
  return Fix(Cat("ethtool --get-tunable ", NicWord(way.to, pausing.netdev), " pfc-prevention-tout"))
      .Caution(OnHostOf(way.to))
      .Because(Cat(NicText(way.to, pausing.netdev), " paused for so long that ", NicText(way.from, netdev),
                   " dropped frames"))
      .Do("find the program there that does not take its data, and look at pcie.bandwidth")
      .Or("0 means no limit: let the NIC end a storm of its pauses, as pfc.storm-prevention says");
}

// Linux does not set how long a frame may wait in a NIC. The NIC that makes it wait may have a limit of its
// pauses.
Fix FixOfSender(const Direction& way, const TransferPlace& place, const std::string& netdev) {
  const EndCounters& from = way.from.counters;
  if (LostLink(from, netdev)) return FixOfLostLink(way, netdev);
  if (!!Paused(from, place, NicCounter::kPauseReceived, NicCounter::kGlobalPauseReceived, netdev))
    return FixOfLongPause(
        way, netdev, Paused(way.to.counters, place, NicCounter::kPauseSent, NicCounter::kGlobalPauseSent, {}));
  const auto any = [](const NicChange&) { return true; };
  const bool counts = Counts(from, {NicCounter::kLinkDown}, any) &&
                      Counts(from, {NicCounter::kPauseReceived, NicCounter::kGlobalPauseReceived}, any);
  return Fix(Cat("ethtool -S ", NicWord(way.from, netdev)))
      .Caution(OnHostOf(way.from))
      .Do(counts
              ? "no pause and no lost link was counted: update firmware and driver of the NIC, and report it "
                "to the vendor"
              : "find the counter of frames that are dropped before they are sent: its link was down, or it "
                "was kept paused");
}

FirstLoss InSender(const Direction& way, const TransferPlace& place, const LossGrowth& growth) {
  const bool down = LostLink(way.from.counters, growth.netdev);
  const std::string where = Cat("in ", NicText(way.from, growth.netdev), down ? ", whose link went down" : "");
  return {.hop = Hop::kSenderNic,
          .text = LossText(where, way, growth),
          .fix = FixOfSender(way, place, growth.netdev)};
}

FirstLoss OnWire(const Direction& way, const LossGrowth& growth) {
  return {.hop = Hop::kWire,
          .text = LossText(Cat("on the wire to ", NicText(way.to, growth.netdev)), way, growth),
          .fix = Fix(Cat("ethtool -m ", NicWord(way.to, growth.netdev)))
                     .Caution(OnHostOf(way.to))
                     .Do(Cat("change the cable or the transceiver between ", NicText(way.to, growth.netdev),
                             " and its switch port"),
                         StepSite::kPort)};
}

Fix FixOfClass(const Direction& way, const TransferPlace& place, const std::string& netdev,
               std::uint32_t wrong) {
  return Fix(Cat("dcb app show dev ", NicWord(way.to, netdev)))
      .Caution(OnHostOf(way.to))
      .Do(Cat(
          "the frames came in priority ", wrong, " and not in ", *place.rdma_priority,
          ": find which of the sender's mark, the switch's map and this map is wrong (tx.effective-class)"));
}

// The receiver's buffer of the lossless priority ran over. Its own pauses say which setting lets it.
Fix FixOfBuffer(const Direction& way, std::uint32_t priority, const std::string& netdev) {
  const auto of_port = [&](const NicChange& one) {
    return one.priority == priority && (netdev.empty() || one.netdev == netdev);
  };
  const EndCounters& end = way.to.counters;
  const std::string nic = NicWord(way.to, netdev);
  if (!!GrownIf(end, {NicCounter::kPauseSent}, of_port)) {
    return Fix(Cat("dcb buffer show dev ", nic))
        .Caution(OnHostOf(way.to))
        .Do(Cat("the NIC paused priority ", priority, " and lost frames all the same: enable PFC of priority ",
                priority, " on its switch port"),
            StepSite::kSwitch)
        .Or("where the switch port has it: give the NIC's buffer more headroom for the length of the cable");
  }
  const bool counts = Counts(end, {NicCounter::kPauseSent}, of_port);
  return Fix(Cat("dcb pfc show dev ", nic))
      .Caution(OnHostOf(way.to))
      .Because(counts ? Cat("the NIC sent no pause of priority ", priority)
                      : Cat("PFC of priority ", priority, " is off: the NIC counts no pause of it"),
               counts ? Certainty::kLikely : Certainty::kPossible)
      .Do(Cat("enable PFC of priority ", priority, ": ", PlanOf(way.to), " says how"));
}

Fix FixOfDrops(const Direction& way, const std::string& netdev) {
  return Fix(Cat("ethtool -S ", NicWord(way.to, netdev)))
      .Caution(OnHostOf(way.to))
      .Do("the host takes frames slower than they come: a pause or congestion control has to slow the sender "
          "down");
}

// One lost frame makes an end miss what is under way behind it on its queue pair, and no more than that.
constexpr std::uint64_t kMostMissedByOneDrop = 1000;

// Frames of RDMA's priority; frames of a priority in which the transfer came by mistake; or of nobody knows
// which, unless more packets were missed than so few drops explain.
std::optional<FirstLoss> InReceiver(const Direction& way, const TransferPlace& place, std::uint64_t missed) {
  const EndCounters& end = way.to.counters;
  const auto loss = [&](const LossGrowth& growth, Fix fix) {
    return FirstLoss{.hop = Hop::kReceiverNic,
                     .text = LossText(Cat("in ", NicText(way.to, growth.netdev)), way, growth),
                     .fix = std::move(fix)};
  };
  const auto drops = {NicCounter::kDropReceived};
  if (place.rdma_priority) {
    const std::uint32_t own = *place.rdma_priority;
    const LossGrowth in_class =
        GrownIf(end, drops, [own](const NicChange& one) { return one.priority == own; });
    if (!!in_class)
      return loss(in_class,
                  place.lossless ? FixOfBuffer(way, own, in_class.netdev) : FixOfDrops(way, in_class.netdev));
    if (const std::optional<std::uint32_t> wrong = WrongPriority(end, place)) {
      const LossGrowth there = GrownIf(end, drops, [&](const NicChange& one) { return one.priority == wrong; });
      if (!!there) return loss(there, FixOfClass(way, place, there.netdev, *wrong));
    }
  }
  const LossGrowth any = Joined(GrownIf(end, drops, HasNoPriority), Grown(end, LossSign::kDroppedByReceiver));
  if (!any || any.total < missed / kMostMissedByOneDrop) return std::nullopt;
  return loss(any, FixOfDrops(way, any.netdev));
}

std::optional<FirstLoss> AtQueue(const Direction& way) {
  const LossGrowth growth =
      Joined(Grown(way.to.counters, LossSign::kNoBuffer), Grown(way.from.counters, LossSign::kRefusedNoBuffer));
  if (!growth) return std::nullopt;
  return FirstLoss{
      .hop = Hop::kReceiverQueue,
      .text = LossText(Printable(Cat("at a queue pair of ", way.to.counters.host)), way, growth),
      .fix = Fix("rdma statistic show")
                 .Caution(OnHostOf(way.to))
                 .Do("look for a receiving program that is too slow: a busy CPU, or too few posted receives")};
}

// Frames that the NIC dropped before the wire, of RDMA's priority or of a priority that is not known.
LossGrowth Unsent(const EndCounters& end, const TransferPlace& place) {
  return GrownIf(end, {NicCounter::kDropSent}, [&](const NicChange& one) { return MayBeOfClass(one, place); });
}

// Looks at counters that name the place. `missed`: packets that somebody missed on the way.
std::optional<FirstLoss> At(const Direction& way, const TransferPlace& place, std::uint64_t missed) {
  const LossGrowth unsent = Unsent(way.from.counters, place);
  if (const LossGrowth of_rdma = Grown(way.from.counters, LossSign::kDroppedBySender); !!of_rdma)
    return InSender(way, place, Joined(unsent, of_rdma));
  const LossGrowth damaged =
      Joined(Grown(way.to.counters, {NicCounter::kCrcErrors, NicCounter::kFecUncorrectableBlocks}),
             Grown(way.to.counters, LossSign::kDamaged));
  const LossGrowth dropped = Grown(way.to.counters, {NicCounter::kDropReceived});
  std::optional<FirstLoss> in_nic = InReceiver(way, place, missed);
  // A few frames that were not sent, or were damaged, are not the cause beside thousands of drops.
  if (!!unsent && (!in_nic || unsent.total >= dropped.total)) return InSender(way, place, unsent);
  if (!!damaged && (!in_nic || damaged.total >= dropped.total)) return OnWire(way, damaged);
  return in_nic;
}

// Packets that somebody missed in this direction.
LossGrowth Missed(const Direction& way) {
  LossGrowth missed;
  if (way.has_requests)
    missed = Joined(Grown(way.to.counters, LossSign::kMissedRequest),
                    Grown(way.from.counters, LossSign::kRefusedRequest));
  if (way.has_responses) missed = Joined(std::move(missed), Grown(way.to.counters, LossSign::kMissedResponse));
  return missed;
}

// The sender's NIC says whether the switch asked it to wait.
Fix FixOfSwitch(const Direction& way, const TransferPlace& place) {
  Fix fix = Fix(Cat("ethtool -S ", NicWord(way.from))).Caution(OnHostOf(way.from));
  const EndCounters& end = way.from.counters;
  const auto of_class = [&](const NicChange& one) { return one.priority == place.rdma_priority; };
  if (place.lossless && place.rdma_priority && Counts(end, {NicCounter::kPauseReceived}, of_class)) {
    const std::uint32_t priority = *place.rdma_priority;
    const bool paused = !!GrownIf(end, {NicCounter::kPauseReceived}, of_class);
    fix = std::move(fix).Do(
        paused ? Cat("the switch paused priority ", priority,
                     " and lost frames all the same: give that class more headroom on the switch port of ",
                     NicText(way.from))
               : Cat("the switch never paused priority ", priority, ": enable PFC of priority ", priority,
                     " on the switch port of ", NicText(way.from), ", and look how that port maps DSCP"),
        StepSite::kSwitch);
  }
  fix = std::move(fix).Do(Printable(Cat("look for drops at the switch ports between ", way.from.counters.host,
                                        " and ", way.to.counters.host)),
                          StepSite::kSwitch);
  if (Counts(end, {NicCounter::kDropSent}, [](const NicChange&) { return true; })) return fix;
  return std::move(fix).Or(
      "where the sender's NIC counts frames that it dropped before it sent them: look at its link and its "
      "pauses");
}

FirstLoss Elsewhere(const Direction& way, const TransferPlace& place, const LossGrowth& missed) {
  std::string why;
  if (place.software) why = "a software device may drop packets itself, and does not count them";
  const bool counted =
      Counts(way.to.counters, {NicCounter::kDropReceived}, [](const NicChange&) { return true; });
  if (why.empty() && !counted) why = NicText(way.to) + " does not count the frames that it drops";
  if (!why.empty()) {
    return {.hop = Hop::kNotKnown,
            .text = Printable(Cat("lost ", way.Text(), ": ", missed.text, "; where is not known: ", why)),
            .fix = FixOfSwitch(way, place)};
  }
  return {.hop = Hop::kBetween,
          .text = LossText(Cat("between ", NicText(way.from), " and ", NicText(way.to)), way, missed),
          .fix = FixOfSwitch(way, place)};
}

// The payload's way first.
std::array<Direction, 2> DirectionsOf(const TransferResult& result, const TransferPlace& place,
                                      std::span<const EndCounters> ends) {
  const DirectionEnd initiator{ends[0], place.ethernet};
  const DirectionEnd responder{ends[1], place.peer_ethernet};
  const Direction there{initiator, responder, true, result.bidirectional};
  const Direction back{responder, initiator, result.bidirectional, true};
  if (result.operation == Operation::kRead) return {back, there};
  return {there, back};
}

// Not a frame that waited while the link was down.
bool IsOfNic(const EndCounters& end, const NicChange& one) {
  return one.counter != NicCounter::kDropSent || !LostLink(end, one.netdev);
}

bool AnyDropped(const TransferResult& result, const TransferPlace& place, std::span<const EndCounters> ends,
                const auto& wanted) {
  if (!IsRoce(result) || !place.lossless || !place.rdma_priority) return false;
  return std::ranges::any_of(ends, [&](const EndCounters& end) {
    return !!GrownIf(end, {NicCounter::kDropReceived, NicCounter::kDropSent},
                     [&](const NicChange& one) { return IsOfNic(end, one) && wanted(one); });
  });
}

std::optional<ControlFault> FaultAt(const DirectionEnd& end, const TransferPlace& place) {
  const EndCounters& counters = end.counters;
  const LossGrowth storm = Grown(counters, {NicCounter::kPauseStormWarning, NicCounter::kPauseStormError});
  if (!!storm) {
    const std::string nic = NicText(end, storm.netdev);
    return ControlFault{
        .text = Printable(Cat(nic, " paused its partner for too long: ", storm.text)),
        .fix = Fix(Cat("ethtool -S ", NicWord(end, storm.netdev)))
                   .Caution(OnHostOf(end))
                   .Because("the host takes nothing: its CPU, its PCIe link, or the program that receives")
                   .Do("find the program that does not take its data, and look at pcie.bandwidth")};
  }
  // Some drivers count frames of PFC among those of the whole link.
  const LossGrowth global = Grown(counters, {NicCounter::kGlobalPauseReceived, NicCounter::kGlobalPauseSent});
  const LossGrowth of_priorities = Grown(counters, {NicCounter::kPauseReceived, NicCounter::kPauseSent});
  if (place.lossless && place.rdma_priority && !!global && !of_priorities) {
    return ControlFault{
        .text = Printable(Cat("the whole link of ", NicText(end, global.netdev), " was paused: ", global.text)),
        .fix = Fix(PlanOf(end))
                   .Because("pause of the whole link stops every class, and a switch with PFC does not obey it")
                   .Do("switch it off as the plan says, and at the switch port as well", StepSite::kSwitch)
                   .CheckBy(Cat("ethtool -a ", NicWord(end, global.netdev)))};
  }
  const LossGrowth marked = Grown(counters, LossSign::kMarked);
  const bool counts_notices =
      counters.changes && std::ranges::any_of(*counters.changes, [](const CounterChange& one) {
        return IsComparable(one) && Shows(one.name, LossSign::kNotified);
      });
  if (!marked || !counts_notices || !!Grown(counters, LossSign::kNotified)) return std::nullopt;
  return ControlFault{
      .text = Printable(Cat("frames reached ", NicText(end),
                            " with a congestion mark, and it sent no notification: ", marked.text)),
      .fix = Fix("rdmaready explain ecn.np")
                 .Do(Printable(Cat("switch the notification point on at ", counters.host,
                                   ", as ecn.np says for its driver")))};
}

}  // namespace

bool LostInClass(const TransferResult& result, const TransferPlace& place, std::span<const EndCounters> ends) {
  return AnyDropped(result, place, ends,
                    [&](const NicChange& one) { return one.priority == place.rdma_priority; });
}

bool LostPerhapsInClass(const TransferResult& result, const TransferPlace& place,
                        std::span<const EndCounters> ends) {
  return AnyDropped(result, place, ends, HasNoPriority);
}

bool DroppedUnsent(const EndCounters& end) {
  return !!GrownIf(end, {NicCounter::kDropSent}, [&](const NicChange& one) { return IsOfNic(end, one); });
}

std::optional<FirstLoss> FindFirstLoss(const TransferResult& result, const TransferPlace& place,
                                       std::span<const EndCounters> ends) {
  if (ends.size() != 2 || result.transport == "iwarp") return std::nullopt;
  const std::array<Direction, 2> ways = DirectionsOf(result, place, ends);
  for (const Direction& way : ways) {
    const LossGrowth missed = Missed(way);
    if (!missed) continue;
    if (std::optional<FirstLoss> loss = At(way, place, missed.total)) return loss;
    return Elsewhere(way, place, missed);
  }
  for (const Direction& way : ways)
    if (std::optional<FirstLoss> loss = AtQueue(way)) return loss;
  // Sent again after a timeout, or a drop that the transfer did not notice.
  if (!ShowRetries(ends) && !LostInClass(result, place, ends) && !LostPerhapsInClass(result, place, ends))
    return std::nullopt;
  for (const Direction& way : ways)
    if (std::optional<FirstLoss> loss = At(way, place, 0)) return loss;
  return std::nullopt;  // which way lost it is not counted
}

std::optional<ControlFault> FindControlFault(const TransferResult& result, const TransferPlace& place,
                                             std::span<const EndCounters> ends) {
  if (ends.size() != 2 || !IsRoce(result)) return std::nullopt;
  for (const Direction& way : DirectionsOf(result, place, ends))
    if (std::optional<ControlFault> fault = FaultAt(way.to, place)) return fault;
  return std::nullopt;
}

}  // namespace rdmaready
