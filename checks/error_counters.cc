// SPDX-License-Identifier: Apache-2.0
#include "checks/error_counters.h"

#include <algorithm>

#include "checks/words.h"

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;

constexpr CounterFamily kHw = CounterFamily::kHardware;
constexpr CounterFamily kPma = CounterFamily::kPort;

// Names and their drivers as of Linux 6.12.
constexpr std::string_view kMlx5 = "drivers/infiniband/hw/mlx5/counters.c";
constexpr std::string_view kBnxt = "drivers/infiniband/hw/bnxt_re/hw_counters.c";
constexpr std::string_view kIrdma = "drivers/infiniband/hw/irdma/verbs.c";
constexpr std::string_view kCxgb4 = "drivers/infiniband/hw/cxgb4/provider.c";
constexpr std::string_view kRxe = "drivers/infiniband/sw/rxe/rxe_hw_counters.c";
constexpr std::string_view kSysfs = "drivers/infiniband/core/sysfs.c";  // of InfiniBand's PMA

constexpr ErrorCounter kTable[] = {
    // Sent again, or seen twice, because something was lost.
    {"out_of_sequence", kHw, true, kMlx5},
    {"packet_seq_err", kHw, true, kMlx5},
    {"implied_nak_seq_err", kHw, true, kMlx5},
    {"local_ack_timeout_err", kHw, true, kMlx5},
    {"roce_adp_retrans", kHw, true, kMlx5},
    {"roce_adp_retrans_to", kHw, true, kMlx5},
    {"duplicate_request", kHw, true, kMlx5},  // and rxe
    {"to_retransmits", kHw, true, kBnxt},
    {"seq_err_naks_rcvd", kHw, true, kBnxt},
    {"missing_resp", kHw, true, kBnxt},
    {"dup_req", kHw, true, kBnxt},
    {"oos_drop_count", kHw, true, kBnxt},
    {"out_of_seq_request", kHw, true, kRxe},
    {"rcvd_seq_err", kHw, true, kRxe},
    {"completer_retry_err", kHw, true, kRxe},
    {"tcpRetransSegs", kHw, false, kIrdma},
    {"ip4RetransSegs", kHw, false, kCxgb4},
    {"ip6RetransSegs", kHw, false, kCxgb4},
    // The receiver was not ready.
    {"rnr_nak_retry_err", kHw, true, kMlx5},
    {"out_of_buffer", kHw, true, kMlx5},
    {"rnr_naks_rcvd", kHw, true, kBnxt},
    {"rx_out_of_buffer", kHw, true, kBnxt},
    {"rcvd_rnr_err", kHw, true, kRxe},
    {"send_rnr_err", kHw, true, kRxe},
    // Retries were used up.
    {"req_transport_retries_exceeded", kHw, true, kMlx5},
    {"req_rnr_retries_exceeded", kHw, true, kMlx5},
    {"max_retry_exceeded", kHw, true, kBnxt},
    {"retry_exceeded_err", kHw, true, kRxe},
    {"retry_rnr_exceeded_err", kHw, true, kRxe},
    // Dropped or damaged.
    {"rx_icrc_encapsulated", kHw, true, kMlx5},
    {"rx_roce_discards", kHw, true, kBnxt},
    {"tx_roce_discards", kHw, true, kBnxt},
    {"rx_roce_errors", kHw, true, kBnxt},
    {"tx_roce_errors", kHw, true, kBnxt},
    {"unrecoverable_err", kHw, true, kBnxt},
    {"ip4InDiscards", kHw, true, kIrdma},
    {"ip6InDiscards", kHw, true, kIrdma},
    {"rxVlanErrors", kHw, true, kIrdma},
    {"tcpInProtoErrors", kHw, true, kIrdma},
    {"tcpInOptErrors", kHw, true, kIrdma},
    {"send_err", kHw, true, kRxe},
    // Congestion: notifications that were not acted on warn.
    {"rp_cnp_ignored", kHw, true, kMlx5},
    {"rp_cnp_handled", kHw, false, kMlx5},
    {"np_cnp_sent", kHw, false, kMlx5},
    {"np_ecn_marked_roce_packets", kHw, false, kMlx5},
    {"rx_cnp_pkts", kHw, false, kBnxt},
    {"tx_cnp_pkts", kHw, false, kBnxt},
    {"rx_ecn_marked_pkts", kHw, false, kBnxt},
    {"cnpIgnored", kHw, true, kIrdma},
    {"cnpHandled", kHw, false, kIrdma},
    {"cnpSent", kHw, false, kIrdma},
    {"RxECNMrkd", kHw, false, kIrdma},
    // The link itself.
    {"link_downed", kHw, true, kRxe},
    {"symbol_error", kPma, true, kSysfs},
    {"link_error_recovery", kPma, true, kSysfs},
    {"link_downed", kPma, true, kSysfs},
    {"port_rcv_errors", kPma, true, kSysfs},
    {"port_rcv_remote_physical_errors", kPma, true, kSysfs},
    {"port_xmit_discards", kPma, true, kSysfs},
    {"local_link_integrity_errors", kPma, true, kSysfs},
    {"excessive_buffer_overrun_errors", kPma, true, kSysfs},
    {"VL15_dropped", kPma, true, kSysfs},
};

bool Grew(const CounterChange& change) {
  switch (change.kind) {
    case Kind::kGrew:
    case Kind::kWrapped:
    case Kind::kSaturated:
      return change.by > 0;
    case Kind::kUnknown:
    case Kind::kUnchanged:
    case Kind::kReset:
    case Kind::kAppeared:
    case Kind::kGone:
      return false;
  }
  return false;
}

// Which family a change is of is not kept: a name warns in all of them or in none.
bool Warns(std::string_view name) {
  const auto* const row = std::ranges::find(kTable, name, &ErrorCounter::name);
  return row != std::end(kTable) && row->warns;
}

std::string Listed(std::string_view list, std::string_view item) {
  return Cat(list, list.empty() ? "" : ", ", item);
}

std::string Joined(std::string_view sentence, std::string_view next) {
  return Cat(sentence, sentence.empty() || next.empty() ? "" : "; ", next);
}

std::string EndText(const EndCounters& end) {
  if (!end.changes) return {};
  std::string grown;
  std::string reset;
  for (const CounterChange& change : *end.changes) {
    if (Grew(change)) {
      grown =
          Listed(grown, Cat(change.name, " +", change.by, change.kind == Kind::kSaturated ? " or more" : ""));
    }
    if (change.kind == Kind::kReset) reset = Listed(reset, change.name);
  }
  const std::string where = Cat(" on ", end.host, end.host.empty() ? "" : " ", end.port);
  if (!grown.empty()) grown += where;
  if (!reset.empty()) reset += where + " reset meanwhile: not comparable";
  return Joined(grown, reset);
}

}  // namespace

std::span<const ErrorCounter> AllErrorCounters() { return kTable; }

std::vector<CounterChange> ErrorChanges(const std::vector<Counter>& before, const std::vector<Counter>& after,
                                        CounterFamily family) {
  std::vector<CounterChange> changes = Differences(before, after, family);
  std::erase_if(changes, [&](const CounterChange& change) {
    return std::ranges::none_of(
        kTable, [&](const ErrorCounter& row) { return row.name == change.name && row.family == family; });
  });
  return changes;
}

std::string GrowthText(std::span<const EndCounters> ends) {
  std::string text;
  for (const EndCounters& end : ends) text = Joined(text, EndText(end));
  return Printable(text);
}

bool GrewWorryingly(std::span<const EndCounters> ends) {
  return std::ranges::any_of(ends, [](const EndCounters& end) {
    return end.changes && std::ranges::any_of(*end.changes, [](const CounterChange& change) {
             return Grew(change) && Warns(change.name);
           });
  });
}

}  // namespace rdmaready
