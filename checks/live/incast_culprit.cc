// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_culprit.h"

#include <algorithm>
#include <utility>

#include "checks/live/first_loss.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool CountsDrops(const StressFlow& flow) {
  return std::ranges::any_of(flow.counters, [](const EndCounters& end) {
    return end.nic &&
           std::ranges::find(*end.nic, NicCounter::kDropReceived, &NicChange::counter) != end.nic->end();
  });
}

// Ports and hosts of the flow, for the texts.
TransferPlace PlaceOf(const StressFlow& flow, const TransferPlace& place) {
  TransferPlace of_flow = place;
  of_flow.host = flow.from;
  of_flow.peer_host = flow.to;
  of_flow.ethernet = of_flow.netdev = flow.from_ethernet;
  of_flow.peer_ethernet = flow.to_ethernet;
  // Where a NIC below it counts its drops, the counters decide.
  of_flow.software = flow.software && !CountsDrops(flow);
  return of_flow;
}

// The growth of a NIC's counters of the class; nothing where the NIC does not count them.
std::optional<std::uint64_t> GrownInClass(const EndCounters& end, NicCounter counter, std::uint32_t priority) {
  std::optional<std::uint64_t> sum;
  if (!end.nic) return sum;
  for (const NicChange& one : *end.nic)
    if (one.counter == counter && one.priority == priority && one.change.kind != CounterChange::Kind::kUnknown)
      sum = sum.value_or(0) + std::min<std::uint64_t>(one.change.by, 1);
  return sum;
}

// The receiver stopped its switch port, and the switch stopped no sender: the frames are not in the class
// there.
bool NoSenderWasPaused(const IncastRun& run, std::uint32_t priority) {
  for (const StressFlow& flow : run.senders) {
    if (flow.counters.size() != 2) return false;
    if (GrownInClass(flow.counters[0], NicCounter::kPauseReceived, priority) != 0) return false;
  }
  return ReceiverAsksForPauses(run, priority);
}

IncastCulprit OfLoss(const IncastRun& run, const TransferPlace& place, FirstLoss loss) {
  IncastCulprit culprit{.text = std::move(loss.text), .fix = std::move(loss.fix)};
  if (loss.hop != Hop::kReceiverNic || !place.lossless || !place.rdma_priority) return culprit;
  if (!NoSenderWasPaused(run, *place.rdma_priority)) return culprit;
  culprit.text +=
      Cat("; no sender was paused: the switch may not have the frames in priority ", *place.rdma_priority);
  culprit.fix = std::move(culprit.fix)
                    .Or(Cat("where the switch port has it: let the switch trust the mark of the frames and put "
                            "it into priority ",
                            *place.rdma_priority));
  return culprit;
}

// Places that the counters of a NIC prove, before what follows from settings.
bool IsProven(Hop hop) {
  switch (hop) {
    case Hop::kSenderNic:
    case Hop::kWire:
    case Hop::kReceiverNic:
    case Hop::kReceiverQueue:
      return true;
    case Hop::kBetween:
    case Hop::kNotKnown:
      return false;
  }
  return false;
}

// A sender that was paused although its port has no PFC of that priority goes on.
const StressFlow* DeafSender(const IncastRun& run, const TransferPlace& place) {
  if (!place.lossless || !place.rdma_priority) return nullptr;
  const auto found = std::ranges::find_if(
      run.senders, [](const StressFlow& flow) { return flow.sender_has_pfc && !*flow.sender_has_pfc; });
  return found == run.senders.end() ? nullptr : &*found;
}

std::optional<ControlFault> ControlFaultOf(const StressFlow& flow, const TransferPlace& place) {
  return FindControlFault(flow.result, PlaceOf(flow, place), flow.counters);
}

std::optional<IncastCulprit> BrokenControl(const IncastRun& run, const TransferPlace& place) {
  for (const StressFlow* flow : JudgedFlows(run))
    if (const std::optional<ControlFault> fault = ControlFaultOf(*flow, place))
      return IncastCulprit{.text = fault->text, .fix = fault->fix};
  return std::nullopt;
}

std::vector<FirstLoss> LossesOf(const IncastRun& run, const TransferPlace& place) {
  std::vector<FirstLoss> losses;
  for (const StressFlow* flow : JudgedFlows(run)) {
    std::optional<FirstLoss> loss = FindFirstLoss(flow->result, PlaceOf(*flow, place), flow->counters);
    if (loss) losses.push_back(*std::move(loss));
  }
  return losses;
}

}  // namespace

const StressFlow* JudgedVictim(const IncastRun& run) {
  return run.victim && !run.victim_shares_a_sender && run.victim_elsewhere.empty() ? &*run.victim : nullptr;
}

std::vector<const StressFlow*> JudgedFlows(const IncastRun& run) {
  std::vector<const StressFlow*> flows;
  for (const StressFlow& flow : run.senders) flows.push_back(&flow);
  if (const StressFlow* victim = JudgedVictim(run)) flows.push_back(victim);
  return flows;
}

bool ReceiverAsksForPauses(const IncastRun& run, std::uint32_t priority) {
  return std::ranges::any_of(run.senders, [priority](const StressFlow& flow) {
    return flow.counters.size() == 2 &&
           GrownInClass(flow.counters[1], NicCounter::kPauseSent, priority).value_or(0) > 0;
  });
}

bool HasControlFault(const StressFlow& flow, const TransferPlace& place) {
  return ControlFaultOf(flow, place).has_value();
}

std::optional<WrongClass> FindWrongClass(const IncastRun& run, const TransferPlace& place,
                                         const Profile& profile) {
  for (const StressFlow& flow : run.senders) {
    if (flow.counters.size() != 2) continue;
    std::optional<WrongClass> wrong =
        SentElsewhere(flow.result, PlaceOf(flow, place), flow.counters[0], profile);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

IncastCulprit FindCulprit(const IncastRun& run, const TransferPlace& place, const Profile& profile) {
  if (std::optional<IncastCulprit> control = BrokenControl(run, place)) return *std::move(control);
  std::vector<FirstLoss> losses = LossesOf(run, place);
  const std::optional<WrongClass> wrong = FindWrongClass(run, place, profile);
  for (FirstLoss& loss : losses) {
    const bool follows = wrong && loss.hop == Hop::kReceiverNic;
    if (IsProven(loss.hop) && !follows) return OfLoss(run, place, std::move(loss));
  }
  if (wrong) return {.text = wrong->text, .fix = wrong->fix};
  if (const StressFlow* deaf = DeafSender(run, place)) {
    return {
        .text = Printable(Cat("PFC of priority ", *place.rdma_priority, " is off at the sender ", deaf->from)),
        .fix =
            Fix(Cat("rdmaready plan ", ShellWord(deaf->from))).Do("enable PFC of that priority at the sender")};
  }
  return losses.empty() ? IncastCulprit{} : OfLoss(run, place, std::move(losses.front()));
}

IncastCulprit FindCertainFault(const IncastRun& run, const TransferPlace& place, const Profile& profile) {
  if (std::optional<IncastCulprit> control = BrokenControl(run, place)) return *std::move(control);
  for (FirstLoss& loss : LossesOf(run, place))
    if (loss.hop == Hop::kWire) return {.text = std::move(loss.text), .fix = std::move(loss.fix)};
  if (const std::optional<WrongClass> wrong = FindWrongClass(run, place, profile))
    return {.text = wrong->text, .fix = wrong->fix};
  return {};
}

}  // namespace rdmaready
