// SPDX-License-Identifier: Apache-2.0
#include "api/pki/roots.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/pki/file.h"
#include "api/pki/key.h"
#include "api/pki/newer_lists.h"
#include "api/pki/sign.h"

namespace rdmaready::pki {
namespace {

constexpr std::size_t kMaxRootBytes = 64 * 1024;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::size_t kNameDigits = 8;  // of the serial, in a root's name

absl::StatusOr<RootFile> LoadRoot(const std::string& directory, const std::string& serial) {
  RootFile root{.serial = serial};
  const std::string path = RootPath(directory, serial, ".pem");
  RR_ASSIGN_OR_RETURN(root.pem, ReadSmallFile(path, kMaxRootBytes));
  absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(root.pem);
  if (!parsed.ok()) return absl::DataLossError(path + ": " + Message(parsed.status()));
  root.certificate = std::move(parsed->front());
  if (SerialOf(*root.certificate) != serial) return absl::DataLossError(path + ": it is another certificate");
  return root;
}

// A list holds what lasts: an expired certificate is refused anyway. A day more for clocks that are behind.
std::vector<Revoked> StillRevoked(const std::vector<IndexEntry>& entries, const std::string& root,
                                  std::int64_t now_unix_s) {
  constexpr std::int64_t kMarginS = 86'400;
  std::vector<Revoked> revoked;
  for (const IndexEntry& entry : entries) {
    if (!entry.revoked_unix_ns || entry.root != root) continue;
    if (entry.not_after_unix_ns / kSecondNs + kMarginS < now_unix_s) continue;
    revoked.push_back({.serial = entry.serial, .at_unix_s = *entry.revoked_unix_ns / kSecondNs});
  }
  return revoked;
}

}  // namespace

std::string IndexPath(const std::string& directory) { return directory + "/index.jsonl"; }

std::string RootPath(const std::string& directory, const std::string& serial, const char* ending) {
  return directory + "/roots/" + serial + ending;
}

absl::StatusOr<std::vector<RootFile>> LoadRoots(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory + "/issuer", error) && !error)
    return absl::NotFoundError(directory + ": no CA of rdmaready's (make one: rdmaready pki init)");
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(directory + "/issuer", kMaxRootBytes));
  const std::size_t line = text.find('\n');
  const std::string issuer = SerialOfText(text.substr(0, line));
  const std::string former = line == std::string::npos ? "" : SerialOfText(TrimRight(text.substr(line + 1)));
  if (issuer.empty()) return absl::DataLossError(directory + "/issuer: no serial number of a root");
  std::vector<RootFile> roots;
  RR_ASSIGN_OR_RETURN(RootFile first, LoadRoot(directory, issuer));
  roots.push_back(std::move(first));
  for (const auto& file : std::filesystem::directory_iterator(directory + "/roots", error)) {
    const std::string serial = SerialOfText(file.path().stem().string());
    if (file.path().extension() != ".pem" || serial.empty() || serial == issuer) continue;
    RR_ASSIGN_OR_RETURN(RootFile other, LoadRoot(directory, serial));
    other.former = serial == former;
    roots.push_back(std::move(other));
  }
  if (error) return ErrnoStatus(error.value(), "read " + directory + "/roots");
  std::sort(roots.begin() + 1, roots.end(), [](const auto& a, const auto& b) { return a.serial < b.serial; });
  return roots;
}

absl::StatusOr<PrivateKey> LoadRootKey(const std::string& directory, const RootFile& root) {
  const CleanErrors clean;
  const std::string path = RootPath(directory, root.serial, ".key");
  RR_ASSIGN_OR_RETURN(PrivateKey key, LoadKey(path));
  if (::X509_check_private_key(root.certificate.get(), key.get()) != 1)
    return absl::DataLossError(path + ": not the key of its certificate");
  return key;
}

absl::StatusOr<std::string> AddRoot(const std::string& directory, const std::string& name,
                                    std::int64_t now_unix_s) {
  RR_ASSIGN_OR_RETURN(const PrivateKey key, MakeKey());
  RR_ASSIGN_OR_RETURN(const std::string serial, NewSerial());
  // A name of its own: TLS tells callers the names of the CAs that are trusted, and so do our errors.
  RR_ASSIGN_OR_RETURN(const std::string pem,
                      SignRoot(*key, name + " " + serial.substr(0, kNameDigits), serial, now_unix_s));
  RR_RETURN_IF_ERROR(WriteKey(RootPath(directory, serial, ".key"), *key, Existing::kKept));
  RR_RETURN_IF_ERROR(WriteFile(RootPath(directory, serial, ".pem"), pem, kCertificateMode, Existing::kKept));
  return serial;
}

std::string NameOfRoot(const RootFile& root) {
  char text[256] = {};
  const int size = ::X509_NAME_get_text_by_NID(::X509_get_subject_name(root.certificate.get()), NID_commonName,
                                               text, sizeof(text));
  const std::string name(text, static_cast<std::size_t>(std::max(size, 0)));
  return name.substr(0, name.size() - std::min(name.size(), kNameDigits + 1));
}

absl::Status SetIssuer(const std::string& directory, const std::string& serial, const std::string& former) {
  const std::string text = serial + "\n" + (former.empty() ? "" : former + "\n");
  return WriteFile(directory + "/issuer", text, kCertificateMode, Existing::kReplaced);
}

absl::Status WriteBundle(const std::string& directory, const std::vector<RootFile>& roots) {
  std::string text;
  for (const RootFile& root : roots) text += root.pem;
  const std::string path = directory + "/ca.pem";
  const absl::StatusOr<std::string> there = ReadSmallFile(path, kMaxRootBytes);
  if (there.ok() && *there == text) return absl::OkStatus();
  return WriteFile(path, text, kCertificateMode, Existing::kReplaced);
}

absl::Status WriteLists(const std::string& directory, const std::vector<RootFile>& roots,
                        const std::vector<IndexEntry>& entries, std::int64_t now_unix_s) {
  // Two lists within one second are told apart, and so are those of a clock that was put back.
  constexpr std::size_t kMaxListBytes = 16 << 20;
  const absl::StatusOr<std::string> there = ReadSmallFile(directory + "/crl.pem", kMaxListBytes);
  const std::int64_t number = std::max(now_unix_s, there.ok() ? HighestListNumber(*there) + 1 : 0);
  std::string text;
  for (const RootFile& root : roots) {
    RR_ASSIGN_OR_RETURN(const PrivateKey key, LoadRootKey(directory, root));
    RR_ASSIGN_OR_RETURN(const std::string list,
                        SignRevocationList(StillRevoked(entries, root.serial, now_unix_s), *root.certificate,
                                           *key, now_unix_s, number));
    text += list;
  }
  return WriteFile(directory + "/crl.pem", text, kCertificateMode, Existing::kReplaced);
}

}  // namespace rdmaready::pki
