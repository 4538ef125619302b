// SPDX-License-Identifier: Apache-2.0
#include "agent/port_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr ::mode_t kModeForAll = 0666;  // agents of other users must be able to see who holds a port

constexpr std::size_t kMaxHolderBytes = 200;
constexpr int kAttempts = 4;

// Why a file that is there is not ours: somebody made it a trap for what is written into it.
std::string Trap(const struct ::stat& info) {
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (info.st_nlink != 1) return "has another name as well (a hard link)";
  return {};
}

absl::Status CannotOpen(int error, const std::string& path) {
  struct ::stat info {};
  const bool foreign = error == EACCES && ::lstat(path.c_str(), &info) == 0;
  absl::Status status = ErrnoStatus(error, "open port lock " + path);
  if (!foreign) return status;
  return {status.code(),
          fmt::format("{} (it belongs to uid {} and must be writable by all)", Message(status), info.st_uid)};
}

// Without O_CREAT first: the kernel forbids opening another user's file in a sticky directory with
// it (fs.protected_regular).
absl::StatusOr<UniqueFd> OpenLockFile(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (UniqueFd fd(::open(path.c_str(), kFlags)); fd) return fd;
    if (errno == ELOOP) return absl::FailedPreconditionError("port lock " + path + " is a symbolic link");
    if (errno != ENOENT) return CannotOpen(errno, path);
    if (UniqueFd fd(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kModeForAll)); fd) {
      static_cast<void>(::fchmod(fd.get(), kModeForAll));  // whatever the umask says
      return fd;
    }
    if (errno != EEXIST) return ErrnoStatus(errno, "create port lock " + path);
  }
  return absl::UnavailableError("port lock " + path + " comes and goes");
}

std::string ReadHolder(int fd) {
  std::array<char, kMaxHolderBytes + 1> text{};
  const ::ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  // Any user may have written it.
  const std::string holder =
      size > 0 ? TrimRight({text.data(), static_cast<std::size_t>(size)}) : std::string();
  return holder.empty() ? "another live test" : SafeLine(holder, kMaxHolderBytes);
}

}  // namespace

absl::StatusOr<std::string> SharedLockDirectory(std::span<const std::string> candidates) {
  constexpr ::mode_t kEverybodys = S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;
  std::string tried;
  for (const std::string& directory : candidates) {
    struct ::stat info {};
    const bool there = ::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    if (there && info.st_uid == 0 && (info.st_mode & kEverybodys) == kEverybodys) return directory;
    tried += (tried.empty() ? "" : ", ") + directory;
  }
  return absl::FailedPreconditionError(
      "port locks: no directory that all users share (root's, mode 1777) among " + tried);
}

absl::StatusOr<PortLock> PortLock::Take(std::string_view port, std::string_view holder, std::string directory) {
  std::string name(port);
  std::replace(name.begin(), name.end(), '/', '-');
  if (directory.empty()) {
    const std::array<std::string, 2> candidates{"/run/lock", "/tmp"};
    RR_ASSIGN_OR_RETURN(directory, SharedLockDirectory(candidates));
  }
  const std::string path = directory + "/rdmaready-" + name + ".lock";
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    RR_ASSIGN_OR_RETURN(UniqueFd fd, OpenLockFile(path));
    struct ::stat mine {};
    if (::fstat(fd.get(), &mine) != 0) return ErrnoStatus(errno, "stat port lock " + path);
    if (const std::string trap = Trap(mine); !trap.empty()) {
      return absl::FailedPreconditionError("port lock " + path + " " + trap);
    }
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock port " + std::string(port));
      return absl::UnavailableError("port " + std::string(port) + " is busy: " + ReadHolder(fd.get()));
    }
    // Removed or replaced meanwhile: a lock on a file that nobody finds is none.
    struct ::stat found {};
    if (::lstat(path.c_str(), &found) != 0 || found.st_ino != mine.st_ino || found.st_dev != mine.st_dev)
      continue;
    // From now on only root can remove it under the lock.
    if (::geteuid() == 0 && mine.st_uid != 0) static_cast<void>(::fchown(fd.get(), 0, 0));
    const std::string line = SafeLine(holder, kMaxHolderBytes) + "\n";
    if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), line.data(), line.size(), 0) < 0) {
      return ErrnoStatus(errno, "write port lock of " + std::string(port));
    }
    return PortLock(std::move(fd));
  }
  return absl::UnavailableError("port lock " + path + " comes and goes");
}

}  // namespace rdmaready
