// SPDX-License-Identifier: Apache-2.0
// FileShapes: the three I/O shapes of a storage user on one file: 512 KiB in sequence, 8 KiB and 1 KiB
// anywhere; each written, then read back, with direct I/O, every byte compared.
//
// One operation at a time, so that the latency is that of one operation. The file is new, its name nobody
// guesses, it is at most kFileBytes large and it is removed however the run ends; one that an interrupted run
// left behind is removed by a later one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/peer_message.h"
#include "api/model/transfer.h"

namespace rdmaready {

inline constexpr std::uint64_t kShareFileBytes = 16ull << 20;

struct FileShape {
  std::string_view name{};  // "share-write-512k": for ever
  std::string_view stands_for{};
  Operation operation = Operation::kUnknown;  // kWrite, kRead
  std::uint32_t block_bytes = 0;
  bool sequential = false;
};

// In the order in which they are run; what is read was written by the one before.
std::span<const FileShape> AllFileShapes();

struct ShapeOptions {
  Nonce nonce{};                                // random: names the file and keys its content
  std::chrono::milliseconds duration{};         // of each shape
  bool direct = true;                           // past the page cache; not every file system can, a share can
  std::function<absl::Status()> interrupted{};  // asked between operations; anything but OK ends the run
  std::function<absl::Status(std::uint64_t bytes)> pace{};  // Patience::pace of each operation
};

struct ShapeRun {
  std::vector<TransferResult> results{};  // of all shapes that were begun, the last with its failure
  std::string left_behind{};              // the file that could not be removed, and why; empty: it is gone
};

// `directory` is a descriptor of the directory to work in. An error only when no file could be made (its words
// say why: no space, no right).
absl::StatusOr<ShapeRun> RunFileShapes(int directory, const ShapeOptions& options);

}  // namespace rdmaready
