// SPDX-License-Identifier: Apache-2.0
#include "collectors/lines.h"

#include <algorithm>
#include <array>
#include <limits>

namespace rdmaready {
namespace {

unsigned char Lower(char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

// Finds the first of several words, whatever their case, and looks at few of the bytes between: Horspool's
// search, of all words at once. A kernel's configuration has ten thousand lines, of which ten matter.
class WordSearch {
 public:
  explicit WordSearch(std::span<const std::string> words) {
    for (const std::string& word : words) {
      if (word.empty() || word.find('\n') != std::string::npos) continue;  // no line holds it
      std::string& lower = words_.emplace_back(word);
      std::ranges::transform(lower, lower.begin(), [](char c) { return static_cast<char>(Lower(c)); });
      window_ = std::min(window_, word.size());
    }
    skip_.fill(window_);
    for (const std::string& word : words_) {
      for (std::size_t i = 0; i + 1 < window_; ++i) {
        std::size_t& skip = skip_[Lower(word[i])];
        skip = std::min(skip, window_ - 1 - i);
      }
    }
    for (const std::string& word : words_) ends_[Lower(word[window_ - 1])] = true;
  }

  // Where the first one begins, npos for none.
  std::size_t Find(std::string_view text, std::size_t from) const {
    if (words_.empty()) return std::string_view::npos;
    for (std::size_t at = from; at + window_ <= text.size();) {
      const unsigned char last = Lower(text[at + window_ - 1]);
      if (ends_[last] && AnyAt(text.substr(at))) return at;
      at += skip_[last];
    }
    return std::string_view::npos;
  }

 private:
  bool AnyAt(std::string_view text) const {
    return std::ranges::any_of(words_, [text](const std::string& word) {
      return text.size() >= word.size() &&
             std::equal(word.begin(), word.end(), text.begin(),
                        [](char a, char b) { return static_cast<unsigned char>(a) == Lower(b); });
    });
  }

  std::vector<std::string> words_;                                // in lower case
  std::size_t window_ = std::numeric_limits<std::size_t>::max();  // the shortest one's size
  std::array<std::size_t, 256> skip_{};  // by the window's last byte: how far on the next word may begin
  std::array<bool, 256> ends_{};         // the bytes with which a word's part in the window ends
};

}  // namespace

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::vector<std::string> LinesWith(std::string_view text, std::span<const std::string> words) {
  const WordSearch search(words);
  std::vector<std::string> lines;
  for (std::size_t at = search.Find(text, 0); at != std::string_view::npos;) {
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    lines.emplace_back(text.substr(begin, end - begin));
    at = search.Find(text, end);
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
