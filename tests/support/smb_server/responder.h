// SPDX-License-Identifier: Apache-2.0
// An SMB Direct server for tests, on any RdmaLink: it accepts who comes, negotiates, answers by an Smb2Server,
// and ends when its peer leaves.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "agent/link/link.h"
#include "agent/smbdirect/settings.h"
#include "tests/support/smb_server/smb2_server.h"

namespace rdmaready {

struct ResponderOptions {
  std::string address{};
  std::uint16_t port = 445;
  bool iwarp = false;  // the depths go along in the private data, [MS-SMBD] 6.1
  smbdirect::Settings settings{};
  Smb2Server server{};
  std::function<void(const std::string& line)> say{};  // what happened; may be empty
};

// OK when a peer came, was answered, and left; else what went wrong, also when nobody came by the deadline.
absl::Status Respond(RdmaLink& link, const ResponderOptions& options, const Patience& patience);

}  // namespace rdmaready
