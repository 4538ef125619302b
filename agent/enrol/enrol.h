// SPDX-License-Identifier: Apache-2.0
// How this host becomes one of a fleet: by a token that an operator gave it, at the hub's enrolment listener.
//
// The hub has to prove itself first: of the certificates that it shows one has the fingerprint that the token
// carries, and by that one alone, as the only root, the connection is verified, the hub's name included. Only
// then is the token said.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/pki/fingerprint.h"

namespace rdmaready::enrol {

inline constexpr int kDefaultEnrolPort = 7475;

struct EnrolOptions {
  std::string hub{};  // HOST[:PORT] of its enrolment
  pki::EnrolmentToken token{};
  std::string state_directory{};
  bool again = false;  // although this host is enrolled already
  Clock* clock = &RealClock();
};

struct Enrolled {
  std::string host_id{};
  std::int64_t until_unix_s = 0;
  std::string directory{};
};

// kAlreadyExists: enrolled, and not `again`. kInvalidArgument, kNotFound: the address. kUnauthenticated: nobody
// there who the token is for; or the token is none of that hub. kPermissionDenied: it is over, or used.
// kUnavailable, kDeadlineExceeded, kResourceExhausted: later. Nothing of an error holds the token. When it
// broke off it may be called again with the same token, as long as that lasts.
absl::StatusOr<Enrolled> Enrol(const EnrolOptions& options);

}  // namespace rdmaready::enrol
