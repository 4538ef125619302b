// SPDX-License-Identifier: Apache-2.0
// Questions about files, links and directories. Paths are absolute.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions/kind_list.h"

namespace rdmaready {

// The whole file, at most a few MiB; or no more than its first octets.
struct FileQuestion {
  using Answer = std::string;
  static constexpr const char* kFile = "files.jsonl";

  std::string path{};
  std::size_t first_bytes = 0;  // 0: all. No part of the question: a recorded answer is found whatever it is

  std::strong_ordering operator<=>(const FileQuestion& other) const { return path <=> other.path; }
  bool operator==(const FileQuestion& other) const { return path == other.path; }
  void Fields(auto& line) { line("read", path); }
  static void Answered(auto& line, Answer& answer) { line.Content(answer); }
  std::string What() const { return "read " + path; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// Names of the entries, sorted, without "." and "..".
struct DirectoryQuestion {
  using Answer = std::vector<std::string>;
  static constexpr const char* kFile = "files.jsonl";

  std::string path{};

  auto operator<=>(const DirectoryQuestion&) const = default;
  void Fields(auto& line) { line("list", path); }
  static void Answered(auto& line, Answer& answer) { line("names", answer); }
  std::string What() const { return "list " + path; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// The text of a symbolic link, not resolved.
struct LinkQuestion {
  using Answer = std::string;
  static constexpr const char* kFile = "files.jsonl";

  std::string path{};

  auto operator<=>(const LinkQuestion&) const = default;
  void Fields(auto& line) { line("link", path); }
  static void Answered(auto& line, Answer& answer) { line("text", answer); }
  std::string What() const { return "read link " + path; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// The permission bits, as chmod(1) has them, of what the path leads to.
struct ModeQuestion {
  using Answer = std::uint32_t;
  static constexpr const char* kFile = "modes.jsonl";

  std::string path{};

  auto operator<=>(const ModeQuestion&) const = default;
  void Fields(auto& line) { line("look", path); }
  static void Answered(auto& line, Answer& answer) { line("mode", answer); }
  std::string What() const { return "look at " + path; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// Those lines of the file, without their ends, that hold one of `words`, whatever the case of ASCII letters: of
// a file that is large, or holds private data. The rest is neither returned nor recorded, and of people's own
// files no more of a line than what was looked for (LinesToKeep in collectors/lines.h).
struct LinesQuestion {
  using Answer = std::vector<std::string>;
  static constexpr const char* kFile = "lines.jsonl";

  std::string path{};
  std::vector<std::string> words{};

  auto operator<=>(const LinesQuestion&) const = default;
  void Fields(auto& line) { line("find", path, "words", words); }
  static void Answered(auto& line, Answer& answer) { line("lines", answer); }
  std::string What() const { return "find lines in " + path; }
  // AskThisHost() is RealHost's: it keeps what it found in large files.
};

// The commands of a script, a unit, a rule of udev or a table of interfaces that matter for NICs.
// Each line is a command of which only what matters is kept: see CommandsToKeep in collectors/commands.h.
struct CommandsQuestion {
  using Answer = std::vector<std::string>;
  static constexpr const char* kFile = "commands.jsonl";

  std::string path{};

  auto operator<=>(const CommandsQuestion&) const = default;
  void Fields(auto& line) { line("script", path); }
  static void Answered(auto& line, Answer& answer) { line("commands", answer); }
  std::string What() const { return "find commands in " + path; }
  absl::StatusOr<Answer> AskThisHost() const;
};

using FileQuestions =
    KindList<FileQuestion, DirectoryQuestion, LinkQuestion, ModeQuestion, LinesQuestion, CommandsQuestion>;

}  // namespace rdmaready
