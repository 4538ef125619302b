// SPDX-License-Identifier: Apache-2.0
// Status helpers: error text is "action, object, the kernel's words, once".
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

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

// The same of a StatusOr; else `target` (a declaration, or what is assigned to) gets its value.
#define RR_ASSIGN_OR_RETURN(target, expression) \
  RR_ASSIGN_OR_RETURN_AS(RR_NAME_OF_LINE(rr_result_, __LINE__), target, expression)
#define RR_ASSIGN_OR_RETURN_AS(result, target, expression) \
  auto result = (expression);                              \
  if (!result.ok()) return result.status();                \
  target = *std::move(result)
#define RR_NAME_OF_LINE(name, line) RR_JOIN(name, line)
#define RR_JOIN(a, b) a##b
