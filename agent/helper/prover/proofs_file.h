// SPDX-License-Identifier: Apache-2.0
// ProofsFile: what may be proven, in root's own words:
//
//   targets:
//     - protocol: smb
//       server: nas1.example.org      # as callers name it, or by any of its addresses
//       addresses: [192.0.2.7]        # where that is: names are not looked up, for nobody to answer falsely
//       volume: scratch
//       credentials: /etc/rdmaready/nas1.credentials
//     - protocol: nvme
//       server: 192.0.2.9
//       volume: nqn.2026-01.org.example:disk1
//
// See api/proto/rdmaready/v1/proofs.proto for all keys.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/probe/prover.h"

namespace rdmaready::helper {

inline constexpr std::string_view kProofsFile = "/etc/rdmaready/proofs.yaml";
inline constexpr std::size_t kMostProofTargets = 64;  // of a list in YAML
inline constexpr std::size_t kMostTargetAddresses = 16;

struct ProofTarget {
  Protocol protocol = Protocol::kUnknown;
  std::string server{};
  std::vector<std::string> addresses{};  // numeric, at least one
  std::uint16_t port = 0;                // never 0 once read
  std::string volume{};
  std::string credentials_file{};  // empty: none
  bool callers_credentials = false;
};

// `targets: []` allows nothing. kInvalidArgument with the first fault: "proofs.yaml:7: unknown key `volumes` (did you mean `volume`?)".
absl::StatusOr<std::vector<ProofTarget>> ParseProofs(std::string_view yaml, const std::string& file_name);

// Of a file of user `owner` that nobody else may write: errors are those of ReadGuardedFile and ParseProofs.
absl::StatusOr<std::vector<ProofTarget>> LoadProofs(const std::string& path, ::uid_t owner);

// The target that the wish means. kPermissionDenied: there is none, or its credentials are root's alone;
// kInvalidArgument: there are several, or credentials are lacking. `path` is for the words.
absl::StatusOr<ProofTarget> FindTarget(const std::vector<ProofTarget>& targets, const ProofWish& wish,
                                       std::string_view path);

// Whether the address is one of the target's, however both are written.
bool IsOfTarget(const ProofTarget& target, const std::string& address);

}  // namespace rdmaready::helper
