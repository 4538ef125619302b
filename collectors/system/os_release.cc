// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/os_release.h"

#include <algorithm>
#include <string>

#include "api/base/status.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

// As a shell reads what is assigned: up to the first blank outside of quotes. Empty where a quote is not
// closed.
std::string ShellValue(std::string_view text) {
  std::string value;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (escapes && (quote == '\0' || std::string_view("$`\"\\").find(text[i + 1]) != std::string_view::npos)) {
      value += text[++i];
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == '\0' && (c == ' ' || c == '\t')) {
      break;
    } else {
      value += c;
    }
  }
  return quote == '\0' ? value : std::string();
}

// Of the characters that os-release(5) allows in ID and VERSION_ID.
bool IsName(std::string_view word) {
  constexpr std::size_t kLongest = 64;
  return !word.empty() && word.size() <= kLongest && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

std::string NameOrEmpty(std::string value) { return IsName(value) ? value : std::string(); }

}  // namespace

Fact<Distribution> DecodeOsRelease(std::string_view text) {
  Distribution distribution;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, equals);  // the last assignment of a key counts
    const std::string value = ShellValue(line.substr(equals + 1));
    if (key == "ID") distribution.id = NameOrEmpty(value);
    if (key == "VERSION_ID") distribution.version = NameOrEmpty(value);
    if (key != "ID_LIKE") continue;
    distribution.like.clear();
    for (const std::string_view word : WordsOf(value)) {
      if (IsName(word)) distribution.like.emplace_back(word);
    }
  }
  if (!distribution.id.empty()) return distribution;
  return Missing{Missing::Kind::kUnsupported, "os-release names no distribution"};
}

Fact<Distribution> ReadDistribution(HostReader& host) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const absl::StatusOr<std::string> text = host.ReadFile(path);
    if (text.ok()) return DecodeOsRelease(*text);
    if (text.status().code() != absl::StatusCode::kNotFound) return MissingFrom(text.status());
  }
  return Missing{Missing::Kind::kUnsupported, "there is no os-release"};
}

}  // namespace rdmaready
