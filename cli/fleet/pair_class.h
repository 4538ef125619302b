// SPDX-License-Identifier: Apache-2.0
// The verdicts of one job that was tried over several kinds of connection: one for each case, and one for the
// class. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/cases.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/live/transfer.h"
#include "cli/fleet/pair_engine.h"

namespace rdmaready {

// A finding over one kind of connection.
struct KindFinding {
  ConnectionKind connection = ConnectionKind::kRdmaCm;
  Finding finding{};
  // On which the ends agreed: "::ffff:10.0.0.1 with ::ffff:10.0.0.2"; empty where no transfer was made.
  std::string gids{};
};

// The GIDs of a transfer, as in KindFinding.
std::string GidsOf(const TransferResult& result);

// The findings of one id: the worst, which says of each kind what was observed, with the shares of all of them.
// Plain verbs connections are shown with their GIDs. `findings` is not empty; one alone that is of RDMA-CM
// stays as it is.
Finding OfAllKinds(std::span<const KindFinding> findings);

// The class proof of a job: for each kind of connection that of the transfer that shows most. Where several
// show the same, the one with the most packets in its smallest counter is kept.
class PairClass {
 public:
  // `kinds` are those that are tried. Both references outlive it.
  PairClass(const TransferPlace& place, const Profile& profile, std::span<const ConnectionKind> kinds);

  // Judges a transfer of plain RDMA, where it shows the class.
  void Add(const TransferCase& test, ConnectionKind connection, const CaseOutcome& outcome);
  // Unknown for a kind over which no transfer showed the class, and hidden by `obstacle` where there is one.
  Finding Finish(const std::optional<Finding>& obstacle) const;

 private:
  struct Best {
    KindFinding of_kind{};
    bool made = false;          // some transfer showed the class
    std::uint64_t packets = 0;  // of the counter that saw the fewest
  };

  const TransferPlace& place_;
  const Profile& profile_;
  std::vector<Best> best_{};
};

}  // namespace rdmaready
