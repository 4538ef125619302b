// SPDX-License-Identifier: Apache-2.0
#include "api/sqlite/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr auto kBetweenTries = std::chrono::milliseconds(5);
constexpr std::size_t kMaxHolderBytes = 100;

std::string ReadHolder(int fd) {
  std::array<char, kMaxHolderBytes> text{};
  const ::ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  const std::string holder =
      size > 0 ? TrimRight({text.data(), static_cast<std::size_t>(size)}) : std::string();
  return holder.empty() ? "another process" : SafeLine(holder, kMaxHolderBytes);
}

// Only for the second process: a full disk must not keep us from the lock.
void WriteHolder(int fd) {
  const std::string line = fmt::format("{} (pid {})\n", ::program_invocation_short_name, ::getpid());
  if (::ftruncate(fd, 0) == 0) static_cast<void>(!::pwrite(fd, line.data(), line.size(), 0));
}

}  // namespace

absl::StatusOr<FileLock> FileLock::Take(const std::string& path, const std::string& purpose,
                                        std::chrono::milliseconds wait, Clock& clock) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return ErrnoStatus(errno, "open lock " + path);
  const Clock::TimePoint deadline = clock.Now() + wait;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return ErrnoStatus(errno, "take lock " + path);
    if (clock.Now() >= deadline) {
      return absl::UnavailableError(purpose + ": in use by " + ReadHolder(fd.get()));
    }
    clock.SleepUntil(clock.Now() + kBetweenTries, std::stop_token());
  }
  WriteHolder(fd.get());
  return FileLock(path, std::move(fd));
}

bool FileLock::Moved() const {
  struct ::stat named {};
  struct ::stat held {};
  if (::fstat(fd_.get(), &held) != 0 || ::stat(path_.c_str(), &named) != 0) return true;
  return named.st_dev != held.st_dev || named.st_ino != held.st_ino;
}

}  // namespace rdmaready
