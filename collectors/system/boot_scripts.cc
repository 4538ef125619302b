// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_scripts.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "api/base/status.h"
#include "collectors/commands.h"
#include "collectors/lines.h"
#include "collectors/system/boot_files.h"
#include "collectors/system/started_units.h"

namespace rdmaready {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kMostScripts = 256;
constexpr std::size_t kMostFits = 64;  // files that a path with '*' fits
constexpr int kMostSteps = 3;
constexpr std::string_view kHooks = "/etc/infiniband";
constexpr const char* kIfupLocal = "/sbin/ifup-local";  // of the network scripts of Red Hat

// A script to be read, and how it is called.
struct Call {
  std::string path{};
  std::string started{};
  Names arguments{};
  int step = 0;
};

// "$2" of a command is the second argument.
std::string WithArguments(std::string_view command, const Names& arguments) {
  std::string text;
  while (!command.empty()) {
    const bool argument = command.size() > 1 && command[0] == '$' && command[1] >= '1' && command[1] <= '9';
    if (!argument) {
      text += command.front();
      command.remove_prefix(1);
      continue;
    }
    const auto number = static_cast<std::size_t>(command[1] - '1');
    text += number < arguments.size() ? arguments[number] : std::string("*");
    command.remove_prefix(2);
  }
  return text;
}

// A share of the network may hang, and the agent's confinement permits no other folders.
bool IsFollowed(std::string_view path) {
  constexpr std::array<std::string_view, 7> kFolders{"/etc/",   "/usr/", "/opt/", "/lib/",
                                                     "/lib64/", "/bin/", "/sbin/"};
  return std::ranges::any_of(kFolders, [path](std::string_view folder) { return path.starts_with(folder); });
}

// Hooks of Debian for systemd-resolved make these files at each boot and source them: they give names and
// addresses of servers to variables. Source: /etc/network/if-up.d/resolved of ifupdown 0.8.41, which a Debian
// 12 has by default.
bool IsOfResolver(std::string_view path) {
  constexpr std::array<std::string_view, 4> kBeginnings{
      "/run/network/ifupdown-inet-", "/run/network/ifupdown-inet6-", "/run/network/isc-dhcp-v4-",
      "/run/network/isc-dhcp-v6-"};
  return std::ranges::any_of(kBeginnings,
                             [path](std::string_view beginning) { return path.starts_with(beginning); });
}

void AddGap(const Missing& why, const std::string& path, BootScripts& found) {
  found.gap = why;
  found.unread.push_back(path);
}

Missing Longer(const std::string& path) {
  return {.kind = Missing::Kind::kFailed, .detail = path + ": there is more than is read of it"};
}

// The files that a path with '*' fits. A folder that cannot be listed is a gap of `found`.
Names Fitting(HostReader& host, const std::string& path, BootScripts& found) {
  const std::size_t star = path.find('*');
  if (star == std::string::npos) return {path};
  const std::size_t begin = path.rfind('/', star);
  const std::size_t end = std::min(path.size(), path.find('/', star));
  const std::string folder = path.substr(0, begin);
  const std::string pattern = path.substr(begin + 1, end - begin - 1);
  const absl::StatusOr<Names> names = host.ListDirectory(folder);
  if (!names.ok() && !IsGone(names.status())) AddGap(MissingFrom(names.status()), folder, found);
  Names all;
  for (const std::string& name : names.ok() ? *names : Names{}) {
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    for (std::string& one : Fitting(host, folder + "/" + name + path.substr(end), found))
      all.push_back(std::move(one));
    if (all.size() <= kMostFits) continue;
    all.resize(kMostFits);
    AddGap(Longer(folder), folder, found);
    break;
  }
  return all;
}

// Reads scripts until no other is started.
class Follower {
 public:
  explicit Follower(HostReader& host) : host_(host) {}

  void Start(const std::string& path) { calls_.push_back({.path = path, .started = path}); }

  BootScripts Follow() {
    while (!calls_.empty() && found_.scripts.size() < kMostScripts) {
      const Call call = std::move(calls_.front());
      calls_.pop_front();
      if (call.path.starts_with("/*")) continue;  // a name that the script alone knows
      if (IsOfResolver(call.path)) continue;
      if (!IsFollowed(call.path)) {
        AddGap({.kind = Missing::Kind::kUnsupported,
                .detail = call.path + ": it runs at boot, and is not below /etc, /usr or /opt"},
               call.path, found_);
        continue;
      }
      for (const std::string& path : Fitting(host_, call.path, found_)) Read(path, call);
    }
    if (!calls_.empty())
      AddGap({Missing::Kind::kFailed, "too many scripts run at boot"}, calls_.front().path, found_);
    return std::move(found_);
  }

 private:
  void Read(const std::string& path, const Call& call) {
    if (!seen_.insert({path, call.arguments}).second) return;
    const absl::StatusOr<Names> commands = host_.Ask(CommandsQuestion{path});
    if (!commands.ok()) {
      if (!IsGone(commands.status())) AddGap(MissingFrom(commands.status()), path, found_);
      return;
    }
    if (commands->empty()) return;
    BootScript script{.path = path, .started = call.started};
    for (const std::string& command : *commands) {
      if (command == kCutLine) {
        AddGap(Longer(path), path, found_);
      } else {
        script.commands.push_back(WithArguments(command, call.arguments));
      }
    }
    for (const std::string& command : script.commands) {
      if (command.starts_with("run ") && call.step < kMostSteps) Add(command, call);
    }
    found_.scripts.push_back(std::move(script));
  }

  void Add(std::string_view command, const Call& from) {
    const std::vector<std::string_view> words = WordsOf(command);
    if (words.size() < 2 || !words[1].starts_with('/')) return;
    Call call{.path = std::string(words[1]), .started = from.started, .step = from.step + 1};
    for (const std::string_view word : std::span(words).subspan(2)) call.arguments.emplace_back(word);
    calls_.push_back(std::move(call));
  }

  HostReader& host_;
  std::deque<Call> calls_{};
  std::set<std::pair<std::string, Names>> seen_{};
  BootScripts found_{};
};

// ---- what a command sets ----

// The word after one of the options; empty: the command has no such option. "--pfc=1" is one word.
std::string_view OptionOf(std::span<const std::string_view> words, std::string_view brief,
                          std::string_view full) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool named = words[i] == brief || words[i] == full;
    if (named) return i + 1 < words.size() ? words[i + 1] : std::string_view();
    const bool joined = words[i].starts_with(full) && words[i].substr(full.size()).starts_with('=');
    if (joined) return words[i].substr(full.size() + 1);
  }
  return {};
}

std::string NameOrNothing(std::string_view name) {
  return name.find_first_of("*$") == std::string_view::npos ? std::string(name) : std::string();
}

void AddMlnxQos(std::span<const std::string_view> words, std::vector<BootWrite>& writes) {
  const std::string netdev = NameOrNothing(OptionOf(words, "-i", "--interface"));
  const std::string_view pfc = OptionOf(words, "-f", "--pfc");
  const std::string_view trust = OptionOf(words, "", "--trust");
  if (!pfc.empty()) writes.push_back({.setting = "pfc", .object = netdev, .value = PrioritiesOfMask(pfc)});
  if (!trust.empty()) writes.push_back({.setting = "trust", .object = netdev, .value = std::string(trust)});
  if (pfc.empty() && trust.empty() && words.size() > 3)
    writes.push_back({.setting = "dcb", .object = netdev, .value = std::string(words.back())});
}

// "dcb pfc set dev eth2 prio-pfc all:off 3:on"
void AddDcb(std::span<const std::string_view> words, std::vector<BootWrite>& writes) {
  const auto dev = std::ranges::find(words, "dev");
  const bool shows = words.size() > 2 && words[2] == "show";
  if (dev == words.end() || dev + 1 == words.end() || shows) return;
  const std::string netdev = NameOrNothing(*(dev + 1));
  const auto pairs = std::ranges::find(words, "prio-pfc");
  if (words[1] == "pfc" && pairs != words.end()) {
    const auto first = static_cast<std::size_t>(pairs - words.begin()) + 1;
    writes.push_back({.setting = "pfc", .object = netdev, .value = PrioritiesOfPairs(words.subspan(first))});
  } else {
    writes.push_back({.setting = "dcb", .object = netdev, .value = std::string(words[1])});
  }
}

// "devlink dev param set pci/0000:3b:00.0 name enable_roce value false cmode driverinit"
void AddParameter(std::span<const std::string_view> words, std::vector<BootWrite>& writes) {
  const std::string_view name = OptionOf(words, "name", "name");
  const std::string_view value = OptionOf(words, "value", "value");
  if (words.size() < 5 || name.empty() || value.empty()) return;
  writes.push_back(
      {.setting = std::string(name), .object = NameOrNothing(words[4]), .value = std::string(value)});
}

// "cma_roce_tos -d mlx4_0 -p 2 -t 106"; without "-t" it shows the value.
void AddCmaRoceTos(std::span<const std::string_view> words, std::vector<BootWrite>& writes) {
  std::string object = NameOrNothing(OptionOf(words, "-d", "--dev"));
  const std::string port = NameOrNothing(OptionOf(words, "-p", "--port"));
  if (!object.empty() && !port.empty()) object += "/" + port;
  const std::string_view tos = OptionOf(words, "-t", "--tos");
  if (!tos.empty())
    writes.push_back({.setting = "tos", .object = std::move(object), .value = std::string(tos)});
}

std::vector<BootWrite> WritesOf(std::string_view command) {
  const std::vector<std::string_view> words = WordsOf(command);
  std::vector<BootWrite> writes;
  if (words.size() < 2) return writes;
  if (words[0] == "mlnx_qos") AddMlnxQos(words, writes);
  if (words[0] == "dcb") AddDcb(words, writes);
  if (words[0] == "devlink") AddParameter(words, writes);
  if (words[0] == "cma_roce_tos") AddCmaRoceTos(words, writes);
  if (words[0] == "tos" && words.size() > 2)
    writes.push_back({.setting = "tos", .object = NameOrNothing(words[1]), .value = std::string(words[2])});
  if (words[0] == "blacklist" || words[0] == "install")
    writes.push_back({.setting = std::string(words[0]),
                      .object = std::string(words[1]),
                      .value = words.size() > 2 ? std::string(words[2]) : std::string()});
  if (words[0] == "options" && words.size() > 2) {
    const std::size_t equals = std::min(words[2].find('='), words[2].size() - 1);
    writes.push_back({.setting = std::string(words[2].substr(0, equals)),
                      .object = std::string(words[1]),
                      .value = std::string(words[2].substr(equals + 1))});
  }
  return writes;
}

std::string Listed(std::span<const bool> on) {
  std::string text;
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (on[i]) text += (text.empty() ? "" : ",") + std::to_string(i);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

bool IsGone(const absl::Status& status) {
  return status.code() == absl::StatusCode::kNotFound || status.code() == absl::StatusCode::kFailedPrecondition;
}

BootScripts ReadBootScripts(HostReader& host) {
  const BootListing listing = ListBootPaths(host, {kHooks});
  const StartedUnits started = ReadStartedUnits(host);
  const std::string units = std::string(kUnitFolder) + "/";
  Follower follower(host);
  for (const std::string& path : listing.paths) {
    const bool idle = path.starts_with(units) && !IsStarted(started, path.substr(units.size()));
    if (!idle) follower.Start(path);
  }
  follower.Start(kIfupLocal);
  BootScripts scripts = follower.Follow();
  if (started.gap) AddGap(*started.gap, std::string(kUnitFolder), scripts);
  if (listing.gap) scripts.gap = listing.gap;
  scripts.unread.insert(scripts.unread.end(), listing.unread.begin(), listing.unread.end());
  return scripts;
}

std::vector<std::string> FollowedPaths(const BootScripts& scripts) {
  Names paths;
  for (const BootScript& script : scripts.scripts) {
    const bool own = script.path == script.started && script.path != kIfupLocal;
    if (!own && std::ranges::find(paths, script.path) == paths.end()) paths.push_back(script.path);
  }
  return paths;
}

Fact<std::vector<BootWrite>> BootWritesOf(const BootScripts& scripts) {
  std::vector<BootWrite> writes;
  for (const BootScript& script : scripts.scripts) {
    for (const std::string& command : script.commands) {
      for (BootWrite& write : WritesOf(command)) {
        write.file = script.path;
        write.started = script.started;
        if (std::ranges::find(writes, write) == writes.end()) writes.push_back(std::move(write));
      }
    }
  }
  if (!scripts.gap) return writes;
  if (writes.empty() || scripts.unread.empty()) return *scripts.gap;
  const bool denied = scripts.gap->kind == Missing::Kind::kDenied;
  for (const std::string& path : scripts.unread)
    writes.push_back({.file = path, .started = path, .setting = "unread", .value = denied ? "denied" : ""});
  return writes;
}

std::string PrioritiesOfMask(std::string_view mask) {
  std::array<bool, 8> on{};
  std::size_t at = 0;
  for (const char one : mask) {
    if (one == ',') {
      ++at;
    } else if (one != '0' && one != '1') {
      return {};
    } else if (at < on.size()) {
      on[at] = one == '1';
    }
  }
  return at + 1 == on.size() ? Listed(on) : std::string();
}

std::string PrioritiesOfPairs(std::span<const std::string_view> pairs) {
  std::array<bool, 8> on{};
  for (const std::string_view pair : pairs) {
    const std::string_view key = pair.substr(0, pair.find(':'));
    const bool off = pair.ends_with(":off");
    if (!off && !pair.ends_with(":on")) break;
    if (key == "all") on.fill(!off);
    const bool number = key.size() == 1 && key[0] >= '0' && key[0] <= '7';
    if (number) on[static_cast<std::size_t>(key[0] - '0')] = !off;
  }
  return Listed(on);
}

}  // namespace rdmaready
