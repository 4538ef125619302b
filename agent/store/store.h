// SPDX-License-Identifier: Apache-2.0
// Store: the seam to what the agent remembers. A Put that returned OK survives a crash and a power cut.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/baseline.h"
#include "api/model/history.h"

namespace rdmaready {

// Threads: every method may be called from any thread.
class Store {
 public:
  virtual ~Store() = default;

  virtual absl::Status PutRun(const RunRecord& record) = 0;
  virtual absl::Status PutTransfer(const TransferRecord& record) = 0;
  virtual absl::Status PutEvent(const StoreEvent& event) = 0;

  // Newest first.
  virtual absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) = 0;
  virtual absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery& query) = 0;
  virtual absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery& query) = 0;
  // Of a year: also when the transfers themselves are forgotten. Oldest first within each port, case, role and
  // peer.
  virtual absl::StatusOr<std::vector<BaselineDay>> BaselineDays(const BaselineQuery& query) = 0;

  // What the reader of the next report must be told of the memory ("damaged, set aside as FILE"), once.
  // Empty: nothing.
  virtual std::string TakeNotice() = 0;
};

}  // namespace rdmaready
