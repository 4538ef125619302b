// SPDX-License-Identifier: Apache-2.0
#include "collectors/commands.h"

#include <sys/stat.h>

#include "collectors/questions/files.h"
#include "collectors/real/files.h"
#include "collectors/real/host_root.h"

namespace rdmaready {

absl::StatusOr<std::vector<std::string>> CommandsQuestion::AskThisHost() const {
  constexpr std::size_t kMostBytes = 262144;
  // NetworkManager has folders beside the scripts of its dispatcher.
  struct stat found {};
  if (HostRoot::OfThisHost().Stat(path, found) && S_ISDIR(found.st_mode)) return std::vector<std::string>{};
  const absl::StatusOr<std::string> text = ReadFirstBytes(path, kMostBytes + 1);
  if (!text.ok()) return text.status();
  const std::string_view whole(*text);
  return CommandsToKeep(path, whole.substr(0, kMostBytes), whole.size() > kMostBytes);
}

}  // namespace rdmaready
