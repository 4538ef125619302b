// SPDX-License-Identifier: Apache-2.0
// Proof: what the proofs of all protocols share: I/O of the same size, timed one by one, compared byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/base/clock.h"
#include "api/model/transfer.h"

namespace rdmaready {

// One thread, one operation at a time.
class ProofMeter {
 public:
  // `result` and `clock` outlive the meter. `pace`: Patience::pace of each operation, which is not timed.
  ProofMeter(TransferResult& result, std::string case_name, Operation operation, std::uint32_t block_bytes,
             Clock& clock, std::function<absl::Status(std::uint64_t bytes)> pace = {});

  // Runs and times one operation; counts its bytes when it succeeds.
  absl::Status Time(const std::function<absl::Status()>& operation);
  // Of what was read: whether it is what it should be.
  void Compared(std::span<const std::byte> expected, std::span<const std::byte> found);
  // Writes down times and, when not OK, why it ended.
  void Finish(const absl::Status& status);

 private:
  TransferResult& result_;
  Clock& clock_;
  const std::function<absl::Status(std::uint64_t bytes)> pace_;
  std::vector<std::int64_t> latencies_ns_{};
};

// The same for the same seed, different for any other.
void FillPattern(std::span<std::byte> bytes, std::uint64_t seed);

std::uint64_t RandomNumber();

// Of a source that may change meanwhile because others write to it: reads `block` of it into both buffers,
// which held different patterns before, until both readings agree; at most five times. What agrees was written
// by the source, twice. `read` fills the buffer of that number, 0 or 1.
struct TwoBuffers {
  std::span<std::byte> first{};
  std::span<std::byte> second{};
};
using ReadInto = std::function<absl::Status(int buffer)>;
absl::Status ReadTwice(const TwoBuffers& buffers, const ReadInto& read, ProofMeter& meter);

}  // namespace rdmaready
