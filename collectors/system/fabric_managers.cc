// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/fabric_managers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/gaps.h"
#include "collectors/system/started_units.h"

namespace rdmaready {
namespace {

struct ManagerRow {
  std::string_view name;
  std::string_view unit;
};
// opensmd is the unit of MLNX_OFED.
constexpr std::array<ManagerRow, 3> kManagers{
    {{"opensm", "opensm.service"}, {"opensm", "opensmd.service"}, {"opafm", "opafm.service"}}};
constexpr std::array<std::string_view, 4> kFoldersOfUnits{kUnitFolder, "/run/systemd/system",
                                                          "/usr/lib/systemd/system", "/lib/systemd/system"};
// The files of opensm by upstream and Debian, and by Red Hat; then the files that their units read.
constexpr std::array<const char*, 4> kOpensmFiles{"/etc/opensm/opensm.conf", "/etc/rdma/opensm.conf",
                                                  "/etc/sysconfig/opensm", "/etc/default/opensm"};
constexpr const char* kOpafmFile = "/etc/opa-fm/opafm.xml";
constexpr std::string_view kInstance = "opensm@";

using Texts = std::vector<std::string>;

// Nothing where the file is not there.
absl::StatusOr<std::optional<Texts>> LinesIfThere(HostReader& host, const std::string& path,
                                                  const Texts& words) {
  const absl::StatusOr<Texts> lines = host.FindLines(path, words);
  if (lines.ok()) return std::optional<Texts>(*lines);
  if (IsGap(lines.status())) return lines.status();
  return std::optional<Texts>();
}

std::optional<std::uint64_t> ParseGuid(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  return ParseNumber<std::uint64_t>(text.substr(2), 16);
}

absl::StatusOr<bool> HasUnit(HostReader& host, std::string_view unit) {
  for (const std::string_view folder : kFoldersOfUnits) {
    RR_ASSIGN_OR_RETURN(const std::optional<Texts> lines,
                        LinesIfThere(host, std::string(folder) + "/" + std::string(unit), {"ExecStart"}));
    if (lines) return true;
  }
  return false;
}

// Red Hat's unit starts one manager for each file opensm.conf.NAME of /etc/rdma.
absl::StatusOr<Texts> OpensmPaths(HostReader& host) {
  Texts paths(kOpensmFiles.begin(), kOpensmFiles.end());
  const absl::StatusOr<Texts> names = host.ListDirectory("/etc/rdma");
  if (IsGap(names.status())) return names.status();
  for (const std::string& name : names.ok() ? *names : Texts{}) {
    if (name.starts_with("opensm.conf.")) paths.push_back("/etc/rdma/" + name);
  }
  return paths;
}

absl::Status ReadConfiguration(HostReader& host, const StartedUnits& started, FabricManager* manager) {
  const bool opensm = manager->name == "opensm";
  Texts files{kOpafmFile};
  if (opensm) {
    RR_ASSIGN_OR_RETURN(files, OpensmPaths(host));
  }
  bool none = false;
  for (const std::string& path : files) {
    RR_ASSIGN_OR_RETURN(const std::optional<Texts> lines, LinesIfThere(host, path, {"guid", "GUIDS", "PORTS"}));
    if (!lines) continue;
    manager->files.push_back(path);
    if (!opensm) continue;
    const OpensmPorts named = DecodeOpensmLines(*lines, path);
    std::ranges::copy(named.ports, std::back_inserter(manager->ports));
    manager->all_ports = manager->all_ports || named.all;
    none = none || named.none;
  }
  for (const std::string& link : opensm ? started.links : Texts{}) {
    const std::uint64_t guid = GuidOfUnit(link);
    if (guid != 0) manager->ports.push_back({.source = link, .guid = guid});
  }
  if (none) manager->starts = false;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FabricManager>> Managers(HostReader& host) {
  std::vector<FabricManager> managers;
  std::optional<StartedUnits> started;
  for (const ManagerRow& row : kManagers) {
    RR_ASSIGN_OR_RETURN(const bool installed, HasUnit(host, row.unit));
    if (!installed) continue;
    if (!started) started = ReadStartedUnits(host);
    FabricManager manager{.name = std::string(row.name), .unit = std::string(row.unit)};
    const bool starts = IsStarted(*started, row.unit);
    manager.starts = !starts && started->gap ? Fact<bool>(*started->gap) : Fact<bool>(starts);
    RR_RETURN_IF_ERROR(ReadConfiguration(host, *started, &manager));
    managers.push_back(std::move(manager));
  }
  return managers;
}

}  // namespace

OpensmPorts DecodeOpensmLines(std::span<const std::string> lines, const std::string& source) {
  constexpr std::string_view kSigns = " \t=\"',";
  OpensmPorts named;
  for (const std::string& whole : lines) {
    std::string_view line = std::string_view(whole).substr(0, whole.find('#'));
    const std::string_view key = line.substr(0, line.find_first_of(kSigns));
    const bool list = key == "GUIDS" || key == "PORTS";
    if (!list && key != "guid") continue;
    line.remove_prefix(key.size());
    std::vector<ManagedPort> ports;
    for (std::size_t at = line.find_first_not_of(kSigns); at != std::string_view::npos;
         at = line.find_first_not_of(kSigns, at)) {
      const std::size_t end = std::min(line.size(), line.find_first_of(kSigns, at));
      const std::string_view word = line.substr(at, end - at);
      at = end;
      if (const auto guid = ParseGuid(word)) ports.push_back({.source = source, .guid = *guid});
      named.all = named.all || (list && word == "ALL");
      named.none = named.none || (list && word == "NONE");
    }
    std::ranges::copy(ports, std::back_inserter(named.ports));
  }
  return named;
}

std::uint64_t GuidOfUnit(std::string_view link) {
  constexpr std::string_view kUnitEnd = ".service";
  if (!link.starts_with(kInstance) || !link.ends_with(kUnitEnd)) return 0;
  link.remove_prefix(kInstance.size());
  link.remove_suffix(kUnitEnd.size());
  return ParseGuid(link).value_or(0);
}

Fact<std::vector<FabricManager>> ReadFabricManagers(HostReader& host) {
  const absl::StatusOr<std::vector<FabricManager>> managers = Managers(host);
  if (!managers.ok()) return MissingFrom(managers.status());
  return *managers;
}

}  // namespace rdmaready
