// SPDX-License-Identifier: Apache-2.0
// BrokenStore: stands in when the store could not be opened and the answer matters more than the memory of it.
// It keeps nothing and says why each time.
#pragma once

#include <utility>

#include "agent/store/store.h"

namespace rdmaready {

class BrokenStore final : public Store {
 public:
  explicit BrokenStore(absl::Status why) : why_(std::move(why)) {}

  absl::Status PutRun(const RunRecord&) override { return why_; }
  absl::Status PutTransfer(const TransferRecord&) override { return why_; }
  absl::StatusOr<std::vector<RunRecord>> Runs(int) override { return why_; }
  absl::StatusOr<std::vector<TransferRecord>> Transfers(int) override { return why_; }

 private:
  absl::Status why_;
};

}  // namespace rdmaready
