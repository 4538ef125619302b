// SPDX-License-Identifier: Apache-2.0
// What a CA signs: its own certificate, those of hosts, hubs and operators, and lists of the revoked. Values
// in, PEM text out; no files, no clock.
#pragma once

#include <openssl/x509.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/pki/crypto.h"
#include "api/pki/identity.h"

namespace rdmaready::pki {

inline constexpr int kRootDays = 3650;
inline constexpr int kDefaultDays = 90;
inline constexpr int kMostDays = 825;  // what clients elsewhere accept at most
inline constexpr int kRevocationListDays = 7;
inline constexpr std::int64_t kBackdatedS = 300;  // the other side's clock may be behind

// The parts of a certificate that say what it is.
struct Contents {
  std::string serial{};  // 32 hexadecimal digits
  Kind kind = Kind::kUnknown;
  std::string common_name{};
  std::string identity{};                // a host's id, or an IsPlainName
  std::vector<std::string> dns{};        // each IsDnsName
  std::vector<std::string> addresses{};  // each IsIpAddress
  std::int64_t not_before_unix_s = 0;
  std::int64_t not_after_unix_s = 0;
};

// 128 random bits, 32 lower-case hexadecimal digits; never zero.
absl::StatusOr<std::string> NewSerial();
// Of any certificate, at least 32 digits.
std::string SerialOf(const ::X509& certificate);
// As people write it: "7F:3A..." too. Empty: no serial.
std::string SerialOfText(std::string_view text);

std::int64_t NotAfterUnixS(const ::X509& certificate);

// PEM of a root by itself: for `kRootDays`, signs certificates and lists, no CA below it.
absl::StatusOr<std::string> SignRoot(::EVP_PKEY& key, const std::string& common_name, const std::string& serial,
                                     std::int64_t now_unix_s);

// PEM. Hosts and hubs are clients and servers, operators clients alone. The root has to be that of the key.
absl::StatusOr<std::string> SignCertificate(const Contents& contents, ::EVP_PKEY& public_key, ::X509& root,
                                            ::EVP_PKEY& root_key);

struct Revoked {
  std::string serial{};
  std::int64_t at_unix_s = 0;
};

// PEM of a list that is due again in kRevocationListDays. Of two lists that with the greater `number` is newer;
// 0: the time.
absl::StatusOr<std::string> SignRevocationList(const std::vector<Revoked>& revoked, ::X509& root,
                                               ::EVP_PKEY& root_key, std::int64_t now_unix_s,
                                               std::int64_t number = 0);

}  // namespace rdmaready::pki
