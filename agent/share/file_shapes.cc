// SPDX-License-Identifier: Apache-2.0
#include "agent/share/file_shapes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include "agent/link/arena.h"
#include "agent/probe/abandoned_files.h"
#include "agent/transfer/histogram.h"
#include "agent/transfer/interval_meter.h"
#include "agent/transfer/pattern.h"
#include "agent/transfer/session.h"
#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::array<FileShape, 6> kShapes{{
    {"share-write-512k", "copying large files to the share", Operation::kWrite, 512u << 10, true},
    {"share-read-512k", "reading large files: Hyper-V migration, backup", Operation::kRead, 512u << 10, true},
    {"share-write-8k", "database pages, virtual machine disks", Operation::kWrite, 8u << 10, false},
    {"share-read-8k", "database pages, virtual machine disks", Operation::kRead, 8u << 10, false},
    {"share-write-1k", "small records", Operation::kWrite, 1u << 10, false},
    {"share-read-1k", "small records", Operation::kRead, 1u << 10, false},
}};

constexpr ProofFileNames kNames{.digits = 2 * std::tuple_size_v<Nonce>, .suffix = ".tmp"};

// As many blocks as there are of the largest shape, but enough that small ones are not always the same few.
std::uint64_t BlocksOf(const FileShape& shape) {
  return std::min<std::uint64_t>(kShareFileBytes / shape.block_bytes, 512);
}

std::string NameFor(const Nonce& nonce) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const std::uint8_t octet : nonce) {
    digits += kDigits[octet >> 4];
    digits += kDigits[octet & 15];
  }
  return kNames.Make(digits);
}

absl::Status CheckRoom(int directory) {
  struct statvfs room {};
  if (::fstatvfs(directory, &room) != 0) return ErrnoStatus(errno, "ask the share for its free space");
  // Some servers do not tell; then the writes will.
  if (room.f_blocks == 0 || room.f_bavail * room.f_frsize >= kShareFileBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError("the share has less than 16 MiB free, which the test needs");
}

// The file of one run.
class TestFile {
 public:
  static absl::StatusOr<std::unique_ptr<TestFile>> Make(int directory, const ShapeOptions& options) {
    std::string name = NameFor(options.nonce);
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | (options.direct ? O_DIRECT : 0);
    UniqueFd fd(::openat(directory, name.c_str(), flags, 0600));
    if (!fd) return ErrnoStatus(errno, "create " + name + " on the share");
    return std::unique_ptr<TestFile>(new TestFile(directory, std::move(name), std::move(fd)));
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  ~TestFile() { static_cast<void>(Remove()); }

  // Why it could not be; empty once it is gone.
  std::string Remove() {
    fd_ = UniqueFd();
    if (removed_ || ::unlinkat(directory_, name_.c_str(), 0) == 0 || errno == ENOENT) {
      removed_ = true;
      return {};
    }
    return name_ + ": " + std::strerror(errno);
  }

  // When the server says that it was made; nothing when it does not say.
  std::optional<std::time_t> Made() const {
    struct stat about {};
    if (::fstat(fd_.get(), &about) != 0) return std::nullopt;
    return about.st_mtime;
  }

  // The whole block, or kCompletion with the kernel's words.
  Failure Move(Operation operation, std::span<std::byte> block, std::uint64_t offset) const {
    const auto at = static_cast<off_t>(offset);
    const ssize_t moved = operation == Operation::kWrite ? ::pwrite(fd_.get(), block.data(), block.size(), at)
                                                         : ::pread(fd_.get(), block.data(), block.size(), at);
    if (moved == static_cast<ssize_t>(block.size())) return {};
    const std::string what = operation == Operation::kWrite ? "write to the share: " : "read from the share: ";
    if (moved < 0) return {FailureKind::kCompletion, what + std::strerror(errno)};
    return {FailureKind::kCompletion, fmt::format("{}{} of {} bytes", what, moved, block.size())};
  }

 private:
  TestFile(int directory, std::string name, UniqueFd fd)
      : directory_(directory), name_(std::move(name)), fd_(std::move(fd)) {}

  const int directory_;
  const std::string name_;
  UniqueFd fd_;
  bool removed_ = false;
};

// Which blocks of the file hold what; a shape that writes starts again.
class Blocks {
 public:
  Blocks(const Nonce& nonce) : pattern_(nonce), random_(nonce[0] | nonce[1] << 8) {}

  void Begin(const FileShape& shape) {
    count_ = BlocksOf(shape);
    next_ = 0;
    if (shape.operation == Operation::kWrite) written_.assign(count_, 0);
  }

  // The next block of the shape; one that was never written is not read.
  std::uint64_t Choose(const FileShape& shape) {
    const std::uint64_t first = shape.sequential ? next_++ % count_ : random_() % count_;
    if (shape.operation == Operation::kWrite) return first;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t block = (first + i) % count_;
      if (written_[block] != 0) return block;
    }
    return first;
  }

  void Fill(std::span<std::byte> bytes, std::uint64_t block) {
    pattern_.Fill(bytes, ++generation_);
    written_[block] = generation_;
  }

  Pattern::Wrong Compare(std::span<const std::byte> bytes, std::uint64_t block) const {
    return pattern_.Verify(bytes, written_[block]);
  }

 private:
  const Pattern pattern_;
  std::mt19937_64 random_;
  std::uint64_t count_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t generation_ = 0;          // number of the last write, of all shapes
  std::vector<std::uint64_t> written_{};  // by block: the write that it holds, 0: none
};

void Summarise(const Histogram& latencies, IntervalMeter& intervals, std::int64_t start_ns, std::int64_t end_ns,
               TransferResult& result) {
  result.elapsed_ns = end_ns - start_ns;
  result.latency = latencies.Summary();
  if (result.elapsed_ns > 0) {
    const double seconds = static_cast<double>(result.elapsed_ns) / 1e9;
    result.throughput_bytes_per_s = static_cast<std::uint64_t>(static_cast<double>(result.bytes) / seconds);
    result.operations_per_s = static_cast<std::uint64_t>(static_cast<double>(result.messages) / seconds);
  }
  const std::vector<std::uint64_t> whole = intervals.Take(end_ns);
  if (!whole.empty()) result.worst_interval_bytes_per_s = *std::min_element(whole.begin(), whole.end()) * 10;
}

absl::Status MayGoOn(const FileShape& shape, const ShapeOptions& options) {
  if (options.interrupted) RR_RETURN_IF_ERROR(options.interrupted());
  return options.pace ? options.pace(shape.block_bytes) : absl::OkStatus();
}

TransferResult RunShape(const FileShape& shape, const TestFile& file, Blocks& blocks,
                        std::span<std::byte> memory, const ShapeOptions& options) {
  TransferResult result{.case_name = std::string(shape.name),
                        .operation = shape.operation,
                        .message_bytes = shape.block_bytes,
                        .depth = 1};
  const std::span<std::byte> block = memory.first(shape.block_bytes);
  const std::int64_t start_ns = NowNs();
  const std::int64_t stop_ns = start_ns + std::chrono::nanoseconds(options.duration).count();
  const std::int64_t cpu_ns = ThreadCpuNs();
  Histogram latencies;
  IntervalMeter intervals(start_ns);
  std::int64_t now_ns = start_ns;
  blocks.Begin(shape);
  for (bool first = true; result.failure.kind == FailureKind::kNone && (first || now_ns < stop_ns);
       first = false) {
    if (const absl::Status go_on = MayGoOn(shape, options); !go_on.ok()) {
      result.failure = {FailureKind::kCancelled, Message(go_on)};
      break;
    }
    const std::uint64_t number = blocks.Choose(shape);
    if (shape.operation == Operation::kWrite) blocks.Fill(block, number);
    const std::int64_t posted_ns = NowNs();
    result.failure = file.Move(shape.operation, block, number * shape.block_bytes);
    now_ns = NowNs();
    if (result.failure.kind != FailureKind::kNone) break;
    latencies.Record(now_ns - posted_ns);
    intervals.Add(now_ns, shape.block_bytes);
    ++result.messages;
    result.bytes += shape.block_bytes;
    if (shape.operation == Operation::kWrite) continue;
    const Pattern::Wrong wrong = blocks.Compare(block, number);
    result.bytes_verified += shape.block_bytes;
    result.bytes_wrong += wrong.bytes;
    if (wrong.first_offset && !result.first_wrong_offset) {
      result.first_wrong_offset = result.bytes - shape.block_bytes + *wrong.first_offset;
    }
  }
  result.cpu_initiator_ns = ThreadCpuNs() - cpu_ns;
  Summarise(latencies, intervals, start_ns, now_ns, result);
  return result;
}

}  // namespace

std::span<const FileShape> AllFileShapes() { return kShapes; }

absl::StatusOr<ShapeRun> RunFileShapes(int directory, const ShapeOptions& options) {
  RR_RETURN_IF_ERROR(CheckRoom(directory));
  RR_ASSIGN_OR_RETURN(Arena memory, Arena::Make(kShapes.front().block_bytes));
  RR_ASSIGN_OR_RETURN(std::unique_ptr<TestFile> file, TestFile::Make(directory, options));
  if (const auto made = file->Made()) RemoveAbandoned(directory, kNames, *made);
  Blocks blocks(options.nonce);
  ShapeRun run;
  for (const FileShape& shape : kShapes) {
    run.results.push_back(RunShape(shape, *file, blocks, memory.bytes(), options));
    if (run.results.back().failure.kind != FailureKind::kNone) break;
  }
  run.left_behind = file->Remove();
  return run;
}

}  // namespace rdmaready
