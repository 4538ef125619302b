// SPDX-License-Identifier: Apache-2.0
#include "api/base/owned_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<std::string> ReadOwnedFile(const std::string& path, std::size_t most) {
  const auto trouble = [&path](int error) {
    return absl::InvalidArgumentError(Message(ErrnoStatus(error, "read " + path)));
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return trouble(errno);
  struct ::stat info {};
  if (::fstat(fd.get(), &info) != 0) return trouble(errno);
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError("read " + path + ": not a regular file");
  const bool owned = info.st_uid == 0 || info.st_uid == ::geteuid();
  if (!owned || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: who may do what is root's to say, but the file is of user {} with mode {:04o}; chown "
                    "root and chmod go-w",
                    path, info.st_uid, info.st_mode & 07777U));
  }
  std::string text(most + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ::ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace rdmaready
