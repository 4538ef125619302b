// SPDX-License-Identifier: Apache-2.0
// What files below /etc say of the marking of RDMA traffic: what sets RDMA-CM's defaults again at boot, and
// what software marks by itself. Only the lines that hold the words are read; see HostReader::FindLines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/system/boot_scripts.h"

namespace rdmaready {

// Whether one of the lines sets a default ToS or traffic class, and is no comment.
bool KeepsTos(std::span<const std::string> lines);

// Of /etc/nccl.conf: NCCL_IB_TC, NCCL_IB_GID_INDEX. Of /etc/nvme/discovery.conf: --tos N, --tos=N, -T N; of
// /etc/nvme/config.json: "tos": N. Nothing where neither is set; the last one counts.
std::vector<ConsumerMarking> DecodeNcclLines(std::span<const std::string> lines, const std::string& source);
std::vector<ConsumerMarking> DecodeNvmeLines(std::span<const std::string> lines, const std::string& source);

// The paths of files of systemd units, udev rules and network scripts that set them, and of scripts that these
// start; sorted by folder. Missing
// when there are more than 1024 files, and when one cannot be read and no other sets them.
Fact<std::vector<std::string>> ReadTosKeepers(HostReader& host, const BootScripts& scripts = {});

// Files that hold one of `words` outside of comments, among those of systemd units, udev rules, scripts and
// tables that are read at boot, and in `folders` besides. Sorted by folder; Missing as ReadTosKeepers says.
Fact<std::vector<std::string>> BootFilesWith(HostReader& host, const std::vector<std::string_view>& folders,
                                             const std::vector<std::string>& words);

// All files that may set something at boot, with the folders that could not be listed.
struct BootListing {
  std::vector<std::string> paths{};
  std::optional<Missing> gap{};
  std::vector<std::string> unread{};
};
BootListing ListBootPaths(HostReader& host, const std::vector<std::string_view>& besides);

// Its paths, those in `besides` too; missing where a folder could not be listed.
Fact<std::vector<std::string>> BootPaths(HostReader& host, const std::vector<std::string_view>& besides);

// Those of the files that hold one of the words outside of comments; Missing as ReadTosKeepers says.
Fact<std::vector<std::string>> FilesWith(HostReader& host, const std::vector<std::string>& paths,
                                         const std::vector<std::string>& words);

Fact<std::vector<ConsumerMarking>> ReadMarkings(HostReader& host);

// Where those files lie, DCB's own folders (dcb_keepers.h) among them, and the files that are named one by one.
std::vector<std::string> BootFolders();
std::vector<std::string> BootFiles();

// The words that are looked for there. kDcb: dcb_keepers.h; kConnection: network_files.h.
enum class BootWords : std::uint8_t { kUnknown = 0, kTos, kTosHook, kDcb, kConnection };
std::vector<std::string> WordsOf(BootWords words);

// Software whose own files say how it marks.
struct MarkingFile {
  const char* path;
  std::vector<std::string> words;
};
std::vector<MarkingFile> MarkingFiles();

}  // namespace rdmaready
