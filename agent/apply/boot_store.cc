// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/boot_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "checks/plan/boot_files.h"

namespace rdmaready::apply {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} * 1024;  // a longer file is not one of ours
constexpr ::mode_t kFolderMode = 0755;
constexpr const char* kLabel = "security.selinux";

// Hidden, and with an ending that no reader of these folders takes.
std::string Beside(const std::string& name) { return "." + name + ".new"; }

// The last error, as a status.
absl::Status Failed(std::string_view action, const std::string& path) {
  return ErrnoStatus(errno, fmt::format("{} {}", action, path));
}

// One name below a folder; never through a link. A kernel before 5.6, or a filter of system calls that does not
// know openat2, takes openat: of a single name O_NOFOLLOW says the same.
UniqueFd OpenBelow(int folder, const std::string& name, int flags) {
  ::open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof(how));
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return UniqueFd(static_cast<int>(fd));
  return UniqueFd(::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

// Where a file lies while two change places on a file system that cannot do that in one step.
std::string Aside(const std::string& name) { return name + ".old"; }

// `from` gets the name `to`, unless another file has it: by a second name for the file.
absl::Status LinkInPlace(int folder, const std::string& from, const std::string& to) {
  if (::linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0)
    return ErrnoStatus(errno, fmt::format("link {} as {}", from, to));
  return ::unlinkat(folder, from.c_str(), 0) == 0 ? absl::OkStatus()
                                                  : ErrnoStatus(errno, fmt::format("remove {}", from));
}

// `to` is absent between its two contents. A file that another program makes there in between stays.
absl::Status ExchangeInSteps(int folder, const std::string& from, const std::string& to) {
  const std::string aside = Aside(from);
  if (::renameat(folder, to.c_str(), folder, aside.c_str()) != 0)
    return ErrnoStatus(errno, fmt::format("rename {} to {}", to, aside));
  const absl::Status linked = LinkInPlace(folder, from, to);
  if (!linked.ok()) {
    static_cast<void>(LinkInPlace(folder, aside, to));
    return linked;
  }
  return ::renameat(folder, aside.c_str(), folder, from.c_str()) == 0
             ? absl::OkStatus()
             : ErrnoStatus(errno, fmt::format("rename {} to {}", aside, from));
}

// A file system that has no flags of renameat2, such as NFS, answers EINVAL.
absl::Status RenameInSteps(int folder, const std::string& from, const std::string& to, unsigned flags) {
  return flags == RENAME_EXCHANGE ? ExchangeInSteps(folder, from, to) : LinkInPlace(folder, from, to);
}

// Nobody but root and this user may put anything there.
absl::Status CheckFolder(int fd, const std::string& path) {
  struct ::stat info {};
  if (::fstat(fd, &info) != 0) return Failed("look at", path);
  if (!S_ISDIR(info.st_mode)) return absl::FailedPreconditionError(path + ": it is not a folder");
  if (info.st_uid != 0 && info.st_uid != ::geteuid())
    return absl::FailedPreconditionError(fmt::format("{}: it belongs to user {}", path, info.st_uid));
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return absl::FailedPreconditionError(path + ": users other than root may write to it");
  return absl::OkStatus();
}

// The label of `from` for `to`; OK, too, where the kernel gives none.
absl::Status CopyLabel(int from, int to, const std::string& path) {
  std::array<char, 256> label{};
  const ::ssize_t size = ::fgetxattr(from, kLabel, label.data(), label.size());
  if (size < 0 && (errno == ENODATA || errno == EOPNOTSUPP)) return absl::OkStatus();
  if (size < 0) return Failed("read the label for", path);
  std::array<char, 256> now{};
  const ::ssize_t present = ::fgetxattr(to, kLabel, now.data(), now.size());
  const auto text = [](const std::array<char, 256>& bytes, ::ssize_t count) {
    return std::string_view(bytes.data(), static_cast<std::size_t>(count));
  };
  if (present >= 0 && text(now, present) == text(label, size)) return absl::OkStatus();
  return ::fsetxattr(to, kLabel, label.data(), static_cast<std::size_t>(size), 0) == 0 ? absl::OkStatus()
                                                                                       : Failed("label", path);
}

absl::Status Edited(const std::string& path) {
  return absl::AbortedError(path + ": it was edited, or made by somebody else, and is left as it is");
}

// A folder for drop-ins, or for links to units, is needed by nobody else.
bool MayBeMade(const std::string& folder) {
  return folder.ends_with(".link.d") || folder.ends_with(".network.d") || folder.ends_with(".device.wants");
}

absl::StatusOr<std::string> TargetOf(int folder, const std::string& name, const std::string& path) {
  std::array<char, 4096> target{};  // PATH_MAX
  const ::ssize_t size = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  if (size < 0 && errno == EINVAL) return absl::FailedPreconditionError(path + ": it is not a link");
  if (size < 0) return Failed("read the link", path);
  return std::string(target.data(), static_cast<std::size_t>(size));
}

absl::StatusOr<std::string> ContentOf(int folder, const std::string& name, const std::string& path) {
  const UniqueFd fd = OpenBelow(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd && errno == ELOOP) return absl::FailedPreconditionError(path + ": it is a symbolic link");
  if (!fd) return Failed("open", path);
  struct ::stat info {};
  if (::fstat(fd.get(), &info) != 0) return Failed("look at", path);
  if (!S_ISREG(info.st_mode)) return absl::FailedPreconditionError(path + ": it is not a regular file");
  std::string content;
  std::array<char, 4096> part{};
  for (;;) {
    const ::ssize_t got = ::read(fd.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("read", path);
    if (got == 0) return content;
    content.append(part.data(), static_cast<std::size_t>(got));
    if (content.size() > kMostBytes) return Edited(path);
  }
}

}  // namespace

absl::StatusOr<BootStore::Place> BootStore::Open(const std::string& path, bool make) const {
  if (!IsBootFilePath(path) && !IsBootLinkPath(path))
    return absl::InvalidArgumentError(path + ": no place for a file of this program");
  std::vector<std::string> names = absl::StrSplit(path.substr(1), '/');
  Place place{.name = names.back()};
  names.pop_back();
  UniqueFd above(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!above) return Failed("open", root_);
  std::string walked;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    walked += "/" + names[i];
    // fsync and labels need more than a path.
    const int flags = O_DIRECTORY | (last ? O_RDONLY : O_PATH);
    UniqueFd next = OpenBelow(above.get(), names[i], flags);
    if (!next && errno == ENOENT && last && make && MayBeMade(names[i])) {
      if (::mkdirat(above.get(), names[i].c_str(), kFolderMode) != 0) return Failed("make", walked);
      next = OpenBelow(above.get(), names[i], flags);
      if (!next || ::fchmod(next.get(), kFolderMode) != 0) return Failed("open", walked);
      const UniqueFd parent(::openat(above.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!parent) return Failed("open the folder of", walked);
      RR_RETURN_IF_ERROR(CopyLabel(parent.get(), next.get(), walked));
      RR_RETURN_IF_ERROR(disk_.Sync(parent.get(), "the folder of " + walked));
      place.made = true;
    }
    if (!next && (errno == ELOOP || errno == ENOTDIR))
      return absl::FailedPreconditionError(walked + ": it is a symbolic link, or not a folder");
    if (!next) return Failed("open", walked);
    RR_RETURN_IF_ERROR(CheckFolder(next.get(), walked));
    if (last) {
      place.folder_name = names[i];
      place.above = std::move(above);
      place.folder = std::move(next);
    } else {
      above = std::move(next);
    }
  }
  return place;
}

absl::StatusOr<std::string> BootStore::DigestAt(const Place& place, const std::string& name,
                                                const std::string& path) const {
  RR_ASSIGN_OR_RETURN(const std::string content, IsBootLinkPath(path)
                                                     ? TargetOf(place.folder.get(), name, path)
                                                     : ContentOf(place.folder.get(), name, path));
  return Sha256(content);
}

absl::StatusOr<std::string> BootStore::DigestOf(const std::string& path) const {
  RR_ASSIGN_OR_RETURN(const Place place, Open(path, false));
  return DigestAt(place, place.name, path);
}

absl::Status BootStore::Stage(const Place& place, const std::string& path, std::string_view content) {
  const std::string beside = Beside(place.name);
  const int folder = place.folder.get();
  if (::unlinkat(folder, beside.c_str(), 0) != 0 && errno != ENOENT) return Failed("clear the way for", path);
  if (IsBootLinkPath(path)) {
    const std::string target(content);
    return ::symlinkat(target.c_str(), folder, beside.c_str()) == 0 ? absl::OkStatus() : Failed("link", path);
  }
  const ::mode_t mode = ModeOfBootFile(path);
  const UniqueFd fd(
      ::openat(folder, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd) return Failed("make", path);
  RR_RETURN_IF_ERROR(disk_.Append(fd.get(), path, content));
  if (::fchmod(fd.get(), mode) != 0) return Failed("set the mode of", path);
  // An earlier file keeps its label; a new one has that of the folder.
  const UniqueFd earlier = OpenBelow(folder, place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  RR_RETURN_IF_ERROR(CopyLabel(earlier ? earlier.get() : folder, fd.get(), path));
  return disk_.Sync(fd.get(), path);
}

absl::Status BootStore::Rename(int folder, const std::string& from, const std::string& to,
                               unsigned flags) const {
  if (renames_in_steps_) return RenameInSteps(folder, from, to, flags);
  if (::syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(), flags) == 0) return absl::OkStatus();
  if (errno == EINVAL || errno == ENOSYS) return RenameInSteps(folder, from, to, flags);
  return ErrnoStatus(errno, fmt::format("rename {} to {}", from, to));
}

absl::Status BootStore::TakeName(const Place& place, const std::string& path, std::string_view before,
                                 bool& in_use) {
  const std::string beside = Beside(place.name);
  const int folder = place.folder.get();
  if (before.empty()) {
    const absl::Status named = Rename(folder, beside, place.name, RENAME_NOREPLACE);
    return absl::IsAlreadyExists(named) ? Edited(path) : named;
  }
  RR_RETURN_IF_ERROR(Rename(folder, beside, place.name, RENAME_EXCHANGE));
  const absl::StatusOr<std::string> earlier = DigestAt(place, beside, path);
  if (earlier.ok() && *earlier == before) return absl::OkStatus();
  in_use = true;
  RR_RETURN_IF_ERROR(Rename(folder, beside, place.name, RENAME_EXCHANGE));
  in_use = false;
  return Edited(path);
}

absl::StatusOr<bool> BootStore::Write(const std::string& path, std::string_view content,
                                      std::string_view before) {
  RR_ASSIGN_OR_RETURN(const Place place, Open(path, true));
  const std::string beside = Beside(place.name);
  const int folder = place.folder.get();
  absl::Status done = Stage(place, path, content);
  bool named = false;
  bool in_use = false;
  if (done.ok()) {
    done = TakeName(place, path, before, in_use);
    named = done.ok();
  }
  if (named) done = disk_.Sync(folder, "the folder of " + path);
  // A file that may be gone after a power cut is removed at once.
  if (named && !done.ok()) {
    if (before.empty())
      static_cast<void>(::unlinkat(folder, place.name.c_str(), 0));
    else
      static_cast<void>(Rename(folder, beside, place.name, RENAME_EXCHANGE));
  }
  // The temporary file, or the earlier one of ours; never what was edited and could not go back.
  if (!in_use) static_cast<void>(::unlinkat(folder, beside.c_str(), 0));
  if (!done.ok() && place.made)
    static_cast<void>(::unlinkat(place.above.get(), place.folder_name.c_str(), AT_REMOVEDIR));
  RR_RETURN_IF_ERROR(done);
  return place.made;
}

// Only where it is empty.
absl::Status BootStore::RemoveFolder(const Place& place, const std::string& path) {
  if (!MayBeMade(place.folder_name)) return absl::OkStatus();
  if (::unlinkat(place.above.get(), place.folder_name.c_str(), AT_REMOVEDIR) == 0) return absl::OkStatus();
  return errno == ENOTEMPTY || errno == EEXIST ? absl::OkStatus() : Failed("remove the folder of", path);
}

absl::Status BootStore::Remove(const std::string& path, std::string_view sha256, bool with_folder) {
  RR_ASSIGN_OR_RETURN(const Place place, Open(path, false));
  const std::string beside = Beside(place.name);
  const int folder = place.folder.get();
  const absl::StatusOr<std::string> now = DigestAt(place, place.name, path);
  // A removal that was cut may have left the folder.
  if (absl::IsNotFound(now.status()) && with_folder) RR_RETURN_IF_ERROR(RemoveFolder(place, path));
  if (!now.ok()) return now.status();
  if (*now != sha256) return Edited(path);
  static_cast<void>(::unlinkat(folder, beside.c_str(), 0));
  RR_RETURN_IF_ERROR(Rename(folder, place.name, beside, RENAME_NOREPLACE));
  const absl::StatusOr<std::string> taken = DigestAt(place, beside, path);
  if (!taken.ok() || *taken != sha256) {
    RR_RETURN_IF_ERROR(Rename(folder, beside, place.name, RENAME_NOREPLACE));
    return Edited(path);
  }
  if (::unlinkat(folder, beside.c_str(), 0) != 0) return Failed("remove", path);
  RR_RETURN_IF_ERROR(disk_.Sync(folder, "the folder of " + path));
  return with_folder ? RemoveFolder(place, path) : absl::OkStatus();
}

bool BootStore::MayMakeFolder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash != std::string::npos && MayBeMade(path.substr(0, slash));
}

absl::StatusOr<bool> BootStore::HasFolder(const std::string& path) const {
  const absl::StatusOr<Place> place = Open(path, false);
  if (absl::IsNotFound(place.status())) return false;
  if (!place.ok()) return place.status();
  return true;
}

void BootStore::Sweep(const std::string& path, bool with_folder) {
  const absl::StatusOr<Place> place = Open(path, false);
  if (!place.ok()) return;
  const std::string beside = Beside(place->name);
  // A change of places that was cut: the file gets its name back, unless another one has it.
  static_cast<void>(LinkInPlace(place->folder.get(), Aside(beside), place->name));
  static_cast<void>(::unlinkat(place->folder.get(), Aside(beside).c_str(), 0));
  static_cast<void>(::unlinkat(place->folder.get(), beside.c_str(), 0));
  if (with_folder) static_cast<void>(RemoveFolder(*place, path));
}

}  // namespace rdmaready::apply
