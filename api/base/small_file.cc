// SPDX-License-Identifier: Apache-2.0
#include "api/base/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {

namespace {

absl::Status ReadTrouble(const std::string& path, int error) {
  return absl::InvalidArgumentError(Message(ErrnoStatus(error, "read " + path)));
}

struct OpenedFile {
  UniqueFd fd;
  struct ::stat info {};
};

// `name` is seen from the directory; `path` is for the words.
absl::StatusOr<OpenedFile> OpenRegular(int directory, const std::string& name, int flags,
                                       const std::string& path) {
  OpenedFile file{.fd = UniqueFd(::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags))};
  if (!file.fd && errno == ELOOP && (flags & O_NOFOLLOW) != 0)
    return absl::FailedPreconditionError(path + ": it is a symbolic link, which is not followed");
  if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return ReadTrouble(path, errno);
  if (!S_ISREG(file.info.st_mode)) return absl::InvalidArgumentError("read " + path + ": not a regular file");
  return file;
}

absl::StatusOr<OpenedFile> OpenRegular(const std::string& path) { return OpenRegular(AT_FDCWD, path, 0, path); }

absl::Status CheckGuarded(const struct ::stat& info, const std::string& path, ::uid_t owner,
                          ::mode_t forbidden) {
  if (info.st_uid == owner && (info.st_mode & forbidden) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "{}: it must be of user {}, with none of the rights {:04o}, and is of user {} with mode {:04o}", path,
      owner, forbidden, info.st_uid, info.st_mode & 07777U));
}

// A file may grow while it is read, and those of /proc have no size.
absl::StatusOr<std::string> ReadOpened(const UniqueFd& fd, const std::string& path, std::size_t max_bytes) {
  constexpr std::size_t kFirstBytes = 16UL * 1024;
  std::string text(std::min(max_bytes + 1, kFirstBytes), '\0');
  std::size_t size = 0;
  while (size <= max_bytes) {
    if (size == text.size()) text.resize(std::min(max_bytes + 1, 2 * size));
    const ::ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadTrouble(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > max_bytes)
    return absl::InvalidArgumentError("read " + path + ": larger than " + BytesText(max_bytes));
  text.resize(size);
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, std::size_t max_bytes) {
  RR_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path));
  return ReadOpened(file.fd, path, max_bytes);
}

absl::StatusOr<std::string> ReadGuardedFile(const std::string& path, std::size_t max_bytes, ::uid_t owner,
                                            ::mode_t forbidden) {
  RR_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path));
  RR_RETURN_IF_ERROR(CheckGuarded(file.info, path, owner, forbidden));
  return ReadOpened(file.fd, path, max_bytes);
}

absl::StatusOr<std::string> ReadOwnedFile(const std::string& path, std::size_t max_bytes, ::mode_t forbidden) {
  RR_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path));
  const bool owned = file.info.st_uid == 0 || file.info.st_uid == ::geteuid();
  if (owned && (file.info.st_mode & forbidden) == 0) return ReadOpened(file.fd, path, max_bytes);
  return absl::FailedPreconditionError(fmt::format(
      "{}: what it says is root's to say, but the file is of user {} with mode {:04o}; chown root and chmod {}",
      path, file.info.st_uid, file.info.st_mode & 07777U, (forbidden & S_IROTH) != 0 ? "go-w,o-r" : "go-w"));
}

absl::StatusOr<std::string> ReadGuardedInPlace(const std::string& path, std::size_t max_bytes, ::uid_t owner,
                                               ::mode_t forbidden) {
  const std::filesystem::path whole(path);
  const std::string directory = whole.has_parent_path() ? whole.parent_path().string() : ".";
  const UniqueFd place(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct ::stat info {};
  if (!place || ::fstat(place.get(), &info) != 0) return ReadTrouble(path, errno);
  RR_RETURN_IF_ERROR(CheckGuarded(info, directory, owner, forbidden));
  RR_ASSIGN_OR_RETURN(const OpenedFile file,
                      OpenRegular(place.get(), whole.filename().string(), O_NOFOLLOW, path));
  RR_RETURN_IF_ERROR(CheckGuarded(file.info, path, owner, forbidden));
  return ReadOpened(file.fd, path, max_bytes);
}

}  // namespace rdmaready
