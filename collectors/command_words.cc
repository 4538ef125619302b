// SPDX-License-Identifier: Apache-2.0
#include "collectors/command_words.h"

#include <array>

#include "collectors/lines.h"

namespace rdmaready {
namespace {

using CommandSpan = std::span<const std::string>;

constexpr std::string_view kAnyNumber = "*";
constexpr std::string_view kBlanks = " \t\r";

// A program that starts the command among its arguments.
struct Starter {
  std::string_view name;
  std::array<std::string_view, 5> with_value{};  // options whose value is the next word
  std::size_t before = 0;                        // arguments before the command
};
constexpr std::array<Starter, 14> kStarters{{{"timeout", {"-k", "-s"}, 1},
                                             {"flock", {"-w", "-E"}, 1},
                                             {"taskset", {}, 1},
                                             {"chrt", {"-T", "-P", "-D"}, 1},
                                             {"nice", {"-n"}},
                                             {"ionice", {"-c", "-n"}},
                                             {"numactl", {"-N", "-m", "-C"}},
                                             {"stdbuf", {"-i", "-o", "-e"}},
                                             {"sudo", {"-u", "-g"}},
                                             {"env", {"-u", "-C"}},
                                             {"systemd-run", {"-p", "-u", "-E", "--unit", "--property"}},
                                             {"systemd-cat", {"-t", "-p"}},
                                             {"setsid", {}},
                                             {"nohup", {}}}};
// "sudo -u root CMD" without its first word, and the same of `env` and `exec`.
constexpr Starter kOfOptions{.name = "", .with_value = {"-u", "-g", "-a"}};

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// `words` begins behind the starter's own name.
CommandSpan Started(CommandSpan words, const Starter& starter) {
  while (!words.empty() && words.front().starts_with('-')) {
    const bool ends = words.front() == "--";
    const bool has_value = std::ranges::find(starter.with_value, words.front()) != starter.with_value.end();
    words = words.subspan(std::min<std::size_t>(words.size(), has_value ? 2 : 1));
    if (ends) break;
  }
  words = words.subspan(std::min(words.size(), starter.before));
  while (!words.empty() && !AssignedName(words.front()).empty()) words = words.subspan(1);
  return words;
}

bool IsDecimal(std::string_view word) { return IsNumber(word) && (word.size() == 1 || word.front() != '0'); }

std::string_view WithoutLineEnd(std::string_view word) {
  constexpr std::string_view kEnd = "\\n";
  return word.ends_with(kEnd) ? word.substr(0, word.size() - kEnd.size()) : word;
}

// The words without redirections and options.
std::vector<std::string_view> PlainWords(CommandSpan command) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view word = command[i];
    if (word == ">" || word == "2>") {
      ++i;
    } else if (!word.starts_with('-')) {
      words.push_back(word);
    }
  }
  return words;
}

std::string_view PrintedNumber(std::span<const std::string_view> arguments) {
  if (arguments.size() == 1) return WithoutLineEnd(arguments[0]);
  if (arguments.size() != 2) return kAnyNumber;
  const std::string_view form = WithoutLineEnd(arguments[0]);
  return form == "%s" || form == "%d" || form == "%i" || form == "%u" ? arguments[1] : kAnyNumber;
}

}  // namespace

CommandSpan WithoutStarters(CommandSpan command) {
  while (!command.empty()) {
    const std::string_view first = command.front();
    if (first == "-v" || first == "-V") return {};  // `command -v` starts nothing
    if (first.starts_with('-')) {
      command = Started(command, kOfOptions);
      continue;
    }
    const auto* const starter = std::ranges::find(kStarters, NameOf(first), &Starter::name);
    if (starter == kStarters.end()) break;
    command = Started(command.subspan(1), *starter);
    if (command.size() > 1 && command.front() == "-c") break;  // `flock FILE -c COMMAND` has a shell's option
  }
  return command;
}

std::string WithWholeLines(std::string_view text, std::string_view between) {
  std::string whole;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlanks)));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#') || line.starts_with(';')) continue;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    whole += line;
    whole += goes_on ? between : std::string_view("\n");
  }
  return whole;
}

bool HoldsTosFile(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlanks)));
    const bool comment = line.starts_with('#') || line.starts_with(';');
    if (!comment && line.find(kTosFile) != std::string_view::npos) return true;
  }
  return false;
}

std::string WrittenNumber(CommandSpan command, std::string_view piped) {
  const std::vector<std::string_view> words = PlainWords(command);
  if (words.empty()) return std::string(kAnyNumber);
  const auto arguments = std::span(words).subspan(1);
  const std::string_view program = NameOf(words.front());
  std::string_view number = kAnyNumber;
  if (program == "echo") {
    if (arguments.size() == 1) number = arguments[0];
  } else if (program == "printf") {
    number = PrintedNumber(arguments);
  } else if (program == "tee" || program == "cat") {
    // A number among its arguments is that of "<<< 106".
    const auto given = std::ranges::find_if(arguments, IsNumber);
    const bool from_file =
        std::ranges::any_of(arguments, [](std::string_view word) { return word.starts_with('<'); });
    if (given != arguments.end()) {
      number = *given;
    } else if (program == "tee" && !from_file) {
      number = piped;
    }
  }
  return std::string(IsDecimal(number) ? number : kAnyNumber);
}

std::string TosObject(std::string_view path) {
  constexpr std::string_view kFolder = "/rdma_cm/";
  constexpr std::string_view kPorts = "/ports/";
  const std::size_t at = path.find(kFolder);
  if (at == std::string_view::npos) return "*";
  path.remove_prefix(at + kFolder.size());
  const std::string_view device = path.substr(0, path.find('/'));
  if (device.empty() || !IsPlain(device) || device.find('*') != std::string_view::npos) return "*";
  path.remove_prefix(device.size());
  if (!path.starts_with(kPorts)) return std::string(device);
  path.remove_prefix(kPorts.size());
  const std::string_view port = path.substr(0, path.find('/'));
  return std::string(device) + (IsNumber(port) ? "/" + std::string(port) : std::string());
}

}  // namespace rdmaready
