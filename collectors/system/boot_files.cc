// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/system/dcb_keepers.h"
#include "collectors/system/network_files.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostBootFiles = 1024;

constexpr std::array<std::string_view, 3> kTosWords{"default_roce_tos", "cma_roce_tos", "traffic_class"};
// NVIDIA's script sets it, and PFC besides; it adds itself to openibd's hooks.
constexpr std::string_view kTosScript = "doRoCE";
constexpr std::string_view kHookFolder = "/etc/infiniband";
constexpr std::array<std::string_view, 7> kBootFolders{"/etc/systemd/system",
                                                       "/etc/udev/rules.d",
                                                       "/etc/rdma",
                                                       "/etc/network/if-up.d",
                                                       "/etc/NetworkManager/dispatcher.d",
                                                       "/etc/networkd-dispatcher/routable.d",
                                                       "/etc/modprobe.d"};
constexpr std::array<std::string_view, 4> kBootFiles{"/etc/rc.local", "/etc/rc.d/rc.local",
                                                     "/etc/network/interfaces", "/etc/crontab"};

constexpr const char* kNcclFile = "/etc/nccl.conf";

bool IsCommentLine(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string_view::npos && (line[at] == '#' || line[at] == ';');
}

// systemd's folders of links to units, by the end of their names (systemd.unit(5)): nothing to be read.
bool IsFolderOfLinks(std::string_view name) {
  return name.ends_with(".wants") || name.ends_with(".requires") || name.ends_with(".upholds");
}

// Files that are no file, or are gone, have no lines.
absl::StatusOr<std::vector<std::string>> LinesOf(HostReader& host, const std::string& path,
                                                 const std::vector<std::string>& words) {
  absl::StatusOr<std::vector<std::string>> lines = host.FindLines(path, words);
  if (lines.ok()) return lines;
  const absl::StatusCode code = lines.status().code();
  const bool denied = code == absl::StatusCode::kPermissionDenied || code == absl::StatusCode::kOutOfRange;
  if (denied) return lines.status();
  return std::vector<std::string>{};
}

// The number after `key` and blanks, quotes, '=' or ':'.
template <class Number>
std::optional<Number> NumberAfter(std::string_view line, std::string_view key) {
  const std::size_t found = line.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  line.remove_prefix(found + key.size());
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\"=:")));
  return TakeNumber<Number>(line);
}

}  // namespace

bool KeepsTos(std::span<const std::string> lines) {
  return std::ranges::any_of(lines, [](const std::string& line) { return !IsCommentLine(line); });
}

std::vector<ConsumerMarking> DecodeNcclLines(std::span<const std::string> lines, const std::string& source) {
  ConsumerMarking marking{.consumer = MarkingConsumer::kNccl, .source = source};
  for (const std::string& line : lines) {
    if (IsCommentLine(line)) continue;
    if (const auto tos = NumberAfter<std::uint8_t>(line, "NCCL_IB_TC")) marking.tos = tos;
    if (const auto index = NumberAfter<std::uint32_t>(line, "NCCL_IB_GID_INDEX")) marking.gid_index = index;
  }
  if (!marking.tos && !marking.gid_index) return {};
  return {marking};
}

std::vector<ConsumerMarking> DecodeNvmeLines(std::span<const std::string> lines, const std::string& source) {
  ConsumerMarking marking{.consumer = MarkingConsumer::kNvme, .source = source};
  for (const std::string& line : lines) {
    if (IsCommentLine(line)) continue;
    for (const std::string_view key : {"--tos", "-T ", "\"tos\""}) {
      if (const auto tos = NumberAfter<std::uint8_t>(line, key)) marking.tos = tos;
    }
  }
  if (!marking.tos) return {};
  return {marking};
}

Fact<std::vector<std::string>> BootPaths(HostReader& host, const std::vector<std::string_view>& besides) {
  BootListing listing = ListBootPaths(host, besides);
  if (listing.gap) return *listing.gap;
  return std::move(listing.paths);
}

BootListing ListBootPaths(HostReader& host, const std::vector<std::string_view>& besides) {
  BootListing listing{.paths = {kBootFiles.begin(), kBootFiles.end()}};
  std::vector<std::string_view> folders(kBootFolders.begin(), kBootFolders.end());
  folders.insert(folders.end(), besides.begin(), besides.end());
  for (const std::string_view folder : folders) {
    const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
    if (!names.ok()) {
      if (names.status().code() == absl::StatusCode::kNotFound) continue;
      if (!listing.gap) listing.gap = MissingFrom(names.status());
      listing.unread.emplace_back(folder);
      continue;
    }
    for (const std::string& name : *names) {
      if (!IsFolderOfLinks(name)) listing.paths.push_back(std::string(folder) + "/" + name);
    }
  }
  return listing;
}

Fact<std::vector<std::string>> FilesWith(HostReader& host, const std::vector<std::string>& paths,
                                         const std::vector<std::string>& words) {
  if (paths.size() > kMostBootFiles) {
    return Missing{Missing::Kind::kFailed,
                   fmt::format("{} files below /etc are read at boot, more than the {} that "
                               "are looked at",
                               paths.size(), kMostBootFiles)};
  }
  std::vector<std::string> keepers;
  std::optional<Missing> unread;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> lines = LinesOf(host, path, words);
    if (!lines.ok()) {
      unread = MissingFrom(lines.status());
    } else if (KeepsTos(*lines)) {
      keepers.push_back(path);
    }
  }
  if (keepers.empty() && unread) return *unread;
  return keepers;
}

Fact<std::vector<std::string>> ReadTosKeepers(HostReader& host, const BootScripts& scripts) {
  Fact<std::vector<std::string>> keepers = BootFilesWith(host, {}, WordsOf(BootWords::kTos));
  if (!keepers || !keepers->empty()) return keepers;
  Fact<std::vector<std::string>> followed = FilesWith(host, FollowedPaths(scripts), WordsOf(BootWords::kTos));
  if (!followed || !followed->empty()) return followed;
  Fact<std::vector<std::string>> hooks = BootFilesWith(host, {kHookFolder}, WordsOf(BootWords::kTosHook));
  if (hooks && hooks->empty() && scripts.gap) return *scripts.gap;
  return hooks;
}

Fact<std::vector<std::string>> BootFilesWith(HostReader& host, const std::vector<std::string_view>& folders,
                                             const std::vector<std::string>& words) {
  const Fact<std::vector<std::string>> paths = BootPaths(host, folders);
  return paths ? FilesWith(host, *paths, words) : paths;
}

Fact<std::vector<ConsumerMarking>> ReadMarkings(HostReader& host) {
  std::vector<ConsumerMarking> markings;
  for (const MarkingFile& file : MarkingFiles()) {
    const absl::StatusOr<std::vector<std::string>> lines = LinesOf(host, file.path, file.words);
    if (!lines.ok()) return MissingFrom(lines.status());
    const auto decode = std::string_view(file.path) == kNcclFile ? DecodeNcclLines : DecodeNvmeLines;
    std::ranges::move(decode(*lines, file.path), std::back_inserter(markings));
  }
  return markings;
}

std::vector<MarkingFile> MarkingFiles() {
  return {{"/etc/nvme/discovery.conf", {"--tos", "-T "}},
          {"/etc/nvme/config.json", {"\"tos\""}},
          {kNcclFile, {"NCCL_IB_TC", "NCCL_IB_GID_INDEX"}}};
}

std::vector<std::string> BootFolders() {
  std::vector<std::string> folders(kBootFolders.begin(), kBootFolders.end());
  for (const std::string_view folder : DcbFolders()) folders.emplace_back(folder);
  folders.emplace_back(kRunningConnections);
  return folders;
}

std::vector<std::string> BootFiles() { return {kBootFiles.begin(), kBootFiles.end()}; }

std::vector<std::string> WordsOf(BootWords words) {
  switch (words) {
    case BootWords::kUnknown:
      break;
    case BootWords::kTos:
      return {kTosWords.begin(), kTosWords.end()};
    case BootWords::kTosHook:
      return {std::string(kTosScript)};
    case BootWords::kDcb:
      return DcbWords();
    case BootWords::kConnection:
      return WordsOfKey(kConnectionKey);
  }
  return {};
}

}  // namespace rdmaready
