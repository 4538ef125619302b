// SPDX-License-Identifier: Apache-2.0
#include "api/client/caller_judge.h"

#include <utility>
#include <vector>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/client/certificate.h"

namespace rdmaready {
namespace {

std::string SubjectOf(const std::string& pem) {
  const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(pem);
  return parsed.ok() ? SubjectText(*parsed->front()) : "none";
}

}  // namespace

CallerJudge::CallerJudge(const TlsFiles& files, OnRefused on_refused, RevocationFile::OnStale on_stale)
    : ca_file_(files.ca), on_refused_(std::move(on_refused)) {
  if (!files.crl.empty()) lists_ = std::make_unique<RevocationFile>(files.crl, std::move(on_stale));
}

std::string CallerJudge::WhyRefused(const std::string& certificate_pem, const std::string& others_pem) {
  std::string why = Why(certificate_pem, others_pem);
  if (!why.empty() && on_refused_) on_refused_(SubjectOf(certificate_pem), why);
  return why;
}

std::string CallerJudge::Why(const std::string& certificate_pem, const std::string& others_pem) {
  if (certificate_pem.empty()) return "the caller showed no certificate";
  const absl::StatusOr<std::vector<Certificate>> own = ParseCertificates(certificate_pem);
  if (!own.ok()) return "the caller's certificate: " + Message(own.status());
  const absl::StatusOr<std::shared_ptr<::X509_STORE>> trusted = Trusted();
  if (!trusted.ok()) return Message(trusted.status());
  std::shared_ptr<const RevocationLists> lists;
  if (lists_ != nullptr) {
    absl::StatusOr<std::shared_ptr<const RevocationLists>> read = lists_->Now();
    if (!read.ok()) return "--tls-crl: " + Message(read.status());
    lists = *std::move(read);
  }
  absl::StatusOr<std::vector<Certificate>> others = ParseCertificates(others_pem);
  std::vector<Certificate> intermediates;
  if (others.ok()) intermediates = *std::move(others);
  const std::string why =
      WhyUntrusted(*own->front(), intermediates, **trusted, CertificateUse::kClient, lists.get());
  return why.empty() ? why : "the caller's certificate " + why;
}

absl::StatusOr<std::shared_ptr<::X509_STORE>> CallerJudge::Trusted() {
  RR_ASSIGN_OR_RETURN(std::string ca, ReadSmallFile(ca_file_, kMaxPemBytes));
  const std::scoped_lock lock(mutex_);
  if (trusted_ != nullptr && ca == ca_) return trusted_;
  absl::StatusOr<TrustStore> parsed = ParseTrustStore(ca);
  if (!parsed.ok())
    return absl::Status(parsed.status().code(), "--tls-ca " + ca_file_ + ": " + Message(parsed.status()));
  trusted_ = *std::move(parsed);
  ca_ = std::move(ca);
  return trusted_;
}

}  // namespace rdmaready
