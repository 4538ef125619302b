// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready::apply {
namespace {

// Leaves errno as it is.
bool IsSameFile(const std::string& path, const std::string& other) {
  const int before = errno;
  struct ::stat one {};
  struct ::stat two {};
  const bool same = ::lstat(path.c_str(), &one) == 0 && ::lstat(other.c_str(), &two) == 0 &&
                    one.st_dev == two.st_dev && one.st_ino == two.st_ino;
  errno = before;
  return same;
}

class SystemDisk final : public Disk {
 public:
  absl::Status Append(int fd, const std::string& path, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ::ssize_t written = ::write(fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return ErrnoStatus(errno, "write " + path);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return absl::OkStatus();
  }

  absl::Status Sync(int fd, const std::string& path) override {
    return ::fsync(fd) == 0 ? absl::OkStatus() : ErrnoStatus(errno, "fsync " + path);
  }

  absl::Status Truncate(int fd, const std::string& path, std::uint64_t size) override {
    return ::ftruncate(fd, static_cast<::off_t>(size)) == 0 ? absl::OkStatus()
                                                            : ErrnoStatus(errno, "truncate " + path);
  }

  absl::Status Reserve(int fd, const std::string& path, std::uint64_t size, std::uint64_t bytes) override {
    if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<::off_t>(size), static_cast<::off_t>(bytes)) == 0)
      return absl::OkStatus();
    if (errno == EOPNOTSUPP || errno == ENOSYS) return absl::OkStatus();
    return ErrnoStatus(errno, "reserve room in " + path);
  }

  absl::Status Link(const std::string& path, const std::string& to) override {
    if (::link(path.c_str(), to.c_str()) != 0 && !(errno == EEXIST && IsSameFile(path, to)))
      return ErrnoStatus(errno, "link " + path + " as " + to);
    return SyncFolderOf(to);
  }

  absl::Status Replace(const std::string& path, std::string_view text) override {
    const std::string beside = path + ".new";
    const UniqueFd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return ErrnoStatus(errno, "open " + beside);
    RR_RETURN_IF_ERROR(Append(fd.get(), beside, text));
    RR_RETURN_IF_ERROR(Sync(fd.get(), beside));
    if (::rename(beside.c_str(), path.c_str()) != 0) return ErrnoStatus(errno, "rename " + beside);
    return SyncFolderOf(path);
  }
};

}  // namespace

Disk& RealDisk() {
  static SystemDisk disk;
  return disk;
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return ErrnoStatus(errno, "open " + folder);
  return ::fsync(fd.get()) == 0 ? absl::OkStatus() : ErrnoStatus(errno, "fsync " + folder);
}

}  // namespace rdmaready::apply
