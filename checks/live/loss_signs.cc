// SPDX-License-Identifier: Apache-2.0
#include "checks/live/loss_signs.h"

#include <array>

#include "checks/counted/error_counters.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

struct SignRow {
  std::string_view name;  // as the driver calls it: the table of error_counters.cc says who counts it
  LossSign sign;
};

constexpr auto kSigns = std::to_array<SignRow>({
    {"tx_roce_discards", LossSign::kDroppedBySender},
    {"tx_roce_errors", LossSign::kDroppedBySender},
    {"send_err", LossSign::kDroppedBySender},
    {"port_xmit_discards", LossSign::kDroppedBySender},
    {"rx_roce_discards", LossSign::kDroppedByReceiver},
    {"rx_roce_errors", LossSign::kDroppedByReceiver},
    {"rx_icrc_encapsulated", LossSign::kDamaged},
    {"port_rcv_errors", LossSign::kDamaged},
    {"local_link_integrity_errors", LossSign::kDamaged},
    {"out_of_buffer", LossSign::kNoBuffer},
    {"rx_out_of_buffer", LossSign::kNoBuffer},
    {"send_rnr_err", LossSign::kNoBuffer},
    {"rnr_nak_retry_err", LossSign::kRefusedNoBuffer},
    {"rnr_naks_rcvd", LossSign::kRefusedNoBuffer},
    {"rcvd_rnr_err", LossSign::kRefusedNoBuffer},
    {"out_of_sequence", LossSign::kMissedRequest},
    {"out_of_seq_request", LossSign::kMissedRequest},
    {"oos_drop_count", LossSign::kMissedRequest},
    {"packet_seq_err", LossSign::kRefusedRequest},
    {"seq_err_naks_rcvd", LossSign::kRefusedRequest},
    {"rcvd_seq_err", LossSign::kRefusedRequest},
    {"implied_nak_seq_err", LossSign::kMissedResponse},
    {"missing_resp", LossSign::kMissedResponse},
    {"np_ecn_marked_roce_packets", LossSign::kMarked},
    {"rx_ecn_marked_pkts", LossSign::kMarked},
    {"np_cnp_sent", LossSign::kNotified},
    {"tx_cnp_pkts", LossSign::kNotified},
    {"link_downed", LossSign::kLinkDown},
});

std::uint64_t GrownBy(const CounterChange& change) { return IsComparable(change) ? GrowthOf(change) : 0; }

}  // namespace

std::vector<std::string_view> CountersOfLoss() {
  std::vector<std::string_view> names;
  for (const SignRow& row : kSigns) names.push_back(row.name);
  return names;
}

bool Shows(std::string_view name, LossSign sign) {
  return std::ranges::any_of(kSigns, [&](const SignRow& row) { return row.name == name && row.sign == sign; });
}

bool IsComparable(const CounterChange& change) {
  using Kind = CounterChange::Kind;
  return change.kind == Kind::kUnchanged || change.kind == Kind::kGrew || change.kind == Kind::kWrapped ||
         change.kind == Kind::kSaturated;
}

void LossGrowth::Add(const CounterChange& change, const std::string& of) {
  const std::uint64_t by = GrownBy(change);
  if (by == 0) return;
  if (text.empty()) netdev = of;
  text += Cat(text.empty() ? "" : ", ", change.name, " +", by);
  total += by;
}

LossGrowth Joined(LossGrowth one, const LossGrowth& other) {
  if (!one.text.empty() && !other.text.empty()) one.text += ", ";
  if (one.text.empty()) one.netdev = other.netdev;
  one.text += other.text;
  one.total += other.total;
  return one;
}

LossGrowth Grown(const EndCounters& end, LossSign sign) {
  LossGrowth growth;
  if (!end.changes) return growth;
  for (const CounterChange& change : *end.changes)
    if (Shows(change.name, sign)) growth.Add(change);
  return growth;
}

LossGrowth Grown(const EndCounters& end, std::initializer_list<NicCounter> counters) {
  return GrownIf(end, counters, [](const NicChange&) { return true; });
}

}  // namespace rdmaready
