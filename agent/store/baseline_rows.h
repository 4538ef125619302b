// SPDX-License-Identifier: Apache-2.0
// Rows of what live tests showed by the day: counted as each test is put, kept for a year, whatever becomes of
// the tests themselves. Bounded: a row of a day that is over takes some 100 octets, that of today up to 2 KiB
// more.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/sqlite/sqlite.h"
#include "api/model/baseline.h"
#include "api/model/history.h"

namespace rdmaready {

// Whether the test says what its case can do through the port: see BaselineDay.
bool CountsInBaseline(const TransferResult& result);

// Within the caller's transaction. A test that does not count changes nothing.
absl::Status CountInBaseline(Database& database, const TransferRecord& record);

// Oldest first within each port, case, role and peer.
absl::StatusOr<std::vector<BaselineDay>> ReadBaselineDays(const Database& database, const BaselineQuery& query);

}  // namespace rdmaready
