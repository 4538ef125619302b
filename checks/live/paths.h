// SPDX-License-Identifier: Apache-2.0
// PathsJudgement: whether the paths between two hosts carry at once what each of them carries alone. Pure.
//
// Each path is measured alone twice, before and after the transfer beside the others. The paths add up where
// they carry kLeastOfSumPermille of the sum of the better ones, and each keeps kLeastOfPathPermille of its own.
// They fall short where they miss that by the worse ones. Between the two nothing can be said: a path changed
// by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/paths.h"

namespace rdmaready {

inline constexpr std::uint32_t kLeastOfSumPermille = 900;
inline constexpr std::uint32_t kLeastOfPathPermille = 500;
// A member of a bond that carries so much of its bytes is said to carry all of them.
inline constexpr std::uint32_t kAllOfBondPermille = 950;

// The bytes of the members of a bond, or of other Ethernet ports under one RDMA port, over a transfer.
struct BondShares {
  std::string host{};
  bool sender = false;  // the bytes that it sent, else those that it received
  std::vector<std::pair<std::string, std::uint32_t>> members{};  // with the thousandths of all bytes
  bool through_one = false;                                      // kAllOfBondPermille or more
};

struct JudgedPath {
  std::string subject{};                // printable
  std::uint64_t alone_bytes_per_s = 0;  // the mean of the two
  std::uint64_t together_bytes_per_s = 0;
  std::uint32_t share_permille = 0;              // of what all carry at once
  std::optional<std::uint32_t> kept_permille{};  // of what it carries alone; absent: it carried nothing
  std::optional<double> spread{};                // of the two transfers alone; absent: one carried nothing
  std::string why_failed{};                      // printable; empty: no transfer failed
  bool fault = false;                            // one failed, and was not given up
  std::vector<BondShares> bonds{};               // at once; of the ends that report them
};

struct PathsJudgement {
  std::string text{};  // one line; printable
  PathsVerdict verdict = PathsVerdict::kUnknown;
  std::string why_unknown{};  // printable
  std::uint64_t sum_bytes_per_s = 0;
  std::uint64_t together_bytes_per_s = 0;
  std::optional<std::uint32_t> kept_permille{};  // of the sum
  std::vector<JudgedPath> paths{};
  std::optional<std::size_t> starved{};  // of `paths`: the one that keeps too little, where that is the reason

  bool fault() const;
};

PathsJudgement JudgePaths(const PathsRun& run);

}  // namespace rdmaready
