// SPDX-License-Identifier: Apache-2.0
// Store: the seam to what the agent remembers. A Put that returned OK survives a crash and a power cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

struct RunRecord {  // one `check` of this host
  std::string run_id{};
  std::int64_t started_unix_ns = 0;
  std::int64_t duration_ns = 0;
  Rung level = Rung::kHost;
  std::string profile_name{};
  std::string profile_digest{};
  HostReport report{};
};

struct TransferRecord {  // one live test in which this host had a part
  std::string run_id{};
  std::int64_t started_unix_ns = 0;
  std::string port{};  // "rxe0/1"
  std::string role{};  // "loopback", "initiator", "responder"
  std::string peer{};  // the other host's name; empty for loopback
  TransferResult result{};
};

// Threads: every method may be called from any thread.
class Store {
 public:
  virtual ~Store() = default;

  virtual absl::Status PutRun(const RunRecord& record) = 0;
  virtual absl::Status PutTransfer(const TransferRecord& record) = 0;

  // Newest first, at most `limit`.
  virtual absl::StatusOr<std::vector<RunRecord>> Runs(int limit) = 0;
  virtual absl::StatusOr<std::vector<TransferRecord>> Transfers(int limit) = 0;
};

}  // namespace rdmaready
