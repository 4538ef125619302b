// SPDX-License-Identifier: Apache-2.0
#include "api/base/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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

absl::StatusOr<OpenedFile> OpenRegular(const std::string& path) {
  OpenedFile file{.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
  if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return ReadTrouble(path, errno);
  if (!S_ISREG(file.info.st_mode)) return absl::InvalidArgumentError("read " + path + ": not a regular file");
  return file;
}

absl::StatusOr<std::string> ReadOpened(const UniqueFd& fd, const std::string& path, std::size_t max_bytes) {
  std::string text(max_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
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
  if (file.info.st_uid != owner || (file.info.st_mode & forbidden) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: it must be of user {}, with none of the rights {:04o}, and is of user {} with mode {:04o}",
                    path, owner, forbidden, file.info.st_uid, file.info.st_mode & 07777U));
  }
  return ReadOpened(file.fd, path, max_bytes);
}

}  // namespace rdmaready
