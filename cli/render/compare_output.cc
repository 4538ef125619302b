// SPDX-License-Identifier: Apache-2.0
#include "cli/render/compare_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/counted/error_counters.h"
#include "checks/words/words.h"
#include "checks/words/words_view.h"
#include "cli/layout.h"
#include "cli/render/documents.h"

namespace rdmaready {

constexpr std::string_view NameOf(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::kUnknown:
      return "unknown";
    case CompareVerdict::kRdmaAhead:
      return "rdma-ahead";
    case CompareVerdict::kNoDifference:
      return "no-difference";
    case CompareVerdict::kTcpAhead:
      return "tcp-ahead";
  }
  return "unknown";
}

namespace {

// A ratio of numbers that come from agents, of any size.
std::optional<std::uint64_t> PermilleOfRatio(const std::optional<double>& ratio) {
  constexpr double kMost = 1e15;
  if (!ratio) return std::nullopt;
  return static_cast<std::uint64_t>(std::clamp(*ratio * 1000, 0.0, kMost));
}

// One end's counters that grew, in words, and its CPUs.
struct CompareEnd {
  std::string host{};
  std::string grown{};
  std::optional<HostCpu> host_cpu{};
};

struct CompareView : WordsView {
  static void Fields(const HostCpu& cpu, auto& list) {
    list("busy_ns", cpu.busy_ns, "measured_ns", cpu.measured_ns, "idle_busy_ns", cpu.idle_busy_ns, "idle_ns",
         cpu.idle_ns);
  }
  static void Fields(const CompareEnd& end, auto& list) {
    list("host", end.host, "grown", end.grown, "host_cpu", end.host_cpu);
  }
  static void Fields(const StressFlow&, auto& list) {
    constexpr auto kResult = [](const StressFlow& of) { return &of.result; };
    list.Of(kResult, [](const TransferResult& result, auto& part) {
      part("throughput_bytes_per_s", result.throughput_bytes_per_s, "operations_per_s", result.operations_per_s,
           "latency_ns", result.latency, "messages", result.messages, "bytes", result.bytes, "bytes_verified",
           result.bytes_verified, "bytes_wrong", result.bytes_wrong, "elapsed_ns", result.elapsed_ns);
      part.Derived("failure", [](const TransferResult& of) {
        return of.failure.kind == FailureKind::kNone ? std::string() : Printable(of.failure.detail);
      });
    });
    list.Derived("ends", [](const StressFlow& of) {
      std::vector<CompareEnd> ends;
      for (const EndCounters& end : of.counters)
        ends.push_back({end.host, GrowthText({&end, 1}), end.host_cpu});
      return ends;
    });
  }
  static void Fields(const TransportFigures& figures, auto& list) {
    list("transfers", figures.transfers, "throughput_bytes_per_s", figures.throughput_bytes_per_s,
         "operations_per_s", figures.operations_per_s, "latency_ns", figures.latency);
    list.Derived("spread_permille", [](const TransportFigures& of) { return PermilleOfRatio(of.spread); });
    list("from_cpu_permille", figures.from_cpu_permille, "to_cpu_permille", figures.to_cpu_permille,
         "cpu_ns_per_operation", figures.cpu_ns_per_operation, "cpu_ns_per_mib", figures.cpu_ns_per_mib);
  }
  static void Fields(const LatencySummary& latency, auto& list) {
    list("p50", latency.p50_ns, "p99", latency.p99_ns, "p999", latency.p999_ns, "max", latency.max_ns);
  }
  static void Fields(const ComparedCase& one, auto& list) {
    list("case", one.case_name, "verdict", one.verdict, "why_unknown", one.why_unknown, "too_near",
         one.too_near);
    list.Derived("ratio_permille", [](const ComparedCase& of) { return PermilleOfRatio(of.ratio); });
    list("rdma", one.rdma, "tcp", one.tcp);
  }
  static void Fields(const CompareCase& made, auto& list) {
    list("case", made.case_name, "rdma", made.rdma, "tcp", made.tcp);
  }
  static void Fields(const JudgedCompare&, auto& list) {
    constexpr auto kRun = [](const JudgedCompare& one) { return &one.run; };
    constexpr auto kJudged = [](const JudgedCompare& one) { return &one.judged; };
    list.Of(kRun, [](const CompareRun& run, auto& part) {
      part("run_id", run.run_id, "from", run.from, "to", run.to, "subject", run.subject, "software",
           run.software);
    });
    list.Of(kJudged, [](const CompareJudgement& judged, auto& part) {
      part("text", judged.text, "cases", judged.cases);
    });
    list.Of(kRun, [](const CompareRun& run, auto& part) { part("transfers", run.cases); });
  }
};

constexpr convert::DocumentOf<JudgedCompare> kCompareDocument{
    {"rdmaready.v1.Compare", &describe::Described<JudgedCompare, CompareView>::kType}};

std::string TimesText(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", std::min(*ratio, 1e6)) : "?";
}

// "34 % + 71 %": of one CPU at the sender and at the receiver.
std::string CpuText(const TransportFigures& figures) {
  if (!figures.from_cpu_permille || !figures.to_cpu_permille) return "?";
  return ShareText(*figures.from_cpu_permille) + " + " + ShareText(*figures.to_cpu_permille);
}

std::string CostText(const std::optional<std::uint64_t>& ns) {
  return ns ? DurationText(static_cast<std::int64_t>(*ns)) : "?";
}

std::vector<std::string> RowOfTransport(std::string_view case_name, std::string_view transport,
                                        const TransportFigures& figures) {
  if (figures.transfers == 0) return {std::string(case_name), std::string(transport), "-"};
  return {std::string(case_name),
          std::string(transport),
          RateText(figures.throughput_bytes_per_s),
          fmt::format("{}", figures.operations_per_s),
          DurationText(figures.latency.p50_ns),
          DurationText(figures.latency.p99_ns),
          DurationText(figures.latency.p999_ns),
          CpuText(figures),
          CostText(figures.cpu_ns_per_operation),
          CostText(figures.cpu_ns_per_mib),
          TimesText(figures.spread)};
}

std::string_view WordsOf(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::kRdmaAhead:
      return "RDMA is ahead";
    case CompareVerdict::kNoDifference:
      return "no difference";
    case CompareVerdict::kTcpAhead:
      return "TCP is ahead";
    case CompareVerdict::kUnknown:
      break;
  }
  return "unknown";
}

Tone ToneOfCase(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::kRdmaAhead:
      return Tone::kGood;
    case CompareVerdict::kTcpAhead:
    case CompareVerdict::kUnknown:
      return Tone::kWarning;
    case CompareVerdict::kNoDifference:
      break;
  }
  return Tone::kFaint;
}

std::string VerdictLine(const ComparedCase& one, const Style& style) {
  std::string text =
      fmt::format("  {}: {}", one.case_name, style.Paint(ToneOfCase(one.verdict), WordsOf(one.verdict)));
  if (one.ratio) text += fmt::format(", ratio {}", TimesText(one.ratio));
  if (!one.why_unknown.empty()) text += ": " + one.why_unknown;
  if (!one.too_near.empty()) text += ": " + one.too_near;
  return text + "\n";
}

}  // namespace

std::string CompareJson(const JudgedCompare& compare) { return kCompareDocument.Text(compare); }

std::span<const convert::Document> CompareDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kCompareDocument};
  return kDocuments;
}

std::string CompareText(const JudgedCompare& compare, const Style& style) {
  const CompareRun& run = compare.run;
  std::string text = style.Paint(Tone::kStrong, compare.judged.text) + "\n";
  for (const ComparedCase& one : compare.judged.cases) text += VerdictLine(one, style);
  std::vector<std::vector<std::string>> rows{
      {"", "", "rate", "ops/s", "p50", "p99", "p99.9", "CPU of both", "per operation", "per MiB", "spread"}};
  for (const ComparedCase& one : compare.judged.cases) {
    rows.push_back(RowOfTransport(one.case_name, "RDMA", one.rdma));
    rows.push_back(RowOfTransport("", "TCP", one.tcp));
  }
  text += "\n" + style.Paint(Tone::kStrong, Printable(run.from + " -> " + run.to + ", " + run.subject)) + "\n" +
          Table(style, rows, 2);
  if (run.software)
    text += "  A software device: the CPU does the work of the NIC, and the figures say nothing of hardware.\n";
  text +=
      "  Each figure is the median of its transfers. Spread: the largest by the smallest of them, of the "
      "figure "
      "that the case is compared by.\n"
      "  A ratio above 1 is in favour of RDMA. CPU: of all CPUs, less an idle time; 100 % is one CPU.\n";
  return text;
}

ExitStatus StatusOf(const JudgedCompare& compare) {
  const std::vector<ComparedCase>& cases = compare.judged.cases;
  const auto falls_short = [](const ComparedCase& one) { return one.rdma_failed || !one.too_near.empty(); };
  if (std::ranges::any_of(cases, falls_short)) return ExitStatus::kNotReady;
  const bool known = std::ranges::none_of(
      cases, [](const ComparedCase& one) { return one.verdict == CompareVerdict::kUnknown; });
  return known && !cases.empty() ? ExitStatus::kOk : ExitStatus::kOwnFailure;
}

}  // namespace rdmaready
