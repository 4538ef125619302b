// SPDX-License-Identifier: Apache-2.0
#include "api/base/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, std::size_t max_bytes) {
  const auto trouble = [&path](int error) {
    return absl::InvalidArgumentError(Message(ErrnoStatus(error, "read " + path)));
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return trouble(errno);
  struct ::stat info {};
  if (::fstat(fd.get(), &info) != 0) return trouble(errno);
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError("read " + path + ": not a regular file");
  std::string text(max_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ::ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > max_bytes)
    return absl::InvalidArgumentError("read " + path + ": larger than " + BytesText(max_bytes));
  text.resize(size);
  return text;
}

}  // namespace rdmaready
