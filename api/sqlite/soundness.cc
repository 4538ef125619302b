// SPDX-License-Identifier: Apache-2.0
#include "api/sqlite/soundness.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

struct Deadline {
  Clock& clock;
  Clock::TimePoint when;
};

int IsPast(void* deadline) {
  const auto& asked = *static_cast<const Deadline*>(deadline);
  return asked.clock.Now() > asked.when ? 1 : 0;
}

}  // namespace

absl::Status CheckFileKind(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return absl::OkStatus();
  if (error) return ErrnoStatus(error.value(), "open store " + path);
  if (std::filesystem::is_regular_file(status)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "open store " + path +
      (std::filesystem::is_directory(status) ? ": is a directory" : ": is not a regular file"));
}

void MakePrivateFile(const std::string& path) {
  constexpr ::mode_t kOnlyOurs = 0600;
  static_cast<void>(
      UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOnlyOurs)));
}

absl::Status LookForDamage(const Database& database, std::chrono::milliseconds at_most, Clock& clock) {
  if (at_most.count() == 0) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(Statement statement, Statement::Prepare(database, "PRAGMA quick_check(1)"));
  constexpr int kInstructionsBetweenLooks = 1000;
  Deadline deadline{.clock = clock, .when = clock.Now() + at_most};
  sqlite3_progress_handler(database.get(), kInstructionsBetweenLooks, IsPast, &deadline);
  const absl::StatusOr<bool> row = statement.Step();
  sqlite3_progress_handler(database.get(), 0, nullptr, nullptr);
  if (!row.ok()) {
    return sqlite3_errcode(database.get()) == SQLITE_INTERRUPT ? absl::OkStatus() : row.status();
  }
  const std::string words = *row ? statement.Text(0) : "no answer";
  if (words == "ok") return absl::OkStatus();
  return absl::DataLossError("read store " + database.path() + ": " + words);
}

absl::Status SyncDirectory(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return ErrnoStatus(errno, "sync directory " + directory);
  return absl::OkStatus();
}

absl::Status MakePrivateDirectory(const std::string& directory) {
  constexpr ::mode_t kOnlyOurs = 0700;
  const auto failed = [&](int number) { return ErrnoStatus(number, "create state directory " + directory); };
  const std::filesystem::path parent = std::filesystem::absolute(directory).parent_path();
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) return failed(error.value());
  if (::mkdir(directory.c_str(), kOnlyOurs) == 0) return SyncDirectory(parent);
  if (errno != EEXIST) return failed(errno);
  if (!std::filesystem::is_directory(directory, error)) return failed(error ? error.value() : ENOTDIR);
  return absl::OkStatus();
}

}  // namespace rdmaready
