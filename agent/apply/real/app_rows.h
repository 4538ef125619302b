// SPDX-License-Identifier: Apache-2.0
// How an APP table becomes another one, row by row, in an order that every driver takes. Pure.
//
// What drivers do with a second priority for one (selector, protocol), of Linux 6.12:
//   by the book, bnxt  both rows stand: the new one is added, then the old one deleted, and there is no moment
//                      without one
//   mlx5               the new row takes the place of the old one; deleting the old one says ENOENT
//   hns3               the same, but deleting the old one says EINVAL: it is not asked
//   ice                EINVAL "already user mapped": the old one is deleted first, here and nowhere else. Where
//   it
//                      is the last DSCP row, deleting it would make the port forget ETS and PFC (VLAN mode), so
//                      another row stands in for that moment.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/dcb.h"

namespace rdmaready {

enum class AppChange { kAdd, kDelete };

enum class AppOrder {
  kNewFirst,  // what is refused is then tried the other way round
  kOldFirst,  // bnxt_en
  kReplaces,  // hns3
};

// Asks the driver; its errno, 0 when it did it. An error: it was not asked, or nobody knows what it did.
using AppAsk = std::function<absl::StatusOr<int>(AppChange, const AppEntry&)>;

// `where` is for the error's text: "add APP row dscp:26:3 on dcb0: Invalid argument". A row that is there
// already, or is gone already, is what was wanted. At the first refusal it stops, and what was done stays done.
absl::Status ChangeAppRows(const std::vector<AppEntry>& from, const std::vector<AppEntry>& to, AppOrder order,
                           std::string_view where, const AppAsk& ask);

}  // namespace rdmaready
