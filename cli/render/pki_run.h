// SPDX-License-Identifier: Apache-2.0
// PkiRun: what `rdmaready pki` did, and what its CA has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/pki/authority.h"
#include "cli/style.h"

namespace rdmaready {

inline constexpr std::int64_t kExpiresSoonNs = std::int64_t{14} * 86'400 * 1'000'000'000;

enum class CertificateState { kValid, kExpiring, kExpired, kRevoked };

struct PkiCertificate {
  pki::IndexEntry entry{};
  CertificateState state = CertificateState::kValid;
  bool replaced = false;  // a later one of the same identity lasts longer: its end is no matter
};

enum class PkiAction { kInit, kIssue, kPair, kRotate, kRotateCa, kRevoke, kList };

struct PkiRun {
  PkiAction action = PkiAction::kList;
  std::string directory{};
  std::vector<pki::Root> roots{};
  std::vector<PkiCertificate> certificates{};  // which it was about; of a list all, oldest first
  std::vector<std::string> files{};            // that were written
  std::vector<std::string> notes{};            // what is to be done next
};

std::string_view NameOf(PkiAction action);  // "init", "issue", "pair", "rotate", "rotate-ca", "revoke", "list"
std::string_view NameOf(CertificateState state);  // "valid", "expiring", "expired", "revoked"

// Each with its state at that time.
std::vector<PkiCertificate> JudgedCertificates(const std::vector<pki::IndexEntry>& entries,
                                               std::int64_t now_unix_ns);

std::string PkiText(const PkiRun& run, const Style& style);
std::string PkiJson(const PkiRun& run);

}  // namespace rdmaready
