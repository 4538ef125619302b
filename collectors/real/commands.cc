// SPDX-License-Identifier: Apache-2.0
#include "collectors/commands.h"

#include "collectors/questions/files.h"
#include "collectors/real/files.h"

namespace rdmaready {

absl::StatusOr<std::vector<std::string>> CommandsQuestion::AskThisHost() const {
  constexpr std::size_t kMostBytes = 262144;
  absl::StatusOr<std::string> text = ReadFirstBytes(path, kMostBytes);
  if (!text.ok()) return text.status();
  return CommandsToKeep(path, *text);
}

}  // namespace rdmaready
