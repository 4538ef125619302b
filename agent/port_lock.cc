// SPDX-License-Identifier: Apache-2.0
#include "agent/port_lock.h"

#include <fcntl.h>
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

// World-writable and cleared at boot on Debian; /tmp where it is missing or not ours to write.
std::string LockDirectory() { return ::access("/run/lock", W_OK | X_OK) == 0 ? "/run/lock" : "/tmp"; }

// Without O_CREAT first: the kernel forbids opening another user's file in a sticky directory with it
// (fs.protected_regular).
absl::StatusOr<UniqueFd> OpenLockFile(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (UniqueFd fd(::open(path.c_str(), kFlags)); fd) return fd;
    if (errno != ENOENT) return ErrnoStatus(errno, "open port lock " + path);
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

absl::StatusOr<PortLock> PortLock::Take(std::string_view port, std::string_view holder, std::string directory) {
  std::string name(port);
  std::replace(name.begin(), name.end(), '/', '-');
  if (directory.empty()) directory = LockDirectory();
  absl::StatusOr<UniqueFd> fd = OpenLockFile(directory + "/rdmaready-" + name + ".lock");
  if (!fd.ok()) return fd.status();
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock port " + std::string(port));
    return absl::UnavailableError("port " + std::string(port) + " is busy: " + ReadHolder(fd->get()));
  }
  const std::string line = SafeLine(holder, kMaxHolderBytes) + "\n";
  if (::ftruncate(fd->get(), 0) != 0 || ::pwrite(fd->get(), line.data(), line.size(), 0) < 0) {
    return ErrnoStatus(errno, "write port lock of " + std::string(port));
  }
  return PortLock(*std::move(fd));
}

}  // namespace rdmaready
