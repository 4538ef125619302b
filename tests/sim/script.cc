// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "api/base/number.h"
#include "api/base/quantity.h"
#include "api/base/status.h"

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

absl::StatusOr<Happening> ParseLine(const std::string& line, std::size_t agents) {
  static const std::map<std::string, What> kWords{
      {"change", What::kChange},   {"odd", What::kOdd},   {"test", What::kTest},   {"slow", What::kSlow},
      {"restart", What::kRestart}, {"stop", What::kStop}, {"start", What::kStart}, {"skew", What::kSkew}};
  std::istringstream words(line);
  std::string at, what, hosts, more;
  words >> at >> what >> hosts >> more;
  Happening happening{.text = line};
  RR_ASSIGN_OR_RETURN(happening.at, ParseDuration(at));
  const auto verb = kWords.find(what);
  if (verb == kWords.end()) return absl::InvalidArgumentError("'" + what + "' does not happen");
  happening.what = verb->second;
  const std::optional<std::size_t> count = HowMany(hosts, agents);
  if (!count) return absl::InvalidArgumentError("how many hosts: all, 10 or 10%");
  happening.hosts = *count;
  if (happening.what == What::kSkew) {
    RR_ASSIGN_OR_RETURN(happening.skew, ParseDuration(more));
  }
  return happening;
}

}  // namespace

absl::StatusOr<std::vector<Happening>> ParseScript(std::string_view text, std::size_t agents) {
  std::vector<Happening> happenings;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    absl::StatusOr<Happening> happening = ParseLine(line, agents);
    if (!happening.ok())
      return absl::InvalidArgumentError(fmt::format("script:{}: {}", number, Message(happening.status())));
    happenings.push_back(*std::move(happening));
  }
  std::ranges::stable_sort(happenings, {}, &Happening::at);
  return happenings;
}

}  // namespace rdmaready::sim
