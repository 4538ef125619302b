// SPDX-License-Identifier: Apache-2.0
#include "api/profile/waivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "api/base/date.h"
#include "api/base/status.h"
#include "api/convert/message.h"
#include "api/profile/chain.h"
#include "api/profile/yaml_message.h"

namespace rdmaready {
namespace {

// A line that a report can show; it may be left out where `what` is empty.
void CheckLine(const std::string& path, const std::string& text, std::string_view what,
               std::vector<ProfileProblem>& problems) {
  constexpr std::size_t kLongestLine = 256;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty()) {
    if (!what.empty()) problems.push_back({path, fmt::format("a waiver says {}", what)});
  } else if (text.size() > kLongestLine || std::ranges::any_of(text, control)) {
    problems.push_back({path, fmt::format("one line of at most {} bytes", kLongestLine)});
  }
}

YamlFault FaultOfWaivers(const ProfileProblem& problem, const FieldPlaces& places, const std::string& file) {
  std::string_view field = problem.field;
  while (!field.empty() && !places.contains(field)) {
    const std::size_t end = field.find_last_of(".[");
    field = field.substr(0, end == std::string_view::npos ? 0 : end);
  }
  const auto place = places.find(field);
  return {.file = file,
          .line = place == places.end() ? 1 : place->second.line,
          .key = problem.field,
          .text = "key `" + problem.field + "`: " + problem.text};
}

}  // namespace

void FindWaiverProblems(const v1::Profile& message, std::vector<ProfileProblem>& problems) {
  if (message.waivers_size() > kMaxWaivers)
    return problems.push_back({std::string(kWaiversKey), fmt::format("more than {} of them", kMaxWaivers)});
  for (int i = 0; i < message.waivers_size(); ++i) {
    const v1::Profile::Waiver& waiver = message.waivers(i);
    const std::string path = fmt::format("{}[{}]", kWaiversKey, i);
    CheckLine(path + ".check", waiver.check(), "which check: an id, or a pattern of ids", problems);
    CheckLine(path + ".host", waiver.host(), "", problems);
    CheckLine(path + ".port", waiver.port(), "", problems);
    CheckLine(path + ".reason", waiver.reason(), "for what reason", problems);
    CheckLine(path + ".who", waiver.who(), "who answers for it", problems);
    if (!EndOfDayUnixNs(waiver.until()))
      problems.push_back({path + ".until", "a waiver ends: its last day, like 2026-12-31"});
  }
}

bool HoldsWaivers(const YamlNode& root, const std::string& file, std::vector<YamlFault>& faults) {
  const auto refuse = [&](int line, std::string text) {
    faults.push_back({.file = file, .line = line, .text = std::move(text)});
    return false;
  };
  if (root.kind != YamlNode::Kind::kMap) return refuse(1, "a file of waivers has the one key `waivers`, with a list");
  bool found = false;
  for (const YamlNode::Entry& entry : root.entries) {
    if (entry.key != kWaiversKey)
      return refuse(entry.line, "key `" + entry.key + "`: a file of waivers has the one key `waivers`");
    if (entry.value.kind != YamlNode::Kind::kList) return refuse(entry.line, "key `waivers` wants a list");
    if (entry.value.items.size() > kMaxWaiversOfFile)
      return refuse(entry.line, fmt::format("key `waivers`: more than {} of them", kMaxWaiversOfFile));
    found = true;
  }
  return found || refuse(1, "a file of waivers has the one key `waivers`, with a list");
}

absl::StatusOr<std::vector<Waiver>> LoadWaivers(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadProfileFile(path));
  std::vector<YamlFault> faults;
  const std::optional<YamlNode> root = ParseYaml(text, path, faults);
  v1::Profile message;
  if (root && HoldsWaivers(*root, path, faults)) {
    const FieldPlaces places = FillMessage(*root, {&path, 1}, {}, message, faults);
    std::vector<ProfileProblem> problems;
    if (faults.empty()) FindWaiverProblems(message, problems);
    for (const ProfileProblem& problem : problems) faults.push_back(FaultOfWaivers(problem, places, path));
  }
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  std::vector<Waiver> waivers;
  for (const v1::Profile::Waiver& waiver : message.waivers())
    waivers.push_back(convert::ReadOrDefault<Waiver>(waiver));
  return waivers;
}

}  // namespace rdmaready
