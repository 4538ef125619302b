// SPDX-License-Identifier: Apache-2.0
#include "checks/live/effective_class.h"

#include <algorithm>
#include <numeric>

#include "checks/blocking.h"
#include "checks/live/transfer_hints.h"
#include "checks/words/fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kEffectiveSource = "NIC statistics before and after a live transfer";
constexpr std::uint64_t kLargestPayloadBytes = 4096;  // of a RoCE packet: the largest path MTU

using ByPriority = std::array<std::uint64_t, kPriorities>;

std::uint64_t Total(const ByPriority& packets) {
  return std::accumulate(packets.begin(), packets.end(), std::uint64_t{0});
}

struct Side {
  const EndCounters& end;
  const std::string& netdev;
};

// What one end's NIC tells of the packets that carried the payload.
struct Count {
  enum class Kind { kUnknown, kRight, kWrong };
  Kind kind = Kind::kUnknown;
  std::string text{};
  std::string host{};
  std::string netdev{};
};

Count CountOf(const EndCounters& end, const std::string& netdev, ByPriority PriorityPackets::*way,
              std::string_view verb, std::uint8_t wanted, std::uint64_t least) {
  Count count{.host = end.host, .netdev = netdev};
  if (!end.packets) {
    const std::string& why = end.packets.missing().detail;  // empty: an older agent
    count.text = Cat(end.host, ": ", why.empty() ? "its agent does not count packets" : why);
    return count;
  }
  const ByPriority& packets = (*end.packets).*way;
  const auto most = static_cast<std::size_t>(std::ranges::max_element(packets) - packets.begin());
  const std::uint64_t total = Total(packets);
  count.text = Cat(end.host, " ", verb, " ", packets[most], " of ", total, " packets on priority ", most);
  if (total < least) {
    count.text =
        Cat(end.host, " ", verb, " ", total, " packets by its counters, the transfer had at least ", least);
  } else if (most == wanted && packets[most] >= least) {
    count.kind = Count::Kind::kRight;
  } else if (packets[wanted] >= least || packets[most] < least) {
    count.text += ", other traffic among them";  // which of them were the transfer's nobody can tell
  } else {
    count.kind = Count::Kind::kWrong;
  }
  return count;
}

// The row's fix names the interface in general.
Remedy ForPlace(const Fix& fix, const TransferPlace& place) {
  const std::string& netdev = place.ethernet.empty() ? place.netdev : place.ethernet;
  return WithTexts(fix.remedy(), [&netdev](const std::string& text) {
    constexpr std::string_view kWord = "NETDEV";
    const std::size_t found = netdev.empty() ? std::string::npos : text.find(kWord);
    return found == std::string::npos
               ? text
               : Cat(text.substr(0, found), ShellWord(netdev), text.substr(found + kWord.size()));
  });
}

Finding Begin(const TransferPlace& place) {
  const TransferCheck& check = *FindTransferCheck(kEffectiveClassId);
  Finding finding{.id = check.id,
                  .title = check.title,
                  .scope = Scope::kPair,
                  .rung = Rung::kPeer,
                  .subject = Printable(place.subject),
                  .source = std::string(kEffectiveSource),
                  .why = std::string(check.why)};
  SetFix(finding, Fix(ForPlace(check.fix, place)).CheckBy(PairTest(place)));
  return finding;
}

// Where the packets were first seen to be wrong decides what to change: the sender's mark, its map, or what the
// receiver makes of it.
Fix FixFor(const TransferResult& result, const Profile& profile, const Count& sent, const Count& received) {
  const bool at_sender = sent.kind == Count::Kind::kWrong;
  const Count& wrong = at_sender ? sent : received;
  const std::string on = Cat("run it on ", Printable(wrong.host));
  const std::string netdev = wrong.netdev.empty() ? "NETDEV" : ShellWord(wrong.netdev);
  if (!profile.dscp) {
    return Fix(Cat("dcb app show dev ", netdev))
        .Caution(on)
        .Do("see which mark goes to which priority, and map RDMA's to the right one");
  }
  const std::uint8_t dscp = *profile.dscp;
  const std::optional<std::uint8_t> marked = result.marking.traffic_class;
  if (marked && *marked >> 2U != dscp) {
    return Fix("grep . /sys/kernel/config/rdma_cm/*/ports/*/default_roce_tos")
        .Because(Cat("packets left with DSCP ", *marked >> 2U, ": see roce.tos"), Certainty::kCertain)
        .Caution(on);
  }
  Fix fix(Cat("dcb app replace dev ", netdev, " dscp-prio ", dscp, ":", *profile.rdma_priority));
  fix = std::move(fix).Caution(on).CheckBy(Cat("dcb app show dev ", netdev));
  if (at_sender) return fix;
  return std::move(fix)
      .Because("the receiver maps the mark to another priority, or the switch changes it on the way",
               Certainty::kPossible)
      .Do("see that no switch on the way changes the DSCP", StepSite::kSwitch);
}

}  // namespace

bool ShowsClass(const TransferResult& result) {
  return (result.operation == Operation::kWrite || result.operation == Operation::kRead) &&
         !result.bidirectional && result.failure.kind == FailureKind::kNone && result.bytes > 0;
}

Finding JudgeEffectiveClass(const TransferResult& result, const TransferPlace& place,
                            std::span<const EndCounters> ends, const Profile& profile) {
  Finding finding = Begin(place);
  const auto not_applicable = [&finding](std::string reason) {
    finding.outcome = Outcome::kNotApplicable;
    finding.observed = std::move(reason);
    return finding;
  };
  if (!profile.rdma_priority) return not_applicable(NotAsked(profile, "a priority for RDMA"));
  if (result.transport != "roce-v2") return not_applicable("not RoCE v2");
  if (ends.size() != 2) return ClassNotJudged(place, "only one end told what it counted");
  const std::uint8_t wanted = *profile.rdma_priority;
  // The data of a read comes from the other end.
  const bool read = result.operation == Operation::kRead;
  const Side from{ends[read ? 1 : 0], read ? place.peer_ethernet : place.ethernet};
  const Side to{ends[read ? 0 : 1], read ? place.ethernet : place.peer_ethernet};
  const std::uint64_t least = std::max<std::uint64_t>(1, result.bytes / kLargestPayloadBytes);
  const Count sent = CountOf(from.end, from.netdev, &PriorityPackets::sent, "sent", wanted, least);
  const Count received = CountOf(to.end, to.netdev, &PriorityPackets::received, "received", wanted, least);
  // Acknowledgements of a write, which may stand for all that is in flight; requests of a read.
  const std::uint64_t flight = std::max<std::uint64_t>(1, std::uint64_t{result.depth} * result.qps);
  const std::uint64_t least_back = std::max<std::uint64_t>(1, result.messages / flight);
  const Count back = CountOf(to.end, to.netdev, &PriorityPackets::sent, "sent back", wanted, least_back);
  const Count came_back =
      CountOf(from.end, from.netdev, &PriorityPackets::received, "received back", wanted, least_back);
  finding.expected = Cat("priority ", wanted);
  finding.observed = Printable(Cat(sent.text, "; ", received.text));
  const bool wrong = sent.kind == Count::Kind::kWrong || received.kind == Count::Kind::kWrong;
  const bool wrong_back =
      result.depth > 0 && (back.kind == Count::Kind::kWrong || came_back.kind == Count::Kind::kWrong);
  if (wrong || wrong_back) {
    if (wrong_back) finding.observed += Printable(Cat("; ", back.text, "; ", came_back.text));
    finding.blocking = kDemandsLossless.made_by(profile);
    finding.outcome = finding.blocking ? Outcome::kFail : Outcome::kWarn;
    const Fix fix = wrong ? FixFor(result, profile, sent, received) : FixFor(result, profile, back, came_back);
    SetFix(finding, fix);
  } else if (received.kind == Count::Kind::kRight) {
    finding.outcome = Outcome::kPass;
    SetFix(finding, {});
  }
  return finding;
}

Finding ClassNotJudged(const TransferPlace& place, std::string_view reason) {
  Finding finding = Begin(place);
  finding.observed = Cat("not judged: ", Printable(reason));
  return finding;
}

}  // namespace rdmaready
