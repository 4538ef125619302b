// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/shell_command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace rdmaready {
namespace {

enum class Quotes { kOutside, kSingle, kDouble };

// Calls `look(place, quotes)` for each character of the command; `quotes` are those around it.
template <class Look>
void Walk(std::string_view command, const Look& look) {
  Quotes quotes = Quotes::kOutside;
  for (std::size_t i = 0; i < command.size(); ++i) {
    look(i, quotes);
    const char c = command[i];
    if (c == '\\' && quotes != Quotes::kSingle) {
      ++i;
    } else if (c == '\'' && quotes != Quotes::kDouble) {
      quotes = quotes == Quotes::kSingle ? Quotes::kOutside : Quotes::kSingle;
    } else if (c == '"' && quotes != Quotes::kSingle) {
      quotes = quotes == Quotes::kDouble ? Quotes::kOutside : Quotes::kDouble;
    }
  }
}

bool HasComment(std::string_view command) {
  bool found = command.starts_with('#');
  Walk(command, [&](std::size_t i, Quotes quotes) {
    found = found || (quotes == Quotes::kOutside && command.substr(i).starts_with(" #"));
  });
  return found;
}

bool BeginsWithProgram(std::string_view command) {
  constexpr std::array<std::string_view, 8> kKeywords{"if",   "for",    "while",    "until",
                                                      "case", "select", "function", "time"};
  const std::string_view first = command.substr(0, command.find_first_of(" ;"));
  const bool plain = std::ranges::all_of(first, [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '_' || c == '-' || c == '.' || c == '/';
  });
  return !first.empty() && plain && std::ranges::find(kKeywords, first) == kKeywords.end();
}

// A word of capitals outside of quotes that is not one of a known program: every other one is to be filled in.
bool HasPlaceholder(const std::string& command) {
  constexpr std::array<std::string_view, 7> kOfPrograms{"CHAP",    "IRQ", "GENERAL",  "PFC",
                                                        "ETS-CFG", "APP", "SMBDIRECT"};
  std::string word;
  bool found = false;
  const auto end_word = [&](char next) {
    const bool capitals = word.size() > 1 && word.front() != '-' &&
                          std::ranges::all_of(word, [](char c) { return c == '-' || (c >= 'A' && c <= 'Z'); });
    // "ACTION==" and "NAME=" are set, not filled in.
    found = found || (capitals && next != '=' && std::ranges::find(kOfPrograms, word) == kOfPrograms.end());
    word.clear();
  };
  Walk(command, [&](std::size_t i, Quotes quotes) {
    const char c = command[i];
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (part && quotes == Quotes::kOutside) {
      word += c;
    } else {
      end_word(c);
    }
  });
  end_word('\0');
  return found;
}

bool ParsesInAShell(const std::string& command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::array<std::string, 4> words{"bash", "-n", "-c", command};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t shell = -1;
  const int error = posix_spawnp(&shell, "bash", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  return error == 0 && waitpid(shell, &status, 0) == shell && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string FaultOfCommand(const std::string& command) {
  if (command.find_first_of("\n\r") != std::string::npos) return "has several lines";
  if (HasComment(command)) return "has a comment";
  if (!BeginsWithProgram(command)) return "does not begin with a program";
  if (HasPlaceholder(command)) return "has a placeholder";
  return ParsesInAShell(command) ? "" : "does not parse in a shell";
}

bool IsQuotedIn(std::string_view command, std::string_view word) {
  bool quoted = true;
  Walk(command, [&](std::size_t i, Quotes quotes) {
    quoted = quoted && (quotes == Quotes::kSingle || !command.substr(i).starts_with(word));
  });
  return quoted;
}

}  // namespace rdmaready
