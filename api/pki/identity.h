// SPDX-License-Identifier: Apache-2.0
// Who a certificate is of: a URI among its subject alternative names, and nothing else of it.
//
//   rdmaready:host/6f9619ff-8b86-d011-b42d-00cf4fc964ff   a host, by the id that was minted when it was
//   enrolled rdmaready:hub/NAME                                    a hub rdmaready:operator/NAME a person, or a
//   program that asks agents
//
// A host's id is of the enrolment, not of the machine: another name, another NIC, another disk leave it; a
// clone has it too, with the same key, and is told apart by whoever hears both.
#pragma once

#include <openssl/x509.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::pki {

enum class Kind { kUnknown = 0, kHost, kHub, kOperator };

std::string_view KindName(Kind kind);  // "host", "hub", "operator", "unknown"
Kind KindOfName(std::string_view name);

// 128 random bits as a UUID is written, lower case. kInternal without a random source.
absl::StatusOr<std::string> NewHostId();
bool IsHostId(std::string_view text);

// What hubs and operators are called, and whom files are named after: 1 to 64 of [A-Za-z0-9._-], no '.' or '-'
// in front.
bool IsPlainName(std::string_view text);

// "rdmaready:hub/NAME". `name` is the host's id, or an IsPlainName.
std::string IdentityUri(Kind kind, std::string_view name);
inline std::string HostUri(std::string_view host_id) { return IdentityUri(Kind::kHost, host_id); }

struct CertificateIdentity {
  Kind kind = Kind::kUnknown;
  std::string name{};  // the host's id, or an IsPlainName
};

// Of exactly one URI of ours among `uris`, well formed. Two of them are nobody: none of us issues that.
std::optional<CertificateIdentity> IdentityOf(const std::vector<std::string>& uris);
std::optional<CertificateIdentity> IdentityOf(const ::X509& certificate);

// The id, of a host's certificate alone.
std::optional<std::string> HostIdOf(const std::vector<std::string>& uris);
std::optional<std::string> HostIdOf(const ::X509& certificate);

// The URIs among its subject alternative names that are printable and of at most 256 bytes, as they stand
// there.
std::vector<std::string> UrisOf(const ::X509& certificate);

// Whether it can be a DNS name, perhaps with "*." in front; or an address of IPv4 or IPv6.
bool IsDnsName(std::string_view text);
bool IsIpAddress(const std::string& text);

}  // namespace rdmaready::pki
