// SPDX-License-Identifier: Apache-2.0
// FleetView: the fleet as a reader sees it: what is stored, with what the hub heard since, chosen by a filter.
// Each reading of the store is of one moment; an answer may be put together of several, and then of as many
// moments: what is read host by host, a part at a time, or beside the list of hosts. A row that changes
// meanwhile is in such an answer as it was or as it is, and may be missing, or there twice, where it changes
// its place.
//
// Errors are the store's, and kInvalidArgument for a filter that makes no sense. Threads: any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/fleet.h"
#include "api/model/fleet_past.h"
#include "hub/ingest/host_book.h"
#include "hub/judge/fleet_agreement.h"
#include "hub/judge/rule_book.h"
#include "hub/store/fleet_store.h"
#include "hub/store/token_store.h"

namespace rdmaready::hub {

// All that is given must hold; of several values of one field any. Patterns are those of
// api/base/name_pattern.h.
struct FleetFilter {
  std::vector<std::string> hosts{};  // names or ids
  std::vector<std::string> groups{};
  std::vector<std::string> racks{};
  std::vector<HostCondition> conditions{};
  std::vector<std::string> checks{};
  std::vector<std::string> seen_groups{};  // patterns: what the caller may see at all
};

// A part of an answer, at most as long as was asked for; `next` is the place behind which more may follow. It
// may be short, or empty, and more follow all the same: of very many rows that the filter leaves out only so
// many are looked at in one go.
template <class Row, class Place>
struct FleetPart {
  std::vector<Row> rows{};
  std::optional<Place> next{};
};
using FindingsPart = FleetPart<FleetFinding, FindingPlace>;
using ChangesPart = FleetPart<FleetChange, ChangePlace>;
using DifferencesPart = FleetPart<FleetDifference, FindingPlace>;

// Of what live tests showed; patterns as in FleetFilter, and what is empty is all.
struct PastFilter {
  FleetFilter hosts{};
  std::vector<std::string> ports{};
  std::vector<std::string> cases{};
  std::vector<PastState> states{};
};

struct PastPart : FleetPart<FleetPastTest, PastPlace> {
  std::size_t of = 0;  // of the first part: how many there are in all
};

// A host is silent after so many periods without a report.
inline constexpr int kSilentAfterPeriods = 3;

class FleetView {
 public:
  using Rules = std::function<std::shared_ptr<const RuleBook>()>;
  // What is named outlives it.
  // `revoked`: when and why a host was; null: none ever is.
  using RevokedOf = std::function<std::optional<RevokedHost>(const std::string& host_id)>;
  FleetView(FleetStore& store, const HostBook& book, const FleetAgreement& agreement,
            std::chrono::seconds period, Rules rules, RevokedOf revoked = {})
      : store_(store),
        book_(book),
        agreement_(agreement),
        period_(period),
        rules_(std::move(rules)),
        revoked_(std::move(revoked)) {}

  std::chrono::seconds period() const { return period_; }
  // For how long hosts could be heard at all.
  std::chrono::nanoseconds listening_for() const { return book_.ListeningFor(); }

  // By name, then by id. With those that the inventory names and nothing was ever heard of, which have no id.
  absl::StatusOr<std::vector<FleetHost>> Hosts(const FleetFilter& filter, std::int64_t now_unix_ns) const;

  // Of which group a host is, as it was kept last; empty: of none, or not known.
  std::string GroupOf(const std::string& host_id) const;

  // The same, summed up; `most_odd` hosts that are not well are named.
  absl::StatusOr<FleetStatus> Status(const FleetFilter& filter, std::size_t most_odd,
                                     std::int64_t now_unix_ns) const;

  // What is usual in the groups of the hosts of the filter, for its checks; by group, profile and check.
  struct UsualValues {
    std::vector<UsualValue> values{};
    bool complete = false;  // all hosts that are known were counted
  };
  absl::StatusOr<UsualValues> Usual(const FleetFilter& filter, std::int64_t now_unix_ns) const;

  // The last live tests; what is slower than before first, then by host name, port, case and peer: those after
  // that place, never a part that is short. A host that was revoked has none.
  absl::StatusOr<PastPart> Past(const PastFilter& filter, const PastPlace& after, std::size_t most,
                                std::int64_t now_unix_ns) const;

  // Of the hosts of the filter, and of its checks; by host name, check, subject: those after that place.
  absl::StatusOr<FindingsPart> FindingsAfter(const FleetFilter& filter, const FindingPlace& after,
                                             std::size_t most, std::int64_t now_unix_ns) const;
  // All of them.
  absl::StatusOr<std::vector<FleetFinding>> Findings(const FleetFilter& filter, std::int64_t now_unix_ns) const;

  // Gives rows of one host their remedies: its kept facts are judged again, for one caller at a time. Rows of
  // several hosts get none, and neither does a host whose facts are not kept.
  absl::Status AddRemedies(std::vector<FleetFinding>& rows, std::int64_t now_unix_ns) const;

  // Those that happened, or happened again, since then, newest first.
  absl::StatusOr<ChangesPart> ChangesAfter(const FleetFilter& filter, std::int64_t since_unix_ns,
                                           const ChangePlace& after, std::size_t most,
                                           std::int64_t now_unix_ns) const;
  // All of them.
  absl::StatusOr<std::vector<FleetChange>> Changes(const FleetFilter& filter, std::int64_t since_unix_ns,
                                                   std::int64_t now_unix_ns) const;

  // What is otherwise now than it was `at`; by host name, check, subject.
  absl::StatusOr<DifferencesPart> DiffAfter(const FleetFilter& filter, std::int64_t at_unix_ns,
                                            const FindingPlace& after, std::size_t most,
                                            std::int64_t now_unix_ns) const;

 private:
  struct Chosen;
  absl::StatusOr<Chosen> ChosenBy(const FleetFilter& filter, std::int64_t now_unix_ns) const;
  std::string NameOf(const std::string& host_id) const;
  absl::StatusOr<std::vector<OddOnes>> OddOnesOf(const std::vector<FleetHost>& hosts,
                                                 std::int64_t now_unix_ns) const;

  FleetStore& store_;
  const HostBook& book_;
  const FleetAgreement& agreement_;
  const std::chrono::seconds period_;
  const Rules rules_;
  const RevokedOf revoked_;
  mutable std::mutex judging_{};  // held by the one that judges a host again
};

// Whether one of the patterns is for it; no patterns: all.
bool IsChosen(const std::vector<std::string>& patterns, std::string_view word);

}  // namespace rdmaready::hub
