// SPDX-License-Identifier: Apache-2.0
#include "api/pki/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "api/base/status.h"

namespace rdmaready::pki {
namespace {

std::string DirectoryOf(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

absl::Status WriteAll(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "write " + path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status SyncDirectory(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return ErrnoStatus(errno, "sync " + directory);
  return absl::OkStatus();
}

// A rename that replaces nothing; file systems without it have hard links.
int RenameIntoFree(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::link(from, to) != 0) return -1;
  ::unlink(from);
  return 0;
}

}  // namespace

absl::StatusOr<StagedFile> StagedFile::Write(const std::string& path, std::string_view text, ::mode_t mode) {
  static std::atomic<unsigned> number = 0;
  const std::filesystem::path whole(path);
  const std::string staged =
      DirectoryOf(path) + fmt::format("/.{}.{}.{}.new", whole.filename().string(), ::getpid(), ++number);
  UniqueFd fd(::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd && errno == EEXIST) {  // of a process with our number that died
    ::unlink(staged.c_str());
    fd = UniqueFd(::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  }
  if (!fd) return ErrnoStatus(errno, "create " + path);
  StagedFile file(path, staged);
  if (::fchmod(fd.get(), mode) != 0) return ErrnoStatus(errno, "create " + path);
  RR_RETURN_IF_ERROR(WriteAll(fd.get(), text, path));
  if (::fsync(fd.get()) != 0) return ErrnoStatus(errno, "write " + path);
  return file;
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)), staged_(std::exchange(other.staged_, {})) {}

StagedFile::~StagedFile() {
  if (!staged_.empty()) ::unlink(staged_.c_str());
}

absl::Status StagedFile::Put(Existing existing) {
  const int done = existing == Existing::kReplaced ? ::rename(staged_.c_str(), path_.c_str())
                                                   : RenameIntoFree(staged_.c_str(), path_.c_str());
  if (done != 0) return ErrnoStatus(errno, "create " + path_);
  staged_.clear();
  return SyncDirectory(DirectoryOf(path_));
}

absl::Status WriteFile(const std::string& path, std::string_view text, ::mode_t mode, Existing existing) {
  RR_ASSIGN_OR_RETURN(StagedFile file, StagedFile::Write(path, text, mode));
  return file.Put(existing);
}

absl::Status MakeDirectories(const std::string& path, ::mode_t mode) {
  struct ::stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    return S_ISDIR(info.st_mode) ? absl::OkStatus() : ErrnoStatus(ENOTDIR, "create directory " + path);
  }
  std::filesystem::path whole(path);
  if (!whole.has_filename()) whole = whole.parent_path();  // "a/b/"
  if (const std::string above = DirectoryOf(whole); above != whole.string())
    RR_RETURN_IF_ERROR(MakeDirectories(above, mode));
  if (::mkdir(whole.c_str(), mode) != 0 && errno != EEXIST)
    return ErrnoStatus(errno, "create directory " + path);
  return absl::OkStatus();
}

absl::Status AppendWhole(const std::string& path, std::string_view text, ::mode_t mode) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return ErrnoStatus(errno, "open " + path);
  ::off_t end = ::lseek(fd.get(), 0, SEEK_END);
  if (end < 0) return ErrnoStatus(errno, "open " + path);
  for (char last = 0; end > 0; --end) {
    if (::pread(fd.get(), &last, 1, end - 1) != 1) return ErrnoStatus(errno, "read " + path);
    if (last == '\n') break;
  }
  if (::ftruncate(fd.get(), end) != 0 || ::lseek(fd.get(), end, SEEK_SET) < 0)
    return ErrnoStatus(errno, "write " + path);
  absl::Status written = WriteAll(fd.get(), text, path);
  if (written.ok() && ::fsync(fd.get()) != 0) written = ErrnoStatus(errno, "write " + path);
  if (!written.ok()) static_cast<void>(!::ftruncate(fd.get(), end));
  return written;
}

absl::StatusOr<DirectoryLock> DirectoryLock::Take(const std::string& directory, std::chrono::milliseconds wait,
                                                  Clock& clock) {
  constexpr auto kBetweenTries = std::chrono::milliseconds(10);
  const std::string path = directory + "/lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return ErrnoStatus(errno, "open lock " + path);
  const Clock::TimePoint deadline = clock.Now() + wait;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return ErrnoStatus(errno, "take lock " + path);
    if (clock.Now() >= deadline)
      return absl::UnavailableError("take lock " + path + ": another process has it");
    clock.SleepUntil(clock.Now() + kBetweenTries, std::stop_token());
  }
  return DirectoryLock(std::move(fd));
}

}  // namespace rdmaready::pki
