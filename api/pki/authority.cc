// SPDX-License-Identifier: Apache-2.0
#include "api/pki/authority.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/pki/file.h"
#include "api/pki/fingerprint.h"
#include "api/pki/key.h"
#include "api/pki/roots.h"

namespace rdmaready::pki {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::size_t kMostNames = 100;  // of one certificate
constexpr ::mode_t kOwnersAlone = 0700;

bool IsThere(const std::string& path) {
  struct ::stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::int64_t LifetimeS(const Order& order) {
  return order.lifetime_s > 0 ? order.lifetime_s : order.days * kSecondsPerDay;
}

std::vector<std::string> NamesOf(const Contents& contents) {
  std::vector<std::string> names;
  for (const std::string& name : contents.dns) names.push_back("DNS:" + name);
  for (const std::string& address : contents.addresses) names.push_back("IP:" + address);
  return names;
}

// Of a creation that broke off: nobody was ever given anything of it.
absl::Status ClearRoots(const std::string& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> left;
  for (const auto& file : std::filesystem::directory_iterator(directory + "/roots", error)) {
    const std::string ending = file.path().extension().string();
    if ((ending == ".pem" || ending == ".key") && !SerialOfText(file.path().stem().string()).empty())
      left.push_back(file.path());
  }
  if (error) return ErrnoStatus(error.value(), "read " + directory + "/roots");
  for (const std::filesystem::path& path : left) {
    if (::unlink(path.c_str()) != 0) return ErrnoStatus(errno, "remove " + path.string());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOrder(const Order& order) {
  const auto wrong = [](const std::string& text) { return absl::InvalidArgumentError(text); };
  if (order.kind == Kind::kUnknown) return wrong("a certificate is of a host, a hub or an operator");
  if (!IsPlainName(order.name) && !IsIpAddress(order.name))
    return wrong("'" + SafeLine(order.name, 80) +
                 "' is no name for a certificate: 1 to 64 letters, digits, '.', '_' and '-'");
  if (order.kind != Kind::kHost && !IsPlainName(order.name))
    return wrong("'" + SafeLine(order.name, 80) + "' is an address, no name");
  if (!order.host_id.empty() && (order.kind != Kind::kHost || !IsHostId(order.host_id)))
    return wrong("no host id: " + SafeLine(order.host_id, 80));
  if (order.lifetime_s < 0 || order.lifetime_s > kMostDays * kSecondsPerDay)
    return wrong(fmt::format("a certificate lasts at most {} days", kMostDays));
  if (order.days < 1 || order.days > kMostDays) return wrong(fmt::format("days: 1 to {}", kMostDays));
  for (const std::string& name : order.dns) {
    if (!IsDnsName(name)) return wrong("'" + SafeLine(name, 80) + "' is no DNS name");
  }
  for (const std::string& address : order.addresses) {
    if (!IsIpAddress(address)) return wrong("'" + SafeLine(address, 80) + "' is no IP address");
  }
  if (order.dns.size() + order.addresses.size() > kMostNames)
    return wrong(fmt::format("more than {} names", kMostNames));
  return absl::OkStatus();
}

absl::Status Authority::Create(const std::string& directory, const std::string& name,
                               const AuthorityOptions& options) {
  constexpr std::size_t kMaxRootName = 50;
  if (name.empty() || name.size() > kMaxRootName || SafeLine(name, kMaxRootName) != name)
    return absl::InvalidArgumentError(
        fmt::format("the name of a CA is 1 to {} printable letters", kMaxRootName));
  RR_RETURN_IF_ERROR(MakeDirectories(directory, kOwnersAlone));
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory, options.lock_wait));
  if (IsThere(directory + "/issuer"))
    return absl::AlreadyExistsError(directory + ": there is a CA already; it stays as it is");
  // Without the issuer, an index is one that somebody's certificates are still known by.
  if (IsThere(IndexPath(directory)))
    return absl::FailedPreconditionError(directory + ": index.jsonl of a CA whose file `issuer` is gone");
  RR_RETURN_IF_ERROR(MakeDirectories(directory + "/roots", kOwnersAlone));
  RR_RETURN_IF_ERROR(ClearRoots(directory));
  const std::int64_t now_unix_s = options.now_unix_ns() / kNsPerS;
  RR_ASSIGN_OR_RETURN(const std::string serial, AddRoot(directory, name, now_unix_s));
  RR_RETURN_IF_ERROR(SetIssuer(directory, serial, {}));
  return Authority(directory, options).Settle();
}

absl::StatusOr<Authority> Authority::Open(const std::string& directory, const AuthorityOptions& options) {
  struct ::stat info {};
  if (::stat((directory + "/issuer").c_str(), &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return ErrnoStatus(errno, "open " + directory + "/issuer");
    return absl::NotFoundError(directory + ": no CA of rdmaready's (make one: rdmaready pki init)");
  }
  return Authority(directory, options);
}

absl::Status Authority::Settle() const {
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  RR_ASSIGN_OR_RETURN(const std::vector<IndexEntry> entries, LoadIndex(IndexPath(directory_)));
  RR_RETURN_IF_ERROR(WriteBundle(directory_, roots));
  return WriteLists(directory_, roots, entries, NowS());
}

absl::StatusOr<Issued> Authority::Issue(const Order& order, ::EVP_PKEY& public_key) const {
  RR_RETURN_IF_ERROR(CheckOrder(order));
  RR_RETURN_IF_ERROR(CheckPublicKey(public_key));
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  const RootFile& root = roots.front();
  RR_ASSIGN_OR_RETURN(const PrivateKey root_key, LoadRootKey(directory_, root));
  Contents contents{.kind = order.kind,
                    .common_name = order.name,
                    .identity = order.kind == Kind::kHost ? order.host_id : order.name,
                    .dns = order.dns,
                    .addresses = order.addresses,
                    .not_before_unix_s = NowS() - kBackdatedS,
                    .not_after_unix_s = NowS() + LifetimeS(order)};
  if (contents.identity.empty()) {
    RR_ASSIGN_OR_RETURN(contents.identity, NewHostId());
  }
  RR_ASSIGN_OR_RETURN(contents.serial, NewSerial());
  if (contents.not_after_unix_s > NotAfterUnixS(*root.certificate)) {
    return absl::InvalidArgumentError(fmt::format(
        "{} days are more than the CA lasts, until {} (rdmaready pki rotate --ca makes its successor)",
        LifetimeS(order) / kSecondsPerDay, DateText(*::X509_get0_notAfter(root.certificate.get()))));
  }
  Issued issued;
  RR_ASSIGN_OR_RETURN(issued.certificate_pem,
                      SignCertificate(contents, public_key, *root.certificate, *root_key));
  issued.entry = {.serial = contents.serial,
                  .kind = order.kind,
                  .name = order.name,
                  .identity = contents.identity,
                  .names = NamesOf(contents),
                  .root = root.serial,
                  .not_before_unix_ns = contents.not_before_unix_s * kNsPerS,
                  .not_after_unix_ns = contents.not_after_unix_s * kNsPerS,
                  .issued_unix_ns = options_.now_unix_ns()};
  RR_RETURN_IF_ERROR(AppendWhole(IndexPath(directory_), IssuedLine(issued.entry), S_IRUSR | S_IWUSR));
  return issued;
}

Order Authority::Again(const IndexEntry& entry, int days) {
  Order order{.kind = entry.kind,
              .name = entry.name,
              .host_id = entry.kind == Kind::kHost ? entry.identity : std::string(),
              .days = days};
  for (const std::string& name : entry.names) {
    if (name.starts_with("DNS:")) order.dns.push_back(name.substr(4));
    if (name.starts_with("IP:")) order.addresses.push_back(name.substr(3));
  }
  return order;
}

absl::StatusOr<std::vector<IndexEntry>> Authority::Entries() const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  return LoadIndex(IndexPath(directory_));
}

absl::StatusOr<std::vector<IndexEntry>> Authority::Revoke(const std::string& what) const {
  const std::string serial = SerialOfText(what);
  if (serial.empty() && !IsHostId(what))
    return absl::InvalidArgumentError("'" + SafeLine(what, 80) + "' is no serial number and no host id");
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(std::vector<IndexEntry> entries, LoadIndex(IndexPath(directory_)));
  const std::int64_t now = options_.now_unix_ns();
  std::erase_if(entries, [&](const IndexEntry& entry) {
    if (!serial.empty()) return entry.serial != serial;
    return entry.kind != Kind::kHost || entry.identity != what || entry.not_after_unix_ns < now;
  });
  if (entries.empty()) {
    return absl::NotFoundError(
        (serial.empty() ? "no certificate that lasts is of the host " : "nothing was issued with the serial ") +
        SafeLine(what, 80));
  }
  return RevokeAll(std::move(entries));
}

absl::StatusOr<std::vector<IndexEntry>> Authority::Revoke(const ::X509& certificate) const {
  const CleanErrors clean;
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  auto* const mine = const_cast<::X509*>(&certificate);  // OpenSSL 3.0 does not say const, and does not write
  const auto root = std::ranges::find_if(roots, [mine](const RootFile& one) {
    return ::X509_verify(mine, ::X509_get0_pubkey(one.certificate.get())) == 1;
  });
  const std::string serial = SerialOf(certificate);
  if (root == roots.end() || SerialOfText(serial).empty())
    return absl::NotFoundError("the certificate " + SubjectText(certificate) + " was not issued by this CA");
  if (serial == root->serial)
    return absl::InvalidArgumentError("that is the CA itself, which ends by another one");
  RR_ASSIGN_OR_RETURN(std::vector<IndexEntry> entries, LoadIndex(IndexPath(directory_)));
  std::erase_if(entries, [&serial](const IndexEntry& entry) { return entry.serial != serial; });
  if (entries.empty()) {
    entries.push_back(
        {.serial = serial, .root = root->serial, .not_after_unix_ns = NotAfterUnixS(certificate) * kNsPerS});
  }
  return RevokeAll(std::move(entries));
}

// With the lock.
absl::StatusOr<std::vector<IndexEntry>> Authority::RevokeAll(std::vector<IndexEntry> entries) const {
  const std::int64_t now = options_.now_unix_ns();
  std::string lines;
  for (IndexEntry& entry : entries) {
    if (entry.revoked_unix_ns) continue;
    lines += RevokedLine(entry, now);
    entry.revoked_unix_ns = now;
  }
  if (!lines.empty()) RR_RETURN_IF_ERROR(AppendWhole(IndexPath(directory_), lines, S_IRUSR | S_IWUSR));
  if (const absl::Status settled = Settle(); !settled.ok()) {
    return absl::Status(
        settled.code(),
        "it is noted as revoked, but the list is as it was (the same again writes it): " + Message(settled));
  }
  return entries;
}

absl::Status Authority::RenewRevocationList() const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  return Settle();
}

absl::StatusOr<std::vector<Root>> Authority::Roots() const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> files, LoadRoots(directory_));
  std::vector<Root> roots;
  for (const RootFile& file : files) {
    Root root{.serial = file.serial,
              .subject = SubjectText(*file.certificate),
              .not_after_unix_ns = NotAfterUnixS(*file.certificate) * kNsPerS,
              .issues = roots.empty()};
    RR_ASSIGN_OR_RETURN(root.fingerprint, Fingerprint(*file.certificate));
    roots.push_back(std::move(root));
  }
  return roots;
}

absl::StatusOr<std::string> Authority::Bundle() const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  std::string text;
  for (const RootFile& root : roots) text += root.pem;
  return text;
}

}  // namespace rdmaready::pki
