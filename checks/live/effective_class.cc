// SPDX-License-Identifier: Apache-2.0
#include "checks/live/effective_class.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "checks/blocking.h"
#include "checks/live/foreign_packets.h"
#include "checks/live/transfer_hints.h"
#include "checks/words/fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kEffectiveSource = "NIC statistics before and after a live transfer";
constexpr std::uint64_t kLargestPayloadBytes = 4096;  // of a RoCE packet: the largest path MTU
constexpr std::uint64_t kWhole = 1000;
constexpr std::uint64_t kEnoughPermille = 990;
constexpr std::uint64_t kMostOthersPermille = 100;
// Neighbours that the kernel resolves beside the transfer (ARP, ND), and its own few frames.
constexpr std::uint64_t kFewPackets = 8;

using ByPriority = PacketsByPriority;

std::uint64_t Total(const ByPriority& packets) {
  return std::accumulate(packets.begin(), packets.end(), std::uint64_t{0});
}

// In thousandths, rounded down.
std::uint32_t PermilleOf(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  if (part >= whole) return kWhole;  // sums of counters that are not true may wrap
  return static_cast<std::uint32_t>(static_cast<double>(part) / static_cast<double>(whole) *
                                    static_cast<double>(kWhole));
}

// One counter of one end, and what the transfer must have moved through it.
struct Way {
  const EndCounters& end;
  const std::string& netdev;
  ByPriority PriorityPackets::*counter;
  std::string_view verb;    // "sent"
  std::uint64_t least = 1;  // packets
  // The transfer has no more than that, but for what is sent again: so many in the right class are all of it.
  bool exact = false;
};

// The result of one counter.
struct Count {
  enum class Kind { kUnknown, kRight, kWrong };
  Kind kind = Kind::kUnknown;
  std::string text{};
  std::string host{};
  std::string netdev{};
  std::optional<ClassShare> share{};
};

std::size_t LargestBeside(const ByPriority& packets, std::uint8_t wanted) {
  std::size_t largest = wanted == 0 ? 1 : 0;
  for (std::size_t i = 0; i < kPriorities; ++i)
    if (i != wanted && packets[i] > packets[largest]) largest = i;
  return largest;
}

ClassShare ShareOf(const Way& way, std::uint8_t wanted, const ByPriority& own, std::uint64_t counted) {
  ClassShare share{.host = way.end.host,
                   .counter = std::string(way.verb),
                   .priority = wanted,
                   .packets = own[wanted],
                   .all = Total(own),
                   .expected = way.least};
  share.permille = PermilleOf(share.packets, share.all);
  if (ForeignPackets(way.end, way.counter)) share.foreign_permille = PermilleOf(counted - share.all, counted);
  return share;
}

// Nearly all of the packets are in the class.
bool HasEnough(const ClassShare& share) {
  const std::uint64_t beside = share.all - share.packets;
  const std::uint64_t few = std::min(kFewPackets, share.all / 10);
  return beside <= few || share.permille >= kEnoughPermille;
}

// Whether packets of the transfer are in another class. `counted` includes the packets of others, which may
// hide some of the transfer's, but add none to it.
bool IsElsewhere(const Way& way, const ClassShare& share, const ByPriority& own, const ByPriority& counted) {
  const std::uint64_t beside = share.all - share.packets;
  const bool lacks = counted[share.priority] < way.least - way.least / 100;
  if (!share.foreign_permille) {
    const std::size_t other = LargestBeside(own, static_cast<std::uint8_t>(share.priority));
    return lacks && own[other] >= way.least;
  }
  if (lacks) return counted[share.priority] + beside >= way.least;
  return !way.exact && beside * 10 > share.all;
}

// Without a word about other traffic.
void JudgeCount(const Way& way, const ByPriority& own, const ByPriority& counted, Count& count) {
  const ClassShare& share = *count.share;
  if (share.foreign_permille.value_or(0) > kMostOthersPermille) {
    count.text += Cat(", and ", ShareText(*share.foreign_permille), " of its packets are others'");
  } else if (Total(counted) < way.least) {
    count.text = Cat(count.host, " ", way.verb, " ", Total(counted),
                     " packets by its counters, the transfer had at least ", way.least);
  } else if (HasEnough(share)) {
    count.kind = Count::Kind::kRight;
    if (share.foreign_permille) return;
    count.kind = Count::Kind::kUnknown;
    const bool why = !way.end.idle_packets && !way.end.idle_packets.missing().detail.empty();
    count.text += Cat(", and its agent did not measure the packets of others",
                      why ? Cat(": ", way.end.idle_packets.missing().detail) : std::string());
  } else if (IsElsewhere(way, share, own, counted)) {
    count.kind = Count::Kind::kWrong;
  } else {
    count.text += ", other traffic among them";  // nobody can tell which of them were the transfer's
  }
}

Count CountOf(const Way& way, std::uint8_t wanted) {
  const EndCounters& end = way.end;
  Count count{.host = end.host, .netdev = way.netdev};
  if (!end.packets) {
    const std::string& why = end.packets.missing().detail;  // empty: an older agent
    count.text = Cat(end.host, ": ", why.empty() ? "its agent does not count packets" : why);
    return count;
  }
  const ByPriority& counted = (*end.packets).*way.counter;
  const ByPriority own = LessForeign(ForeignPackets(end, way.counter).value_or(ByPriority{}), counted);
  count.share = ShareOf(way, wanted, own, Total(counted));
  count.text = Cat(end.host, " ", way.verb, " ", own[wanted], " of ", count.share->all, " packets on priority ",
                   wanted, " (", ShareText(count.share->permille), ")");
  if (!HasEnough(*count.share)) {
    const std::size_t other = LargestBeside(own, wanted);
    count.text += Cat(" and ", own[other], " on priority ", other);
  }
  JudgeCount(way, own, counted, count);
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

// The four counters in the order of the way: the payload leaves and arrives, then what comes back.
struct Proof {
  std::array<Count, 4> counts{};

  bool All(Count::Kind kind) const {
    return std::ranges::all_of(counts, [kind](const Count& count) { return count.kind == kind; });
  }
  // Null when none is wrong.
  const Count* FirstWrong() const {
    const auto found = std::ranges::find(counts, Count::Kind::kWrong, &Count::kind);
    return found == counts.end() ? nullptr : &*found;
  }
  bool AtSender(const Count& count) const { return &count == counts.data() || &count == counts.data() + 2; }
  bool OnTheWayBack(const Count& count) const { return &count >= counts.data() + 2; }
};

std::string ProofText(const Proof& proof) {
  std::string text;
  for (const Count& count : proof.counts) text += Cat(text.empty() ? "" : "; ", count.text);
  return Printable(text);
}

ClassProof SharesOf(const Proof& proof, ConnectionKind connection) {
  ClassProof shares;
  for (const Count& count : proof.counts) {
    if (!count.share) continue;
    shares.shares.push_back(*count.share);
    shares.shares.back().connection = connection;
  }
  return shares;
}

// A packet holds no more than the path MTU of the queue pair that sends it.
std::uint64_t PayloadPackets(const TransferResult& result, const EndCounters& sender) {
  if (!sender.path_mtu_bytes || *sender.path_mtu_bytes == 0 || result.message_bytes == 0)
    return std::max<std::uint64_t>(1, result.bytes / kLargestPayloadBytes);  // an older agent
  const std::uint64_t mtu = *sender.path_mtu_bytes;
  return std::max<std::uint64_t>(1, result.messages * ((result.message_bytes + mtu - 1) / mtu));
}

// The packets that come back. A read is one request. A write is acknowledged:
// - rxe asks for an acknowledgement with the last packet of each message, and after 64 packets without one
//   (drivers/infiniband/sw/rxe/rxe_req.c, init_req_packet), and answers each of them (rxe_resp.c, acknowledge);
// - mlx5 asks after 256 packets (log_ack_req_freq of its queue pairs, drivers/infiniband/hw/mlx5/qp.c), hns
// after
//   a length that its firmware says (hns_roce_hw_v2.c, max_ack_req_msg_len); one acknowledgement stands for all
//   packets before it. No message follows unless one of the `depth` before it was acknowledged.
// iWARP, siw too, has its acknowledgements from TCP; it is not judged here.
std::uint64_t PacketsBack(const TransferResult& result, bool software) {
  if (result.operation == Operation::kRead || software) return std::max<std::uint64_t>(1, result.messages);
  if (result.depth == 0) return 1;  // an older agent
  const std::uint64_t rounds = result.messages / std::max<std::uint64_t>(2, result.depth);
  return rounds > result.qps ? rounds - result.qps : 1;
}

Proof ProofOf(const TransferResult& result, const TransferPlace& place, std::span<const EndCounters> ends,
              std::uint8_t wanted) {
  // The data of a read comes from the other end.
  const bool read = result.operation == Operation::kRead;
  const EndCounters& from = ends[read ? 1 : 0];
  const EndCounters& to = ends[read ? 0 : 1];
  const std::string& from_netdev = read ? place.peer_ethernet : place.ethernet;
  const std::string& to_netdev = read ? place.ethernet : place.peer_ethernet;
  const std::uint64_t there = PayloadPackets(result, from);
  const std::uint64_t back = PacketsBack(result, place.software);
  const bool exact_back = read || place.software;
  return {
      {CountOf({from, from_netdev, &PriorityPackets::sent, "sent", there, true}, wanted),
       CountOf({to, to_netdev, &PriorityPackets::received, "received", there, true}, wanted),
       CountOf({to, to_netdev, &PriorityPackets::sent, "sent back", back, exact_back}, wanted),
       CountOf({from, from_netdev, &PriorityPackets::received, "received back", back, exact_back}, wanted)}};
}

// Where the packets were first seen to be wrong decides what to change: the sender's mark, its map, or what the
// receiver makes of it.
Fix FixFor(const TransferResult& result, const Profile& profile, const Proof& proof, const Count& wrong) {
  const std::string on = Cat("run it on ", Printable(wrong.host));
  const std::string netdev = wrong.netdev.empty() ? "NETDEV" : ShellWord(wrong.netdev);
  if (!profile.dscp) {
    return Fix(Cat("dcb app show dev ", netdev))
        .Caution(on)
        .Do("see which mark goes to which priority, and map RDMA's to the right one");
  }
  const std::uint8_t dscp = *profile.dscp;
  const std::optional<std::uint8_t> marked = result.marking.traffic_class;
  if (marked && *marked >> 2U != dscp && result.connection == ConnectionKind::kVerbs) {
    return Fix()
        .Do(Cat("have each program that makes plain verbs connections set their traffic class to ",
                profile.tos.value_or(static_cast<std::uint8_t>(dscp << 2U)),
                " (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS)"))
        .Because(Cat("packets left with DSCP ", *marked >> 2U, ", which RDMA-CM does not set here"),
                 Certainty::kCertain);
  }
  if (marked && *marked >> 2U != dscp) {
    return Fix("grep . /sys/kernel/config/rdma_cm/*/ports/*/default_roce_tos")
        .Because(Cat("packets left with DSCP ", *marked >> 2U, ": see roce.tos"), Certainty::kCertain)
        .Caution(on);
  }
  Fix fix(Cat("dcb app replace dev ", netdev, " dscp-prio ", dscp, ":", *profile.rdma_priority));
  fix = std::move(fix).Caution(on).CheckBy(Cat("dcb app show dev ", netdev));
  if (proof.AtSender(wrong)) return fix;
  const std::string way = proof.OnTheWayBack(wrong) ? "on the way back" : "on the way";
  return std::move(fix)
      .Because(Cat("the receiver maps the mark to another priority, or the switch changes it ", way),
               Certainty::kPossible)
      .Do(Cat("see that no switch ", way, " changes the DSCP"), StepSite::kSwitch);
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
  if (ends.size() != 2) return ClassNotJudged(place, "only one end reported its counters");
  const std::uint8_t wanted = *profile.rdma_priority;
  const Proof proof = ProofOf(result, place, ends, wanted);
  finding.expected =
      Cat("priority ", wanted, ": 99 % of each counter, or of few packets all but ", kFewPackets);
  finding.observed = ProofText(proof);
  ClassProof shares = SharesOf(proof, result.connection.value_or(ConnectionKind::kUnknown));
  if (!shares.shares.empty()) finding.class_proof = std::move(shares);
  if (const Count* wrong = proof.FirstWrong()) {
    finding.blocking = kDemandsLossless.made_by(profile);
    finding.outcome = finding.blocking ? Outcome::kFail : Outcome::kWarn;
    SetFix(finding, FixFor(result, profile, proof, *wrong));
  } else if (proof.All(Count::Kind::kRight)) {
    finding.outcome = Outcome::kPass;
    SetFix(finding, {});
  }
  return finding;
}

std::optional<WrongClass> SentElsewhere(const TransferResult& result, const TransferPlace& place,
                                        const EndCounters& sender, const Profile& profile) {
  if (!profile.rdma_priority || result.transport != "roce-v2" || result.messages == 0) return std::nullopt;
  const std::uint8_t wanted = *profile.rdma_priority;
  const Way way{sender, place.ethernet, &PriorityPackets::sent, "sent", PayloadPackets(result, sender), true};
  const Proof proof{{CountOf(way, wanted)}};
  const Count& count = proof.counts.front();
  if (count.kind != Count::Kind::kWrong || count.share->packets > count.share->all / 2) return std::nullopt;
  const ByPriority own =
      LessForeign(ForeignPackets(sender, way.counter).value_or(ByPriority{}), sender.packets->sent);
  const std::size_t other = LargestBeside(own, wanted);
  const std::string nic = Cat(sender.host, "'s NIC", place.ethernet.empty() ? "" : " ", place.ethernet);
  return WrongClass{.priority = static_cast<std::uint32_t>(other),
                    .text = Printable(Cat(nic, " puts the frames into priority ", other, " and not ", wanted,
                                          ": ", count.text)),
                    .fix = FixFor(result, profile, proof, count)};
}

Finding ClassNotJudged(const TransferPlace& place, std::string_view reason) {
  Finding finding = Begin(place);
  finding.observed = Cat("not judged: ", Printable(reason));
  return finding;
}

}  // namespace rdmaready
