// SPDX-License-Identifier: Apache-2.0
#include "checks/words/open_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

namespace rdmaready {
namespace {

// Those of checks/placeholders.h without a value, and what a caller or a person alone knows.
constexpr auto kOpenWords = std::to_array<std::string_view>(
    {"ADDRESS",   "DAY",    "DEVICE", "DIRECTORY", "DSCP",    "EXPORT",    "FILE",     "FUNCTION",
     "GUID",      "HOST",   "HOST-A", "HOST-B",    "MEMLOCK", "METRES",    "MTU",      "NAME",
     "NAMESPACE", "NETDEV", "NUMBER", "OTHER",     "PID",     "PORT",      "PRIORITY", "PROFILE",
     "SERVER",    "SHARE",  "SPEED",  "TARGET",    "TOS",     "TRANSPORT", "UNIT",     "VLAN"});

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

}  // namespace

bool HasOpenWord(std::string_view text) {
  while (!text.empty()) {
    if (text.front() == '\'') {
      const std::size_t end = text.find('\'', 1);
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 1);
      continue;
    }
    const auto* const end = std::ranges::find_if_not(text, IsWordCharacter);
    const std::string_view word(text.begin(), end);
    const std::string_view rest(end, text.end());
    // "NAME=value" sets a variable.
    if (!rest.starts_with('=') && std::ranges::find(kOpenWords, word) != kOpenWords.end()) return true;
    text = word.empty() ? text.substr(1) : rest;
  }
  return false;
}

Remedy WithoutOpenCommands(Remedy remedy) {
  for (RemedyStep& step : remedy.steps) {
    if (!HasOpenWord(step.command)) continue;
    step.action = "fill in and run: " + step.command;
    step.command.clear();
  }
  if (HasOpenWord(remedy.check)) {
    if (!remedy.steps.empty())
      remedy.steps.push_back({.action = "at the end fill in and run: " + remedy.check});
    remedy.check.clear();
  }
  return remedy;
}

}  // namespace rdmaready
