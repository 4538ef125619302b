// SPDX-License-Identifier: Apache-2.0
#include "api/pki/identity.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "api/base/handle.h"
#include "api/base/text.h"
#include "api/pki/crypto.h"

namespace rdmaready::pki {
namespace {

constexpr std::string_view kScheme = "rdmaready:";
constexpr std::size_t kMaxUriBytes = 256;
constexpr std::size_t kIdTextBytes = 36;
constexpr std::array<Kind, 3> kKinds{Kind::kHost, Kind::kHub, Kind::kOperator};

void FreeGeneralNames(GENERAL_NAMES* names) { ::GENERAL_NAMES_free(names); }

bool IsHyphenPlace(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsLabel(std::string_view label) {
  return !label.empty() && label.size() <= 63 && !label.starts_with('-') && !label.ends_with('-') &&
         std::ranges::all_of(label, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_'; });
}

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kHost:
      return "host";
    case Kind::kHub:
      return "hub";
    case Kind::kOperator:
      return "operator";
    case Kind::kUnknown:
      break;
  }
  return "unknown";
}

Kind KindOfName(std::string_view name) {
  const auto* const found = std::ranges::find_if(kKinds, [name](Kind kind) { return KindName(kind) == name; });
  return found == kKinds.end() ? Kind::kUnknown : *found;
}

absl::StatusOr<std::string> NewHostId() {
  const CleanErrors clean;
  std::array<std::uint8_t, 16> bits{};
  if (::RAND_bytes(bits.data(), static_cast<int>(bits.size())) != 1) return CryptoFailure("mint a host id");
  std::string text = Hex(bits);
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, 1, '-');
  return text;
}

bool IsHostId(std::string_view text) {
  if (text.size() != kIdTextBytes) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (IsHyphenPlace(at) ? c != '-' : !digit) return false;
  }
  return true;
}

bool IsPlainName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() != '.' && text.front() != '-' &&
         std::ranges::all_of(text,
                             [](char c) { return IsAlphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

std::string IdentityUri(Kind kind, std::string_view name) {
  return std::string(kScheme) + std::string(KindName(kind)) + "/" + std::string(name);
}

std::optional<CertificateIdentity> IdentityOf(const std::vector<std::string>& uris) {
  std::optional<CertificateIdentity> found;
  for (std::string_view uri : uris) {
    if (!uri.starts_with(kScheme)) continue;
    if (found) return std::nullopt;
    uri.remove_prefix(kScheme.size());
    const std::size_t slash = uri.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const Kind kind = KindOfName(uri.substr(0, slash));
    const std::string_view name = uri.substr(slash + 1);
    const bool right = kind == Kind::kHost ? IsHostId(name) : kind != Kind::kUnknown && IsPlainName(name);
    if (!right) return std::nullopt;
    found = {.kind = kind, .name = std::string(name)};
  }
  return found;
}

std::optional<CertificateIdentity> IdentityOf(const ::X509& certificate) {
  return IdentityOf(UrisOf(certificate));
}

std::optional<std::string> HostIdOf(const std::vector<std::string>& uris) {
  std::optional<CertificateIdentity> identity = IdentityOf(uris);
  if (!identity || identity->kind != Kind::kHost) return std::nullopt;
  return std::move(identity->name);
}

std::optional<std::string> HostIdOf(const ::X509& certificate) { return HostIdOf(UrisOf(certificate)); }

std::vector<std::string> UrisOf(const ::X509& certificate) {
  const CleanErrors clean;
  const Handle<GENERAL_NAMES, FreeGeneralNames> names(
      static_cast<GENERAL_NAMES*>(::X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> uris;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const std::string text(
        reinterpret_cast<const char*>(::ASN1_STRING_get0_data(name->d.uniformResourceIdentifier)),
        static_cast<std::size_t>(::ASN1_STRING_length(name->d.uniformResourceIdentifier)));
    if (text.size() <= kMaxUriBytes && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; }))
      uris.push_back(text);
  }
  return uris;
}

bool IsDnsName(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsIpAddress(const std::string& text) {
  ::in6_addr address{};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace rdmaready::pki
