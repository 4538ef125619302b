// SPDX-License-Identifier: Apache-2.0
// Shared options: what every command repeats, and what the environment and a context may hold instead.
//
// Order: command line over environment over context over built-in. Plain text (`insecure`) and TLS (`tls_*`)
// are one choice: the first of these that has either of them decides it, and what the others hold of the other
// one is left out. `hub` is an address; the rest of the rules are in defaults.h.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace rdmaready {

enum class SharedKind { kText, kFile, kProfile, kFlag };

struct SharedOption {
  std::string_view key;       // in the file of contexts
  std::string_view option;    // on the command line
  std::string_view variable;  // of the environment; empty: it cannot be set there
  SharedKind kind = SharedKind::kText;
  std::string_view built_in{};
};

inline constexpr std::array<SharedOption, 9> kSharedOptions{{
    {"tls_ca", "--tls-ca", "RDMAREADY_TLS_CA", SharedKind::kFile},
    {"tls_cert", "--tls-cert", "RDMAREADY_TLS_CERT", SharedKind::kFile},
    {"tls_key", "--tls-key", "RDMAREADY_TLS_KEY", SharedKind::kFile},
    {"tls_crl", "--tls-crl", "RDMAREADY_TLS_CRL", SharedKind::kFile},
    {"tls_name", "--tls-name", "RDMAREADY_TLS_NAME", SharedKind::kText},
    // Not in the environment: a variable that a shell inherited would switch TLS off unseen.
    {"insecure", "--insecure", "", SharedKind::kFlag},
    {"hub", "--hub", "RDMAREADY_HUB", SharedKind::kText, "127.0.0.1:7473"},
    {"inventory", "--inventory", "RDMAREADY_INVENTORY", SharedKind::kFile},
    {"profile", "--profile", "RDMAREADY_PROFILE", SharedKind::kProfile},
}};

inline constexpr char kConfigVariable[] = "RDMAREADY_CONFIG";    // the path of the file of contexts
inline constexpr char kContextVariable[] = "RDMAREADY_CONTEXT";  // as --context
inline constexpr std::string_view kNoContext = "none";           // no context is called so

inline constexpr std::string_view kInsecureKey = "insecure";
inline bool IsOfTls(std::string_view key) { return key.starts_with("tls_"); }

// Null when there is no such key.
inline const SharedOption* FindSharedOption(std::string_view key) {
  const auto found = std::ranges::find(kSharedOptions, key, &SharedOption::key);
  return found == kSharedOptions.end() ? nullptr : &*found;
}

}  // namespace rdmaready
