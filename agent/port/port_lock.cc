// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr ::mode_t kModeForGroup = 0660;

constexpr std::size_t kMaxHolderBytes = 200;
constexpr int kAttempts = 4;

// Why a file that is there is not ours: somebody made it a trap for what is written into it.
std::string Trap(const struct ::stat& info) {
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (info.st_nlink != 1) return "has another name as well (a hard link)";
  return {};
}

absl::Status CannotOpen(int error, const std::string& path, ::mode_t mode) {
  struct ::stat info {};
  const bool foreign = error == EACCES && ::lstat(path.c_str(), &info) == 0;
  absl::Status status = ErrnoStatus(error, "open port lock " + path);
  if (!foreign) return status;
  return {status.code(), fmt::format("{} (it belongs to uid {} and must have the mode {:04o})", Message(status),
                                     info.st_uid, mode)};
}

// Without O_CREAT first: the kernel forbids opening another user's file in a sticky directory with
// it (fs.protected_regular).
absl::StatusOr<UniqueFd> OpenLockFile(const std::string& path, ::mode_t mode) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (UniqueFd fd(::open(path.c_str(), kFlags)); fd) return fd;
    if (errno == ELOOP) return absl::FailedPreconditionError("port lock " + path + " is a symbolic link");
    if (errno != ENOENT) return CannotOpen(errno, path, mode);
    if (UniqueFd fd(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, mode)); fd) {
      static_cast<void>(::fchmod(fd.get(), mode));  // whatever the umask says
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

std::string LockFileOf(std::string_view identity) {
  std::string name;
  for (const char c : identity) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || c == '.' || c == ':';
    name += c == '/' ? "+" : plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return "rdmaready-" + name + ".lock";
}

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

absl::StatusOr<LockPlace> PlaceOfLocks(const std::string& service, std::span<const std::string> shared) {
  struct ::stat info {};
  if (::lstat(service.c_str(), &info) != 0) {
    const int error = errno;
    if (error != ENOENT && error != ENOTDIR) return ErrnoStatus(error, "look at the port locks in " + service);
    RR_ASSIGN_OR_RETURN(std::string directory, SharedLockDirectory(shared));
    return LockPlace{.directory = std::move(directory)};
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != 0 || (info.st_mode & S_IWOTH) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("port locks: {} has to be a directory of root's that not everybody may write to (it is of "
                    "uid {}, mode {:04o})",
                    service, info.st_uid, info.st_mode & 07777));
  }
  if (::faccessat(AT_FDCWD, service.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    return absl::PermissionDeniedError(
        fmt::format("port locks: uid {} may not write to {}, where this host's agent holds them: ask that "
                    "agent to test (its "
                    "socket for the role test), or be root",
                    ::geteuid(), service));
  }
  return LockPlace{.directory = service, .file_mode = kModeForGroup};
}

absl::StatusOr<PortLock> PortLock::Take(const LockedPort& port, std::string_view holder,
                                        const std::string& directory) {
  if (!directory.empty()) return TakeIn({.directory = directory}, port, holder);
  const std::array<std::string, 2> shared{"/run/lock", "/tmp"};
  RR_ASSIGN_OR_RETURN(const LockPlace place, PlaceOfLocks(kServiceLocks, shared));
  return TakeIn(place, port, holder);
}

absl::StatusOr<PortLock> PortLock::TakeIn(const LockPlace& place, const LockedPort& port,
                                          std::string_view holder) {
  constexpr ::gid_t kSameGroup = static_cast<::gid_t>(-1);
  const std::string path = place.directory + "/" + LockFileOf(port.identity);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    RR_ASSIGN_OR_RETURN(UniqueFd fd, OpenLockFile(path, place.file_mode));
    struct ::stat mine {};
    if (::fstat(fd.get(), &mine) != 0) return ErrnoStatus(errno, "stat port lock " + path);
    if (const std::string trap = Trap(mine); !trap.empty()) {
      return absl::FailedPreconditionError("port lock " + path + " " + trap);
    }
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock port " + port.name);
      return absl::UnavailableError("port " + port.name + " is busy: " + ReadHolder(fd.get()));
    }
    // Removed or replaced meanwhile: a lock on a file that nobody finds is none.
    struct ::stat found {};
    if (::lstat(path.c_str(), &found) != 0 || found.st_ino != mine.st_ino || found.st_dev != mine.st_dev)
      continue;
    // From now on only root can remove it under the lock. The service's group may still hold it.
    if (::geteuid() == 0 && mine.st_uid != 0) static_cast<void>(::fchown(fd.get(), 0, kSameGroup));
    const std::string line = SafeLine(holder, kMaxHolderBytes) + "\n";
    if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), line.data(), line.size(), 0) < 0) {
      return ErrnoStatus(errno, "write port lock of " + port.name);
    }
    return PortLock(std::move(fd));
  }
  return absl::UnavailableError("port lock " + path + " comes and goes");
}

}  // namespace rdmaready
