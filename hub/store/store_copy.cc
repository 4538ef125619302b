// SPDX-License-Identifier: Apache-2.0
#include "hub/store/store_copy.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/sqlite/file_lock.h"
#include "api/sqlite/migration.h"
#include "api/sqlite/soundness.h"
#include "api/sqlite/sqlite.h"
#include "hub/store/schema.h"

namespace rdmaready::hub {
namespace {

constexpr auto kWholeCheck = std::chrono::hours(1);
constexpr std::array<const char*, 3> kParts{"-wal", "-shm", ""};  // of a database, itself last

std::string FolderOf(const std::string& path) { return std::filesystem::absolute(path).parent_path(); }

absl::Status SyncFile(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd && ::fsync(fd.get()) == 0 ? absl::OkStatus() : ErrnoStatus(errno, "sync " + path);
}

// Page by page, by SQLite: what is written meanwhile is in the copy, or none of it.
absl::Status CopyPages(const Database& from, Database& to) {
  const Handle<sqlite3_backup, sqlite3_backup_finish> copy(
      sqlite3_backup_init(to.get(), "main", from.get(), "main"));
  if (!copy) return to.Error("write");
  const int result = sqlite3_backup_step(copy.get(), -1);
  return result == SQLITE_DONE ? absl::OkStatus() : to.Error("copy to");
}

// Into a file of its own beside `to`, which takes its name when it is whole.
absl::Status CopyWhole(const std::string& from, const std::string& to) {
  const std::string part = fmt::format("{}.part-{}", to, ::getpid());
  const auto copy = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const Database source, Database::Open(from, Database::Access::kReadOnly));
    RR_RETURN_IF_ERROR(CheckVersion(source, FleetSchema()));
    MakePrivateFile(part);
    RR_ASSIGN_OR_RETURN(Database target, Database::Open(part));
    RR_RETURN_IF_ERROR(CopyPages(source, target));
    // One file that is whole by itself, and needs no log beside it.
    RR_RETURN_IF_ERROR(target.Execute("PRAGMA journal_mode = DELETE"));
    return LookForDamage(target, kWholeCheck);
  };
  absl::Status done = copy();
  if (done.ok()) done = SyncFile(part);
  if (done.ok() && std::rename(part.c_str(), to.c_str()) != 0) done = ErrnoStatus(errno, "rename to " + to);
  if (!done.ok()) {
    for (const char* suffix : kParts) ::unlink((part + suffix).c_str());
    return done;
  }
  return SyncDirectory(FolderOf(to));
}

}  // namespace

absl::Status BackUp(const std::string& store, const std::string& to) {
  RR_RETURN_IF_ERROR(CheckFileKind(store));
  std::error_code error;
  if (std::filesystem::exists(to, error))
    return absl::AlreadyExistsError("back up to " + to + ": it is there already");
  return CopyWhole(store, to);
}

absl::StatusOr<std::string> Restore(const std::string& store, const std::string& from, Clock& clock) {
  RR_RETURN_IF_ERROR(CheckFileKind(from));
  RR_RETURN_IF_ERROR(MakePrivateDirectory(FolderOf(store)));
  RR_ASSIGN_OR_RETURN(const FileLock lock,
                      FileLock::Take(store + ".lock", "restore " + store, std::chrono::milliseconds(0)));
  const std::string fresh = store + ".restored";
  for (const char* suffix : kParts) ::unlink((fresh + suffix).c_str());
  RR_RETURN_IF_ERROR(CopyWhole(from, fresh));
  std::string aside;
  std::error_code error;
  if (std::filesystem::exists(store, error)) {
    aside = fmt::format("{}.before-{:%Y%m%dT%H%M%SZ}", store,
                        fmt::gmtime(std::chrono::system_clock::to_time_t(clock.Wall())));
    for (const char* suffix : kParts) {
      if (std::rename((store + suffix).c_str(), (aside + suffix).c_str()) != 0 && errno != ENOENT)
        return ErrnoStatus(errno, "move aside " + store + suffix);
    }
  }
  if (std::rename(fresh.c_str(), store.c_str()) != 0) return ErrnoStatus(errno, "rename to " + store);
  RR_RETURN_IF_ERROR(SyncDirectory(FolderOf(store)));
  return aside;
}

}  // namespace rdmaready::hub
