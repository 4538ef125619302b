// SPDX-License-Identifier: Apache-2.0
// TokenStore: the seam to what the hub keeps of who may join the fleet, and of who was sent away. A token
// itself is never kept: its SHA-256 is, from which nobody gets it back.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready::hub {

struct StoredToken {
  std::string digest{};  // SHA-256 of its secret, 64 hexadecimal digits; the first 12 name it for people
  std::string name{};    // by which the host is called; empty: by none
  std::string note{};
  std::string made_by{};
  std::int64_t made_unix_ns = 0;
  std::int64_t ends_unix_ns = 0;
  std::string withdrawn_by{};
  std::int64_t withdrawn_unix_ns = 0;  // 0: it was not
  std::int64_t used_unix_ns = 0;       // 0: not yet
  std::string key_digest{};            // SHA-256 of the public key that it certified
  std::string host_id{};
  std::string hostname{};    // as the host said
  std::string machine_id{};  // the same
};

// Where a token stands among the others, the newest first; those of one moment by digest.
struct TokenPlace {
  std::int64_t made_unix_ns = std::numeric_limits<std::int64_t>::max();
  std::string digest{};
};

// Who comes with a token.
struct TokenUse {
  std::string digest{};
  std::string key_digest{};
  std::string hostname{};
  std::string machine_id{};
  std::string host_id{};  // that it gets, unless it has one already by the same token and key
  std::int64_t unix_ns = 0;
};

struct RevokedHost {
  std::string host_id{};
  std::int64_t unix_ns = 0;
  std::string who{};
  std::string why{};
};

// Errors and threads as of FleetStore; what is said to be done survives a power cut.
class TokenStore {
 public:
  virtual ~TokenStore() = default;

  virtual absl::Status PutTokens(std::span<const StoredToken> tokens) = 0;
  // Newest first, those after that place, at most `most`.
  virtual absl::Status Tokens(const TokenPlace& after, std::size_t most,
                              const std::function<void(StoredToken&&)>& each) = 0;
  // By the first digits of its digest, at most `most` of them.
  virtual absl::Status TokensNamed(const std::string& digits, std::size_t most,
                                   const std::function<void(StoredToken&&)>& each) = 0;
  // Of one token a single use, whoever else tries at the same moment: one transaction. The row as it is then;
  // the same use again, by the same key before the token ends, gives the same row. kUnauthenticated: there is
  // no such token. kPermissionDenied: it is over, withdrawn, or another key used it; the words say which.
  virtual absl::StatusOr<StoredToken> UseToken(const TokenUse& use) = 0;
  // Those that nobody used and nobody withdrew; how many.
  virtual absl::StatusOr<std::uint64_t> WithdrawTokens(std::span<const std::string> digests,
                                                       const std::string& who, std::int64_t now_unix_ns) = 0;
  // Forgets those that ended before then.
  virtual absl::Status PruneTokens(std::int64_t before_unix_ns) = 0;

  // The first word on a host stays. What its live tests showed is forgotten with it, and none is kept of it any
  // more.
  virtual absl::Status PutRevoked(const RevokedHost& host) = 0;
  virtual absl::Status Revoked(const std::function<void(RevokedHost&&)>& each) = 0;
};

}  // namespace rdmaready::hub
