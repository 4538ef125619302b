// SPDX-License-Identifier: Apache-2.0
// The lists of the revoked as they are now, for whoever passes them on.
#pragma once

#include <string>

namespace rdmaready::hub {

struct SignedLists {
  std::string pem{};
  std::string sha256{};  // 32 octets
};

}  // namespace rdmaready::hub
