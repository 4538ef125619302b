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

constexpr std::array<std::string_view, 5> kKernelsFolders{"/proc/", "/sys/", "/boot/", "/lib/modules/",
                                                          "/usr/lib/modules/"};
constexpr std::string_view kUdevRecords = "/run/udev/data/";
constexpr std::string_view kNetworkdRecords = "/run/systemd/netif/links/";
constexpr std::array<std::string_view, 2> kKsmbdFolders{"/etc/ksmbd/", "/usr/local/etc/ksmbd/"};
constexpr std::string_view kLimits = "/etc/security/limits.";
constexpr std::string_view kSystemdDefaults =
    "/etc/systemd/system.conf";  // its comments tell what holds by default
constexpr std::array<std::string_view, 11> kPlainValues{
    "yes", "no", "on", "off", "true", "false", "enable", "disable", "unlimited", "infinity", "auto"};
// The configuration of opensm(8), and of the units that start it. The words that are looked for there name
// ports.
constexpr std::array<std::string_view, 4> kFilesOfOpensm{"/etc/opensm/", "/etc/rdma/opensm.conf",
                                                         "/etc/sysconfig/opensm", "/etc/default/opensm"};
constexpr std::string_view kWhite = " \t\r";

bool IsIn(std::span<const std::string_view> folders, std::string_view path) {
  return std::ranges::any_of(folders, [path](std::string_view folder) { return path.starts_with(folder); });
}

std::string_view TrimLeft(std::string_view text) {
  return text.substr(std::min(text.size(), text.find_first_not_of(kWhite)));
}

bool IsValueByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("_.,:+-/").find(c) != std::string_view::npos;
}

// What stands between a word and its value.
std::string_view SignsBefore(std::string_view rest) {
  return rest.substr(0, std::min(rest.size(), rest.find_first_not_of(" \t\"'=:")));
}

// A number, or a word that every program knows.
std::string_view PlainValue(std::string_view rest) {
  std::size_t size = 0;
  while (size < rest.size() && IsValueByte(rest[size])) ++size;
  const std::string_view value = rest.substr(0, size);
  std::size_t digits = 0;
  while (digits < value.size() && value[digits] >= '0' && value[digits] <= '9') ++digits;
  constexpr std::size_t kMostDigits = 10;
  const bool number =
      digits > 0 && digits <= kMostDigits &&
      (digits == value.size() || std::string_view(".,:").find(value[digits]) != std::string::npos);
  if (number) return value.substr(0, digits);
  return std::ranges::find(kPlainValues, value) != kPlainValues.end() ? value : std::string_view();
}

// Of "word = value", what follows the word; `whole`: all of the value.
std::string OwnValue(std::string_view rest, bool whole) {
  constexpr std::size_t kMostBytes = 64;
  const std::string_view signs = SignsBefore(rest);
  std::string_view value = rest.substr(signs.size());
  if (whole) return std::string(signs) + std::string(value.substr(0, value.find_first_of("#;")));
  std::size_t size = 0;
  while (size < std::min(value.size(), kMostBytes) && IsValueByte(value[size])) ++size;
  return std::string(signs) + std::string(value.substr(0, size));
}

bool IsVariableByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// "NCCL_IB_HCA" of "export NCCL_IB_HCA=mlx5_0": the whole name of a variable of the environment that is set.
bool IsVariable(std::string_view text, std::size_t begin, std::string_view word) {
  const bool name = word.find('_') != std::string_view::npos && std::ranges::all_of(word, [](char c) {
                      return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
                    });
  return name && (begin == 0 || !IsVariableByte(text[begin - 1])) &&
         text.substr(begin + word.size()).starts_with('=');
}

// A list of devices: "^=mlx5_1:1,mlx5_4". The bound is that of an absurd list: a thousand devices fit.
std::string_view VariableValue(std::string_view rest) {
  constexpr std::size_t kMostBytes = 16384;
  std::size_t size = std::min(rest.size(), rest.find_first_not_of("=^\"'"));
  while (size < std::min(rest.size(), kMostBytes) && IsValueByte(rest[size])) ++size;
  return rest.substr(0, size);
}

bool IsGuid(std::string_view word) {
  constexpr std::size_t kMostDigits = 16;
  const bool number = word.starts_with("0x") && word.size() > 2 && word.size() <= 2 + kMostDigits;
  return number && word.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// "guid 0xb83fd20300c21a40" and "PORTS ALL" of "PORTS=ALL", where the first word of the line is one of `words`.
// Other values are left out.
std::string OpensmLine(std::string_view text, std::span<const std::string> words) {
  constexpr std::string_view kBetween = " \t=\"',";
  const std::string_view first = text.substr(0, text.find_first_of(kBetween));
  if (std::ranges::find(words, first) == words.end()) return {};
  std::string kept(first);
  std::string_view rest = text.substr(first.size(), text.find('#') - first.size());
  while (rest.find_first_not_of(kBetween) != std::string_view::npos) {
    rest.remove_prefix(rest.find_first_not_of(kBetween));
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    rest.remove_prefix(word.size());
    if (IsGuid(word) || word == "ALL" || word == "NONE") kept += " " + std::string(word);
  }
  return kept;
}

// The first of `words` in the line from `from`, the longest of those that begin there.
std::string_view FirstWord(std::string_view line, std::size_t from, std::span<const std::string> words) {
  for (std::size_t at = from; at < line.size(); ++at) {
    std::string_view longest;
    for (const std::string& word : words) {
      const std::string_view here = line.substr(at, word.size());
      if (!word.empty() && here.size() == word.size() && word.size() > longest.size() &&
          std::ranges::equal(here, word, [](char a, char b) { return Lower(a) == Lower(b); })) {
        longest = here;
      }
    }
    if (!longest.empty()) return longest;
  }
  return {};
}

// "DOMAIN soft|hard|- ITEM VALUE", and the item is looked for.
bool IsLimit(std::string_view line, std::span<const std::string> words) {
  constexpr std::size_t kParts = 4;
  const std::vector<std::string_view> parts = WordsOf(line.substr(0, line.find('#')));
  return parts.size() == kParts && (parts[1] == "soft" || parts[1] == "hard" || parts[1] == "-") &&
         std::ranges::find(words, parts[2]) != words.end();
}

// "E:ID_PATH=pci-0000:41:00.0" where a word is "ID_PATH=". Rules of a site may put any text into other
// properties.
std::string UdevProperty(std::string_view line, std::span<const std::string> words) {
  constexpr std::string_view kProperty = "E:";
  if (!line.starts_with(kProperty)) return {};
  const std::string_view property = line.substr(kProperty.size());
  const bool asked =
      std::ranges::any_of(words, [property](const std::string& word) { return property.starts_with(word); });
  return asked ? std::string(line) : std::string();
}

// "NETWORK_FILE=/etc/systemd/network/20-a.network" where the word is "NETWORK_FILE=".
std::string NetworkdProperty(std::string_view line, std::span<const std::string> words) {
  const bool asked =
      std::ranges::any_of(words, [line](const std::string& word) { return line.starts_with(word); });
  return asked ? std::string(line) : std::string();
}

std::string KeptOf(std::string_view path, std::string_view line, std::span<const std::string> words) {
  const std::string_view text = TrimLeft(line);
  const bool comment = text.starts_with('#') || text.starts_with(';');
  if (path.starts_with(kLimits) && IsLimit(text, words)) return std::string(text.substr(0, text.find('#')));
  if (IsIn(kFilesOfOpensm, path)) return OpensmLine(text, words);
  if (path.starts_with(kUdevRecords)) return UdevProperty(text, words);
  if (path.starts_with(kNetworkdRecords)) return NetworkdProperty(text, words);
  std::string kept(comment ? text.substr(0, 1) : std::string_view());
  std::size_t at = 0;
  for (std::string_view word = FirstWord(text, at, words); !word.empty(); word = FirstWord(text, at, words)) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    const std::string_view rest = text.substr(begin + word.size());
    if (!kept.empty() && !comment) kept += ' ';
    kept += word;
    at = begin + word.size();
    if (comment && path != kSystemdDefaults) continue;
    if (IsVariable(text, begin, word)) {
      kept += VariableValue(rest);
      continue;
    }
    const bool own = begin == (comment ? 1 : 0) && (word.ends_with('=') || TrimLeft(rest).starts_with('='));
    if (own) {
      kept += OwnValue(rest, IsIn(kKsmbdFolders, path));
      if (IsIn(kKsmbdFolders, path)) break;
    } else if (const std::string_view value = PlainValue(rest.substr(SignsBefore(rest).size()));
               !value.empty()) {
      kept += SignsBefore(rest);
      kept += value;
    }
  }
  return kept;
}

}  // namespace

std::vector<std::string> LinesToKeep(std::string_view path, std::string_view text,
                                     std::span<const std::string> words) {
  std::vector<std::string> lines = LinesWith(text, words);
  if (IsIn(kKernelsFolders, path)) return lines;
  for (std::string& line : lines) line = KeptOf(path, line, words);
  return lines;
}

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
