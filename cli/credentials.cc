// SPDX-License-Identifier: Apache-2.0
#include "cli/credentials.h"

#include <algorithm>

#include "api/base/share_name.h"

namespace rdmaready {

absl::StatusOr<ShareName> ParseShare(const std::string& text) {
  std::string name = text;
  std::ranges::replace(name, '\\', '/');
  const std::size_t slash = name.starts_with("//") ? name.find('/', 2) : name.npos;
  if (slash == name.npos || slash == 2 || slash + 1 == name.size() || name.find('/', slash + 1) != name.npos) {
    return absl::InvalidArgumentError("'" + text + "' is no share: //SERVER/SHARE, without a path below it");
  }
  ShareName found{name.substr(2, slash - 2), name.substr(slash + 1)};
  if (found.server.starts_with('[') && found.server.ends_with(']')) {
    found.server = found.server.substr(1, found.server.size() - 2);
  }
  if (!IsShareName(found.share))
    return absl::InvalidArgumentError("'" + found.share + "' is no name of a share");
  return found;
}

}  // namespace rdmaready
