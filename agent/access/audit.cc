// SPDX-License-Identifier: Apache-2.0
#include "agent/access/audit.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready::access {
namespace {

constexpr std::size_t kMaxTextBytes = 400;  // of a value
constexpr int kRefusalsAMinute = 10;
constexpr std::size_t kMaxRefused = 256;  // callers whose refusals are counted apart
constexpr ::mode_t kAuditMode = 0600;

std::string Stamp(std::int64_t unix_ns) {
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(unix_ns / kNsPerS)),
                     unix_ns % kNsPerS / 1'000'000);
}

std::string_view KindName(AuditRecord::Kind kind) {
  switch (kind) {
    case AuditRecord::Kind::kBegun:
      return "begun";
    case AuditRecord::Kind::kEnded:
      return "ended";
    case AuditRecord::Kind::kRefused:
      return "refused";
  }
  return "begun";
}

nlohmann::ordered_json Line(std::string_view event, std::int64_t unix_ns) {
  return {{"time", Stamp(unix_ns)}, {"event", event}};
}

std::string NumberLine(std::string_view event, std::string_view key, std::int64_t number,
                       std::int64_t unix_ns) {
  nlohmann::ordered_json line = Line(event, unix_ns);
  line[std::string(key)] = number;
  return line.dump();
}

std::string Mode(const struct ::stat& info) { return fmt::format("{:04o}", info.st_mode & 07777U); }

// Root's file that the group of the agent may write: that is how it is installed.
absl::Status JudgeAuditFile(const std::string& path, const struct ::stat& info) {
  if (!S_ISREG(info.st_mode)) return absl::FailedPreconditionError("audit " + path + ": not a regular file");
  const bool owned = info.st_uid == 0 || info.st_uid == ::geteuid();
  if (owned && (info.st_mode & S_IWOTH) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("audit {}: others could write it (user {}, mode {}); chown root and chmod o-w", path,
                  info.st_uid, Mode(info)));
}

}  // namespace

std::string AuditLine(const AuditRecord& record, std::int64_t unix_ns) {
  const AskRow& row = RowOf(record.ask);
  const Identity& who = *record.who;
  nlohmann::ordered_json line = Line(KindName(record.kind), unix_ns);
  const auto add = [&line](const char* key, std::string_view value) {
    if (!value.empty()) line[key] = SafeLine(value, kMaxTextBytes);
  };
  add("rpc", row.rpc);
  add("argument", row.argument);
  add("needs", RoleName(row.role));
  add("who", who.who);
  add("way", WayName(who.way));
  add("door", who.door);
  add("origin", who.origin);
  add("role", RoleName(HighestRole(who.roles)));
  add("caller", record.caller);
  add("run_id", record.run_id);
  add("target", record.target);
  add("result", record.result);
  if (record.kind == AuditRecord::Kind::kEnded && record.tests > 0) {
    line["tests"] = record.tests;
    line["failed"] = record.failed;
    line["test_ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(record.test_time).count();
    line["test_bytes"] = record.test_bytes;
  }
  return line.dump();
}

absl::Status Audit::Open() {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) return absl::OkStatus();
  RR_RETURN_IF_ERROR(OpenLocked());
  int flags = 0;
  const bool append_only = ::ioctl(fd_.get(), FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_APPEND_FL) != 0;
  struct ::stat info {};
  const bool roots = ::fstat(fd_.get(), &info) == 0 && info.st_uid == 0 && ::geteuid() != 0;
  Tell(
      events_, EventLevel::kInfo, "audit-file",
      {{"path", path_},
       {"append_only", append_only},
       {"reason", append_only && roots ? "what is written cannot be taken back by this agent"
                                       : "who takes this agent over could rewrite it: chown root, chattr +a"}});
  return absl::OkStatus();
}

absl::Status Audit::OpenLocked() {
  // Never through a link: the directory may be another's.
  UniqueFd fd(
      ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kAuditMode));
  if (!fd) return ErrnoStatus(errno, "open audit " + path_);
  struct ::stat info {};
  if (::fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, "open audit " + path_);
  RR_RETURN_IF_ERROR(JudgeAuditFile(path_, info));
  fd_ = std::move(fd);
  return absl::OkStatus();
}

bool Audit::Moved() const {
  struct ::stat open {};
  struct ::stat named {};
  if (::fstat(fd_.get(), &open) != 0 || ::stat(path_.c_str(), &named) != 0) return true;
  return open.st_ino != named.st_ino || open.st_dev != named.st_dev;
}

bool Audit::Admit(const std::string& who, Clock::TimePoint now, std::int64_t& kept_back) {
  if (refusals_.size() >= kMaxRefused && !refusals_.contains(who)) refusals_.clear();
  Refusals& count = refusals_[who];
  if (now - count.since >= std::chrono::minutes(1)) {
    kept_back = count.kept_back;
    count = {.since = now};
  }
  if (++count.written <= kRefusalsAMinute) return true;
  ++count.kept_back;
  return false;
}

absl::Status Audit::Append(std::string line) {
  line = (torn_ ? "\n" : "") + line + "\n";
  const ::ssize_t written = ::write(fd_.get(), line.data(), line.size());
  if (written == static_cast<::ssize_t>(line.size())) {
    torn_ = false;
    return absl::OkStatus();
  }
  const int why = written < 0 ? errno : ENOSPC;
  torn_ = torn_ || written > 0;
  return ErrnoStatus(why, "write audit " + path_);
}

absl::Status Audit::Write(const AuditRecord& record) {
  const std::int64_t unix_ns = UnixNs(clock_);
  const std::string line = AuditLine(record, unix_ns);
  std::int64_t kept_back = 0;
  const std::lock_guard lock(mutex_);
  if (record.kind == AuditRecord::Kind::kRefused && !Admit(record.who->who, clock_.Now(), kept_back))
    return absl::OkStatus();
  // Without a file the log's other lines say as much.
  Tell(events_, path_.empty() ? EventLevel::kDebug : EventLevel::kInfo, kAuditEvent, {{"record", line}});
  if (path_.empty()) return absl::OkStatus();
  absl::Status status = fd_ && !Moved() ? absl::OkStatus() : OpenLocked();
  // While whoever moves the file away has not made the next one, it goes on where it is.
  if (fd_) status = absl::OkStatus();
  if (status.ok() && lost_untold_ > 0) {
    status = Append(NumberLine("lost", "lines", lost_untold_, unix_ns));
    if (status.ok()) lost_untold_ = 0;
  }
  if (status.ok() && kept_back > 0)
    status = Append(NumberLine("refused", "not_written_before", kept_back, unix_ns));
  if (status.ok()) status = Append(line);
  if (status.ok()) return status;
  ++lost_;
  ++lost_untold_;
  Tell(events_, EventLevel::kError, "audit-lost", {{"reason", Message(status)}, {"lines", lost_}});
  return status;
}

}  // namespace rdmaready::access
