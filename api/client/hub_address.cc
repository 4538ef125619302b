// SPDX-License-Identifier: Apache-2.0
#include "api/client/hub_address.h"

#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<HostAddress> ParseHubAddress(const std::string& text) {
  RR_ASSIGN_OR_RETURN(HostAddress address, ParseHostAddress(text));
  const bool says_port = text.ends_with(":" + std::to_string(address.port));
  if (address.unix_path.empty() && !says_port) address.port = kDefaultHubPort;
  return address;
}

}  // namespace rdmaready
