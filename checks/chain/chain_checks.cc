// SPDX-License-Identifier: Apache-2.0
// chain.*: for each consumer of RDMA the way of its packets, and the first link of it that is broken.
#include <algorithm>

#include "checks/chain/chain.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/roce/own_marks.h"
#include "checks/storage/roles.h"
#include "checks/words/carrying_function.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

const ConsumerMarking* MarkingOf(const Facts& host, MarkingConsumer consumer) {
  if (!host.markings) return nullptr;
  const auto found = std::ranges::find(*host.markings, consumer, &ConsumerMarking::consumer);
  return found == host.markings->end() ? nullptr : &*found;
}

// A vendor's driver may force one on every connection of every program.
bool IsForced(const Port& port) { return port.verbs_traffic_class && *port.verbs_traffic_class != 0; }

Fact<std::string> NoDefaultMark(const EthernetView& view) {
  if (view.profile.marking != Profile::Marking::kConsumers) return std::string();
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos && !NotOffered(tos)) return tos.missing();
  const bool unset = tos && *tos == 0;
  return std::string(unset ? "consumers mark by themselves, and RDMA-CM's default is not set" : "");
}

Fact<std::string> NoForcedMark(const Port& port) {
  const Fact<std::uint8_t>& forced = port.verbs_traffic_class;
  if (NotOffered(forced)) return std::string("the driver forces no traffic class: programs mark by themselves");
  if (!forced) return forced.missing();
  return std::string(*forced == 0 ? "no traffic class is forced: programs mark by themselves" : "");
}

Fact<std::string> NoSmb(const EthernetView& view) {
  const RoleAnswer role = SmbRoleOf(view.host, view.profile);
  if (role.unknown) return *role.unknown;
  return role.not_applicable;
}

Fact<std::string> NoMarkOf(const Facts& host, MarkingConsumer consumer, std::string_view name) {
  if (!host.markings && !NotOffered(host.markings)) return host.markings.missing();
  const ConsumerMarking* marking = MarkingOf(host, consumer);
  if (marking == nullptr) return Cat("no configuration of ", name, " here marks its traffic");
  const bool own = marking->tos || consumer == MarkingConsumer::kNccl;
  return own ? std::string() : Cat(name, " marks as RDMA-CM does: see chain.rdma-cm");
}

// NCCL without NCCL_IB_TC has traffic class 0.
Fact<std::uint8_t> OwnToS(const Facts& host, MarkingConsumer consumer) {
  if (!host.markings) return host.markings.missing();
  const ConsumerMarking* marking = MarkingOf(host, consumer);
  return marking == nullptr ? std::uint8_t{0} : marking->tos.value_or(0);
}

// A forced traffic class is put on queue pairs that the kernel makes for programs (verbs). Those that a library
// makes past it (DevX: GPU-initiated transfers) have the consumer's own.
std::string PastTheForced(const EthernetView& view) {
  const ConsumerMarking* nccl = MarkingOf(view.host, MarkingConsumer::kNccl);
  if (!IsForced(view.port) || nccl == nullptr || !nccl->tos) return {};
  const unsigned forced = *view.port.verbs_traffic_class;
  const unsigned own = *nccl->tos;
  if (forced >> 2 == own >> 2) return {};
  return Cat("that ToS is forced by the driver; NCCL names ", own, ", which queue pairs made by DevX keep");
}

constexpr std::string_view kChainFix =
    "dcb app show dev {netdev}; dcb ets show dev {netdev}; dcb pfc show dev {netdev}";

// The mark that a consumer names in its own file.
Fix MarkFix(std::string_view word, std::string_view wanted, const std::string& file, std::string_view caution) {
  return Fix(Cat("grep -n ", word, " ", file))
      .Caution(caution)
      .Do(Cat("write ", wanted, " there: the ToS of this fabric"))
      .CheckBy(Cat("grep -n ", word, " ", file));
}

template <ChainConsumer consumer>
Verdict JudgeChain(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.rdma_priority) return NotApplicable(NotAsked(view.profile, "a priority"));
  if (!kDemandsDcb.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "data centre bridging"));
  const Fact<std::string> none = NoConsumer(view, consumer);
  if (none && !none->empty()) return NotApplicable(*none);
  constexpr std::string_view kSource = "configfs rdma_cm, configuration files, dcbnl, rtnetlink, LLDP";
  if (auto carried = CarriedElsewhere(view.host, view.port, "RDMA's priority from end to end", kSource))
    return *carried;
  // Of a consumer that may not be here nothing is said, though its packets would be marked all the same.
  const Chain chain = WalkChain(view, none ? ToSOf(view, consumer) : Fact<std::uint8_t>(none.missing()));
  const ChainStep& last = chain.back();
  const std::string expected = last.expected.empty() ? "a whole chain" : last.expected;
  Verdict verdict = Judged(last.outcome == Outcome::kPass, ChainText(chain), expected, kSource);
  verdict.outcome = last.outcome;
  if (last.outcome == Outcome::kPass && consumer == ChainConsumer::kNccl) {
    if (std::string past = PastTheForced(view); !past.empty())
      return Warned(
          Cat(verdict.observed, "; ", past), "the same mark by NCCL_IB_TC", kSource,
          Fix("grep -n NCCL_IB_TC /etc/nccl.conf")
              .Because("queue pairs that a library makes by DevX do not pass the driver's traffic class",
                       Certainty::kCertain)
              .Caution("jobs that run keep the old mark: start them again")
              .Do("write NCCL_IB_TC={tos} there"));
  }
  if (last.outcome != Outcome::kPass &&
      (consumer == ChainConsumer::kNvme || consumer == ChainConsumer::kNccl)) {
    const bool nvme = consumer == ChainConsumer::kNvme;
    const ConsumerMarking* marking =
        MarkingOf(view.host, nvme ? MarkingConsumer::kNvme : MarkingConsumer::kNccl);
    const std::string file =
        marking == nullptr || marking->source.empty() ? "FILE" : ShellWord(marking->source);
    verdict.fix =
        nvme ? MarkFix("tos", "--tos={tos}", file, "connections that exist keep the old mark: connect again")
             : MarkFix("NCCL_IB_TC", "NCCL_IB_TC={tos}", file,
                       "jobs that run keep the old mark: start them again");
  } else if (last.outcome == Outcome::kFail) {
    verdict.fix = Fix(kChainFix).Because(
        Cat("the links before it are right; the first that differs is: ", last.text), Certainty::kCertain);
  }
  return verdict;
}

constexpr std::string_view kChainWhy =
    "One broken link and the packets run in the default class, or are dropped under load, whatever the others "
    "are set to";

// Whose fault a broken link is says its own check, and says it once. A mark of one's own is nobody else's.
std::vector<std::string_view> Links(std::string_view mark) {
  std::vector<std::string_view> ids{"inv.netdev-mapping",
                                    "inv.transport",
                                    "drv.dcb-capable",
                                    "trust.mode",
                                    "map.dscp",
                                    "map.pcp",
                                    "app.roce-udp",
                                    "roce.tos-verbs",
                                    "vlan.present",
                                    "vlan.id",
                                    "vlan.egress-map",
                                    "vlan.mqprio",
                                    "ets.capacity",
                                    "ets.map",
                                    "ets.tsa",
                                    "ets.rdma-share",
                                    "pfc.capability",
                                    "pfc.lossless-priority",
                                    "pfc.off-when-lossy",
                                    "pfc.switch-agrees",
                                    "ecn.np",
                                    "ecn.rp"};
  if (!mark.empty()) ids.push_back(mark);
  if (mark == "roce.tos") ids.push_back("ecn.ect-set");
  return ids;
}

}  // namespace

Fact<std::uint8_t> ToSOf(const EthernetView& view, ChainConsumer consumer) {
  const Port& port = view.port;
  const Fact<std::uint64_t> of_nic = DscpOfNic(port);
  if (of_nic) return static_cast<std::uint8_t>(*of_nic << 2U | EctOfNic(port).value_or(0));
  if (!NotOffered(of_nic)) return of_nic.missing();
  const bool perhaps_forced = !port.verbs_traffic_class && !NotOffered(port.verbs_traffic_class);
  if (IsForced(port) || perhaps_forced) return port.verbs_traffic_class;
  switch (consumer) {
    case ChainConsumer::kVerbs:
      return port.verbs_traffic_class;
    case ChainConsumer::kNvme:
      return OwnToS(view.host, MarkingConsumer::kNvme);
    case ChainConsumer::kNccl:
      return OwnToS(view.host, MarkingConsumer::kNccl);
    case ChainConsumer::kRdmaCm:
    case ChainConsumer::kSmb:
      break;
  }
  return port.cm_default_tos;
}

Fact<std::string> NoConsumer(const EthernetView& view, ChainConsumer consumer) {
  switch (consumer) {
    case ChainConsumer::kRdmaCm:
      return NoDefaultMark(view);
    case ChainConsumer::kVerbs:
      return NoForcedMark(view.port);
    case ChainConsumer::kSmb:
      return NoSmb(view);
    case ChainConsumer::kNvme:
      return NoMarkOf(view.host, MarkingConsumer::kNvme, "NVMe");
    case ChainConsumer::kNccl:
      return NoMarkOf(view.host, MarkingConsumer::kNccl, "NCCL");
  }
  return std::string();
}

std::vector<Check> ChainChecks() {
  std::vector<std::string_view> smb_links = Links("roce.tos");
  smb_links.push_back("chain.rdma-cm");
  return {
      {.id = "chain.rdma-cm",
       .title = "What RDMA-CM sends gets through all links to the wire",
       .why = kChainWhy,
       .fix = kChainFix,
       .depends_on = Links("roce.tos"),
       .judge = JudgeChain<ChainConsumer::kRdmaCm>},
      {.id = "chain.verbs",
       .title = "What has the forced traffic class gets through all links",
       .why = kChainWhy,
       .fix = kChainFix,
       .depends_on = Links({}),
       .judge = JudgeChain<ChainConsumer::kVerbs>},
      {.id = "chain.smb",
       .title = "What SMB Direct sends gets through all links to the wire",
       .why = kChainWhy,
       .fix = kChainFix,
       .depends_on = smb_links,
       .judge = JudgeChain<ChainConsumer::kSmb>},
      {.id = "chain.nvme",
       .title = "What NVMe sends with its own ToS gets through all links",
       .why = kChainWhy,
       .fix = kChainFix,
       .blocks_for = &kDemandsNvmeHost,
       .depends_on = Links("roce.consumer-tos"),
       .judge = JudgeChain<ChainConsumer::kNvme>},
      {.id = "chain.nccl",
       .title = "What NCCL sends with its traffic class gets through all links",
       .why = kChainWhy,
       .fix = kChainFix,
       .depends_on = Links("roce.consumer-tos"),
       .judge = JudgeChain<ChainConsumer::kNccl>},
  };
}

}  // namespace rdmaready
