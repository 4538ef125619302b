// SPDX-License-Identifier: Apache-2.0
#include "collectors/commands.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "collectors/command_words.h"
#include "collectors/lines.h"
#include "collectors/setting_commands.h"
#include "collectors/setting_files.h"
#include "collectors/shell_words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostKept = 256;
// A script may double a text or a list in each line.
constexpr std::size_t kMostValues = 64;
constexpr std::size_t kMostWord = 1024;
constexpr std::size_t kMostVariables = 256;
constexpr std::size_t kMostWords = 256;
constexpr std::size_t kMostLine = 2048;
constexpr std::size_t kMostPath = 256;
constexpr int kMostNested = 3;  // sh -c "sh -c ..."
constexpr std::array<std::string_view, 3> kTools{"mlnx_qos", "dcb", "cma_roce_tos"};
constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "ash", "perl", "python"};
constexpr std::array<std::string_view, 4> kDeclare{"export", "local", "readonly", "declare"};
constexpr std::string_view kPortTypes = "port_type_array=";  // an option of mlx4_core

using Lines = std::vector<std::string>;

// The lines of one file. `cut`: there may be commands that are not among them.
struct Kept {
  Lines lines{};
  bool cut = false;

  void Add(std::string line) {
    if (lines.size() < kMostKept) {
      lines.push_back(std::move(line));
    } else {
      cut = true;
    }
  }
};

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Reads one script.
class Reader {
 public:
  explicit Reader(Kept& kept) : kept_(kept) {}

  void Set(const std::string& name, const std::string& value) { variables_[name] = {value}; }

  void Read(std::string_view script) {
    for (const CommandWords& command : CommandsOf(script)) Take(command);
  }

 private:
  void Take(CommandWords command) {
    std::size_t assigned = 0;
    while (assigned < command.size() && !AssignedName(command[assigned]).empty()) Assign(command[assigned++]);
    command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(assigned));
    if (command.size() > kMostWords) {
      command.resize(kMostWords);
      kept_.cut = true;
    }
    if (command.empty()) return;
    if (command.front() == "for") return TakeLoop(command);
    const std::vector<CommandWords> expanded = Expanded(command);
    for (const CommandWords& one : expanded) Run(one);
    const bool one = expanded.size() == 1 && std::ranges::find(expanded.front(), ">") == expanded.front().end();
    echoed_ = one ? WrittenNumber(expanded.front(), "*") : std::string("*");
  }

  // A second value makes it unknown: which of them holds is not followed.
  void Assign(std::string_view word) {
    const std::string name(AssignedName(word));
    const CommandWords value = Expanded({std::string(word.substr(name.size() + 1))}).front();
    const bool again = variables_.contains(name);
    if (!again && variables_.size() >= kMostVariables) return;
    variables_[name] = {again ? std::string("*") : value.front()};
  }

  void TakeLoop(const CommandWords& command) {
    if (command.size() < 3 || command[2] != "in") return;
    CommandWords values;
    for (const std::string& word : std::span(command).subspan(3)) {
      for (const CommandWords& one : Expanded({word})) values.push_back(one.front());
    }
    if (values.empty() || values.size() > kMostValues) values = {"*"};
    if (!variables_.contains(command[1]) && variables_.size() >= kMostVariables) return;
    variables_[command[1]] = std::move(values);
  }

  // Once for each value of the first variable that has several.
  std::vector<CommandWords> Expanded(const CommandWords& command) const {
    std::size_t times = 1;
    const Lines* several = nullptr;
    for (const auto& [name, values] : variables_) {
      const bool used =
          values.size() > 1 && std::ranges::any_of(command, [&](const std::string& word) {
            return word.find("$" + name) != std::string::npos || word.find("${" + name) != std::string::npos;
          });
      if (used && several == nullptr) several = &values, times = values.size();
    }
    std::vector<CommandWords> all;
    for (std::size_t i = 0; i < times; ++i) {
      CommandWords& one = all.emplace_back();
      for (const std::string& word : command) one.push_back(ExpandedWord(word, several, i));
    }
    return all;
  }

  std::string ExpandedWord(std::string_view word, const Lines* several, std::size_t i) const {
    std::string text;
    while (!word.empty()) {
      if (text.size() > kMostWord) return "*";
      const char one = word.front();
      word.remove_prefix(1);
      if (one == '`') return "*";
      if (one != '$') {
        text += one;
        continue;
      }
      const std::string name = TakeName(word);
      const auto found = variables_.find(name);
      const bool positional = name.size() == 1 && name[0] >= '1' && name[0] <= '9';
      if (found != variables_.end()) {
        text += &found->second == several   ? (*several)[i]
                : found->second.size() == 1 ? found->second.front()
                                            : std::string("*");
      } else {
        text += positional ? "$" + name : std::string("*");
      }
    }
    return text.size() > kMostWord ? std::string("*") : text;
  }

  // The name after '$'; empty for anything but a plain variable.
  static std::string TakeName(std::string_view& word) {
    if (word.starts_with('{')) {
      const std::string_view inside =
          word.substr(1, word.find('}') == std::string_view::npos ? word.size() : word.find('}') - 1);
      word.remove_prefix(std::min(word.size(), inside.size() + 2));
      return std::ranges::all_of(inside, IsNameByte) ? std::string(inside) : std::string();
    }
    if (word.starts_with('(')) {
      word.remove_prefix(SizeOfBrackets(word));
      return {};
    }
    std::size_t size = 0;
    const bool digit = !word.empty() && word[0] >= '0' && word[0] <= '9';
    while (size < word.size() && IsNameByte(word[size]) && (!digit || size < 1)) ++size;
    std::string name(word.substr(0, size));
    word.remove_prefix(std::max<std::size_t>(size, word.empty() ? 0 : size == 0 ? 1 : size));
    return name;
  }

  void Run(const CommandWords& words) {
    const std::span<const std::string> started = WithoutStarters(words);
    if (started.empty()) return;
    const CommandWords command(started.begin(), started.end());
    const std::string& program = command.front();
    const std::string_view name = FileName(program);
    const auto is = [name](std::string_view one) { return name == one; };
    if (std::ranges::find(kDeclare, name) != kDeclare.end()) {
      for (const std::string& word : std::span(command).subspan(1)) {
        if (!AssignedName(word).empty()) Assign(word);
      }
    } else if (program == "cd") {
      if (command.size() > 1) folder_ = Absolute(command[1]);
    } else if (program == "." || program == "source") {
      if (command.size() > 1) KeepRun(std::span(command).subspan(1));
    } else if (program == "eval") {
      ReadInside(Joined(started.subspan(1)));
    } else if (is("run-parts")) {
      if (command.back().starts_with('/')) Keep("run " + command.back() + "/*");
    } else if (std::ranges::any_of(kShells, is) || name.starts_with("python") || program == "-c") {
      RunShell(command);
    } else if (std::ranges::any_of(kTools, is) || IsParameter(name, command)) {
      KeepTool(name, command);
    } else if (IsTosWrite(command)) {
      KeepTos(command);
    } else if (Lines settings = SettingCommands(command); !settings.empty()) {
      for (std::string& line : settings) Keep(std::move(line));
    } else if (program.find('/') != std::string::npos) {
      KeepRun(command);
    }
  }

  static bool IsParameter(std::string_view name, const CommandWords& command) {
    return name == "devlink" && command.size() > 4 && command[1] == "dev" && command[2] == "param" &&
           command[3] == "set";
  }

  static bool IsTosWrite(const CommandWords& command) {
    return std::ranges::any_of(command, [](const std::string& word) { return word.ends_with(kTosFile); });
  }

  static std::string Joined(std::span<const std::string> words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  // A script that is an argument.
  void ReadInside(std::string_view script) {
    if (depth_ >= kMostNested) {
      kept_.cut = true;
      return;
    }
    ++depth_;
    Read(script);
    --depth_;
  }

  // "sh -c SCRIPT", or "-c SCRIPT" alone.
  void RunShell(const CommandWords& command) {
    for (std::size_t i = command.front() == "-c" ? 0 : 1; i < command.size(); ++i) {
      const std::string& word = command[i];
      const bool option = word.starts_with('-');
      if (option && word.ends_with('c') && i + 1 < command.size()) return ReadInside(command[i + 1]);
      if (!option) return KeepRun(std::span(command).subspan(i));
    }
  }

  void KeepTool(std::string_view name, const CommandWords& command) {
    std::string line(name);
    for (const std::string& word : std::span(command).subspan(1)) {
      if (word == ">" || word == "2>") break;
      line += " " + (word.empty() || !IsPlain(word) ? std::string("*") : word);
    }
    Keep(std::move(line));
  }

  // "echo 106 > /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"; "tee" has the number of the "echo"
  // before it.
  void KeepTos(const CommandWords& command) {
    const std::string number = WrittenNumber(command, echoed_);
    for (const std::string& word : command) {
      if (word.ends_with(kTosFile)) Keep("tos " + TosObject(Absolute(word)) + " " + number);
    }
  }

  std::string Absolute(std::string_view path) const {
    if (path.starts_with('/')) return std::string(path);
    if (path.starts_with("./")) path.remove_prefix(2);
    return folder_.empty() ? std::string() : folder_ + "/" + std::string(path);
  }

  // An interface, an RDMA device or a small number. Every other argument may be a secret.
  static bool IsHarmless(std::string_view word) {
    if (word.size() == 2 && word[0] == '$' && word[1] >= '1' && word[1] <= '9') return true;
    if (word.size() <= 3 && word.find_first_not_of("0123456789") == std::string_view::npos) return true;
    constexpr std::array<std::string_view, 14> kNames{"en",   "eth",  "em",   "ib",    "bond", "team", "mlx",
                                                      "roce", "bnxt", "rail", "irdma", "hns",  "cxgb", "qedr"};
    return word.size() < 16 && word.find_first_of("0123456789") != std::string_view::npos &&
           std::ranges::any_of(kNames, [word](std::string_view name) { return word.starts_with(name); });
  }

  void KeepRun(std::span<const std::string> command) {
    const std::string path = Absolute(command.front());
    const bool odd = path.find("/..") != std::string::npos || path.find_first_of(":=+,") != std::string::npos;
    if (path.empty() || path == "/*" || odd || !IsPlain(path)) return;
    if (path.size() > kMostPath) {
      kept_.cut = true;
      return;
    }
    std::string line = "run " + path;
    for (const std::string& word : command.subspan(1)) {
      if (word == ">" || word == "2>" || !IsPlain(word) || word.empty()) break;
      line += " " + (IsHarmless(word) ? word : std::string("*"));
    }
    Keep(std::move(line));
  }

  void Keep(std::string line) {
    if (line.size() <= kMostLine) {
      kept_.Add(std::move(line));
    } else {
      kept_.cut = true;
    }
  }

  Kept& kept_;
  std::map<std::string, Lines> variables_{};
  std::string folder_{};
  std::string echoed_{"*"};  // the number that the last command wrote to its output
  int depth_ = 0;
};

// ---- other files than scripts ----

void KeepAll(Lines lines, Kept& kept) {
  for (std::string& line : lines) kept.Add(std::move(line));
}

void ReadUnit(std::string_view file, Kept& kept) {
  Reader reader(kept);
  const std::string whole = WithWholeLines(file, " ");
  std::string_view text(whole);
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!line.starts_with("Exec")) continue;
    line.remove_prefix(
        std::min(line.size(), line.find('=') == std::string_view::npos ? line.size() : line.find('=') + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t-@:+!")));
    reader.Read(line);
  }
}

// The names that udev(7) has for the device, "%k" and "$env{INTERFACE}", as variables of a shell.
std::string CommandOfRule(std::string_view text) {
  constexpr std::string_view kInterface = "$env{INTERFACE}";
  std::string command(text);
  for (std::size_t at = command.find(kInterface); at != std::string::npos; at = command.find(kInterface))
    command.replace(at, kInterface.size(), "${k}");
  std::ranges::replace(command, '%', '$');
  return command;
}

// The value up to its quote: udev(7) writes a quote in it as \".
std::string ValueOfRule(std::string_view rest) {
  std::string value;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.starts_with("\\\"")) rest.remove_prefix(1);
    value += rest.front();
    rest.remove_prefix(1);
  }
  return value;
}

// RUN+="PROGRAM ARGUMENTS", of udev(7).
void ReadRules(std::string_view file, Kept& kept) {
  const std::string whole = WithWholeLines(file, "");
  std::string_view text(whole);
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    KeepAll(SettingsInRule(line), kept);
    for (std::size_t at = line.find("RUN"); at != std::string_view::npos; at = line.find("RUN", at + 1)) {
      const std::size_t begin = line.find('"', at);
      if (begin == std::string_view::npos) break;
      const std::string_view rest = line.substr(begin + 1);
      Reader reader(kept);
      const std::string device = NameOfRule(line);
      for (const char* variable : {"k", "kernel", "name"}) {
        if (!device.empty()) reader.Set(variable, device);
      }
      reader.Read(CommandOfRule(ValueOfRule(rest)));
    }
  }
}

// interfaces(5): commands of a stanza get its interface in $IFACE.
void ReadInterfaces(std::string_view text, Kept& kept) {
  std::string netdev;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() < 2) continue;
    if (words[0] == "iface") netdev = words[1];
    if (words[0] == "mtu" && IsPlain(netdev) && IsPlain(words[1]))
      KeepAll({"mtu " + netdev + " " + std::string(words[1])}, kept);
    const bool folder = words[0] == "source-directory";
    if ((folder || words[0] == "source") && IsPlain(words[1]))
      kept.Add((words[1].starts_with('/') ? "run " : "run /etc/network/") + std::string(words[1]) +
               (folder ? "/*" : ""));
    const bool command = words[0] == "up" || words[0] == "post-up" || words[0] == "pre-up";
    if (!command) continue;
    Reader reader(kept);
    if (!netdev.empty()) reader.Set("IFACE", netdev);
    line.remove_prefix(static_cast<std::size_t>(words[1].data() - line.data()));
    reader.Read(line);
  }
}

void ReadCrontab(std::string_view text, Kept& kept) {
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const std::size_t before = words[0].starts_with('@') ? 2 : 6;  // times and the user
    if (words.size() <= before) continue;
    Reader(kept).Read(line.substr(static_cast<std::size_t>(words[before].data() - line.data())));
  }
}

void ReadModprobe(std::string_view text, Kept& kept) {
  while (!text.empty()) {
    const std::vector<std::string_view> words = WordsOf(TakeLine(text));
    if (words.size() < 2 || !IsPlain(words[1])) continue;
    if (words[0] == "blacklist") kept.Add("blacklist " + std::string(words[1]));
    if (words[0] == "install" && words.size() > 2)
      kept.Add("install " + std::string(words[1]) + " " + (IsPlain(words[2]) ? std::string(words[2]) : "*"));
    if (words[0] != "options") continue;
    for (const std::string_view option : std::span(words).subspan(2)) {
      if (option.starts_with(kPortTypes) && IsPlain(option))
        kept.Add("options " + std::string(words[1]) + " " + std::string(option));
    }
  }
}

// A write of RDMA-CM's ToS in a form that is not known is a write of an unknown value.
void AddUnreadTos(std::string_view text, Kept& kept) {
  const auto writes = [](const std::string& line) { return line.starts_with("tos "); };
  if (HoldsTosFile(text) && std::ranges::none_of(kept.lines, writes)) kept.Add("tos * *");
}

}  // namespace

std::vector<std::string> CommandsToKeep(std::string_view path, std::string_view text, bool is_cut) {
  Kept kept;
  bool has_commands = true;
  bool is_program = false;
  const std::string_view name = FileName(path);
  if (IsSettingFile(path)) {
    KeepAll(SettingsInFile(path, text), kept);
  } else if (path.starts_with("/etc/modprobe.d/")) {
    ReadModprobe(text, kept);
  } else if (path.starts_with("/etc/network/interfaces")) {
    ReadInterfaces(text, kept);
  } else if (path == "/etc/crontab" || path.starts_with("/etc/cron.d/")) {
    ReadCrontab(text, kept);
  } else if (name.ends_with(".rules")) {
    ReadRules(text, kept);
  } else if (name.ends_with(".service") || path.ends_with(".conf")) {
    ReadUnit(text, kept);
  } else if (text.starts_with("#!")) {
    kept.Add("#!");
    const std::string_view interpreter = text.substr(0, text.find('\n'));
    has_commands = interpreter.find("sh") != std::string_view::npos;
    if (has_commands) Reader(kept).Read(text);
  } else {
    has_commands = false;
    is_program = true;
  }
  if (!is_program && !IsSettingFile(path)) AddUnreadTos(text, kept);
  if (has_commands && (is_cut || kept.cut)) kept.lines.emplace_back(kCutLine);
  return std::move(kept.lines);
}

}  // namespace rdmaready
