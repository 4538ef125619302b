// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "api/base/number.h"
#include "api/base/quantity.h"
#include "api/base/status.h"
#include "tests/sim/release.h"

namespace rdmaready::sim {
namespace {

using What = Happening::What;

std::optional<std::size_t> HowMany(const std::string& word, std::size_t agents) {
  if (word == "all") return agents;
  const bool percent = word.ends_with('%');
  const auto number = ParseNumber<std::uint64_t>(percent ? word.substr(0, word.size() - 1) : word);
  if (!number || (percent && *number > 100)) return std::nullopt;
  return std::min<std::size_t>(percent ? (agents * *number + 99) / 100 : *number, agents);
}

struct Verb {
  What what;
  std::size_t least;  // words after how many hosts
  std::size_t most;
};

struct Line {
  Happening happening{};
  std::chrono::milliseconds lasts{};  // of a partition
};

absl::Status ReadDirection(const std::string& word, Happening& happening) {
  if (word != "both" && word != "to-hub" && word != "to-agent")
    return absl::InvalidArgumentError("'" + word + "' is no direction: both, to-hub or to-agent");
  happening.to_hub = word != "to-agent";
  happening.to_agent = word != "to-hub";
  return absl::OkStatus();
}

// "revision 2", or nothing: that of this tree.
absl::Status ReadRevision(const std::vector<std::string>& words, Happening& happening) {
  if (words.empty()) return absl::OkStatus();
  const auto number = words.size() == 2 ? ParseNumber<std::uint32_t>(words[1]) : std::nullopt;
  if (words[0] != "revision" || !number)
    return absl::InvalidArgumentError(fmt::format("'{}' is no revision: revision 2", fmt::join(words, " ")));
  happening.revision = *number;
  return absl::OkStatus();
}

absl::Status ReadMore(const std::vector<std::string>& more, Line& line) {
  Happening& happening = line.happening;
  switch (happening.what) {
    case What::kSkew: {
      RR_ASSIGN_OR_RETURN(happening.skew, ParseDuration(more[0]));
      return absl::OkStatus();
    }
    case What::kVersion:
      happening.version = more[0];
      if (!ParseRelease(more[0])) return absl::InvalidArgumentError("'" + more[0] + "' is no version: 0.2.0");
      return ReadRevision({more.begin() + 1, more.end()}, happening);
    case What::kPartition: {
      RR_ASSIGN_OR_RETURN(line.lasts, ParseDuration(more[0]));
      return ReadDirection(more.size() == 2 ? more[1] : "both", happening);
    }
    default:
      return absl::OkStatus();
  }
}

absl::StatusOr<Line> ParseLine(const std::string& text, std::size_t agents) {
  static const std::map<std::string, Verb> kVerbs{
      {"change", {What::kChange, 0, 0}},   {"odd", {What::kOdd, 0, 0}},
      {"test", {What::kTest, 0, 0}},       {"slow", {What::kSlow, 0, 0}},
      {"restart", {What::kRestart, 0, 0}}, {"stop", {What::kStop, 0, 0}},
      {"start", {What::kStart, 0, 0}},     {"skew", {What::kSkew, 1, 1}},
      {"version", {What::kVersion, 1, 3}}, {"partition", {What::kPartition, 1, 2}}};
  std::istringstream words(text);
  std::string at, what, hosts;
  words >> at >> what >> hosts;
  const std::vector<std::string> more{std::istream_iterator<std::string>(words), {}};
  Line line{.happening = {.text = text}};
  Happening& happening = line.happening;
  RR_ASSIGN_OR_RETURN(happening.at, ParseDuration(at));
  const auto verb = kVerbs.find(what);
  if (verb == kVerbs.end()) return absl::InvalidArgumentError("'" + what + "' does not happen");
  happening.what = verb->second.what;
  const std::optional<std::size_t> count = HowMany(hosts, agents);
  if (!count) return absl::InvalidArgumentError("how many hosts: all, 10 or 10%");
  happening.hosts = *count;
  if (more.size() > verb->second.most)
    return absl::InvalidArgumentError("'" + more[verb->second.most] + "' is a word too many");
  if (more.size() < verb->second.least)
    return absl::InvalidArgumentError(happening.what == What::kVersion ? "which version: 0.2.0"
                                                                       : "how long: 90s, 2m");
  RR_RETURN_IF_ERROR(ReadMore(more, line));
  return line;
}

}  // namespace

absl::StatusOr<std::vector<Happening>> ParseScript(std::string_view text, std::size_t agents) {
  std::vector<Happening> happenings;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    line.resize(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    const absl::StatusOr<Line> read = ParseLine(line, agents);
    if (!read.ok())
      return absl::InvalidArgumentError(fmt::format("script:{}: {}", number, Message(read.status())));
    happenings.push_back(read->happening);
    if (read->happening.what != What::kPartition) continue;
    Happening end = read->happening;
    end.at += read->lasts;
    end.what = What::kHeal;
    end.text += " (over)";
    happenings.push_back(std::move(end));
  }
  std::ranges::stable_sort(happenings, {}, &Happening::at);
  return happenings;
}

std::size_t MostPartitioned(const std::vector<Happening>& script) {
  std::size_t most = 0;
  for (const Happening& happening : script) {
    if (happening.what == What::kPartition) most = std::max(most, happening.hosts);
  }
  return most;
}

}  // namespace rdmaready::sim
