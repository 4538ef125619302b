// SPDX-License-Identifier: Apache-2.0
#include "agent/link/failure.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "absl/strings/cord.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr char kPayload[] = "rdmaready/failure-kind";

struct KindRow {
  FailureKind kind;
  absl::StatusCode code;
  int rank;  // the higher, the more it says about the cause
};

constexpr KindRow kKinds[] = {
    {FailureKind::kUnknown, absl::StatusCode::kUnknown, 0},
    {FailureKind::kNone, absl::StatusCode::kUnknown, -1},
    {FailureKind::kSetup, absl::StatusCode::kFailedPrecondition, 8},
    {FailureKind::kRejected, absl::StatusCode::kPermissionDenied, 7},
    {FailureKind::kUnreachable, absl::StatusCode::kUnavailable, 5},
    {FailureKind::kCompletion, absl::StatusCode::kAborted, 9},
    {FailureKind::kDisconnected, absl::StatusCode::kUnavailable, 2},
    {FailureKind::kPeerGone, absl::StatusCode::kUnavailable, 1},
    {FailureKind::kStalled, absl::StatusCode::kDeadlineExceeded, 3},
    {FailureKind::kLost, absl::StatusCode::kDataLoss, 6},
    {FailureKind::kCorrupt, absl::StatusCode::kDataLoss, 10},
    {FailureKind::kCancelled, absl::StatusCode::kCancelled, 4},
};

static_assert(std::size(kKinds) == static_cast<std::size_t>(FailureKind::kCancelled) + 1);

const KindRow& RowOf(FailureKind kind) {
  const auto* const row = std::ranges::find(kKinds, kind, &KindRow::kind);
  return row == std::end(kKinds) ? kKinds[0] : *row;
}

// What a payload holds: it never leaves the process.
std::string Mark(FailureKind kind) { return std::to_string(static_cast<int>(kind)); }

FailureKind KindOf(const absl::Status& status) {
  if (const auto payload = status.GetPayload(kPayload)) {
    for (const KindRow& row : kKinds) {
      if (row.kind != FailureKind::kNone && *payload == Mark(row.kind)) return row.kind;
    }
  }
  if (absl::IsCancelled(status)) return FailureKind::kCancelled;
  if (absl::IsDeadlineExceeded(status)) return FailureKind::kStalled;
  if (absl::IsUnavailable(status)) return FailureKind::kPeerGone;
  return FailureKind::kSetup;
}

}  // namespace

absl::Status MakeFailure(FailureKind kind, std::string_view detail) {
  absl::Status status(RowOf(kind).code, absl::string_view(detail.data(), detail.size()));
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
  return RowOf(second.kind).rank > RowOf(first.kind).rank ? second : first;
}

}  // namespace rdmaready
