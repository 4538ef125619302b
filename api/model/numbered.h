// SPDX-License-Identifier: Apache-2.0
// NumberedIo: writes with numbers that all paths between two hosts share, as both ends saw them. A path may be
// lost while they run: what was under way on it is written again on another path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmaready {

// The log of the responder did not grow in order: a write was missing while this time passed.
struct LogStall {
  std::int64_t begin_ns = 0;  // from the first write in the log
  std::int64_t length_ns = 0;

  bool operator==(const LogStall&) const = default;
  void Fields(auto& list) const { list("begin_ns", begin_ns, "length_ns", length_ns); }
};

inline constexpr std::uint32_t kMostNumberedBytes = 64 << 10;  // of one write
inline constexpr std::size_t kMostLogStalls = 64;
inline constexpr std::int64_t kLeastLogStallNs = 50'000'000;

// The log of the responder: the writes that arrived, each with its own bytes in memory.
struct NumberedLogView {
  std::uint64_t arrived = 0;  // numbers, each counted once
  std::uint64_t doubled = 0;  // arrivals of a number that was in the log already
  std::uint64_t late = 0;     // slots of memory that changed after their write was in the log
  std::uint64_t wrong = 0;    // writes whose bytes were others when they arrived
  std::uint64_t looked = 0;   // second looks at a slot: those find `late`
  std::int64_t worst_stall_ns = 0;
  std::vector<LogStall> stalls{};  // of kLeastLogStallNs and more; the first kMostLogStalls

  bool operator==(const NumberedLogView&) const = default;
  void Fields(auto& list) const {
    list("arrived", arrived, "doubled", doubled, "late", late, "wrong", wrong, "looked", looked,
         "worst_stall_ns", worst_stall_ns, "stalls", stalls);
  }
};

struct NumberedIo {
  std::uint64_t issued = 0;
  std::uint64_t answered = 0;
  std::uint64_t reissued = 0;  // after a path was lost and could no longer write
  // The path was lost, and nobody confirmed that it can no longer write: these were not written again.
  std::uint64_t unconfirmed = 0;
  std::int64_t worst_answer_ns = 0;  // the longest time from giving out a number until its write was answered
  bool complete = false;  // every write was answered or is unconfirmed, and all memory was looked at again
  NumberedLogView log{};

  bool operator==(const NumberedIo&) const = default;
  void Fields(auto& list) const {
    list("issued", issued, "answered", answered, "reissued", reissued, "unconfirmed", unconfirmed,
         "worst_answer_ns", worst_answer_ns, "complete", complete, "log", log);
  }
};

}  // namespace rdmaready
