// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/chain.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "api/base/digest.h"
#include "api/base/status.h"

namespace rdmaready::apply {
namespace {

constexpr std::size_t kSumDigits = 64;
constexpr int kOpenFlags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
constexpr std::size_t kMostLineBytes = 64U << 20U;

std::string BodyOf(const ChainEnd& end, std::string_view record) {
  return fmt::format(R"({{"n":{},"prev":"{}","record":{})", end.lines + 1, end.head, record);
}

std::string TailOf(std::string_view sum) { return fmt::format(R"(,"sum":"{}"}})", sum); }

absl::Status Damaged(const std::string& path, std::uint64_t line, std::string_view why) {
  return absl::DataLossError(fmt::format("{} is damaged at line {}: {}", path, line, why));
}

// Reads from the first line of a later segment what it begins after, and its number. Its sum is checked
// afterwards.
void TakeSegmentStart(std::string_view line, ChainEnd& end) {
  constexpr std::string_view kNumber = "{\"n\":";
  constexpr std::string_view kPrev = ",\"prev\":\"";
  constexpr std::string_view kSegment = "\",\"record\":{\"segment\":";
  const auto take = [&line](std::string_view prefix) {
    const bool there = line.starts_with(prefix);
    if (there) line.remove_prefix(prefix.size());
    return there;
  };
  const auto take_number = [&line] {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
    return error == std::errc() ? number : 0;
  };
  if (!take(kNumber)) return;
  const std::uint64_t lines = take_number();
  if (lines < 2 || !take(kPrev) || line.size() < kSumDigits) return;
  const std::string_view head = line.substr(0, kSumDigits);
  line.remove_prefix(kSumDigits);
  if (!take(kSegment)) return;
  const std::uint64_t segment = take_number();
  if (segment < 2) return;
  end.before = {.lines = lines - 1, .head = std::string(head)};
  end.lines = end.before.lines;
  end.head = end.before.head;
  end.segment = segment;
}

// What the lines of a file are given to, as they come.
class LineReader {
 public:
  // Both outlive it.
  LineReader(const std::string& path, const RecordSink& sink) : path_(path), sink_(sink) {}

  absl::Status Take(std::string_view bytes) {
    rest_.append(bytes);
    if (!suspect_.empty()) return Damaged(path_, end_.lines + 1, suspect_);  // something follows it
    for (std::size_t at = rest_.find('\n'); at != std::string::npos; at = rest_.find('\n')) {
      RR_RETURN_IF_ERROR(TakeLine(std::string_view(rest_).substr(0, at), at + 1 == rest_.size()));
      if (!suspect_.empty()) return absl::OkStatus();
      rest_.erase(0, at + 1);
    }
    if (rest_.size() > kMostLineBytes) return Damaged(path_, end_.lines + 1, "it has no end");
    return absl::OkStatus();
  }

  ChainEnd End() {
    end_.torn_bytes = rest_.size();
    return end_;
  }

 private:
  absl::Status TakeLine(std::string_view line, bool last_so_far) {
    if (end_.bytes == 0) TakeSegmentStart(line, end_);
    const absl::StatusOr<std::string_view> record = NextRecord(line, end_);
    if (!record.ok()) {
      // We write no zero byte: blocks of the file that never reached the medium.
      if (!last_so_far || line.find('\0') == std::string_view::npos)
        return Damaged(path_, end_.lines + 1, Message(record.status()));
      suspect_ = Message(record.status());
      return absl::OkStatus();
    }
    end_.bytes += line.size() + 1;
    if (!sink_) return absl::OkStatus();
    const absl::Status taken = sink_(*record, end_);
    return taken.ok() ? taken : Damaged(path_, end_.lines, Message(taken));
  }

  const std::string& path_;
  const RecordSink& sink_;
  ChainEnd end_{};
  std::string rest_{};
  std::string suspect_{};  // why the line that `rest_` begins with is torn, if it is the last one
};

absl::Status NotGuarded(const std::string& path) {
  return absl::FailedPreconditionError(
      fmt::format("{}: it must be a regular file of user {} with mode 0600", path, ::geteuid()));
}

// What is there and no file of ours is for a person to see to; all else may be over in a moment.
absl::Status CannotOpen(int error, const std::string& path) {
  return error == ELOOP || error == EISDIR || error == ENXIO ? NotGuarded(path)
                                                             : ErrnoStatus(error, "open " + path);
}

absl::StatusOr<ChainEnd> ReadLines(int fd, const std::string& path, const RecordSink& sink) {
  LineReader reader(path, sink);
  std::array<char, 64U << 10U> buffer{};
  for (;;) {
    const ::ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EISDIR ? NotGuarded(path) : ErrnoStatus(errno, "read " + path);
    if (got == 0) return reader.End();
    RR_RETURN_IF_ERROR(reader.Take({buffer.data(), static_cast<std::size_t>(got)}));
  }
}

// Whether a sealed segment ends with the line of that sum; kNotFound: there is no such file.
absl::Status CheckLastLine(const std::string& path, const std::string& head) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return CannotOpen(errno, path);
  const std::string wanted = TailOf(head) + "\n";
  struct ::stat info {};
  if (::fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, "stat " + path);
  std::string tail(wanted.size(), '\0');
  const ::off_t at = info.st_size - static_cast<::off_t>(wanted.size());
  const ::ssize_t got = at < 0 ? 0 : ::pread(fd.get(), tail.data(), tail.size(), at);
  if (got < 0) return ErrnoStatus(errno, "read " + path);
  if (std::cmp_equal(got, wanted.size()) && tail == wanted) return absl::OkStatus();
  return absl::DataLossError(path +
                             " is damaged: it does not end with the line that the segment after it names");
}

absl::Status CheckGuarded(int fd, const std::string& path) {
  struct ::stat info {};
  if (::fstat(fd, &info) != 0) return ErrnoStatus(errno, "stat " + path);
  if (S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 077U) == 0)
    return absl::OkStatus();
  return NotGuarded(path);
}

bool HasName(int fd, const std::string& path) {
  struct ::stat opened {};
  struct ::stat named {};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

absl::StatusOr<UniqueFd> OpenOrMake(const std::string& path, const ChainMark& known) {
  UniqueFd fd(::open(path.c_str(), kOpenFlags));
  if (fd) return fd;
  if (errno == ENOENT && known.lines > 0) return absl::DataLossError(path + " is gone");
  if (errno != ENOENT) return CannotOpen(errno, path);
  fd = UniqueFd(::open(path.c_str(), kOpenFlags | O_CREAT | O_EXCL, 0600));
  if (!fd) return ErrnoStatus(errno, "make " + path);
  RR_RETURN_IF_ERROR(SyncFolderOf(path));
  return fd;
}

}  // namespace

absl::StatusOr<std::string_view> NextRecord(std::string_view line, ChainEnd& end) {
  const std::size_t tail_bytes = TailOf(std::string(kSumDigits, '0')).size();
  if (line.size() < tail_bytes) return absl::DataLossError("it is no whole record");
  const std::string_view body = line.substr(0, line.size() - tail_bytes);
  RR_ASSIGN_OR_RETURN(const std::string sum, Sha256(body));
  if (line.substr(body.size()) != TailOf(sum)) return absl::DataLossError("its sum is not that of its text");
  const std::string begin = BodyOf(end, "");
  if (!body.starts_with(begin)) return absl::DataLossError("it does not follow the line before it");
  ++end.lines;
  end.head = sum;
  return body.substr(begin.size());
}

absl::StatusOr<ChainEnd> ReadChain(const std::string& path, const RecordSink& sink) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return CannotOpen(errno, path);
  return ReadLines(fd.get(), path, sink);
}

std::string SegmentPath(const std::string& path, std::uint64_t number) {
  return fmt::format("{}.{:06}", path, number);
}

absl::StatusOr<ChainedFile> ChainedFile::Open(Disk& disk, const std::string& path, const ChainMark& known,
                                              const RecordSink& sink) {
  RR_ASSIGN_OR_RETURN(UniqueFd fd, OpenOrMake(path, known));
  RR_RETURN_IF_ERROR(CheckGuarded(fd.get(), path));
  ChainedFile file(disk, path, std::move(fd));
  bool found = false;
  RR_ASSIGN_OR_RETURN(file.end_,
                      ReadLines(file.fd_.get(), path, [&](std::string_view record, const ChainEnd& end) {
                        found = found || MarkOf(end) == known;
                        return sink ? sink(record, end) : absl::OkStatus();
                      }));
  // A line of a segment before it was verified when that was sealed.
  const ChainMark& before = file.end_.before;
  found = found || known.lines < before.lines || (known.lines == before.lines && known.head == before.head);
  if (!found) {
    return absl::DataLossError(fmt::format(
        "{} is damaged: line {}, which is known to have been written, is not there", path, known.lines));
  }
  if (before.lines > 0) {
    const std::string sealed = SegmentPath(path, file.end_.segment - 1);
    const absl::Status follows = CheckLastLine(sealed, before.head);
    if (absl::IsNotFound(follows))
      file.missing_ = sealed;
    else if (!follows.ok())
      return follows;
  }
  if (file.end_.torn_bytes > 0) {
    RR_RETURN_IF_ERROR(disk.Truncate(file.fd_.get(), path, file.end_.bytes));
    RR_RETURN_IF_ERROR(disk.Sync(file.fd_.get(), path));
  }
  return file;
}

absl::Status ChainedFile::Append(std::string_view record) {
  if (unsound_)
    return absl::DataLossError(path_ + ": an earlier write to it failed, and could not be taken away");
  const std::string body = BodyOf(end_, record);
  RR_ASSIGN_OR_RETURN(const std::string sum, Sha256(body));
  const std::string line = body + TailOf(sum) + "\n";
  unsound_ = true;  // until it is known how it ended
  absl::Status done = disk_->Append(fd_.get(), path_, line);
  if (done.ok()) {
    if (done = disk_->Sync(fd_.get(), path_); !done.ok()) {
      // Nothing will be done that it announces, so it should not be read. What a failed fsync leaves on the
      // medium is not known, though: only a new life can tell.
      if (disk_->Truncate(fd_.get(), path_, end_.bytes).ok()) static_cast<void>(disk_->Sync(fd_.get(), path_));
      return done;
    }
    ++end_.lines;
    end_.head = sum;
    end_.bytes += line.size();
    unsound_ = false;
    return done;
  }
  if (disk_->Truncate(fd_.get(), path_, end_.bytes).ok()) unsound_ = false;
  return done;
}

absl::Status ChainedFile::Seal(std::string_view summary) {
  if (unsound_)
    return absl::DataLossError(path_ + ": an earlier write to it failed, and could not be taken away");
  ChainEnd next{.lines = end_.lines + 1, .segment = end_.segment + 1, .before = MarkOf(end_)};
  const std::string body = BodyOf(end_, fmt::format(R"({{"segment":{},"summary":{}}})", next.segment, summary));
  RR_ASSIGN_OR_RETURN(next.head, Sha256(body));
  const std::string line = body + TailOf(next.head) + "\n";
  next.bytes = line.size();
  RR_RETURN_IF_ERROR(disk_->Link(path_, SegmentPath(path_, end_.segment)));
  unsound_ = true;  // until it is known which file has the name
  if (const absl::Status replaced = disk_->Replace(path_, line); !replaced.ok()) {
    unsound_ = !HasName(fd_.get(), path_);
    return replaced;
  }
  UniqueFd fd(::open(path_.c_str(), kOpenFlags));
  if (!fd) return ErrnoStatus(errno, "open " + path_);
  RR_RETURN_IF_ERROR(CheckGuarded(fd.get(), path_));
  fd_ = std::move(fd);
  end_ = std::move(next);
  missing_.clear();
  unsound_ = false;
  return absl::OkStatus();
}

absl::Status ChainedFile::Reserve(std::uint64_t bytes) {
  return disk_->Reserve(fd_.get(), path_, end_.bytes, bytes);
}

}  // namespace rdmaready::apply
