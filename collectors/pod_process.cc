// SPDX-License-Identifier: Apache-2.0
#include "collectors/pod_process.h"

#include <algorithm>
#include <array>
#include <vector>

#include "api/base/text.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::array<std::string_view, 6> kInterpreters{"sh", "bash", "dash", "ash", "perl", "python"};
constexpr std::array<std::string_view, 3> kScriptEnds{".sh", ".py", ".pl"};

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsScriptName(std::string_view name) {
  return std::ranges::any_of(kScriptEnds, [name](std::string_view end) { return name.ends_with(end); });
}

// An argument may be a token or a program text.
bool IsFileName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.front() != '.' && name.front() != '-' && name.size() < 64 &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

// The script of "/bin/bash\0-e\0/scripts/qos.sh"; a text behind -c is not a script.
std::string ScriptOf(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {};
  const std::string_view program = FileName(arguments.front());
  if (IsScriptName(program)) return IsFileName(program) ? std::string(program) : std::string();
  const bool interpreter = std::ranges::any_of(kInterpreters, [program](std::string_view one) {
    return program == one || program.starts_with("python");
  });
  if (!interpreter) return {};
  for (const std::string& argument : std::span(arguments).subspan(1)) {
    if (argument.starts_with('-') && argument.find('c') == std::string::npos) continue;
    const std::string_view name = FileName(argument);
    const bool file = argument.find('/') != std::string::npos || IsScriptName(name);
    return file && IsFileName(name) ? std::string(name) : std::string();
  }
  return {};
}

std::vector<std::string> ArgumentsOf(std::string_view command_line) {
  std::vector<std::string> arguments;
  while (!command_line.empty()) {
    const std::string_view one = command_line.substr(0, command_line.find('\0'));
    command_line.remove_prefix(std::min(command_line.size(), one.size() + 1));
    arguments.emplace_back(one);
  }
  return arguments;
}

}  // namespace

std::string PodUidOf(std::string_view cgroup) {
  constexpr std::size_t kShortestUid = 32;
  if (cgroup.find("kubepods") == std::string_view::npos) return {};
  for (std::size_t at = cgroup.find("pod"); at != std::string_view::npos; at = cgroup.find("pod", at + 1)) {
    const std::string_view rest = cgroup.substr(at + 3);
    const std::size_t size = std::min(rest.size(), rest.find_first_not_of("0123456789abcdef-_"));
    if (size < kShortestUid) continue;
    std::string uid(rest.substr(0, size));
    std::ranges::replace(uid, '_', '-');
    return uid;
  }
  return {};
}

std::optional<PodProcess> PodProcessOf(std::uint32_t pid, const ProcessTexts& texts,
                                       std::span<const std::string> words) {
  PodProcess process{.pid = pid, .name = TrimRight(texts.comm), .pod = PodUidOf(texts.cgroup)};
  if (process.pod.empty()) return std::nullopt;
  process.script = ScriptOf(ArgumentsOf(texts.command_line));
  std::string line(texts.command_line);
  std::ranges::replace(line, '\0', ' ');
  std::ranges::replace(line, '\n', ' ');
  for (const std::string& word : words) {
    const std::array<std::string, 1> one{word};
    if (!LinesWith(line, one).empty() || !LinesWith(process.name, one).empty()) process.words.push_back(word);
  }
  if (process.words.empty() && process.script.empty()) return std::nullopt;
  return process;
}

}  // namespace rdmaready
