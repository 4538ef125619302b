// SPDX-License-Identifier: Apache-2.0
// SubjectNames: by which names a certificate says who shows it. What no pattern could have meant is left out,
// so that an outsider's certificate costs and says only so much.
#pragma once

#include <openssl/x509.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

inline constexpr std::size_t kMaxNames = 32;       // of a certificate; what follows is nobody's name
inline constexpr std::size_t kMaxNameBytes = 512;  // a longer name is none

struct SubjectName {
  enum class Kind { kDns, kUri };
  Kind kind = Kind::kDns;
  std::string text{};  // printable ASCII; a DNS name in small letters

  bool operator==(const SubjectName&) const = default;
};

// "DNS:", "URI:".
std::string_view NamePrefix(SubjectName::Kind kind);

// "DNS:storage1.example.org".
std::string NameText(const SubjectName& name);

// DNS names have no case.
std::string InSmallLetters(std::string_view text);

// Printable ASCII without blanks.
bool IsPrintableName(std::string_view text);

// The DNS and URI subject alternative names, in the certificate's order, at most kMaxNames. One that is longer
// than kMaxNameBytes, or is not printable ASCII, is left out: nobody could have meant it by a pattern.
std::vector<SubjectName> SubjectNames(const ::X509& certificate);
// Of the first certificate of a PEM text; none where there is none.
std::vector<SubjectName> SubjectNames(std::string_view pem);

}  // namespace rdmaready
