// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/boot_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
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
constexpr ::mode_t kUnfinishedMode = 0200;  // of a temporary file whose text is not whole
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

using Renamed = std::function<void()>;

absl::Status Done(int result, const Renamed& renamed, std::string_view action, const std::string& from,
                  const std::string& to) {
  if (result != 0) return ErrnoStatus(errno, fmt::format("{} {} to {}", action, from, to));
  if (renamed) renamed();
  return absl::OkStatus();
}

// `from` gets the name `to`, unless another file has it: by a second name for the file.
absl::Status LinkInPlace(int folder, const std::string& from, const std::string& to, const Renamed& renamed) {
  RR_RETURN_IF_ERROR(Done(::linkat(folder, from.c_str(), folder, to.c_str(), 0), renamed, "link", from, to));
  return Done(::unlinkat(folder, from.c_str(), 0), renamed, "rename", from, to);
}

// `to` is absent between its two contents. A file that another program makes there in between stays.
absl::Status ExchangeInSteps(int folder, const std::string& from, const std::string& to,
                             const Renamed& renamed) {
  const std::string aside = Aside(from);
  RR_RETURN_IF_ERROR(Done(::renameat(folder, to.c_str(), folder, aside.c_str()), renamed, "rename", to, aside));
  const absl::Status linked = LinkInPlace(folder, from, to, renamed);
  if (!linked.ok()) {
    static_cast<void>(LinkInPlace(folder, aside, to, renamed));
    return linked;
  }
  return Done(::renameat(folder, aside.c_str(), folder, from.c_str()), renamed, "rename", aside, from);
}

// A file system that has no flags of renameat2, such as NFS, answers EINVAL.
absl::Status RenameInSteps(int folder, const std::string& from, const std::string& to, unsigned flags,
                           const Renamed& renamed) {
  return flags == RENAME_EXCHANGE ? ExchangeInSteps(folder, from, to, renamed)
                                  : LinkInPlace(folder, from, to, renamed);
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

absl::Status InTheWay(const std::string& path, const std::string& left) {
  return absl::FailedPreconditionError(
      fmt::format("{}: {} holds a text that is not of this program; move it away first", path, left));
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

absl::StatusOr<UniqueFd> BootStore::MakeFolder(int above, const std::string& name,
                                               const std::string& walked) const {
  if (::mkdirat(above, name.c_str(), kFolderMode) != 0) return Failed("make", walked);
  UniqueFd made = OpenBelow(above, name, O_DIRECTORY | O_RDONLY);
  if (!made || ::fchmod(made.get(), kFolderMode) != 0) return Failed("open", walked);
  const UniqueFd parent(::openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return Failed("open the folder of", walked);
  RR_RETURN_IF_ERROR(CopyLabel(parent.get(), made.get(), walked));
  RR_RETURN_IF_ERROR(disk_.Sync(parent.get(), "the folder of " + walked));
  return made;
}

absl::StatusOr<BootStore::Place> BootStore::Open(const std::string& path, bool make) const {
  if (!IsBootFilePath(path) && !IsBootLinkPath(path))
    return absl::InvalidArgumentError(path + ": no place for a file of this program");
  std::vector<std::string> names = absl::StrSplit(path.substr(1), '/');
  Place place{.name = names.back()};
  names.pop_back();
  place.folder_name = names.back();
  place.folder = UniqueFd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place.folder) return Failed("open", root_);
  std::string walked;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    walked += "/" + names[i];
    // fsync and labels need more than a path.
    UniqueFd next = OpenBelow(place.folder.get(), names[i], O_DIRECTORY | (last ? O_RDONLY : O_PATH));
    if (!next && errno == ENOENT && last && make && MayBeMade(names[i])) {
      RR_ASSIGN_OR_RETURN(next, MakeFolder(place.folder.get(), names[i], walked));
      place.made = true;
    }
    if (!next && (errno == ELOOP || errno == ENOTDIR))
      return absl::FailedPreconditionError(walked + ": it is a symbolic link, or not a folder");
    if (!next) return Failed("open", walked);
    RR_RETURN_IF_ERROR(CheckFolder(next.get(), walked));
    place.above = std::move(place.folder);
    place.folder = std::move(next);
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
  if (IsBootLinkPath(path)) {
    const std::string target(content);
    return ::symlinkat(target.c_str(), folder, beside.c_str()) == 0 ? absl::OkStatus() : Failed("link", path);
  }
  const ::mode_t mode = ModeOfBootFile(path);
  const UniqueFd fd(
      ::openat(folder, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kUnfinishedMode));
  if (!fd) return Failed("make", path);
  RR_RETURN_IF_ERROR(disk_.Append(fd.get(), path, content));
  // An earlier file keeps its label; a new one has that of the folder.
  const UniqueFd earlier = OpenBelow(folder, place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  RR_RETURN_IF_ERROR(CopyLabel(earlier ? earlier.get() : folder, fd.get(), path));
  // The mode says that the text is whole: it reaches the medium after the text, and before the name.
  RR_RETURN_IF_ERROR(disk_.Sync(fd.get(), path));
  if (::fchmod(fd.get(), mode) != 0) return Failed("set the mode of", path);
  return disk_.Sync(fd.get(), path);
}

absl::Status BootStore::Rename(int folder, const std::string& from, const std::string& to,
                               unsigned flags) const {
  if (renames_in_steps_) return RenameInSteps(folder, from, to, flags, renamed_);
  const long done = ::syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(), flags);
  if (done != 0 && (errno == EINVAL || errno == ENOSYS))
    return RenameInSteps(folder, from, to, flags, renamed_);
  return Done(static_cast<int>(done), renamed_, "rename", from, to);
}

absl::Status BootStore::ExchangeBack(const Place& place, const std::string& path, const OwnTexts& own) const {
  const std::string beside = Beside(place.name);
  RR_RETURN_IF_ERROR(Rename(place.folder.get(), beside, place.name, RENAME_EXCHANGE));
  if (Look(place, path, beside, own) != Left::kOfSite) return absl::OkStatus();
  // It was edited once more: the later text keeps the name.
  return Rename(place.folder.get(), beside, place.name, RENAME_EXCHANGE);
}

absl::Status BootStore::TakeName(const Place& place, const std::string& path, std::string_view before,
                                 const OwnTexts& own) const {
  const std::string beside = Beside(place.name);
  const unsigned flags = before.empty() ? RENAME_NOREPLACE : RENAME_EXCHANGE;
  const absl::Status named = Rename(place.folder.get(), beside, place.name, flags);
  if (absl::IsAlreadyExists(named)) return Edited(path);
  if (!named.ok() || before.empty()) return named;
  const absl::StatusOr<std::string> earlier = DigestAt(place, beside, path);
  if (earlier.ok() && *earlier == before) return absl::OkStatus();
  RR_RETURN_IF_ERROR(ExchangeBack(place, path, own));
  return Edited(path);
}

absl::StatusOr<bool> BootStore::Write(const std::string& path, std::string_view content,
                                      std::string_view before) {
  RR_ASSIGN_OR_RETURN(const std::string sha256, Sha256(content));
  RR_ASSIGN_OR_RETURN(const Place place, Open(path, true));
  const OwnTexts own{.planned = sha256, .earlier = {std::string(before)}};
  const std::string beside = Beside(place.name);
  const int folder = place.folder.get();
  if (const std::string left = Clear(place, path, own); !left.empty()) return InTheWay(path, left);
  absl::Status done = Stage(place, path, content);
  bool named = false;
  if (done.ok()) {
    done = TakeName(place, path, before, own);
    named = done.ok();
  }
  if (named) done = disk_.Sync(folder, "the folder of " + path);
  // A file that may be gone after a power cut is removed at once.
  if (named && !done.ok()) {
    if (before.empty())
      static_cast<void>(Rename(folder, place.name, beside, RENAME_NOREPLACE));
    else
      static_cast<void>(Rename(folder, beside, place.name, RENAME_EXCHANGE));
  }
  // The temporary file, or the earlier one of ours; never what was edited and could not go back.
  if (!done.ok()) GiveBack(place, path, own);
  const std::string left = Clear(place, path, own);
  if (!done.ok() && place.made)
    static_cast<void>(::unlinkat(place.above.get(), place.folder_name.c_str(), AT_REMOVEDIR));
  if (!done.ok() && !left.empty())
    return absl::Status(done.code(), fmt::format("{}; {} holds a text of the site", Message(done), left));
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
  const std::string left = Clear(place, path, {.earlier = {std::string(sha256)}});
  if (!left.empty()) return InTheWay(path, left);
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

BootStore::Left BootStore::Look(const Place& place, const std::string& path, const std::string& name,
                                const OwnTexts& own) const {
  struct ::stat info {};
  if (::fstatat(place.folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? Left::kNothing : Left::kOfSite;
  // A umask may have taken the bit away.
  const bool is_unfinished = S_ISREG(info.st_mode) && (info.st_mode & 07777U & ~kUnfinishedMode) == 0;
  if (is_unfinished && name == Beside(place.name)) return Left::kOwn;
  const absl::StatusOr<std::string> digest = DigestAt(place, name, path);
  if (!digest.ok()) return absl::IsNotFound(digest.status()) ? Left::kNothing : Left::kOfSite;
  if (*digest == own.planned || std::ranges::find(own.earlier, *digest) != own.earlier.end()) return Left::kOwn;
  // In steps a file has two names for a moment.
  const absl::StatusOr<std::string> named = DigestAt(place, place.name, path);
  return named.ok() && *named == *digest ? Left::kOwn : Left::kOfSite;
}

void BootStore::GiveBack(const Place& place, const std::string& path, const OwnTexts& own) const {
  const int folder = place.folder.get();
  const std::string beside = Beside(place.name);
  const std::string aside = Aside(beside);
  const Left before = Look(place, path, aside, own);
  // The site's text first, and the later one of two; else the one that had the name. Each step is refused where
  // the name is taken.
  if (before == Left::kOfSite) static_cast<void>(Rename(folder, aside, place.name, RENAME_NOREPLACE));
  if (Look(place, path, beside, own) == Left::kOfSite)
    static_cast<void>(Rename(folder, beside, place.name, RENAME_NOREPLACE));
  if (before == Left::kOwn) static_cast<void>(Rename(folder, aside, place.name, RENAME_NOREPLACE));
  // The planned text took the name of an edited file, and the cut came before it went back.
  const absl::StatusOr<std::string> now = DigestAt(place, place.name, path);
  if (!now.ok() || *now != own.planned) return;
  if (Look(place, path, aside, own) == Left::kOfSite) {
    if (Look(place, path, beside, own) == Left::kOwn) static_cast<void>(::unlinkat(folder, beside.c_str(), 0));
    static_cast<void>(Rename(folder, aside, beside, RENAME_NOREPLACE));
  }
  if (Look(place, path, beside, own) == Left::kOfSite) static_cast<void>(ExchangeBack(place, path, own));
}

std::string BootStore::Clear(const Place& place, const std::string& path, const OwnTexts& own) {
  const int folder = place.folder.get();
  const std::string beside = Beside(place.name);
  std::string left;
  bool is_changed = false;
  for (const std::string& name : {Aside(beside), beside}) {
    const Left found = Look(place, path, name, own);
    if (found == Left::kOwn && ::unlinkat(folder, name.c_str(), 0) == 0) is_changed = true;
    if (found == Left::kOfSite) left = path.substr(0, path.rfind('/') + 1) + name;
  }
  // A name that came back after a power cut could hold a text whose digest is forgotten by then. A failure
  // changes nothing that is named.
  if (is_changed) static_cast<void>(disk_.Sync(folder, "the folder of " + path));
  return left;
}

std::string BootStore::Sweep(const std::string& path, const OwnTexts& own, bool with_folder) {
  const absl::StatusOr<Place> place = Open(path, false);
  if (!place.ok()) return "";
  GiveBack(*place, path, own);
  std::string left = Clear(*place, path, own);
  if (with_folder) static_cast<void>(RemoveFolder(*place, path));
  return left;
}

}  // namespace rdmaready::apply
