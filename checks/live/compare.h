// SPDX-License-Identifier: Apache-2.0
// CompareJudgement: which of RDMA and TCP is ahead, and the cost of each. Pure.
//
// A case is compared by its main figure: the throughput, the operations, or for a message and its answer the
// median latency, of which less is better. A ratio above 1 is in favour of RDMA. Two transfers over one
// transport differ, too: a ratio within the larger spread of the two transports shows no difference. One
// transfer over each has no spread, so the verdict is unknown. A profile may say how near TCP may come
// (max_tcp_percent), which is not judged of software devices.
//
// The CPU time is that of all CPUs of a host, from the start of the measured part to the end of the transfer.
// It is less the time that they took in an idle time of the same length. The kernel counts in steps of 10 ms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/model/compare.h"
#include "api/model/profile.h"

namespace rdmaready {

struct ComparedCase {
  std::string case_name{};
  CompareVerdict verdict = CompareVerdict::kUnknown;
  TransportFigures rdma{};
  TransportFigures tcp{};
  std::optional<double> ratio{};  // above 1: RDMA is ahead; absent: one of the two has no figure
  std::string why_unknown{};      // printable; empty: it is known
  bool rdma_failed = false;       // a transfer over RDMA failed, and was not given up
  std::string too_near{};  // printable: TCP reaches more of RDMA than the profile allows; empty: it does not
};

struct CompareJudgement {
  std::string text{};  // one line; printable
  std::vector<ComparedCase> cases{};
};

CompareJudgement JudgeCompare(const CompareRun& run, const Profile& profile = {});

}  // namespace rdmaready
