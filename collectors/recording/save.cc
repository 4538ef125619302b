// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "api/base/handle.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/paths.h"

namespace rdmaready {
namespace {

constexpr int kMostLeftovers = 100;  // of processes that were killed and had our number

absl::Status SaveError(int error_number, const std::string& place) {
  const std::string text = "save " + place + ": " + std::strerror(error_number);
  switch (error_number) {
    case EEXIST:
    case ENOTEMPTY:
      return absl::AlreadyExistsError("save " + place + ": exists already");
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
      return absl::FailedPreconditionError(text);
    default:
      return absl::InternalError(text);
  }
}

// A recording tells of a host what its files may keep for root.
constexpr ::mode_t kOwnersFile = 0600;
constexpr ::mode_t kOwnersFolder = 0700;

// Those of `path` below `folder`; an errno, or 0.
int MakeFolders(const std::string& folder, const std::string& path) {
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string made = folder + "/" + path.substr(0, end);
    if (::mkdir(made.c_str(), kOwnersFolder) != 0 && errno != EEXIST) return errno;
  }
  return 0;
}

absl::Status WriteWhole(const std::string& path, const std::string& text, const std::string& shown) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnersFile));
  if (!file) return SaveError(errno, shown);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SaveError(errno, shown);
    written += static_cast<std::size_t>(count);
  }
  return absl::OkStatus();
}

// Not rename(2): that would replace an empty folder without a message.
int RenameToNew(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  struct stat information {};  // a file system that cannot: as well as it goes
  if (::lstat(to.c_str(), &information) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

std::string RecordingSaver::PathFor(const std::string& host) const {
  return (std::filesystem::path(directory_) / recording::FolderName(host)).string();
}

absl::Status RecordingSaver::Prepare() {
  if (::mkdir(directory_.c_str(), kOwnersFolder) != 0 && errno != EEXIST) return SaveError(errno, directory_);
  struct stat information {};
  if (::stat(directory_.c_str(), &information) != 0) return SaveError(errno, directory_);
  if (!S_ISDIR(information.st_mode)) return SaveError(ENOTDIR, directory_);
  if (::access(directory_.c_str(), W_OK | X_OK) != 0) return SaveError(errno, directory_);
  return absl::OkStatus();
}

absl::Status RecordingSaver::CheckFree(const std::string& host) const {
  const std::string place = PathFor(host);
  struct stat information {};
  if (::lstat(place.c_str(), &information) == 0) return SaveError(EEXIST, place);
  return errno == ENOENT ? absl::OkStatus() : SaveError(errno, place);
}

absl::StatusOr<std::string> RecordingSaver::Save(const RecordingFiles& files, const std::string& host) {
  const std::lock_guard lock(saving_);
  const std::string place = PathFor(host);
  absl::Status status = CheckFree(host);
  if (status.ok()) status = Begin(place);
  for (auto file = files.begin(); status.ok() && file != files.end(); ++file) {
    status = Write(file->first, file->second);
  }
  if (status.ok()) status = Commit(place);
  if (status.ok()) return place;
  Abandon();
  return status;
}

absl::Status RecordingSaver::Begin(const std::string& place) {
  const std::lock_guard lock(mutex_);
  const std::string stem = (std::filesystem::path(directory_) / fmt::format(".saving-{}", ::getpid())).string();
  for (int attempt = 0; attempt < kMostLeftovers; ++attempt) {
    std::string hidden = fmt::format("{}-{}", stem, attempt);
    if (::mkdir(hidden.c_str(), kOwnersFolder) == 0) {
      unfinished_ = std::move(hidden);
      return absl::OkStatus();
    }
    if (errno != EEXIST) return SaveError(errno, place);
  }
  return SaveError(EBUSY, place);
}

absl::Status RecordingSaver::Write(const std::string& path, const std::string& text) {
  const std::lock_guard lock(mutex_);
  const std::string shown = (std::filesystem::path(directory_) / path).string();
  if (unfinished_.empty()) return SaveError(ECANCELED, shown);
  if (!recording::IsSafePath(path)) return SaveError(EINVAL, shown);
  const std::filesystem::path whole = std::filesystem::path(unfinished_) / path;
  if (const int error = MakeFolders(unfinished_, path); error != 0) return SaveError(error, shown);
  return WriteWhole(whole.string(), text, shown);
}

absl::Status RecordingSaver::Commit(const std::string& place) {
  const std::lock_guard lock(mutex_);
  if (unfinished_.empty()) return SaveError(ECANCELED, place);
  const UniqueFd folder(::open(unfinished_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::syncfs(folder.get()) != 0) return SaveError(errno, place);
  if (const int error = RenameToNew(unfinished_, place); error != 0) return SaveError(error, place);
  unfinished_.clear();
  return absl::OkStatus();
}

void RecordingSaver::Abandon() {
  const std::lock_guard lock(mutex_);
  if (unfinished_.empty()) return;
  std::error_code ignored;  // what stays is hidden, and passed over
  std::filesystem::remove_all(unfinished_, ignored);
  unfinished_.clear();
}

}  // namespace rdmaready
