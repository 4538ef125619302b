// SPDX-License-Identifier: Apache-2.0
#include "agent/store/sqlite_store.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/sqlite/soundness.h"

namespace rdmaready {
namespace {

constexpr std::array<const char*, 3> kSuffixes{"-wal", "-shm", ""};  // what a database consists of, itself last

bool Exists(const std::string& path) {
  struct ::stat found {};
  return ::lstat(path.c_str(), &found) == 0 || errno != ENOENT;
}

// A name that nothing has yet: several may be set aside within a second.
std::string FreeName(const std::string& path) {
  const std::string name = fmt::format("{}.damaged-{:%Y%m%dT%H%M%SZ}", path, fmt::gmtime(std::time(nullptr)));
  for (int number = 1;; ++number) {
    const std::string candidate = number == 1 ? name : fmt::format("{}-{}", name, number);
    bool taken = false;
    for (const char* suffix : kSuffixes) taken = taken || Exists(candidate + suffix);
    if (!taken) return candidate;
  }
}

// After these the connection is as good as before.
bool IsHarmless(const absl::Status& status) {
  return status.ok() || absl::IsResourceExhausted(status) || absl::IsAlreadyExists(status);
}

}  // namespace

absl::Status SqliteStore::Open() {
  const std::lock_guard lock(mutex_);
  absl::Status status = EnsureOpen();
  LetGoUnlessHeld();
  return status;
}

absl::Status SqliteStore::PutRun(const RunRecord& record) {
  return Write([&](StoreFile& file) {
    absl::Status status = file.PutRun(record);
    if (!absl::IsAlreadyExists(status)) return status;
    return absl::AlreadyExistsError("write store " + path() + ": run " + record.run_id + " is there already");
  });
}

absl::Status SqliteStore::PutTransfer(const TransferRecord& record) {
  return Write([&](StoreFile& file) { return file.PutTransfer(record); });
}

absl::Status SqliteStore::PutEvent(const StoreEvent& event) {
  return Write([&](StoreFile& file) { return file.PutEvent(event); });
}

absl::StatusOr<std::vector<RunRecord>> SqliteStore::Runs(const HistoryQuery& query) {
  return Read<RunRecord>([&](const StoreFile& file) { return file.Runs(query); });
}

absl::StatusOr<std::vector<TransferRecord>> SqliteStore::Transfers(const HistoryQuery& query) {
  return Read<TransferRecord>([&](const StoreFile& file) { return file.Transfers(query); });
}

absl::StatusOr<std::vector<StoreEvent>> SqliteStore::Events(const HistoryQuery& query) {
  return Read<StoreEvent>([&](const StoreFile& file) { return file.Events(query); });
}

absl::StatusOr<std::vector<BaselineDay>> SqliteStore::BaselineDays(const BaselineQuery& query) {
  return Read<BaselineDay>([&](const StoreFile& file) { return file.BaselineDays(query); });
}

std::string SqliteStore::TakeNotice() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notice_, {});
}

absl::Status SqliteStore::Write(const std::function<absl::Status(StoreFile&)>& put) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = Use([&](StoreFile& file) {
    RR_RETURN_IF_ERROR(put(file));
    TellEvents(file);
    return PruneAfterWrite(file);
  });
  LetGoUnlessHeld();
  return status;
}

template <class Record>
absl::StatusOr<std::vector<Record>> SqliteStore::Read(
    const std::function<absl::StatusOr<std::vector<Record>>(const StoreFile&)>& get) {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<std::vector<Record>> records = std::vector<Record>();
  if (file_ == nullptr && !Exists(path())) return records;  // who only looks makes no file
  const absl::Status status = Use([&](StoreFile& file) {
    records = get(file);
    return records.status();
  });
  const bool busy = absl::IsUnavailable(status) && file_ == nullptr;
  LetGoUnlessHeld();
  if (!busy) return status.ok() ? std::move(records) : status;
  // SQLite lets a reader look on while another process writes.
  const absl::StatusOr<std::unique_ptr<StoreFile>> beside = StoreFile::OpenToRead(path());
  return beside.ok() ? get(**beside) : beside.status();
}

absl::Status SqliteStore::Use(const std::function<absl::Status(StoreFile&)>& work) {
  RR_RETURN_IF_ERROR(EnsureOpen());
  absl::Status status = work(*file_);
  if (absl::IsDataLoss(status)) {
    RR_RETURN_IF_ERROR(SetAside(status));
    RR_RETURN_IF_ERROR(EnsureOpen());
    status = work(*file_);
  }
  // An error of the disk leaves it open what of the file is still in memory only: read it afresh.
  if (!IsHarmless(status)) file_.reset();
  return status;
}

// What was written is written: only damage is the caller's concern.
absl::Status SqliteStore::PruneAfterWrite(StoreFile& file) {
  const absl::Status status = file.Prune(options_.limits, UnixNs(*options_.clock));
  if (absl::IsDataLoss(status)) return status;
  const std::string error = Message(status);
  if (!status.ok() && error != last_prune_error_) Log("old results could not be deleted: " + error);
  last_prune_error_ = error;
  return absl::OkStatus();
}

absl::Status SqliteStore::EnsureOpen() {
  if (file_ != nullptr) {
    if (!file_->Moved() && !lock_->Moved()) return absl::OkStatus();
    Log("store " + path() + " was removed or replaced while in use: opening what is there now");
  }
  file_.reset();
  lock_.reset();
  absl::Status status = TakeLock();
  if (status.ok()) status = OpenFile();
  if (absl::IsDataLoss(status)) {
    status = SetAside(status);
    if (status.ok()) status = OpenFile();
  }
  if (!status.ok()) {
    file_.reset();
    lock_.reset();
  }
  return status;
}

absl::Status SqliteStore::TakeLock() {
  if (options_.directory.empty()) {
    return absl::FailedPreconditionError(
        "open store: no state directory (neither XDG_STATE_HOME nor HOME is set)");
  }
  RR_RETURN_IF_ERROR(MakePrivateDirectory(options_.directory));
  const auto wait = waited_ ? std::chrono::milliseconds(0) : options_.lock_wait;
  absl::StatusOr<FileLock> lock =
      FileLock::Take(options_.directory + "/rdmaready.lock", "open store " + options_.directory, wait);
  if (!lock.ok()) {
    waited_ = waited_ || absl::IsUnavailable(lock.status());
    return lock.status();
  }
  lock_ = *std::move(lock);
  return absl::OkStatus();
}

absl::Status SqliteStore::OpenFile() {
  RR_ASSIGN_OR_RETURN(std::unique_ptr<StoreFile> file,
                      StoreFile::Open(path(), checked_ ? std::chrono::milliseconds(0) : options_.check_time));
  checked_ = true;
  file_ = std::move(file);
  TellEvents(*file_);
  return absl::OkStatus();
}

// The log goes first: left behind, it would be taken for the fresh file's.
absl::Status SqliteStore::SetAside(const absl::Status& damage) {
  if (file_ != nullptr) RR_RETURN_IF_ERROR(file_->LeaveAsItIs());
  file_.reset();
  checked_ = false;
  const std::string name = FreeName(path());
  for (const char* suffix : kSuffixes) {
    if (::rename((path() + suffix).c_str(), (name + suffix).c_str()) != 0 && errno != ENOENT) {
      return ErrnoStatus(errno, Message(damage) + "; set it aside as " + name + suffix);
    }
  }
  RR_RETURN_IF_ERROR(SyncDirectory(options_.directory));
  const std::string text =
      "the store was damaged (" + Message(damage) + "): set aside as " + name + ", a fresh one was started";
  Log(text);
  notice_ += (notice_.empty() ? "" : "; ") + text;
  untold_.push_back({.unix_ns = UnixNs(*options_.clock), .text = text});
  return absl::OkStatus();
}

// What finds no room stays for the next record.
void SqliteStore::TellEvents(StoreFile& file) {
  while (!untold_.empty() && file.PutEvent(untold_.front()).ok()) untold_.erase(untold_.begin());
}

void SqliteStore::Log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

void SqliteStore::LetGoUnlessHeld() {
  if (options_.hold) return;
  file_.reset();
  lock_.reset();
}

}  // namespace rdmaready
