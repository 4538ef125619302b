// SPDX-License-Identifier: Apache-2.0
// Status helpers: error text is "action, object, the kernel's words, once".
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/fact.h"

namespace rdmaready {

// "open /sys/class/net/eth0/mtu: No such file or directory", with the canonical code of the errno
// (EOPNOTSUPP, ENOSYS, EPROTONOSUPPORT -> kUnimplemented; EACCES, EPERM -> kPermissionDenied; ENOENT, ENODEV ->
// kNotFound; ENETUNREACH, EHOSTUNREACH -> kFailedPrecondition).
absl::Status ErrnoStatus(int error_number, std::string_view action_and_object);

// A question that was never put to the host: MissingFrom makes it kNotCollected. No kernel answer has this code
// (kOutOfRange), so nobody takes it for "absent" or "not supported".
absl::Status NotCollected(std::string_view why);

// What an unanswered question means for the picture of the host. Never called with an OK status.
Missing MissingFrom(const absl::Status& status);

// std views of Abseil's text, which on this platform is not std::string_view.
inline std::string Message(const absl::Status& status) {
  return std::string(status.message().data(), status.message().size());
}

}  // namespace rdmaready

// Returns the status from the enclosing function when `expression` is not OK.
#define RR_RETURN_IF_ERROR(expression)                                               \
  do {                                                                               \
    if (absl::Status rr_status_ = (expression); !rr_status_.ok()) return rr_status_; \
  } while (false)
