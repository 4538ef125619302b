// SPDX-License-Identifier: Apache-2.0
#include "cli/render/pki_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/text.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using PkiObject = nlohmann::ordered_json;

std::string_view StateWord(CertificateState state) {
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
  return "valid";
}

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
  const std::string word = fmt::format("{:8}", StateWord(certificate.state));
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
  if (run.action == "list" && run.certificates.empty()) text += "  no certificate was issued\n";
  for (const std::string& file : run.files) text += fmt::format("wrote {}\n", Printable(file));
  for (const std::string& note : run.notes) text += Printable(note) + "\n";
  return text;
}

std::string PkiJson(const PkiRun& run) {
  PkiObject roots = PkiObject::array();
  for (const pki::Root& root : run.roots) {
    roots.push_back({{"serial", root.serial},
                     {"subject", root.subject},
                     {"fingerprint", root.fingerprint},
                     {"not_after_unix_ns", root.not_after_unix_ns},
                     {"issues", root.issues}});
  }
  PkiObject certificates = PkiObject::array();
  for (const PkiCertificate& one : run.certificates) {
    const pki::IndexEntry& entry = one.entry;
    const bool host = entry.kind == pki::Kind::kHost;
    certificates.push_back({{"serial", entry.serial},
                            {"kind", pki::KindName(entry.kind)},
                            {"name", entry.name},
                            {"host_id", host ? entry.identity : std::string()},
                            {"names", entry.names},
                            {"root", entry.root},
                            {"state", StateWord(one.state)},
                            {"replaced", one.replaced},
                            {"not_before_unix_ns", entry.not_before_unix_ns},
                            {"not_after_unix_ns", entry.not_after_unix_ns},
                            {"issued_unix_ns", entry.issued_unix_ns},
                            {"revoked_unix_ns", entry.revoked_unix_ns.value_or(0)}});
  }
  const PkiObject json{{"schema", "rdmaready.v1.Pki"},
                       {"action", run.action},
                       {"directory", run.directory},
                       {"roots", std::move(roots)},
                       {"certificates", std::move(certificates)},
                       {"files", run.files},
                       {"notes", run.notes}};
  return json.dump(2, ' ', true, PkiObject::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready
