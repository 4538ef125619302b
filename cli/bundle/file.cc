// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "api/base/handle.h"
#include "cli/bundle/tar.h"

namespace rdmaready::bundle {
namespace {

constexpr ::mode_t kOwnersOnly = 0600;  // it tells of hosts what their files may keep for root
constexpr std::size_t kStep = std::size_t{1} << 20;

absl::Status Unreadable(const std::string& path, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("read bundle {}: {}", path, why));
}

}  // namespace

absl::StatusOr<std::string> ReadBundleFile(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return Unreadable(path, std::strerror(errno));
  struct stat information {};
  if (::fstat(file.get(), &information) != 0) return Unreadable(path, std::strerror(errno));
  if (!S_ISREG(information.st_mode)) return Unreadable(path, "not a plain file");
  std::string bytes;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unreadable(path, std::strerror(errno));
    if (count == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.size() > kMaxTarBytes)
      return Unreadable(path, fmt::format("more than {} MiB", kMaxTarBytes >> 20));
  }
}

absl::Status BundleFile::Failed(int error_number) const {
  const std::string text = fmt::format("write {}: {}", path_, std::strerror(error_number));
  switch (error_number) {
    case EEXIST:
      return absl::AlreadyExistsError(fmt::format("write {}: exists already (--force replaces it)", path_));
    case EISDIR:
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
      return absl::FailedPreconditionError(text);
    default:
      return absl::InternalError(text);
  }
}

absl::Status BundleFile::CheckPlace() const {
  struct stat information {};
  if (::lstat(path_.c_str(), &information) != 0) return errno == ENOENT ? absl::OkStatus() : Failed(errno);
  if (!replace_) return Failed(EEXIST);
  if (S_ISDIR(information.st_mode)) return Failed(EISDIR);
  if (S_ISREG(information.st_mode)) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format("write {}: no plain file is there: not replaced", path_));
}

absl::Status BundleFile::Prepare() {
  const std::lock_guard lock(mutex_);
  if (absl::Status place = CheckPlace(); !place.ok()) return place;
  std::string hidden = path_ + ".XXXXXX";
  fd_ = ::mkostemp(hidden.data(), O_CLOEXEC);  // with mode 0600
  if (fd_ < 0) return Failed(errno);
  unfinished_ = std::move(hidden);
  return absl::OkStatus();
}

absl::Status BundleFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::lock_guard lock(mutex_);  // for one step: Abandon need not wait long
    if (fd_ < 0) return Failed(ECANCELED);
    const ssize_t count = ::write(fd_, bytes.data(), std::min(bytes.size(), kStep));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int why = errno;
      AbandonLocked();
      return Failed(why);
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  const std::lock_guard lock(mutex_);
  if (fd_ < 0) return Failed(ECANCELED);
  absl::Status status = CommitLocked();
  if (!status.ok()) AbandonLocked();
  return status;
}

// A full disk may be told only when the bytes reach it.
absl::Status BundleFile::CommitLocked() {
  if (::fchmod(fd_, kOwnersOnly) != 0 || ::fsync(fd_) != 0) return Failed(errno);
  if (::close(std::exchange(fd_, -1)) != 0) return Failed(errno);
  if (replace_) {
    if (::rename(unfinished_.c_str(), path_.c_str()) != 0) return Failed(errno);
  } else if (::renameat2(AT_FDCWD, unfinished_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) return Failed(errno);
    // A file system that cannot: link(2) replaces nothing either.
    if (::link(unfinished_.c_str(), path_.c_str()) != 0) return Failed(errno);
    ::unlink(unfinished_.c_str());
  }
  unfinished_.clear();
  return absl::OkStatus();
}

void BundleFile::Abandon() {
  const std::lock_guard lock(mutex_);
  AbandonLocked();
}

void BundleFile::AbandonLocked() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!unfinished_.empty()) ::unlink(std::exchange(unfinished_, {}).c_str());
}

}  // namespace rdmaready::bundle
