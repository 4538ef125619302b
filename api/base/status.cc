// SPDX-License-Identifier: Apache-2.0
#include "api/base/status.h"

namespace rdmaready {
namespace {

absl::StatusCode CodeOf(int error_number) {
  switch (error_number) {
    case EOPNOTSUPP:
    case ENOSYS:
    case EPROTONOSUPPORT:
    case EAFNOSUPPORT:
      return absl::StatusCode::kUnimplemented;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return absl::StatusCode::kNotFound;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EINVAL:
      return absl::StatusCode::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
      return absl::StatusCode::kResourceExhausted;
    case EAGAIN:
    case EBUSY:
      return absl::StatusCode::kUnavailable;
    case ENETUNREACH:
    case EHOSTUNREACH:
      return absl::StatusCode::kFailedPrecondition;
    case ETIMEDOUT:
      return absl::StatusCode::kDeadlineExceeded;
    case EINTR:
    case ECANCELED:
      return absl::StatusCode::kCancelled;
    default:
      return absl::StatusCode::kUnknown;
  }
}

}  // namespace

absl::Status ErrnoStatus(int error_number, std::string_view action_and_object) {
  return {CodeOf(error_number), std::string(action_and_object) + ": " + std::strerror(error_number)};
}

absl::Status NotCollected(std::string_view why) { return absl::OutOfRangeError(std::string(why)); }

Missing MissingFrom(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOutOfRange:
      return {Missing::Kind::kNotCollected, Message(status)};
    case absl::StatusCode::kUnimplemented:
      return {Missing::Kind::kUnsupported, Message(status)};
    case absl::StatusCode::kPermissionDenied:
      return {Missing::Kind::kDenied, Message(status)};
    default:
      return {Missing::Kind::kFailed, Message(status)};
  }
}

}  // namespace rdmaready
