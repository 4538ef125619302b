// SPDX-License-Identifier: Apache-2.0
#include "checks/transfer.h"

#include <algorithm>
#include <array>

#include "api/base/text.h"
#include "checks/error_counters.h"
#include "checks/hiding.h"
#include "checks/transfer_hints.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "live transfer";
constexpr std::string_view kPathId = "peer.path";
constexpr std::int64_t kWholeIntervalNs = 100'000'000;  // 0 in one is a stall; without one it is no rate at all

enum class Figure { kLatency, kOperations, kBandwidth };  // what a case is looked at for

struct CaseRow {
  std::string_view name;
  Figure figure;
  std::string_view moves;  // completes "<moves> arrives intact ..."
  std::string_view why;
};

constexpr std::array<CaseRow, 5> kCases{{
    {"send-1k", Figure::kLatency, "A 1 KB message by send and receive",
     "Log writes and all control messages of SMB Direct go this way"},
    {"write-8k", Figure::kOperations, "8 KB by RDMA write",
     "Small reads of a client are answered this way; they decide the operations per second"},
    {"read-8k", Figure::kOperations, "8 KB by RDMA read",
     "Small writes of a client are fetched this way; they decide the operations per second"},
    {"write-512k", Figure::kBandwidth, "512 KB by RDMA write",
     "Large reads of a client are answered this way; they decide the bandwidth"},
    {"read-512k", Figure::kBandwidth, "512 KB by RDMA read",
     "Large writes of a client are fetched this way; they decide the bandwidth"},
}};

constexpr std::string_view kPathTitle = "The two hosts have RDMA ports that can reach each other";
constexpr std::string_view kPathWhy =
    "Without a common transport and subnet no RDMA connection can be tried at all";
constexpr std::string_view kPathFix =
    "ip -brief address show  # give both RDMA interfaces an address in one subnet, on ports of the same "
    "transport";

// A case that the engine has and this table does not is shown by its size.
Figure FigureOf(const TransferResult& result) {
  const auto row = std::ranges::find(kCases, result.case_name, &CaseRow::name);
  if (row != kCases.end()) return row->figure;
  return result.message_bytes >= 64 * 1024 ? Figure::kBandwidth : Figure::kLatency;
}

std::string FiguresText(const TransferResult& result) {
  const std::string latency =
      Cat("p50 ", DurationText(result.latency.p50_ns), ", p99 ", DurationText(result.latency.p99_ns));
  switch (FigureOf(result)) {
    case Figure::kLatency:
      return Cat(latency, ", p99.9 ", DurationText(result.latency.p999_ns));
    case Figure::kOperations:
      return Cat(result.operations_per_s, " operations/s, ", latency);
    case Figure::kBandwidth: {
      std::string text = RateText(result.throughput_bytes_per_s);
      if (result.elapsed_ns >= kWholeIntervalNs)
        text += ", worst 100 ms " + RateText(result.worst_interval_bytes_per_s);
      return result.verify ? Cat(text, ", ", VolumeText(result.bytes_verified), " verified") : text;
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
                  .scope = place.rung == Rung::kPeer ? Scope::kPair : Scope::kPort,
                  .rung = place.rung,
                  .subject = Printable(place.subject),
                  .blocking = true,
                  .expected = Expected(place),
                  .source = std::string(kSource)};
  const TransferCheck* check = FindTransferCheck(finding.id);
  finding.title =
      check != nullptr ? check->title : Cat("The live test ", Printable(case_name), " moves every byte");
  if (check != nullptr) finding.why = check->why;
  return finding;
}

// The numbers must agree with each other also where the engine saw no failure.
Failure FailureOf(const TransferResult& result) {
  if (result.failure.kind != FailureKind::kNone) return result.failure;
  if (result.bytes_wrong > 0) return {.kind = FailureKind::kCorrupt, .detail = {}};
  if (result.messages == 0 || result.bytes == 0)
    return {.kind = FailureKind::kStalled, .detail = "no message was completed"};
  if (result.verify && result.bytes_verified != result.bytes) {
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

// The counters' word is added to whatever the test itself showed.
void AddCounters(std::span<const EndCounters> counters, const TransferPlace& place, Finding& finding) {
  const std::string growth = GrowthText(counters);
  if (growth.empty()) return;
  finding.observed += "; " + growth;
  if (finding.outcome != Outcome::kPass || place.software || !GrewWorryingly(counters)) return;
  finding.outcome = Outcome::kWarn;
  finding.expected += ", and no error counted meanwhile";
  finding.source += ", sysfs hw_counters and counters";
  finding.why = WhyErrorsCount();
  finding.fix = HintForErrors(place);
}

std::vector<TransferCheck> MakeChecks() {
  std::vector<TransferCheck> checks{{.id = std::string(kPathId),
                                     .rung = Rung::kPeer,
                                     .title = std::string(kPathTitle),
                                     .why = kPathWhy,
                                     .fix = kPathFix}};
  for (const Rung rung : {Rung::kLoopback, Rung::kPeer}) {
    for (const CaseRow& row : kCases) {
      const std::string_view where =
          rung == Rung::kPeer ? " between the two hosts" : " through the port, both ends on this host";
      checks.push_back({.id = TransferId(rung, row.name),
                        .case_name = row.name,
                        .rung = rung,
                        .title = Cat(row.moves, " arrives intact", where),
                        .why = row.why,
                        .fix = GeneralHint(rung)});
    }
  }
  return checks;
}

}  // namespace

const std::vector<TransferCheck>& AllTransferChecks() {
  static const std::vector<TransferCheck> checks = MakeChecks();
  return checks;
}

const TransferCheck* FindTransferCheck(std::string_view id) {
  const auto found = std::ranges::find(AllTransferChecks(), id, &TransferCheck::id);
  return found == AllTransferChecks().end() ? nullptr : &*found;
}

std::string TransferId(Rung rung, std::string_view case_name) {
  switch (rung) {
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

Finding JudgeTransfer(const TransferResult& result, const TransferPlace& place,
                      std::span<const EndCounters> counters) {
  Finding finding = Begin(result.case_name, place);
  finding.duration_ns = result.elapsed_ns;
  const Failure failure = FailureOf(result);
  if (failure.kind == FailureKind::kNone) {
    finding.outcome = Outcome::kPass;
    finding.observed = FiguresText(result);
    if (!result.verify) {
      finding.observed += ", unverified";
      finding.expected = "every message completed (unverified: no byte was looked at)";
    }
    AddCounters(counters, place, finding);
    return finding;
  }
  finding.outcome = failure.kind == FailureKind::kCancelled ? Outcome::kUnknown : Outcome::kFail;
  finding.observed = FailureText(failure, result);
  finding.why = WhyOf(failure.kind);
  finding.fix = HintFor(failure, place);
  AddCounters(counters, place, finding);
  return finding;
}

Finding NotTested(std::string_view case_name, const TransferPlace& place, std::string_view reason) {
  Finding finding = Begin(case_name, place);
  finding.outcome = Outcome::kUnknown;
  finding.observed = Cat("not tested: ", Printable(reason));
  finding.fix = GeneralHint(place.rung);
  return finding;
}

Finding NoPath(const TransferPlace& place, std::string_view reason) {
  return {.id = std::string(kPathId),
          .title = std::string(kPathTitle),
          .scope = Scope::kPair,
          .rung = Rung::kPeer,
          .subject = Printable(place.subject),
          .outcome = Outcome::kFail,
          .blocking = true,
          .observed = Printable(reason),
          .expected = "one transport and one subnet",
          .source = "addresses of both hosts",
          .why = std::string(kPathWhy),
          .fix = std::string(kPathFix)};
}

const Finding* ObstacleTo(std::span<const Finding> host_findings, std::string_view port_subject) {
  static const std::vector<std::string_view> kObstacles{
      "inv.rdma-present", "inv.netdev-mapping", "inv.transport", "link.state", "ip.address", "gid.v2-present"};
  return HidingFinding(kObstacles, {.scope = Scope::kPort, .outcome = Outcome::kFail, .blocking = true},
                       {.findings = host_findings, .subject = port_subject});
}

Finding Explained(Finding live, const Finding& by, std::string_view host) {
  Hide(live, by, host);
  return live;
}

}  // namespace rdmaready
