// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/saved/damage.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tests/unit/collectors/recording/sealed.h"

namespace rdmaready::fuzz {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr std::array<std::string_view, 12> kNumbers{
    "0",    "1",  "-1", "255", "256", "65535", "65536", "4294967295", "4294967296", "18446744073709551615",
    "1e99", "0.5"};

constexpr std::array<std::string_view, 28> kWords{"\"",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ",",
                                                  ":",
                                                  "\\u0000",
                                                  "\\ud800",
                                                  "\\n",
                                                  "null",
                                                  "true",
                                                  "1e999",
                                                  "[[[[[[[[[",
                                                  "{\"hex\":\"1b5b00ff\"}",
                                                  "{\"hex\":\"\"}",
                                                  "\"times\":4294967295,",
                                                  "\"times\":0,",
                                                  "\"error\":{\"code\":\"permission-denied\",\"text\":\"x\"},",
                                                  "\"error\":{\"code\":\"not-collected\",\"text\":\"\"},",
                                                  "\"in\":\"files/etc/machine-id\",",
                                                  "\"shows\":[],",
                                                  "../",
                                                  "/",
                                                  "$(id);",
                                                  "{netdev}",
                                                  "\xff\xfe",
                                                  "\xe2\x80\xae"};

class Tape {
 public:
  explicit Tape(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::uint8_t Next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  std::size_t Two() {
    const std::size_t low = Next();
    return low + std::size_t{Next()} * 256;
  }
  std::string Several() {
    constexpr std::uint8_t kMost = 32;
    std::string text;
    for (unsigned left = 1U + Next() % kMost; left > 0 && !empty(); --left)
      text.push_back(static_cast<char>(Next()));
    return text;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

struct OneChange {
  std::uint8_t file = 0;
  DamageKind kind = DamageKind::kDrop;
  std::size_t line = 0;
  std::size_t place = 0;
  std::string bytes{};
  std::uint8_t which = 0;
};

OneChange NextChange(Tape& tape) {
  OneChange change;
  change.file = tape.Next();
  change.kind = static_cast<DamageKind>(tape.Next() % kDamageKinds);
  change.line = tape.Two();
  switch (change.kind) {
    case DamageKind::kBytes:
    case DamageKind::kHex:
      change.place = tape.Two();
      change.bytes = tape.Several();
      break;
    case DamageKind::kNumber:
    case DamageKind::kWord:
    case DamageKind::kErase:
      change.place = tape.Two();
      change.which = tape.Next();
      break;
    case DamageKind::kCut:
    case DamageKind::kTwice:
      change.place = tape.Two();
      break;
    case DamageKind::kDrop:
    case DamageKind::kRemove:
      break;
  }
  return change;
}

bool OfTheHost(std::string_view path) { return path.find('/') != std::string_view::npos; }

RecordingFiles::iterator FileOf(std::uint8_t number, RecordingFiles& files) {
  const bool of_the_host = number >= kFirstTreeFile;
  std::vector<RecordingFiles::iterator> choice;
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (OfTheHost(file->first) == of_the_host) choice.push_back(file);
  }
  return choice.empty() ? files.end() : choice[number % choice.size()];
}

struct Line {
  std::size_t begin = 0;
  std::size_t size = 0;  // without its end
};

Line LineOf(std::string_view text, std::size_t number) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  Line line;
  for (std::size_t left = ends == 0 ? 0 : number % ends; left > 0; --left)
    line.begin = text.find('\n', line.begin) + 1;
  line.size = std::min(text.find('\n', line.begin), text.size()) - line.begin;
  return line;
}

void OverwriteHex(std::string& text, std::size_t at, std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    const auto value = static_cast<std::uint8_t>(byte);
    digits.push_back(kHexDigits[value / 16]);
    digits.push_back(kHexDigits[value % 16]);
  }
  for (const char digit : digits) {
    while (at < text.size() && kHexDigits.find(text[at]) == std::string_view::npos) ++at;
    if (at < text.size()) text[at++] = digit;
  }
}

void ReplaceNumber(std::string& text, std::size_t at, std::string_view number) {
  const std::size_t begin = text.find_first_of(kDigits, at);
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
  text.replace(begin, end - begin, number);
}

void Apply(const OneChange& change, std::string& text) {
  const Line line = LineOf(text, change.line);
  const std::size_t at = line.begin + (line.size == 0 ? 0 : change.place % line.size);
  const std::size_t end = line.begin + line.size;
  switch (change.kind) {
    case DamageKind::kBytes:
      text.replace(at, std::min(change.bytes.size(), end - at), change.bytes);
      break;
    case DamageKind::kHex:
      OverwriteHex(text, at, change.bytes);
      break;
    case DamageKind::kNumber:
      ReplaceNumber(text, at, kNumbers[change.which % kNumbers.size()]);
      break;
    case DamageKind::kWord:
      text.insert(at, kWords[change.which % kWords.size()]);
      break;
    case DamageKind::kCut:
      text.erase(at, end - at);
      break;
    case DamageKind::kErase:
      text.erase(at, std::min<std::size_t>(change.which, end - at));
      break;
    case DamageKind::kDrop:
      text.erase(line.begin, line.size + 1);
      break;
    case DamageKind::kTwice: {
      const Line other = LineOf(text, change.place);
      text.insert(line.begin, text.substr(other.begin, other.size) + "\n");
      break;
    }
    case DamageKind::kRemove:
      break;
  }
}

void Apply(const OneChange& change, RecordingFiles& files) {
  const auto file = FileOf(change.file, files);
  if (file == files.end()) return;
  if (change.kind == DamageKind::kRemove) {
    files.erase(file);
  } else {
    Apply(change, file->second);
  }
}

}  // namespace

void Damage(std::span<const std::uint8_t> bytes, bool sealed, RecordingFiles* files) {
  std::vector<OneChange> of_digests;
  for (Tape tape(bytes); !tape.empty();) {
    OneChange change = NextChange(tape);
    const auto file = FileOf(change.file, *files);
    if (file != files->end() && file->first == kDigestsFile) {
      of_digests.push_back(std::move(change));
    } else {
      Apply(change, *files);
    }
  }
  if (sealed && files->contains(std::string(kManifestFile))) Seal(*files);
  for (const OneChange& change : of_digests) {
    const auto digests = files->find(std::string(kDigestsFile));
    if (digests == files->end()) return;
    if (change.kind == DamageKind::kRemove) {
      files->erase(digests);
    } else {
      Apply(change, digests->second);
    }
  }
}

std::vector<std::uint8_t> DamageBytes(std::uint8_t file, DamageKind kind, std::uint8_t line,
                                      const std::vector<std::uint8_t>& rest) {
  std::vector<std::uint8_t> bytes{file, static_cast<std::uint8_t>(kind), line, 0};
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

}  // namespace rdmaready::fuzz
