// SPDX-License-Identifier: Apache-2.0
// Authority: how trust moves from one root to the next.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "api/base/status.h"
#include "api/pki/authority.h"
#include "api/pki/file.h"
#include "api/pki/roots.h"

namespace rdmaready::pki {

absl::Status Authority::BeginRotation(const std::string& name) const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  if (roots.size() > 1) {
    RR_RETURN_IF_ERROR(Settle());
    return absl::AlreadyExistsError(directory_ + ": there are two roots already, and ca.pem has both");
  }
  RR_RETURN_IF_ERROR(AddRoot(directory_, name.empty() ? NameOfRoot(roots.front()) : name, NowS()).status());
  return Settle();
}

absl::Status Authority::SwitchRoot() const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  if (roots.size() < 2)
    return absl::FailedPreconditionError(directory_ + ": there is one root, and none to switch to");
  if (roots.back().former) return absl::AlreadyExistsError(directory_ + ": the new root issues already");
  RR_RETURN_IF_ERROR(SetIssuer(directory_, roots.back().serial, roots.front().serial));
  return Settle();
}

absl::Status Authority::RetireRoot(bool anyway) const {
  RR_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(directory_, options_.lock_wait));
  RR_ASSIGN_OR_RETURN(const std::vector<RootFile> roots, LoadRoots(directory_));
  if (roots.size() < 2) return absl::FailedPreconditionError(directory_ + ": there is one root, which stays");
  const RootFile& old = roots.back();
  if (!old.former)
    return absl::FailedPreconditionError(directory_ + ": the first root issues still: switch before");
  RR_ASSIGN_OR_RETURN(const std::vector<IndexEntry> entries, LoadIndex(IndexPath(directory_)));
  const std::int64_t now = options_.now_unix_ns();
  const auto lasting = std::ranges::count_if(entries, [&](const IndexEntry& entry) {
    return entry.root == old.serial && !entry.revoked_unix_ns && entry.not_after_unix_ns > now;
  });
  if (lasting > 0 && !anyway) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: {} certificates of the first root last still, and nobody would trust them", directory_, lasting));
  }
  // Without its certificate it is no root any more; a key that a crash leaves signs nothing that counts.
  for (const char* ending : {".pem", ".key"}) {
    const std::string path = RootPath(directory_, old.serial, ending);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, "remove " + path);
  }
  RR_RETURN_IF_ERROR(SetIssuer(directory_, roots.front().serial, {}));
  return Settle();
}

}  // namespace rdmaready::pki
