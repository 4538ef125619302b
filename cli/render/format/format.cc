// SPDX-License-Identifier: Apache-2.0
#include "cli/render/format/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli/explanation.h"
#include "cli/render/format/as_check.h"
#include "cli/render/format/judged.h"
#include "cli/render/format/objects.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

std::string CheckAsText(const CheckSummary& run, const Look& look) {
  return CheckText(run, look.style, look.verbose);
}
std::string TransfersAsText(const TransferRun& run, const Look& look) { return TransfersText(run, look.style); }
std::string ProbeAsText(const ProbeSummary& run, const Look& look) { return ProbeText(run, look.style); }
// Of the hosts that answered; the others are told on standard error.
std::string FactsAsText(const FactsRun& run, const Look& look) {
  FactsRun answered = run;
  std::erase_if(answered.hosts, [](const HostFacts& host) { return !host.error.empty(); });
  return FactsText(answered, look.style);
}
std::string HistoryAsText(const HistoryRun& run, const Look& look) {
  return run.with_texts ? RememberedText(run, look.style) : HistoryText(run, look.style);
}

// A renderer of findings also takes what the other commands judged.
template <std::string (*render)(const CheckSummary&, const Look&)>
std::string OfTransfers(const TransferRun& run, const Look& look) {
  return render(AsCheck(run), look);
}
template <std::string (*render)(const CheckSummary&, const Look&)>
std::string OfProbe(const ProbeSummary& run, const Look& look) {
  return render(AsCheck(run), look);
}

// The JSON object, made into something else that holds the same.
template <std::string (*change)(std::string_view)>
constexpr Format Objects(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .meaning = meaning,
          .object = change,
          .check = [](const CheckSummary& run, const Look&) { return change(CheckJson(run)); },
          .transfers = [](const TransferRun& run, const Look&) { return change(TransfersJson(run)); },
          .probe = [](const ProbeSummary& run, const Look&) { return change(ProbeJson(run)); },
          .facts = [](const FactsRun& run, const Look&) { return change(FactsJson(run)); },
          .history = [](const HistoryRun& run, const Look&) { return change(HistoryJson(run)); }};
}

std::string AsItIs(std::string_view json) { return std::string(json); }

constexpr std::array kFormats{
    Format{.name = "text",
           .meaning = "for people",
           .check = CheckAsText,
           .transfers = TransfersAsText,
           .probe = ProbeAsText,
           .facts = FactsAsText,
           .history = HistoryAsText},
    Format{
        .name = "short", .meaning = "a line for each host", .check = CheckShort, .probe = OfProbe<CheckShort>},
    Format{.name = "wide",
           .meaning = "a line for each finding in columns, never wrapped",
           .check = CheckWide,
           .transfers = OfTransfers<CheckWide>,
           .probe = OfProbe<CheckWide>},
    Objects<AsItIs>("json", "one object"),
    Objects<JsonLines>("jsonl", "a JSON object on each line"),
    Objects<YamlOfJson>("yaml", "the JSON object as YAML"),
    Format{.name = "junit",
           .meaning = "JUnit XML",
           .check = CheckJunit,
           .transfers = OfTransfers<CheckJunit>,
           .probe = OfProbe<CheckJunit>,
           .failure = FailureJunit},
    Format{.name = "sarif", .meaning = "SARIF 2.1.0", .check = CheckSarif, .probe = OfProbe<CheckSarif>},
    Format{.name = "nagios",
           .meaning = "a monitoring plugin's line",
           .check = CheckNagios,
           .transfers = OfTransfers<CheckNagios>,
           .probe = OfProbe<CheckNagios>,
           .failure = FailureNagios},
    Format{.name = "prom", .meaning = "Prometheus text", .check = CheckProm, .probe = OfProbe<CheckProm>},
    Format{.name = "csv",
           .meaning = "a row for each finding, or transfer",
           .check = CheckCsv,
           .transfers = TransfersCsv,
           .probe = OfProbe<CheckCsv>},
};

}  // namespace

std::span<const Format> AllFormats() { return kFormats; }

const Format& TextFormat() { return kFormats.front(); }

const Format* FindFormat(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : &*found;
}

bool Knows(const Format& format, std::string_view command) {
  if (command == "check") return format.check != nullptr;
  if (command == "test") return format.transfers != nullptr;
  if (command == "probe") return format.probe != nullptr;
  if (command == "facts") return format.facts != nullptr;
  if (command == "history") return format.history != nullptr;
  return format.object != nullptr || &format == &TextFormat();
}

std::vector<std::string> FormatNames(std::string_view command) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (command.empty() || Knows(format, command)) names.emplace_back(format.name);
  }
  return names;
}

absl::Status CheckFormat(std::string_view name, std::string_view command) {
  const std::vector<std::string> names = FormatNames(command);
  if (std::ranges::find(names, name) != names.end()) return absl::OkStatus();
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  if (FindFormat(name) != nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("--output {} is not for {}, which writes {}", name, command, known));
  }
  const std::string nearest = Nearest(name, names);
  const std::string hint = nearest.empty() ? std::string() : " (did you mean " + nearest + "?)";
  return absl::InvalidArgumentError(fmt::format("--output: no format '{}'{}; there are {}", name, hint, known));
}

}  // namespace rdmaready
