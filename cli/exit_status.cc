// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_status.h"

namespace rdmaready {
namespace {

int Rank(ExitStatus status) {
  switch (status) {
    case ExitStatus::kOk:
      return 0;
    case ExitStatus::kOwnFailure:
      return 1;
    case ExitStatus::kUnreachable:
      return 2;
    case ExitStatus::kNotReady:
      return 3;
    case ExitStatus::kUsage:
      return 4;
    case ExitStatus::kInterrupted:
      return 5;
  }
  return 1;
}

bool IsGone(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsUnimplemented(status) || absl::IsDeadlineExceeded(status);
}

// The agent answers, and not to this caller.
bool IsRefusal(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsUnauthenticated(status);
}

}  // namespace

ExitStatus Worse(ExitStatus a, ExitStatus b) { return Rank(a) >= Rank(b) ? a : b; }

int NagiosStatusOf(ExitStatus status, bool warned) {
  constexpr int kOk = 0;
  constexpr int kWarning = 1;
  constexpr int kCritical = 2;
  constexpr int kUnknown = 3;
  switch (status) {
    case ExitStatus::kOk:
      return warned ? kWarning : kOk;
    case ExitStatus::kNotReady:
      return kCritical;
    case ExitStatus::kUsage:
    case ExitStatus::kOwnFailure:
    case ExitStatus::kUnreachable:
    case ExitStatus::kInterrupted:
      break;
  }
  return kUnknown;
}

ExitStatus ConnectFailure(const absl::Status& status) {
  if (status.ok()) return ExitStatus::kOk;
  if (IsGone(status) || IsRefusal(status) || absl::IsNotFound(status)) return ExitStatus::kUnreachable;
  if (absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status)) return ExitStatus::kUsage;
  return ExitStatus::kOwnFailure;
}

ExitStatus CallFailure(const absl::Status& status) {
  if (status.ok()) return ExitStatus::kOk;
  if (IsGone(status) || IsRefusal(status)) return ExitStatus::kUnreachable;
  if (absl::IsNotFound(status) || absl::IsInvalidArgument(status)) return ExitStatus::kUsage;
  return ExitStatus::kOwnFailure;
}

bool MayPass(const absl::Status& status) {
  return !IsRefusal(status) && !absl::IsUnimplemented(status) && !absl::IsFailedPrecondition(status) &&
         !absl::IsInvalidArgument(status);
}

ExitStatus SaveFailure(const absl::Status& status) {
  if (status.ok()) return ExitStatus::kOk;
  if (absl::IsUnimplemented(status)) return ExitStatus::kUnreachable;
  if (absl::IsAlreadyExists(status) || absl::IsFailedPrecondition(status)) return ExitStatus::kUsage;
  return ExitStatus::kOwnFailure;
}

ExitStatus OfCheck(Readiness verdict, std::span<const ExitStatus> host_failures, bool stored) {
  ExitStatus status = stored ? ExitStatus::kOk : ExitStatus::kOwnFailure;
  switch (verdict) {
    case Readiness::kUndetermined:
      status = ExitStatus::kOwnFailure;
      break;
    case Readiness::kReady:
      break;
    case Readiness::kNotReady:
      status = ExitStatus::kNotReady;
      break;
  }
  for (const ExitStatus failure : host_failures) status = Worse(status, failure);
  return status;
}

}  // namespace rdmaready
