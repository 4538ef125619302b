// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <string_view>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/questions/files.h"
#include "collectors/real/host_root.h"

namespace rdmaready {
namespace {

constexpr std::size_t kLargestFileBytes = std::size_t{16} << 20;

// Most files of the kernel's are small, and it clears as much memory as it is asked for (proc_sys_call_handler
// in fs/proc/proc_sysctl.c): a page first, more of what is larger.
constexpr std::size_t kFirstReadBytes = 4096;

// Each read of a table of TCP sockets walks the whole hash of connections, which takes milliseconds on a large
// host. The read that only finds the end does so too. The kernel's buffer is one page, and a row that does not
// fit goes into the next read (seq_read_iter in fs/seq_file.c): a read that leaves room for the longest row was
// the last.
bool ReachedTheEnd(std::string_view path, std::size_t read_bytes) {
  constexpr std::size_t kSmallestPageBytes = 4096;
  constexpr std::size_t kLongestRowBytes = 256;
  const bool sockets = path == "/proc/net/tcp" || path == "/proc/net/tcp6";
  return sockets && read_bytes + kLongestRowBytes <= kSmallestPageBytes;
}

}  // namespace

absl::StatusOr<std::string> ReadFirstBytes(const std::string& path, std::size_t most_bytes) {
  const UniqueFd file = HostRoot::OfThisHost().Open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (!file) return ErrnoStatus(errno, "open " + path);
  std::string text(std::min(most_bytes, kLargestFileBytes), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus(errno, "read " + path);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  const UniqueFd file = HostRoot::OfThisHost().Open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (!file) return ErrnoStatus(errno, "open " + path);
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const std::size_t wanted = text.size() < kFirstReadBytes ? kFirstReadBytes : buffer.size();
    const ssize_t count = ::read(file.get(), buffer.data(), wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus(errno, "read " + path);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (ReachedTheEnd(path, static_cast<std::size_t>(count))) return text;
    if (text.size() > kLargestFileBytes) return ErrnoStatus(EFBIG, "read " + path);
  }
}

absl::StatusOr<std::vector<std::string>> ListWholeDirectory(const std::string& path) {
  const Handle<DIR, ::closedir> directory = HostRoot::OfThisHost().OpenDirectory(path);
  if (!directory) return ErrnoStatus(errno, "list " + path);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name(&entry->d_name[0]);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return ErrnoStatus(errno, "list " + path);
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> ReadLinkText(const std::string& path) {
  std::array<char, PATH_MAX> buffer;
  const ssize_t count = HostRoot::OfThisHost().ReadLink(path, buffer);
  if (count < 0) return ErrnoStatus(errno, "read link " + path);
  return std::string(buffer.data(), static_cast<std::size_t>(count));
}

absl::Status RequireClass(const std::string& path, std::string_view module) {
  struct stat information {};
  if (::stat(path.c_str(), &information) == 0) return absl::OkStatus();
  if (errno == ENOENT)
    return absl::FailedPreconditionError(fmt::format("look at {}: {} is not loaded", path, module));
  return ErrnoStatus(errno, "look at " + path);
}

absl::StatusOr<std::string> FileQuestion::AskThisHost() const {
  return first_bytes == 0 ? ReadWholeFile(path) : ReadFirstBytes(path, first_bytes);
}

absl::StatusOr<std::vector<std::string>> DirectoryQuestion::AskThisHost() const {
  return ListWholeDirectory(path);
}

absl::StatusOr<std::string> LinkQuestion::AskThisHost() const { return ReadLinkText(path); }

absl::StatusOr<std::uint32_t> ModeQuestion::AskThisHost() const {
  constexpr std::uint32_t kPermissions = 07777;
  struct stat information {};
  if (!HostRoot::OfThisHost().Stat(path, information)) return ErrnoStatus(errno, What());
  return static_cast<std::uint32_t>(information.st_mode) & kPermissions;
}

}  // namespace rdmaready
