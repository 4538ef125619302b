// SPDX-License-Identifier: Apache-2.0
#include "cli/render/baseline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/layout.h"

namespace rdmaready {
namespace {

constexpr std::size_t kBaselineMargin = 2;

std::string DayOf(std::int64_t unix_ns) { return TimeText(unix_ns).substr(0, 10); }

std::string WithWhom(const CaseBaseline& baseline) {
  if (baseline.role == "loopback") return "loopback";
  return (baseline.role == "initiator" ? "to " : "from ") + Printable(baseline.peer);
}

// "since 2026-11-20; 97.0 MB/s for 90 days before"
std::string ChangeWords(const CaseBaseline& baseline) {
  if (baseline.changed_unix_ns == 0) return fmt::format("since {}", DayOf(baseline.first_unix_ns));
  return fmt::format("since {}; {} for {} before", DayOf(baseline.changed_unix_ns),
                     RateText(baseline.before_bytes_per_s), CountText(baseline.before_days, "day"));
}

}  // namespace

std::vector<std::string> BaselineTitles() {
  return {"port", "case", "peer", "last", "on", "p50", "p10", "days", "it is so"};
}

std::vector<std::string> BaselineCells(const CaseBaseline& baseline) {
  const auto of_past = [&](std::uint64_t rate) { return baseline.days == 0 ? "-" : RateText(rate); };
  return {Printable(baseline.port),
          Printable(baseline.case_name),
          WithWhom(baseline),
          RateText(baseline.last_bytes_per_s),
          DayOf(baseline.last_unix_ns),
          of_past(baseline.p50_bytes_per_s),
          of_past(baseline.p10_bytes_per_s),
          fmt::format("{}", baseline.days),
          ChangeWords(baseline)};
}

std::string BaselineText(const BaselineRun& run, const Style& style) {
  std::string text;
  for (const HostBaselines& host : run.hosts) {
    if (!host.error.empty()) continue;
    text += (text.empty() ? "" : "\n") + style.Paint(Tone::kStrong, Printable(host.host)) + "\n";
    std::vector<std::vector<std::string>> rows{BaselineTitles()};
    for (const CaseBaseline& baseline : host.baselines) rows.push_back(BaselineCells(baseline));
    text += host.baselines.empty() ? "  no live test is remembered\n" : Table(style, rows, kBaselineMargin);
  }
  return text;
}

std::string BaselineJson(const BaselineRun& run) {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson hosts = OrderedJson::array();
  for (const HostBaselines& host : run.hosts) {
    OrderedJson baselines = OrderedJson::array();
    for (const CaseBaseline& baseline : host.baselines) {
      baselines.push_back({{"port", baseline.port},
                           {"case", baseline.case_name},
                           {"role", baseline.role},
                           {"peer", baseline.peer},
                           {"last_bytes_per_s", baseline.last_bytes_per_s},
                           {"last_unix_ns", baseline.last_unix_ns},
                           {"days", baseline.days},
                           {"p10_bytes_per_s", baseline.p10_bytes_per_s},
                           {"p50_bytes_per_s", baseline.p50_bytes_per_s},
                           {"latency_p99_ns", baseline.latency_p99_ns},
                           {"days_kept", baseline.days_kept},
                           {"first_unix_ns", baseline.first_unix_ns},
                           {"changed_unix_ns", baseline.changed_unix_ns},
                           {"before_bytes_per_s", baseline.before_bytes_per_s},
                           {"before_days", baseline.before_days}});
    }
    hosts.push_back({{"host", host.host}, {"error", host.error}, {"baselines", std::move(baselines)}});
  }
  const OrderedJson json{{"schema", "rdmaready.v1.Baseline"}, {"hosts", std::move(hosts)}};
  return json.dump(2, ' ', true, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready
