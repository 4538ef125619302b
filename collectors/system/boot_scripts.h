// SPDX-License-Identifier: Apache-2.0
// Scripts that run at boot without being in a folder of the boot: units, rules, hooks and rc.local start them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/model/boot.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// A file that runs at boot, and its commands (collectors/commands.h), with the arguments it is called with.
struct BootScript {
  std::string path{};
  std::string started{};  // the file by which the boot starts it; the same where nothing else does
  std::vector<std::string> commands{};
};

struct BootScripts {
  std::vector<BootScript> scripts{};
  std::optional<Missing> gap{};       // one of them could not be read
  std::vector<std::string> unread{};  // the scripts, and folders of them, that could not be read
};

// Whether a reading failed because the file is not there.
bool IsGone(const absl::Status& status);

// Three steps from a file of the boot, of units only those that are started.
BootScripts ReadBootScripts(HostReader& host);

// The scripts that are in no folder of the boot, each once.
std::vector<std::string> FollowedPaths(const BootScripts& scripts);

// The settings that the commands write, and an "unread" (api/model/boot.h) for each script that could not be
// read. Missing where one could not be read and no other sets anything.
Fact<std::vector<BootWrite>> BootWritesOf(const BootScripts& scripts);

// The priorities of "0,0,0,1,0,0,0,0" of mlnx_qos, and of "all:off 3:on" of dcb, as text: "3"; "none".
std::string PrioritiesOfMask(std::string_view mask);
std::string PrioritiesOfPairs(std::span<const std::string_view> pairs);

}  // namespace rdmaready
