// SPDX-License-Identifier: Apache-2.0
#include "cli/layout.h"

#include <algorithm>

namespace rdmaready {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kGroupWidth = 11;  // "smb-direct" and a blank
constexpr std::size_t kSymbolWidth = 6;
constexpr std::size_t kIdWidth = 23;
constexpr std::size_t kTextColumn = kMargin + kGroupWidth + kSymbolWidth + kIdWidth;
constexpr std::size_t kNoteColumn = kMargin + kGroupWidth + kSymbolWidth;
constexpr std::size_t kLabelWidth = 9;

std::string Blanks(std::size_t count) { return std::string(count, ' '); }

std::size_t Room(const Style& style, std::size_t column) {
  constexpr std::size_t kLeast = 16;
  if (style.width == 0) return 0;
  return std::max(kLeast, style.width - std::min(style.width, column));
}

std::string Join(const std::vector<std::string>& lines, std::size_t indent) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : Blanks(indent)) + lines[i] + "\n";
  return text;
}

// Columns as a terminal counts them: a code point of UTF-8 is one.
std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string NotePrefix(const Style& style, std::string_view label) {
  return Blanks(kNoteColumn) + style.Paint(Tone::kFaint, Column(label, kLabelWidth));
}

}  // namespace

std::string Column(std::string_view text, std::size_t width) {
  const std::size_t used = Columns(text);
  return std::string(text) + Blanks(used < width ? width - used : 1);
}

std::vector<std::string> Wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string rest(text);
  while (width > 0 && rest.size() > width) {
    std::size_t cut = rest.rfind(' ', width);
    if (cut == std::string::npos || cut == 0) cut = rest.find(' ', width);
    if (cut == std::string::npos) break;
    lines.push_back(rest.substr(0, rest.find_last_not_of(' ', cut) + 1));
    const std::size_t next = rest.find_first_not_of(' ', cut);
    rest = next == std::string::npos ? std::string() : rest.substr(next);
  }
  if (!rest.empty() || lines.empty()) lines.push_back(rest);
  return lines;
}

std::string Row(const Style& style, std::string_view group, Outcome outcome, std::string_view id,
                std::string_view text) {
  const std::string symbol = style.Paint(ToneOf(outcome), Column(Symbol(outcome), kSymbolWidth));
  std::string line = Blanks(kMargin) + style.Paint(Tone::kStrong, Column(group, kGroupWidth)) + symbol;
  if (text.empty()) return line + std::string(id) + "\n";
  line += Column(id, kIdWidth);
  return line + Join(Wrap(text, Room(style, kTextColumn)), kTextColumn);
}

std::string Note(const Style& style, std::string_view label, std::string_view text) {
  constexpr std::size_t kColumn = kNoteColumn + kLabelWidth;
  return NotePrefix(style, label) + Join(Wrap(text, Room(style, kColumn)), kColumn);
}

std::string CommandNote(const Style& style, std::string_view label, std::string_view command) {
  return NotePrefix(style, label) + std::string(command) + "\n";
}

std::string Labelled(const Style& style, Tone tone, std::string_view label, std::size_t column,
                     std::string_view text) {
  return style.Paint(tone, Column(label, column)) + Join(Wrap(text, Room(style, column)), column);
}

std::string Typed(const Style& style, std::size_t column, std::string_view command) {
  const std::size_t room = Room(style, column);
  const std::size_t comment = command.starts_with("# ") ? 0 : command.find("  # ");
  if (room == 0 || Columns(command) <= room || comment == std::string_view::npos)
    return std::string(command) + "\n";
  std::vector<std::string> lines;
  if (comment > 0) lines.emplace_back(command.substr(0, comment));
  const std::string_view prose = command.substr(command.find("# ", comment) + 2);
  for (const std::string& line : Wrap(prose, room - 2)) lines.push_back("# " + line);
  return Join(lines, column);
}

std::string Table(const Style& style, const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Columns(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = Blanks(indent);
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const bool last = i + 1 == rows[r].size();
      line += last ? rows[r][i] : Column(rows[r][i], widths[i] + 2);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += (r == 0 ? style.Paint(Tone::kStrong, line) : line) + "\n";
  }
  return text;
}

}  // namespace rdmaready
