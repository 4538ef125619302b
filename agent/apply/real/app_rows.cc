// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/app_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include "api/base/status.h"
#include "api/model/setting.h"

namespace rdmaready {
namespace {

using Rows = std::vector<AppEntry>;

bool Has(const Rows& rows, const AppEntry& row) { return std::ranges::find(rows, row) != rows.end(); }

Rows Without(const Rows& rows, const Rows& others) {
  Rows left;
  std::ranges::copy_if(rows, std::back_inserter(left), [&](const AppEntry& row) { return !Has(others, row); });
  return left;
}

bool SameKey(const AppEntry& one, const AppEntry& other) {
  return one.selector == other.selector && one.protocol == other.protocol;
}

Rows OfKey(const Rows& rows, const AppEntry& key) {
  Rows found;
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const AppEntry& row) { return SameKey(row, key); });
  return found;
}

class Changer {
 public:
  Changer(const Rows& from, const Rows& to, AppOrder order, std::string_view where, const AppAsk& ask)
      : from_(from), to_(to), order_(order), where_(where), ask_(ask), standing_(from) {}

  absl::Status Run() {
    const Rows wanted = Without(to_, from_);
    const Rows unwanted = Without(from_, to_);
    // New ones first: a table that has a row for a moment more is less than one that has none.
    for (const AppEntry& row : wanted) {
      if (OfKey(unwanted, row).empty()) RR_RETURN_IF_ERROR(Add(row));
    }
    for (const AppEntry& old : unwanted) {
      if (!Has(standing_, old)) continue;
      if (order_ == AppOrder::kOldFirst && old.selector == AppSelector::kDscp && !OfKey(to_, old).empty()) {
        RR_RETURN_IF_ERROR(MakeAnew(old));
        continue;
      }
      for (const AppEntry& row : OfKey(wanted, old)) RR_RETURN_IF_ERROR(Replace(old, row));
    }
    for (const AppEntry& row : unwanted) {
      if (Has(standing_, row)) RR_RETURN_IF_ERROR(Delete(row));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Words(AppChange change, const AppEntry& row, int error) const {
    const char* const verb = change == AppChange::kAdd ? "add" : "delete";
    return ErrnoStatus(error, fmt::format("{} APP row {} on {}", verb, Text(Rows{row}), where_));
  }

  absl::StatusOr<int> Ask(AppChange change, const AppEntry& row) {
    RR_ASSIGN_OR_RETURN(const int error, ask_(change, row));
    const bool there = error == 0 || error == (change == AppChange::kAdd ? EEXIST : ENOENT);
    if (!there) return error;
    if (change == AppChange::kDelete) {
      std::erase(standing_, row);
    } else if (!Has(standing_, row)) {
      standing_.push_back(row);
    }
    return 0;
  }

  absl::Status Must(AppChange change, const AppEntry& row) {
    RR_ASSIGN_OR_RETURN(const int error, Ask(change, row));
    return error == 0 ? absl::OkStatus() : Words(change, row, error);
  }
  absl::Status Add(const AppEntry& row) { return Must(AppChange::kAdd, row); }
  absl::Status Delete(const AppEntry& row) { return Must(AppChange::kDelete, row); }

  // The NIC forgets the DSCP with any row of it.
  absl::Status MakeAnew(const AppEntry& key) {
    for (const AppEntry& row : OfKey(standing_, key)) RR_RETURN_IF_ERROR(Delete(row));
    for (const AppEntry& row : OfKey(to_, key)) RR_RETURN_IF_ERROR(Add(row));
    return absl::OkStatus();
  }

  absl::Status Replace(const AppEntry& old, const AppEntry& row) {
    if (Has(standing_, row)) return Has(standing_, old) ? Delete(old) : absl::OkStatus();
    RR_ASSIGN_OR_RETURN(const int error, Ask(AppChange::kAdd, row));
    if (error == EINVAL && row.selector == AppSelector::kDscp) return ReplaceDeletingFirst(old, row);
    if (error != 0) return Words(AppChange::kAdd, row, error);
    if (order_ == AppOrder::kReplaces && row.selector == AppSelector::kDscp) {
      std::erase(standing_, old);
      return absl::OkStatus();
    }
    return Delete(old);
  }

  // The driver refused a second row for the DSCP: what it says of that is the error, whatever it refuses next.
  absl::Status ReplaceDeletingFirst(const AppEntry& old, const AppEntry& row) {
    const std::optional<AppEntry> stand_in = StandIn(row);
    if (stand_in) {
      RR_ASSIGN_OR_RETURN(const int error, Ask(AppChange::kAdd, *stand_in));
      if (error != 0) return Words(AppChange::kAdd, row, EINVAL);
    }
    RR_ASSIGN_OR_RETURN(const int error, DeleteThenAdd(old, row));
    absl::Status done = error == 0 ? absl::OkStatus() : Words(AppChange::kAdd, row, error);
    if (stand_in) done.Update(Delete(*stand_in));
    return done;
  }

  absl::StatusOr<int> DeleteThenAdd(const AppEntry& old, const AppEntry& row) {
    RR_ASSIGN_OR_RETURN(const int refused, Ask(AppChange::kDelete, old));
    if (refused != 0) return EINVAL;
    RR_ASSIGN_OR_RETURN(const int error, Ask(AppChange::kAdd, row));
    // Better the old mapping than none, as far as it goes.
    if (error != 0) RR_RETURN_IF_ERROR(Ask(AppChange::kAdd, old).status());
    return error;
  }

  // A DSCP row to stand while that of `row` is gone; nothing when others stand. Of a DSCP that the tables leave
  // out and whose priority is the same with the row, without it before (DSCP / 8) and after (DSCP % 8).
  std::optional<AppEntry> StandIn(const AppEntry& row) const {
    const auto other_dscp = [&](const AppEntry& one) {
      return one.selector == AppSelector::kDscp && one.protocol != row.protocol;
    };
    if (std::ranges::any_of(standing_, other_dscp)) return std::nullopt;
    constexpr std::array<std::uint16_t, 8> kSamePriority{9, 18, 27, 36, 45, 54, 63, 0};
    for (const std::uint16_t dscp : kSamePriority) {
      const AppEntry one{AppSelector::kDscp, static_cast<std::uint8_t>(dscp / 8), dscp};
      if (OfKey(from_, one).empty() && OfKey(to_, one).empty()) return one;
    }
    return std::nullopt;  // not reached: with other DSCPs in the tables, others stand
  }

  const Rows& from_;
  const Rows& to_;
  const AppOrder order_;
  const std::string_view where_;
  const AppAsk& ask_;
  Rows standing_;
};

}  // namespace

absl::Status ChangeAppRows(const std::vector<AppEntry>& from, const std::vector<AppEntry>& to, AppOrder order,
                           std::string_view where, const AppAsk& ask) {
  return Changer(from, to, order, where, ask).Run();
}

}  // namespace rdmaready
