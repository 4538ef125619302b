// SPDX-License-Identifier: Apache-2.0
// ChainedFile: lines of JSON that are only ever added, each on the medium before Append returns, and chained by
// SHA-256, so that a line which was changed, taken out or put in is found:
//
//   {"n":2,"prev":"<sum of line 1>","record":{...},"sum":"<SHA-256 of this line up to `,"sum"`>"}
//
// A last line without its end, or with zero bytes in it, is torn: a crash cut it off. Its Append had not
// returned, so nothing was done that it announces, and it is taken away. A whole line that does not fit is
// damage, wherever it stands: then the file is left alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/disk.h"
#include "api/base/handle.h"

namespace rdmaready::apply {

struct ChainEnd {
  std::uint64_t lines = 0;
  std::string head = "start";    // the last line's sum
  std::uint64_t bytes = 0;       // of whole lines
  std::uint64_t torn_bytes = 0;  // after them

  bool operator==(const ChainEnd&) const = default;
};

// A line that is known to be there. Two files name each other's, so that neither can be shortened or replaced
// alone.
struct ChainMark {
  std::uint64_t lines = 0;  // 0: none is known
  std::string head = "start";

  bool operator==(const ChainMark&) const = default;
};

inline ChainMark MarkOf(const ChainEnd& end) { return {end.lines, end.head}; }

// One line without its newline, number `end.lines` + 1: its record's text, with which `end` moves on.
// kDataLoss: what does not fit, in words; `end` is unchanged.
absl::StatusOr<std::string_view> NextRecord(std::string_view line, ChainEnd& end);

// What hears the records in order. An error of it ends the reading: the record makes no sense.
using RecordSink = std::function<absl::Status(std::string_view record, const ChainEnd& end)>;

// kDataLoss: "/x/journal is damaged at line 7: ..."; other errors: it cannot be read.
absl::StatusOr<ChainEnd> ReadChain(const std::string& path, const RecordSink& sink);

// One thread at a time.
class ChainedFile {
 public:
  // Makes the file (mode 0600) where there is none and none is known. Errors: those of ReadChain; kDataLoss,
  // too: the line `known` is not in it; kFailedPrecondition: it is no regular file of this user that nobody
  // else may write.
  static absl::StatusOr<ChainedFile> Open(Disk& disk, const std::string& path, const ChainMark& known,
                                          const RecordSink& sink);

  // `record` is JSON without a line break. An error leaves the file as it was, as far as the disk allows; where
  // it does not, this and each later Append is kDataLoss.
  absl::Status Append(std::string_view record);

  // Room for that many bytes more, so that a full disk is known before anything depends on it.
  absl::Status Reserve(std::uint64_t bytes);

  const ChainEnd& end() const { return end_; }
  const std::string& path() const { return path_; }

 private:
  ChainedFile(Disk& disk, std::string path, UniqueFd fd)
      : disk_(&disk), path_(std::move(path)), fd_(std::move(fd)) {}

  Disk* disk_;
  std::string path_;
  UniqueFd fd_;
  ChainEnd end_{};
  bool unsound_ = false;
};

}  // namespace rdmaready::apply
