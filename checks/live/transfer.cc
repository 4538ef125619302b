// SPDX-License-Identifier: Apache-2.0
#include "checks/live/transfer.h"

#include <algorithm>

#include "api/base/text.h"
#include "checks/counted/error_counters.h"
#include "checks/hiding.h"
#include "checks/live/effective_class.h"
#include "checks/live/first_loss.h"
#include "checks/live/own_past.h"
#include "checks/live/transfer_hints.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLiveSource = "live transfer";
constexpr std::string_view kPathId = "peer.path";
constexpr std::int64_t kWholeIntervalNs = 100'000'000;  // 0 in one is a stall; without one it is no rate at all

constexpr std::string_view kPathTitle = "The two hosts have RDMA ports that can reach each other";
constexpr std::string_view kPathWhy =
    "Without a common transport and subnet no RDMA connection can be tried at all";
Fix PathFix(const TransferPlace& place) {
  return Fix("ip -brief address show")
      .Caution("run the command on both hosts")
      .Do("give both RDMA interfaces an address in one subnet, on ports of the same transport")
      .Or("add routes between their subnets, where a router leads from one to the other")
      .CheckBy(PairTest(place));
}

constexpr std::string_view kClassWhy =
    "Packets in another priority are neither paused nor given RDMA's share: marks and maps are right only when "
    "they arrive so";
constexpr std::string_view kClassFix = "ethtool -S NETDEV";
constexpr std::string_view kClassCaution = "run it on both hosts, before a transfer and after it";
constexpr std::string_view kClassStep = "look for the counter of a priority that grows";
constexpr std::string_view kClassCheck = "rdmaready test peer HOST-A HOST-B";

constexpr std::string_view kOutlierWhy =
    "Of many pairs that fail, those of one port have one cause: its cable, its switch port, or a setting that "
    "no "
    "other port has";
}  // namespace

Fix OutlierFix(const std::string& host) {
  return Fix(Cat("rdmaready check ", host.empty() ? "HOST" : ShellWord(host), " --watch 35"))
      .Do("look at what counted on that port", StepSite::kPort)
      .Do("change its cable, then its switch port, with those of a port that passes", StepSite::kSwitch)
      .Do("then test all pairs again: rdmaready check --level peer --mesh with the hosts");
}

namespace {

constexpr std::string_view kPastWhy =
    "A path that became slower moves every byte and fails no setting: a PCIe slot that lost lanes, a CPU that "
    "sleeps "
    "deeper, a rate limit, another NUMA node. It shows only against what the same port did before";
Fix PastFix() {
  return Fix("rdmaready history --baseline")
      .Do("find the day from which on it is slow; then: rdmaready history --since DAY")
      .CheckBy("rdmaready test loopback");
}

std::string FiguresText(const TransferResult& result) {
  const std::string latency =
      Cat("p50 ", DurationText(result.latency.p50_ns), ", p99 ", DurationText(result.latency.p99_ns));
  switch (FigureOf(result)) {
    case Figure::kUnknown:
    case Figure::kLatency:
      return Cat(latency, ", p99.9 ", DurationText(result.latency.p999_ns));
    case Figure::kOperations:
      return Cat(result.operations_per_s, " operations/s, ", latency);
    case Figure::kRate: {
      std::string text = RateText(result.throughput_bytes_per_s);
      if (result.elapsed_ns >= kWholeIntervalNs)
        text += ", worst 100 ms " + RateText(result.worst_interval_bytes_per_s);
      return result.unverified ? text : Cat(text, ", ", VolumeText(result.bytes_verified), " verified");
    }
  }
  return latency;
}

std::string Expected(const TransferPlace& place) {
  return place.software ? "every byte as it was sent (software device: functional verdict only)"
                        : "every byte as it was sent";
}

Finding Begin(std::string_view case_name, const TransferPlace& place) {
  Finding finding{.id = TransferId(place.rung, case_name),
                  .scope = IsPairRung(place.rung) ? Scope::kPair : Scope::kPort,
                  .rung = place.rung,
                  .subject = Printable(place.subject),
                  .blocking = true,
                  .expected = Expected(place),
                  .source = std::string(kLiveSource)};
  const TransferCheck* check = FindTransferCheck(finding.id);
  finding.title =
      check != nullptr ? check->title : Cat("The live test ", Printable(case_name), " moves every byte");
  if (check != nullptr) finding.why = check->why;
  return finding;
}

// The numbers must agree with each other also where the engine saw no failure.
Failure FailureOf(const TransferResult& result) {
  const bool told = result.failure.kind != FailureKind::kUnknown;
  if (told && result.failure.kind != FailureKind::kNone) return result.failure;
  if (result.bytes_wrong > 0) return {.kind = FailureKind::kCorrupt, .detail = {}};
  if (!told) return result.failure;
  if (result.messages == 0 || result.bytes == 0)
    return {.kind = FailureKind::kStalled, .detail = "no message was completed"};
  if (!result.unverified && result.bytes_verified != result.bytes) {
    return {.kind = FailureKind::kLost,
            .detail = Cat(result.bytes_verified, " of ", result.bytes, " bytes were verified")};
  }
  return {};
}

std::string FailureText(const Failure& failure, const TransferResult& result) {
  std::string text = failure.detail;
  if (failure.kind == FailureKind::kCorrupt && result.bytes_wrong > 0) {
    text += Cat(text.empty() ? "" : ", ", result.bytes_wrong, result.bytes_wrong == 1 ? " byte" : " bytes",
                " wrong");
    if (result.first_wrong_offset) text += Cat(", the first at offset ", *result.first_wrong_offset);
  }
  return Cat(FailurePhrase(failure.kind), text.empty() ? "" : ": ", Printable(text));
}

constexpr std::uint32_t kMostForeignPermille = 100;
constexpr std::uint32_t kAllForeign = 1000;

// The largest share that others had of a port whose counters tell of loss; nothing where one is not known.
std::optional<std::uint32_t> ForeignShare(const TransferResult& result, std::span<const EndCounters> counters,
                                          const TransferPlace& place) {
  std::uint32_t most = 0;
  for (const EndCounters& end : counters) {
    if (!ShowLoss({&end, 1}) && !LostInClass(result, place, {&end, 1}) &&
        !LostPerhapsInClass(result, place, {&end, 1}))
      continue;
    if (!end.foreign_permille) return std::nullopt;
    most = std::max(most, *end.foreign_permille);
  }
  return most;
}

// Loss under a profile that wants none.
void JudgeLoss(const TransferResult& result, std::span<const EndCounters> counters, const TransferPlace& place,
               Finding& finding) {
  const std::optional<std::uint32_t> foreign = ForeignShare(result, counters, place);
  if (!foreign) {
    finding.observed += "; what else the port carried is not counted";
  } else if (*foreign > kMostForeignPermille) {
    finding.outcome = Outcome::kUnknown;
    finding.observed += Cat("; ", *foreign / 10, " % of the port's traffic is others', who may have lost it");
  } else {
    finding.outcome = Outcome::kFail;
  }
}

// The counters' word is added to whatever the test itself showed.
void AddCounters(const TransferResult& result, std::span<const EndCounters> counters,
                 const TransferPlace& place, Finding& finding) {
  const std::string growth = GrowthText(counters);
  if (growth.empty()) return;
  finding.observed += "; " + growth;
  const std::optional<FirstLoss> loss = FindFirstLoss(result, place, counters);
  const std::optional<ControlFault> fault = FindControlFault(result, place, counters);
  if (loss) finding.observed += "; " + loss->text;
  if (fault) finding.observed += "; " + fault->text;
  // The place of the loss is more than the failure says by itself.
  if (finding.outcome == Outcome::kFail && loss && loss->hop != Hop::kNotKnown) SetFix(finding, loss->fix);
  const bool lost_in_class = LostInClass(result, place, counters);
  // A port that carries others' traffic drops theirs.
  const bool lost_perhaps = LostPerhapsInClass(result, place, counters) &&
                            ForeignShare(result, counters, place).value_or(kAllForeign) <= kMostForeignPermille;
  const bool worrying = place.software ? ShowRetries(counters) : GrewWorryingly(counters);
  if (finding.outcome != Outcome::kPass || (!worrying && !lost_in_class && !lost_perhaps && !fault)) return;
  finding.outcome = Outcome::kWarn;
  if (!place.software && place.lossless && (ShowLoss(counters) || lost_in_class))
    JudgeLoss(result, counters, place, finding);
  finding.expected += ", and no error counted meanwhile";
  finding.source += ", sysfs hw_counters and counters, ethtool statistics";
  finding.why = WhyErrorsCount();
  SetFix(finding, loss ? loss->fix : fault ? fault->fix : HintForErrors(place));
}

// Not good enough, whatever else was seen. What the counters tell may be why, and then is the better hint.
void TooSlow(std::string measured, const Fix& fix, Finding& finding) {
  finding.observed += "; " + measured;
  if (finding.outcome == Outcome::kPass) {
    finding.why = WhyTooSlow();
    SetFix(finding, fix);
  }
  finding.outcome = Outcome::kFail;
}

// Where nobody says how fast the path must be. One queue pair whose bytes one CPU compares need not fill a fast
// link; a cap (a wrong PCIe slot, a rate limit, one slow CPU) shows below a quarter of a slow one.
void JudgeShare(const TransferResult& result, const TransferPlace& place, Finding& finding) {
  constexpr std::uint64_t kBitsPerMegabit = 1'000'000;
  constexpr std::uint64_t kEnoughMbps = 40'000;
  constexpr std::uint64_t kShare = 4;
  constexpr std::int64_t kLongEnoughNs = 5'000'000;  // one wait of the scheduler's is not the path
  const auto warn = [&](const std::string& observed) {
    finding.observed += "; " + observed;
    if (finding.outcome != Outcome::kPass) return;
    finding.outcome = Outcome::kWarn;
    finding.why = WhyTooSlow();
    SetFix(finding, HintForThroughput(place));
  };
  if (place.link_mbps && *place.link_mbps > 0 && result.elapsed_ns >= kLongEnoughNs) {
    const std::uint64_t mbps = result.throughput_bytes_per_s * 8 / kBitsPerMegabit;
    const std::uint64_t least = std::min(*place.link_mbps / kShare, kEnoughMbps);
    finding.expected += Cat(", at about ", least, " Mb/s or more");
    if (mbps < least) {
      warn(Cat("that is ", mbps, " Mb/s, ", mbps * 100 / *place.link_mbps, " % of the slower link's ",
               *place.link_mbps));
    }
  }
  if (result.elapsed_ns >= kWholeIntervalNs && result.worst_interval_bytes_per_s == 0)
    warn("nothing moved for 100 ms");
}

constexpr std::uint64_t kBytesPerMegabit = 1'000'000 / 8;

// A mean hides that nothing moved for a while.
void JudgeWorst(const TransferResult& result, const TransferPlace& place, Finding& finding) {
  if (!place.min_worst_mbps) return;
  finding.expected += Cat(", at ", *place.min_worst_mbps, " Mb/s or more in each 100 ms");
  if (result.elapsed_ns < kWholeIntervalNs) {
    finding.observed += "; it was shorter than 100 ms";
    if (finding.outcome != Outcome::kFail) finding.outcome = Outcome::kUnknown;
    return;
  }
  const std::uint64_t mbps = result.worst_interval_bytes_per_s / kBytesPerMegabit;
  if (mbps < *place.min_worst_mbps)
    TooSlow(Cat("that is ", mbps, " Mb/s in the worst 100 ms"), HintForWorst(place), finding);
}

// A path that moves every byte may still be too slow for what the site asks.
void JudgeSpeed(const TransferResult& result, const TransferPlace& place, Finding& finding) {
  if (place.software || place.rung != Rung::kPeer) return;
  const Figure figure = FigureOf(result);
  if (figure == Figure::kRate && place.min_throughput_mbps) {
    const std::uint64_t mbps = result.throughput_bytes_per_s / kBytesPerMegabit;
    finding.expected += Cat(", at ", *place.min_throughput_mbps, " Mb/s or more");
    if (mbps < *place.min_throughput_mbps)
      TooSlow(Cat("that is ", mbps, " Mb/s"), HintForThroughput(place), finding);
  } else if (figure == Figure::kRate) {
    JudgeShare(result, place, finding);
  } else if (figure == Figure::kLatency && place.max_latency_us) {
    constexpr std::int64_t kNsPerUs = 1000;
    finding.expected += Cat(", 99 of 100 within ", *place.max_latency_us, " us");
    if (result.latency.p99_ns > kNsPerUs * *place.max_latency_us)
      TooSlow(Cat("99 of 100 took up to ", result.latency.p99_ns, " ns"), HintForLatency(place), finding);
  }
  if (figure == Figure::kRate) JudgeWorst(result, place, finding);
}

std::vector<TransferCheck> MakeChecks() {
  std::vector<TransferCheck> checks{
      {.id = std::string(kPathId),
       .rung = Rung::kPeer,
       .title = std::string(kPathTitle),
       .why = kPathWhy,
       .fix = PathFix({})},
      {.id = std::string(kEffectiveClassId),
       .rung = Rung::kPeer,
       .title = "The NICs at both ends count the transfer in the priority of RDMA",
       .why = kClassWhy,
       .fix = Fix(kClassFix).Caution(kClassCaution).Do(kClassStep).CheckBy(kClassCheck),
       .blocks_for = &kDemandsLossless},
      {.id = std::string(kOutlierId),
       .rung = Rung::kPeer,
       .title = "No port fails with every partner while they pass with others",
       .why = kOutlierWhy,
       .fix = OutlierFix({})},
      {.id = std::string(kOwnPastId),
       .rung = Rung::kLoopback,
       .title = "Live tests are as fast as in the days before",
       .why = kPastWhy,
       .fix = PastFix(),
       .blocks_for = nullptr}};
  for (const Rung rung : {Rung::kLoopback, Rung::kPeer, Rung::kSmbDirect}) {
    for (const TransferCase& row : CasesOn(rung)) {
      const std::string_view where =
          IsPairRung(rung) ? " between the two hosts" : " through the port, both ends on this host";
      checks.push_back({.id = TransferId(rung, row.name),
                        .case_name = row.name,
                        .rung = rung,
                        .title = Cat(row.moves, " arrives intact", where),
                        .why = row.why,
                        .fix = GeneralHint({.rung = rung})});
    }
  }
  return checks;
}

}  // namespace

const std::vector<TransferCheck>& AllTransferChecks() {
  static const std::vector<TransferCheck> kChecks = MakeChecks();
  return kChecks;
}

const TransferCheck* FindTransferCheck(std::string_view id) {
  const auto found = std::ranges::find(AllTransferChecks(), id, &TransferCheck::id);
  return found == AllTransferChecks().end() ? nullptr : &*found;
}

std::string TransferId(Rung rung, std::string_view case_name) {
  switch (rung) {
    case Rung::kUnknown:
      break;
    case Rung::kHost:
      return Cat("host.", case_name);
    case Rung::kLoopback:
      return Cat("loopback.", case_name);
    case Rung::kPeer:
      return Cat("peer.", case_name);
    case Rung::kSmbDirect:
      return Cat("smb-direct.", case_name);
    case Rung::kServer:
      return Cat("server.", case_name);
    case Rung::kShare:
      return Cat("share.", case_name);
  }
  return std::string(case_name);
}

bool AllSoftware(const Facts& host) {
  return host.ports && !host.ports->empty() &&
         std::ranges::all_of(*host.ports, [](const Port& port) { return port.software && *port.software; });
}

Finding JudgeTransfer(const TransferResult& result, const TransferPlace& place,
                      std::span<const EndCounters> counters) {
  Finding finding = Begin(result.case_name, place);
  finding.duration_ns = result.elapsed_ns;
  const Failure failure = FailureOf(result);
  if (result.transport == kTcpTransport) {
    finding.outcome = Outcome::kUnknown;
    finding.observed = "the bytes went over TCP, which shows nothing of RDMA";
    return finding;
  }
  if (failure.kind == FailureKind::kNone) {
    finding.outcome = Outcome::kPass;
    finding.observed = FiguresText(result);
    if (result.unverified) {
      finding.observed += ", unverified";
      finding.expected = "every message completed (unverified: no byte was looked at)";
    }
    AddCounters(result, counters, place, finding);
    if (result.limit_bytes_per_s) {
      finding.observed += Cat("; in production, at most ", RateText(*result.limit_bytes_per_s));
    } else {
      JudgeSpeed(result, place, finding);
    }
    return finding;
  }
  const bool shown = failure.kind != FailureKind::kCancelled && failure.kind != FailureKind::kUnknown;
  finding.outcome = shown ? Outcome::kFail : Outcome::kUnknown;
  finding.observed = FailureText(failure, result);
  finding.why = WhyOf(failure.kind);
  SetFix(finding, HintFor(failure, place));
  AddCounters(result, counters, place, finding);
  return finding;
}

Finding NotTested(std::string_view case_name, const TransferPlace& place, std::string_view reason) {
  Finding finding = Begin(case_name, place);
  finding.outcome = Outcome::kUnknown;
  finding.observed = Cat("not tested: ", Printable(reason));
  SetFix(finding, GeneralHint(place));
  return finding;
}

Finding NotPossible(std::string_view case_name, const TransferPlace& place, std::string_view reason) {
  Finding finding = Begin(case_name, place);
  finding.outcome = Outcome::kNotApplicable;
  finding.observed = Printable(reason);
  finding.source = "ibv_query_device";
  return finding;
}

std::string LackFor(std::string_view case_name, const Facts& host, std::string_view device) {
  const TransferCase* test = FindCase(case_name);
  if (test == nullptr || !test->remote_invalidation || !host.ports) return {};
  const auto port = std::ranges::find(*host.ports, device, &Port::device);
  if (port == host.ports->end() || !port->limits) return {};
  const DeviceLimits& limits = *port->limits;
  const bool windows = limits.max_mw > 0 && (limits.mw_type_2a || limits.mw_type_2b);
  if (windows && limits.fast_registration) return {};
  return Cat(Printable(device), windows ? " knows no remote invalidation" : " has no memory windows of type 2");
}

Finding NoPath(const TransferPlace& place, std::string_view reason) {
  Finding finding{.id = std::string(kPathId),
                  .title = std::string(kPathTitle),
                  .scope = Scope::kPair,
                  .rung = Rung::kPeer,
                  .subject = Printable(place.subject),
                  .outcome = Outcome::kFail,
                  .blocking = true,
                  .observed = Printable(reason),
                  .expected = "one transport and one subnet",
                  .source = "addresses of both hosts",
                  .why = std::string(kPathWhy)};
  SetFix(finding, PathFix(place));
  return finding;
}

const Finding* ObstacleTo(std::span<const Finding> host_findings, std::string_view port_subject) {
  static const std::vector<std::string_view> kObstacles{
      "inv.rdma-present", "inv.netdev-mapping", "inv.transport", "link.state", "ip.address", "gid.v2-present"};
  return HidingFinding(kObstacles, {.scope = Scope::kPort, .outcome = Outcome::kFail, .blocking = true},
                       {.findings = host_findings, .subject = port_subject});
}

bool CannotConnect(const Failure& failure, std::string_view case_name) {
  if (failure.kind == FailureKind::kUnreachable || failure.kind == FailureKind::kRejected) return true;
  if (failure.kind != FailureKind::kSetup) return false;
  const TransferCase* row = FindCase(case_name);
  return row == nullptr || (!row->remote_invalidation && row->connections == 1);
}

const Finding* MemoryCauseOf(const Failure& failure, std::span<const Finding> host_findings) {
  if (!IsAboutMemory(failure)) return nullptr;
  const auto found = std::ranges::find_if(host_findings, [](const Finding& finding) {
    return finding.id == "host.memlock" && finding.outcome == Outcome::kFail && finding.blocking;
  });
  return found == host_findings.end() ? nullptr : &*found;
}

Finding Explained(Finding live, const Finding& by, std::string_view host) {
  Hide(live, by, host);
  return live;
}

}  // namespace rdmaready
