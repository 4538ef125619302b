// SPDX-License-Identifier: Apache-2.0
#include "cli/render/pki_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/base/text.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

Tone StateTone(const PkiCertificate& certificate) {
  switch (certificate.state) {
    case CertificateState::kValid:
      return Tone::kGood;
    case CertificateState::kExpiring:
      return certificate.replaced ? Tone::kFaint : Tone::kWarning;
    case CertificateState::kExpired:
      return Tone::kFaint;
    case CertificateState::kRevoked:
      return Tone::kBad;
  }
  return Tone::kPlain;
}

// "until 2027-02-24 21:00:00 UTC".
std::string WhenText(const PkiCertificate& certificate) {
  const pki::IndexEntry& entry = certificate.entry;
  const std::string end = UtcText(entry.not_after_unix_ns);
  switch (certificate.state) {
    case CertificateState::kRevoked:
      return "on " + UtcText(entry.revoked_unix_ns.value_or(0));
    case CertificateState::kExpired:
      return "on " + end;
    case CertificateState::kExpiring:
    case CertificateState::kValid:
      break;
  }
  return "until " + end + (certificate.replaced ? ", replaced" : "");
}

std::string CertificateLine(const PkiCertificate& certificate, const Style& style) {
  const pki::IndexEntry& entry = certificate.entry;
  const std::string word = fmt::format("{:8}", NameOf(certificate.state));
  std::string line = fmt::format("  {} {:8} {:20} {}\n", style.Paint(StateTone(certificate), word),
                                 pki::KindName(entry.kind), Printable(entry.name), WhenText(certificate));
  line += fmt::format("           serial {}\n", Printable(entry.serial));
  if (entry.kind == pki::Kind::kHost) line += fmt::format("           host id {}\n", Printable(entry.identity));
  if (!entry.names.empty())
    line += fmt::format("           names {}\n", Printable(fmt::format("{}", fmt::join(entry.names, " "))));
  return line;
}

std::string RootLine(const pki::Root& root, bool several) {
  return fmt::format("CA {}{} until {}\n  fingerprint {}\n", Printable(root.subject),
                     !several      ? ","
                     : root.issues ? ", which issues,"
                                   : ", which is trusted only,",
                     UtcText(root.not_after_unix_ns), root.fingerprint);
}

}  // namespace

std::string_view NameOf(PkiAction action) {
  switch (action) {
    case PkiAction::kInit:
      return "init";
    case PkiAction::kIssue:
      return "issue";
    case PkiAction::kPair:
      return "pair";
    case PkiAction::kRotate:
      return "rotate";
    case PkiAction::kRotateCa:
      return "rotate-ca";
    case PkiAction::kRevoke:
      return "revoke";
    case PkiAction::kList:
      return "list";
  }
  return "unknown";
}

std::string_view NameOf(CertificateState state) {
  switch (state) {
    case CertificateState::kValid:
      return "valid";
    case CertificateState::kExpiring:
      return "expiring";
    case CertificateState::kExpired:
      return "expired";
    case CertificateState::kRevoked:
      return "revoked";
  }
  return "unknown";
}

std::vector<PkiCertificate> JudgedCertificates(const std::vector<pki::IndexEntry>& entries,
                                               std::int64_t now_unix_ns) {
  std::map<std::string, std::int64_t> lasts;  // by identity: until when the best of its certificates does
  const auto key = [](const pki::IndexEntry& entry) {
    return entry.kind == pki::Kind::kUnknown ? entry.serial : pki::IdentityUri(entry.kind, entry.identity);
  };
  for (const pki::IndexEntry& entry : entries) {
    if (entry.revoked_unix_ns) continue;
    std::int64_t& last = lasts[key(entry)];
    last = std::max(last, entry.not_after_unix_ns);
  }
  std::vector<PkiCertificate> judged;
  for (const pki::IndexEntry& entry : entries) {
    PkiCertificate one{.entry = entry};
    const std::int64_t left = entry.not_after_unix_ns - now_unix_ns;
    if (entry.revoked_unix_ns) {
      one.state = CertificateState::kRevoked;
    } else if (left <= 0) {
      one.state = CertificateState::kExpired;
    } else if (left < kExpiresSoonNs) {
      one.state = CertificateState::kExpiring;
    }
    const auto last = lasts.find(key(entry));
    one.replaced = last != lasts.end() && last->second > entry.not_after_unix_ns;
    judged.push_back(std::move(one));
  }
  return judged;
}

std::string PkiText(const PkiRun& run, const Style& style) {
  std::string text;
  for (const pki::Root& root : run.roots) text += RootLine(root, run.roots.size() > 1);
  for (const PkiCertificate& certificate : run.certificates) text += CertificateLine(certificate, style);
  if (run.action == PkiAction::kList && run.certificates.empty()) text += "  no certificate was issued\n";
  for (const std::string& file : run.files) text += fmt::format("wrote {}\n", Printable(file));
  for (const std::string& note : run.notes) text += Printable(note) + "\n";
  return text;
}

}  // namespace rdmaready
