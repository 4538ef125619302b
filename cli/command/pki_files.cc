// SPDX-License-Identifier: Apache-2.0
#include "cli/command/pki_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/certificate.h"
#include "api/pki/file.h"
#include "api/pki/key.h"
#include "api/pki/request.h"
#include "cli/context/context_file.h"

namespace rdmaready {
namespace {

using pki::Existing;
using pki::StagedFile;

constexpr ::mode_t kReadableByAll = 0644;
constexpr ::mode_t kOwnerOnly = 0600;
constexpr std::size_t kMaxHandedOutBytes = 1 << 20;

// The key that the certificate is for, and, where it was made here, the file that waits for its name.
struct SubjectKey {
  pki::PublicKey key{};
  std::optional<StagedFile> staged{};
};

absl::StatusOr<SubjectKey> KeyOfFile(const std::string& request_file) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(request_file, pki::kMaxRequestBytes));
  absl::StatusOr<pki::PublicKey> key = pki::KeyOfRequest(text);
  if (!key.ok()) return absl::InvalidArgumentError(request_file + ": " + Message(key.status()));
  return SubjectKey{.key = *std::move(key)};
}

absl::StatusOr<SubjectKey> FreshKey(const std::string& path) {
  RR_ASSIGN_OR_RETURN(pki::PrivateKey key, pki::MakeKey());
  RR_ASSIGN_OR_RETURN(const std::string pem, pki::KeyPem(*key));
  RR_ASSIGN_OR_RETURN(StagedFile staged, StagedFile::Write(path, pem, kOwnerOnly));
  return SubjectKey{.key = std::move(key), .staged = std::move(staged)};
}

// A ca.pem that has no root of ours is somebody else's.
absl::Status CheckBundlePlace(const std::string& path, const std::string& bundle) {
  if (!FileIsThere(path)) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const std::string there, ReadSmallFile(path, kMaxHandedOutBytes));
  const absl::StatusOr<std::vector<Certificate>> old = ParseCertificates(there);
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> ours, ParseCertificates(bundle));
  const auto known = [&ours](const Certificate& one) {
    return std::ranges::any_of(
        ours, [&one](const Certificate& root) { return ::X509_cmp(root.get(), one.get()) == 0; });
  };
  if (old.ok() && std::ranges::any_of(*old, known)) return absl::OkStatus();
  return absl::AlreadyExistsError(path + " is there, of another CA");
}

absl::Status PutBundle(const std::string& path, const std::string& bundle, std::vector<std::string>& files) {
  const absl::StatusOr<std::string> there = ReadSmallFile(path, kMaxHandedOutBytes);
  if (there.ok() && *there == bundle) return absl::OkStatus();
  RR_RETURN_IF_ERROR(pki::WriteFile(path, bundle, kReadableByAll, Existing::kReplaced));
  files.push_back(path);
  return absl::OkStatus();
}

std::string Beside(const std::string& certificate_path, const std::string& name) {
  const std::size_t slash = certificate_path.rfind('/');
  return (slash == std::string::npos ? std::string() : certificate_path.substr(0, slash + 1)) + name;
}

// "a/node1.pem" -> "a/node1.key".
std::string KeyPath(const std::string& certificate_path) {
  const std::string stem = certificate_path.ends_with(".pem")
                               ? certificate_path.substr(0, certificate_path.size() - 4)
                               : certificate_path;
  return stem + ".key";
}

absl::StatusOr<pki::IndexEntry> EntryOf(const pki::Authority& ca, const std::string& serial,
                                        const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> entries, ca.Entries());
  const auto found = std::ranges::find(entries, serial, &pki::IndexEntry::serial);
  if (found == entries.end() || found->kind == pki::Kind::kUnknown)
    return absl::NotFoundError(path + ": no certificate that the CA in " + ca.directory() + " issued");
  if (found->revoked_unix_ns) {
    return absl::FailedPreconditionError(path + " was revoked on " + UtcText(*found->revoked_unix_ns) +
                                         ": `pki issue` makes a new identity");
  }
  return *found;
}

absl::StatusOr<HandedOut> Put(const pki::Authority& ca, const pki::Order& order, SubjectKey key,
                              const std::string& path, Existing existing) {
  RR_ASSIGN_OR_RETURN(const std::string bundle, ca.Bundle());
  const std::string bundle_path = Beside(path, "ca.pem");
  RR_RETURN_IF_ERROR(CheckBundlePlace(bundle_path, bundle));
  RR_ASSIGN_OR_RETURN(const pki::Issued issued, ca.Issue(order, *key.key));
  RR_ASSIGN_OR_RETURN(StagedFile certificate, StagedFile::Write(path, issued.certificate_pem, kReadableByAll));
  HandedOut out{.entry = issued.entry};
  RR_RETURN_IF_ERROR(certificate.Put(existing));
  out.files.push_back(path);
  if (key.staged) {
    RR_RETURN_IF_ERROR(key.staged->Put(existing));
    out.files.push_back(KeyPath(path));
  }
  RR_RETURN_IF_ERROR(PutBundle(bundle_path, bundle, out.files));
  return out;
}

// Of the certificate that takes the place of `old`.
absl::StatusOr<SubjectKey> NextKey(::X509& old, const std::string& path, const KeyChoice& choice) {
  if (choice.keep) {
    SubjectKey same{.key = pki::PublicKey(::X509_get_pubkey(&old))};
    if (!same.key) return absl::InvalidArgumentError(path + ": no key that can be used");
    return same;
  }
  if (!choice.request_file.empty()) return KeyOfFile(choice.request_file);
  if (FileIsThere(KeyPath(path))) return FreshKey(KeyPath(path));
  return absl::FailedPreconditionError(
      KeyPath(path) +
      " is not here: the host's own key stays with --keep-key, or a new request "
      "of the host is named by --request");
}

}  // namespace

absl::StatusOr<std::string> DefaultPkiDirectory() {
  if (::geteuid() == 0) return std::string("/etc/rdmaready/pki");
  const absl::StatusOr<std::string> folder = UserConfigFolder();
  if (folder.ok()) return *folder + "/pki";
  return absl::FailedPreconditionError(Message(folder.status()) + ": --dir says where the CA is kept");
}

bool FileIsThere(const std::string& path) {
  struct ::stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

void AddOwnName(pki::Order& order) {
  const auto add = [&order](std::vector<std::string>& names) {
    if (std::ranges::find(names, order.name) == names.end()) names.insert(names.begin(), order.name);
  };
  if (order.kind == pki::Kind::kOperator) return;
  if (pki::IsIpAddress(order.name)) {
    add(order.addresses);
  } else if (pki::IsDnsName(order.name)) {
    add(order.dns);
  }
}

bool IsCertificatePath(const std::string& word) {
  return word.ends_with(".pem") || word.find('/') != word.npos;
}

absl::StatusOr<std::string> ReadCertificateFile(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxHandedOutBytes));
  const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(text);
  if (!parsed.ok()) return absl::InvalidArgumentError(path + ": " + Message(parsed.status()));
  return text;
}

absl::StatusOr<HandedOut> IssueInto(const pki::Authority& ca, const pki::Order& order, const KeyChoice& key,
                                    const std::string& out) {
  RR_RETURN_IF_ERROR(pki::MakeDirectories(out, 0755));
  return IssueAs(ca, order, key, out + "/" + order.name + ".pem");
}

absl::StatusOr<HandedOut> IssueAs(const pki::Authority& ca, const pki::Order& order, const KeyChoice& key,
                                  const std::string& path) {
  const bool makes_key = key.request_file.empty();
  for (const std::string& file : {path, KeyPath(path)}) {
    if ((makes_key || file == path) && FileIsThere(file))
      return absl::AlreadyExistsError(file + " is there already (`pki rotate` replaces a certificate)");
  }
  RR_ASSIGN_OR_RETURN(SubjectKey subject, makes_key ? FreshKey(KeyPath(path)) : KeyOfFile(key.request_file));
  return Put(ca, order, std::move(subject), path, Existing::kKept);
}

absl::StatusOr<HandedOut> RotateInto(const pki::Authority& ca, const std::string& what, const KeyChoice& key,
                                     int days, const std::string& out) {
  const std::string path = IsCertificatePath(what) ? what : out + "/" + what + ".pem";
  RR_ASSIGN_OR_RETURN(const std::string text, ReadCertificateFile(path));
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> certificates, ParseCertificates(text));
  ::X509& old = *certificates.front();
  RR_ASSIGN_OR_RETURN(const pki::IndexEntry entry, EntryOf(ca, pki::SerialOf(old), path));
  RR_ASSIGN_OR_RETURN(SubjectKey subject, NextKey(old, path, key));
  return Put(ca, pki::Authority::Again(entry, days), std::move(subject), path, Existing::kReplaced);
}

}  // namespace rdmaready
