// SPDX-License-Identifier: Apache-2.0
#include "agent/enrol/identity_files.h"

#include <fcntl.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

#include "api/base/handle.h"
#include "api/base/run_id.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/pki/identity.h"
#include "api/pki/key.h"
#include "api/pki/newer_lists.h"
#include "api/pki/sign.h"

namespace rdmaready::enrol {
namespace {

constexpr char kGenerationPrefix[] = "g-";
constexpr std::size_t kGenerationDigits = 16;
constexpr ::mode_t kOwnersFolder = 0700;
constexpr ::mode_t kOwnersFile = 0600;
constexpr auto kLockWait = std::chrono::milliseconds(5'000);

absl::Status SyncFolder(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return ErrnoStatus(errno, "sync " + directory);
  return absl::OkStatus();
}

std::int64_t UnixSecondsOf(const ::ASN1_TIME& time) {
  std::tm date{};
  return ::ASN1_TIME_to_tm(&time, &date) == 1 ? static_cast<std::int64_t>(::timegm(&date)) : 0;
}

}  // namespace

TlsFiles IdentityFiles::FilesBelow(const std::string& directory) {
  const std::string own = directory + "/host.pem";
  return {.certificate = own, .key = own, .ca = directory + "/ca.pem", .crl = directory + "/crl.pem"};
}

std::string IdentityFiles::Current() const {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::read_symlink(directory_ + "/current", error);
  return error ? std::string() : name.string();
}

bool IdentityFiles::Enrolled() const { return !Current().empty(); }

absl::StatusOr<Identity> IdentityFiles::Read() const {
  if (!Enrolled()) return absl::NotFoundError("this host is not enrolled (rdmaready-agent enrol)");
  const std::string path = Files().certificate;
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxPemBytes));
  const absl::StatusOr<std::vector<Certificate>> chain = ParseCertificates(text);
  const std::optional<std::string> id = chain.ok() ? pki::HostIdOf(*chain->front()) : std::nullopt;
  if (!id) return absl::DataLossError(path + ": no certificate of a host (rdmaready-agent enrol --again)");
  return Identity{.host_id = *id,
                  .not_before_unix_s = UnixSecondsOf(*::X509_get0_notBefore(chain->front().get())),
                  .not_after_unix_s = UnixSecondsOf(*::X509_get0_notAfter(chain->front().get()))};
}

std::string IdentityFiles::Lists() const { return ReadSmallFile(Files().crl, kMaxListsBytes).value_or(""); }

std::string IdentityFiles::Roots() const { return ReadSmallFile(Files().ca, kMaxPemBytes).value_or(""); }

absl::StatusOr<pki::DirectoryLock> IdentityFiles::Lock() const {
  RR_RETURN_IF_ERROR(pki::MakeDirectories(directory_, kOwnersFolder));
  return pki::DirectoryLock::Take(directory_, kLockWait);
}

absl::StatusOr<pki::PrivateKey> IdentityFiles::PendingKey() const {
  const std::string path = directory_ + "/pending.key";
  struct ::stat info {};
  if (::lstat(path.c_str(), &info) == 0) return pki::LoadKey(path);
  RR_ASSIGN_OR_RETURN(pki::PrivateKey key, pki::MakeKey());
  RR_RETURN_IF_ERROR(pki::WriteKey(path, *key, pki::Existing::kKept));
  return key;
}

void IdentityFiles::ForgetPendingKey() const {
  std::error_code error;
  std::filesystem::remove(directory_ + "/pending.key", error);
}

absl::StatusOr<std::string> IdentityFiles::Stage(const Generation& generation) const {
  const std::string current = Current();
  std::error_code error;
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(kGenerationPrefix) && name != current) left.push_back(std::move(name));
  }
  for (const std::string& name : left) Drop(name);
  const std::string name = kGenerationPrefix + MakeInstanceId().substr(0, kGenerationDigits);
  RR_RETURN_IF_ERROR(pki::MakeDirectories(directory_ + "/" + name, kOwnersFolder));
  const TlsFiles files = FilesOf(name);
  for (const auto& [path, text] :
       {std::pair{&files.ca, generation.roots}, std::pair{&files.crl, generation.lists},
        std::pair{&files.certificate, generation.certificate + "\n" + generation.key}}) {
    RR_RETURN_IF_ERROR(pki::WriteFile(*path, text, kOwnersFile, pki::Existing::kKept));
  }
  return name;
}

absl::Status IdentityFiles::Switch(const std::string& staged) const {
  const std::string link = directory_ + "/current";
  const std::string next = directory_ + "/next";
  const std::string before = Current();
  ::unlink(next.c_str());
  if (::symlink(staged.c_str(), next.c_str()) != 0) return ErrnoStatus(errno, "create " + next);
  if (::rename(next.c_str(), link.c_str()) != 0) return ErrnoStatus(errno, "replace " + link);
  RR_RETURN_IF_ERROR(SyncFolder(directory_));
  if (!before.empty() && before != staged) Drop(before);
  return absl::OkStatus();
}

void IdentityFiles::Drop(const std::string& staged) const {
  std::error_code error;
  if (staged.starts_with(kGenerationPrefix)) std::filesystem::remove_all(directory_ + "/" + staged, error);
}

absl::Status IdentityFiles::PutLists(const std::string& pem) const {
  RR_RETURN_IF_ERROR(pki::CheckNewerLists(pem, Lists(), Roots()));
  return pki::WriteFile(Files().crl, pem, kOwnersFile, pki::Existing::kReplaced);
}

}  // namespace rdmaready::enrol
