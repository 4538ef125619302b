// SPDX-License-Identifier: Apache-2.0
// ChainedFile: lines of JSON that are only ever added, each on the medium before Append returns, and chained by
// SHA-256, so that a line which was changed, taken out or put in is found:
//
//   {"n":2,"prev":"<sum of line 1>","record":{...},"sum":"<SHA-256 of this line up to `,"sum"`>"}
//
// A chain goes on over several files. "/x/journal" is written. When it is full and nothing is open, it is
// sealed as
// "/x/journal.000001", and "/x/journal" begins anew. The first line of the new segment has the next number, the
// sum of the sealed segment's last line, and a record that says with what a reader begins:
//
//   {"n":4711,"prev":"<sum of line 4710>","record":{"segment":2,"summary":{...}},"sum":"..."}
//
// So only the last segment is read by who goes on, and all of them can be verified (VerifySegments).
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

// A line that is known to be there. Two files name each other's, so that neither can be shortened or replaced
// alone.
struct ChainMark {
  std::uint64_t lines = 0;  // 0: none is known
  std::string head = "start";

  bool operator==(const ChainMark&) const = default;
};

struct ChainEnd {
  std::uint64_t lines = 0;       // of all segments up to here
  std::string head = "start";    // the last line's sum
  std::uint64_t bytes = 0;       // of whole lines of this segment
  std::uint64_t torn_bytes = 0;  // after them
  std::uint64_t segment = 1;     // its number
  ChainMark before{};            // the last line of the segment before it

  bool operator==(const ChainEnd&) const = default;
};

inline ChainMark MarkOf(const ChainEnd& end) { return {end.lines, end.head}; }

// One line without its newline, number `end.lines` + 1: its record's text, with which `end` moves on.
// kDataLoss: what does not fit, in words; `end` is unchanged.
absl::StatusOr<std::string_view> NextRecord(std::string_view line, ChainEnd& end);

// What hears the records in order. An error of it ends the reading: the record makes no sense.
using RecordSink = std::function<absl::Status(std::string_view record, const ChainEnd& end)>;

// One segment. kDataLoss: "/x/journal is damaged at line 7: ..."; other errors: it cannot be read.
absl::StatusOr<ChainEnd> ReadChain(const std::string& path, const RecordSink& sink);

// "/x/journal.000002": the name of a sealed segment.
std::string SegmentPath(const std::string& path, std::uint64_t number);

// Every segment, the sealed ones first, without changing any. kDataLoss: a damaged line, or the segment that is
// missing or not in its place, by its name. kNotFound: there is no "/x/journal".
absl::StatusOr<ChainEnd> VerifySegments(const std::string& path, const RecordSink& sink);

// One thread at a time.
class ChainedFile {
 public:
  // Makes the file (mode 0600) where there is none and none is known. Errors: those of ReadChain; kDataLoss,
  // too: the line `known` is neither in it nor in a segment before it, or the segment before it does not end
  // with the line that it begins after; kFailedPrecondition: it is not a regular file of this user that nobody
  // else may write.
  static absl::StatusOr<ChainedFile> Open(Disk& disk, const std::string& path, const ChainMark& known,
                                          const RecordSink& sink);

  // `record` is JSON without a line break. An error leaves the file as it was, as far as the disk allows; where
  // it does not, this and each later Append is kDataLoss.
  absl::Status Append(std::string_view record);

  // Seals this segment and begins the next one with that summary (JSON without a line break). An error leaves
  // the segment as it was, and it goes on; where that is not known, each later Append is kDataLoss.
  absl::Status Seal(std::string_view summary);

  // The name of the segment before this one where that is not there; empty: it is, or this is the first.
  const std::string& missing() const { return missing_; }

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
  std::string missing_{};
  bool unsound_ = false;
};

}  // namespace rdmaready::apply
