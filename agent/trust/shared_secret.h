// SPDX-License-Identifier: Apache-2.0
// HelloKey: half of a secret that two agents share and that who relays between them does not know (X25519).
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

inline constexpr std::size_t kHelloKeyBytes = 32;

class HelloKey {
 public:
  // From OpenSSL's random numbers: nobody has had it before, so it is a nonce too. kInternal when there are
  // none.
  static absl::StatusOr<HelloKey> Fresh();

  // What the other end is told: kHelloKeyBytes octets.
  const std::string& octets() const { return octets_; }

  // What both ends alone can know, from what the other one told: 32 octets. kInvalidArgument for what is no
  // key, or one that would make the secret known to everybody.
  absl::StatusOr<std::string> SharedWith(std::string_view octets) const;

 private:
  using Key = Handle<::EVP_PKEY, ::EVP_PKEY_free>;
  HelloKey(Key key, std::string octets) : key_(std::move(key)), octets_(std::move(octets)) {}

  Key key_;
  std::string octets_;
};

// `bytes` octets (at most 64) that nobody knows who does not know the secret; others for each `purpose`. HKDF
// with SHA-256. kInternal when OpenSSL cannot.
absl::StatusOr<std::string> Derived(std::string_view secret, std::string_view salt, std::string_view purpose,
                                    std::size_t bytes);

}  // namespace rdmaready
