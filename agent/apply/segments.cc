// SPDX-License-Identifier: Apache-2.0
// Verifying a chain over all its segments.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

#include "agent/apply/chain.h"
#include "api/base/status.h"

namespace rdmaready::apply {
namespace {

// The numbers of the sealed segments that are there, in order.
absl::StatusOr<std::vector<std::uint64_t>> SealedSegments(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string prefix = whole.filename().string() + ".";
  std::error_code error;
  std::filesystem::directory_iterator folder(whole.parent_path(), error);
  if (error) return ErrnoStatus(error.value(), "read " + whole.parent_path().string());
  std::vector<std::uint64_t> numbers;
  for (; folder != std::filesystem::directory_iterator(); folder.increment(error)) {
    if (error) return ErrnoStatus(error.value(), "read " + whole.parent_path().string());
    const std::string name = folder->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    const auto [rest, wrong] = std::from_chars(name.data() + prefix.size(), end, number);
    if (wrong == std::errc() && rest == end && SegmentPath(path, number) == folder->path().string())
      numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

// `end`: of the segment before this one.
absl::Status CheckPlace(const std::string& path, std::uint64_t number, const ChainEnd& end,
                        const ChainEnd& found) {
  if (found.segment != number) {
    return absl::DataLossError(
        fmt::format("{} is not in its place: it holds segment {} and not {}", path, found.segment, number));
  }
  if (found.before != MarkOf(end)) {
    return absl::DataLossError(fmt::format(
        "{} is damaged: it begins after line {}, and the segment before it ends with line {} of another sum",
        path, found.before.lines, end.lines));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ChainEnd> VerifySegments(const std::string& path, const RecordSink& sink) {
  RR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> sealed, SealedSegments(path));
  // The last one says how many there must be; its records come last.
  RR_ASSIGN_OR_RETURN(const ChainEnd last, ReadChain(path, {}));
  ChainEnd end;
  for (std::uint64_t number = 1; number < last.segment; ++number) {
    const std::string segment = SegmentPath(path, number);
    if (!std::ranges::binary_search(sealed, number))
      return absl::DataLossError(segment + " is missing: the segments after it are there");
    RR_ASSIGN_OR_RETURN(const ChainEnd found, ReadChain(segment, sink));
    RR_RETURN_IF_ERROR(CheckPlace(segment, number, end, found));
    if (found.torn_bytes > 0) return absl::DataLossError(segment + " is damaged: its last line is cut off");
    end = found;
  }
  // A segment that is being sealed has two names for a moment.
  for (const std::uint64_t number : sealed) {
    std::error_code error;
    if (number < last.segment || std::filesystem::equivalent(path, SegmentPath(path, number), error)) continue;
    return absl::DataLossError(
        fmt::format("{} follows {}, which is segment {}", SegmentPath(path, number), path, last.segment));
  }
  RR_RETURN_IF_ERROR(CheckPlace(path, last.segment, end, last));
  return ReadChain(path, sink);
}

}  // namespace rdmaready::apply
