// SPDX-License-Identifier: Apache-2.0
// TransferRun: the live tests that `rdmaready test` made.
#pragma once

#include <string>
#include <vector>

#include "api/model/report.h"
#include "api/model/transfer.h"
#include "cli/exit_status.h"

namespace rdmaready {

struct TransferRow {
  std::string from{};  // hosts, as the caller named them; the same for loopback
  std::string to{};
  std::string subject{};  // "rxe0/1 dcb0", "rxe0/1 -> rxe0/1"
  bool software = false;
  ConnectionKind connection = ConnectionKind::kRdmaCm;  // as it was asked for
  TransferResult result{};
  std::vector<EndCounters> counters{};  // of the ends that told them
  std::vector<Finding> findings{};
};

struct TransferRun {
  std::string run_id{};
  std::vector<TransferRow> rows{};
  std::string error{};                      // why there are no more rows; empty when it came to its end
  std::vector<std::string> store_errors{};  // one line for each agent that could not keep its results
};

// What the traffic was marked with, and what a software device makes of it: "ToS 106, traffic class 106 (rxe
// has no service level)". Empty where nothing is known.
std::string MarkingText(const TransferResult& result, bool software);

// Not ready when a test failed, undetermined when one was not made or not kept, or none at all.
ExitStatus StatusOf(const TransferRun& run);

}  // namespace rdmaready
