// SPDX-License-Identifier: Apache-2.0
#include "collectors/lines.h"

#include <algorithm>

namespace rdmaready {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::vector<std::string> LinesWith(std::string_view text, std::span<const std::string> words) {
  std::vector<std::string> wanted;
  for (const std::string& word : words) wanted.push_back(Lower(word));
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    const std::string lower = Lower(line);
    const auto holds = [&lower](const std::string& word) { return lower.find(word) != std::string::npos; };
    if (std::ranges::any_of(wanted, holds)) lines.emplace_back(line);
  }
  return lines;
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.size(), line.find_first_of(kBlanks, at));
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace rdmaready
