// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/memlock_grants.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/gaps.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

// Services whose children, or which themselves, register memory in user space: job schedulers, containers,
// servers of files and objects.
constexpr std::array<std::string_view, 12> kUnits{"slurmd",   "pbs",         "lsfd",      "containerd",
                                                  "docker",   "crio",        "k3s-agent", "k3s",
                                                  "glusterd", "nfs-ganesha", "spdk",      "rke2-agent"};
// systemd.unit(5): the earlier folder wins.
constexpr std::array<std::string_view, 4> kUnitFolders{"/etc/systemd/system", "/run/systemd/system",
                                                       "/usr/lib/systemd/system", "/lib/systemd/system"};
constexpr std::string_view kSystemConf = "/etc/systemd/system.conf";

constexpr std::string_view kRdmaGroup = "@rdma";

struct LimitSaid {
  std::uint64_t bytes = 0;
  std::string source{};
};

// What comes after "KEY=", and blanks; nothing of another line.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view key) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  if (!line.starts_with('=')) return std::nullopt;
  return line.substr(1);
}

// Nothing of a file that is not there, or is no file; an error of one that may not be read, or was not.
absl::StatusOr<std::vector<std::string>> LimitLines(HostReader& host, const std::string& path,
                                                    const char* word) {
  absl::StatusOr<std::vector<std::string>> lines = host.FindLines(path, {word});
  if (lines.ok() || IsGap(lines.status())) return lines;
  return std::vector<std::string>{};
}

// The last line of the files that sets it: drop-ins come after what they add to, sorted by name.
absl::StatusOr<std::optional<LimitSaid>> LastOf(HostReader& host, const std::vector<std::string>& paths,
                                                const char* key) {
  std::optional<LimitSaid> said;
  for (const std::string& path : paths) {
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> lines, LimitLines(host, path, key));
    for (const std::string& line : lines) {
      const std::optional<std::string_view> value = ValueOf(line, key);
      if (!value) continue;
      if (const auto bytes = DecodeUnitLimit(*value)) said = LimitSaid{*bytes, path};
    }
  }
  return said;
}

absl::Status AddConfs(HostReader& host, const std::string& folder, std::vector<std::string>* paths) {
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  if (!names.ok()) return IsGap(names.status()) ? names.status() : absl::OkStatus();
  std::vector<std::string> confs;
  for (const std::string& name : *names) {
    if (name.ends_with(".conf")) confs.push_back(folder + "/" + name);
  }
  std::ranges::sort(confs);
  std::ranges::move(confs, std::back_inserter(*paths));
  return absl::OkStatus();
}

// Of units that say nothing: system.conf and its drop-ins, else what the shipped file tells in a comment.
absl::StatusOr<std::optional<LimitSaid>> DefaultLimit(HostReader& host) {
  constexpr const char* kKey = "DefaultLimitMEMLOCK";
  const std::string own(kSystemConf);
  std::vector<std::string> paths{own};
  for (const char* folder :
       {"/usr/lib/systemd/system.conf.d", "/run/systemd/system.conf.d", "/etc/systemd/system.conf.d"})
    RR_RETURN_IF_ERROR(AddConfs(host, folder, &paths));
  RR_ASSIGN_OR_RETURN(std::optional<LimitSaid> said, LastOf(host, paths, kKey));
  if (said) return said;
  RR_ASSIGN_OR_RETURN(const std::vector<std::string> lines, LimitLines(host, own, kKey));
  for (std::string_view line : lines) {
    if (!line.starts_with('#')) continue;
    if (const auto value = ValueOf(line.substr(1), kKey)) {
      if (const auto bytes = DecodeUnitLimit(*value)) return LimitSaid{*bytes, own};
    }
  }
  return said;
}

// The file of the unit; empty: there is none.
absl::StatusOr<std::string> UnitFile(HostReader& host, const std::string& unit) {
  for (const std::string_view folder : kUnitFolders) {
    const std::string path = std::string(folder) + "/" + unit;
    const absl::Status status = host.FindLines(path, {"LimitMEMLOCK"}).status();
    if (status.ok()) return path;
    if (IsGap(status)) return status;
  }
  return std::string();
}

absl::StatusOr<std::optional<LimitSaid>> LimitOfUnit(HostReader& host, const std::string& unit,
                                                     const std::optional<LimitSaid>& usual) {
  RR_ASSIGN_OR_RETURN(const std::string file, UnitFile(host, unit));
  if (file.empty()) return std::optional<LimitSaid>();
  std::vector<std::string> paths{file};
  for (auto folder = kUnitFolders.rbegin(); folder != kUnitFolders.rend(); ++folder)
    RR_RETURN_IF_ERROR(AddConfs(host, std::string(*folder) + "/" + unit + ".d", &paths));
  RR_ASSIGN_OR_RETURN(std::optional<LimitSaid> said, LastOf(host, paths, "LimitMEMLOCK"));
  return said ? said : usual;
}

// The last line of limits.conf(5) for the domain; nothing without one.
absl::StatusOr<std::optional<LimitSaid>> LimitOfDomain(HostReader& host, std::string_view domain) {
  const std::string own = "/etc/security/limits.conf";
  std::vector<std::string> paths{own};
  RR_RETURN_IF_ERROR(AddConfs(host, "/etc/security/limits.d", &paths));
  std::optional<LimitSaid> said;
  for (const std::string& path : paths) {
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> lines, LimitLines(host, path, "memlock"));
    if (const auto bytes = DecodePamMemlock(lines, domain)) said = LimitSaid{*bytes, path};
  }
  return said;
}

absl::StatusOr<std::optional<LimitSaid>> LimitOfLogins(HostReader& host,
                                                       const std::optional<LimitSaid>& usual) {
  RR_ASSIGN_OR_RETURN(const std::optional<LimitSaid> said, LimitOfDomain(host, "*"));
  if (said || !usual) return said;
  return LimitSaid{usual->bytes, usual->source + ", no line in limits.conf or limits.d"};
}

absl::StatusOr<std::vector<MemlockGrant>> Grants(HostReader& host) {
  std::vector<MemlockGrant> grants;
  RR_ASSIGN_OR_RETURN(const std::optional<LimitSaid> usual, DefaultLimit(host));
  for (const std::string_view name : kUnits) {
    const std::string unit = std::string(name) + ".service";
    RR_ASSIGN_OR_RETURN(const std::optional<LimitSaid> said, LimitOfUnit(host, unit, usual));
    if (said) grants.push_back({.consumer = unit, .limit_bytes = said->bytes, .source = said->source});
  }
  RR_ASSIGN_OR_RETURN(const std::optional<LimitSaid> logins, LimitOfLogins(host, usual));
  if (logins) grants.push_back({.consumer = "logins", .limit_bytes = logins->bytes, .source = logins->source});
  RR_ASSIGN_OR_RETURN(const std::optional<LimitSaid> group, LimitOfDomain(host, kRdmaGroup));
  if (group)
    grants.push_back({.consumer = "logins of @rdma", .limit_bytes = group->bytes, .source = group->source});
  return grants;
}

}  // namespace

std::optional<std::uint64_t> DecodeUnitLimit(std::string_view text) {
  std::string_view soft = text.substr(0, text.find(':'));
  while (!soft.empty() && (soft.back() == ' ' || soft.back() == '\t' || soft.back() == '\r'))
    soft.remove_suffix(1);
  soft.remove_prefix(std::min(soft.size(), soft.find_first_not_of(" \t")));
  if (soft == "infinity") return Memlock::kUnlimited;
  const std::optional<std::uint64_t> number = TakeNumber<std::uint64_t>(soft);
  if (!number) return std::nullopt;
  if (soft.empty()) return number;
  constexpr std::string_view kUnitsOf1024 = "KMGTPE";
  const std::size_t at = kUnitsOf1024.find(soft.front());
  if (soft.size() > 1 || at == std::string_view::npos) return std::nullopt;
  const auto shift = static_cast<unsigned>(10 * (at + 1));
  if (*number > std::numeric_limits<std::uint64_t>::max() >> shift) return Memlock::kUnlimited;
  return *number << shift;
}

std::optional<std::uint64_t> DecodePamMemlock(std::span<const std::string> lines, std::string_view domain) {
  constexpr std::uint64_t kKib = 1024;
  std::optional<std::uint64_t> limit;
  for (const std::string& line : lines) {
    const std::vector<std::string_view> words = WordsOf(std::string_view(line).substr(0, line.find('#')));
    if (words.size() < 4 || words[0] != domain || words[2] != "memlock") continue;
    if (words[1] != "soft" && words[1] != "-") continue;
    if (words[3] == "unlimited" || words[3] == "infinity" || words[3] == "-1") {
      limit = Memlock::kUnlimited;
    } else if (const auto kib = ParseNumber<std::uint64_t>(words[3])) {
      limit = *kib * kKib;
    }
  }
  return limit;
}

Fact<std::vector<MemlockGrant>> ReadMemlockGrants(HostReader& host) {
  const absl::StatusOr<std::vector<MemlockGrant>> grants = Grants(host);
  if (!grants.ok()) return MissingFrom(grants.status());
  return *grants;
}

}  // namespace rdmaready
