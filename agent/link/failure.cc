// SPDX-License-Identifier: Apache-2.0
#include "agent/link/failure.h"

#include <array>
#include <optional>
#include <string>

#include "absl/strings/cord.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr char kPayload[] = "rdmaready/failure-kind";

constexpr std::array kKinds = {FailureKind::kSetup,      FailureKind::kRejected,     FailureKind::kUnreachable,
                               FailureKind::kCompletion, FailureKind::kDisconnected, FailureKind::kPeerGone,
                               FailureKind::kStalled,    FailureKind::kLost,         FailureKind::kCorrupt,
                               FailureKind::kCancelled};

absl::StatusCode CodeOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kUnknown:
    case FailureKind::kNone:
      return absl::StatusCode::kUnknown;
    case FailureKind::kSetup:
      return absl::StatusCode::kFailedPrecondition;
    case FailureKind::kRejected:
      return absl::StatusCode::kPermissionDenied;
    case FailureKind::kUnreachable:
      return absl::StatusCode::kUnavailable;
    case FailureKind::kCompletion:
      return absl::StatusCode::kAborted;
    case FailureKind::kDisconnected:
      return absl::StatusCode::kUnavailable;
    case FailureKind::kPeerGone:
      return absl::StatusCode::kUnavailable;
    case FailureKind::kStalled:
      return absl::StatusCode::kDeadlineExceeded;
    case FailureKind::kLost:
      return absl::StatusCode::kDataLoss;
    case FailureKind::kCorrupt:
      return absl::StatusCode::kDataLoss;
    case FailureKind::kCancelled:
      return absl::StatusCode::kCancelled;
  }
  return absl::StatusCode::kUnknown;
}

// The higher, the more it says about the cause.
int Rank(FailureKind kind) {
  switch (kind) {
    case FailureKind::kCorrupt:
      return 10;
    case FailureKind::kCompletion:
      return 9;
    case FailureKind::kSetup:
      return 8;
    case FailureKind::kRejected:
      return 7;
    case FailureKind::kLost:
      return 6;
    case FailureKind::kUnreachable:
      return 5;
    case FailureKind::kCancelled:
      return 4;
    case FailureKind::kStalled:
      return 3;
    case FailureKind::kDisconnected:
      return 2;
    case FailureKind::kPeerGone:
      return 1;
    case FailureKind::kUnknown:
      return 0;
    case FailureKind::kNone:
      return -1;
  }
  return 0;
}

// What a payload holds: it never leaves the process.
std::string Mark(FailureKind kind) { return std::to_string(static_cast<int>(kind)); }

FailureKind KindOf(const absl::Status& status) {
  if (const auto payload = status.GetPayload(kPayload)) {
    for (const FailureKind kind : kKinds) {
      if (*payload == Mark(kind)) return kind;
    }
  }
  if (absl::IsCancelled(status)) return FailureKind::kCancelled;
  if (absl::IsDeadlineExceeded(status)) return FailureKind::kStalled;
  if (absl::IsUnavailable(status)) return FailureKind::kPeerGone;
  return FailureKind::kSetup;
}

}  // namespace

absl::Status MakeFailure(FailureKind kind, std::string_view detail) {
  absl::Status status(CodeOf(kind), absl::string_view(detail.data(), detail.size()));
  status.SetPayload(kPayload, absl::Cord(Mark(kind)));
  return status;
}

absl::Status ErrnoFailure(FailureKind kind, int error_number, std::string_view action_and_object) {
  return MakeFailure(kind, Message(ErrnoStatus(error_number, action_and_object)));
}

Failure FailureOf(const absl::Status& status) {
  if (status.ok()) return {};
  return {.kind = KindOf(status), .detail = Message(status)};
}

const Failure& MoreTelling(const Failure& first, const Failure& second) {
  return Rank(second.kind) > Rank(first.kind) ? second : first;
}

}  // namespace rdmaready
