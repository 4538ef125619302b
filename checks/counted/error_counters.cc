// SPDX-License-Identifier: Apache-2.0
#include "checks/counted/error_counters.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;
using Topic = ErrorTopic;

constexpr CounterFamily kHw = CounterFamily::kHardware;
constexpr CounterFamily kPma = CounterFamily::kPort;

// Names and their drivers as of Linux 6.12.
constexpr std::string_view kMlx5 = "drivers/infiniband/hw/mlx5/counters.c";
constexpr std::string_view kBnxt = "drivers/infiniband/hw/bnxt_re/hw_counters.c";
constexpr std::string_view kIrdma = "drivers/infiniband/hw/irdma/verbs.c";
constexpr std::string_view kCxgb4 = "drivers/infiniband/hw/cxgb4/provider.c";
constexpr std::string_view kRxe = "drivers/infiniband/sw/rxe/rxe_hw_counters.c";
constexpr std::string_view kSysfsPma = "drivers/infiniband/core/sysfs.c";  // of InfiniBand's PMA

constexpr ErrorCounter kTable[] = {
    // Sent again, or seen twice, because something was lost.
    {"out_of_sequence", Topic::kSequence, kHw, true, kMlx5},
    {"packet_seq_err", Topic::kSequence, kHw, true, kMlx5},
    {"implied_nak_seq_err", Topic::kSequence, kHw, true, kMlx5},
    {"local_ack_timeout_err", Topic::kRetransmission, kHw, true, kMlx5},
    {"roce_adp_retrans", Topic::kRetransmission, kHw, true, kMlx5},
    {"roce_adp_retrans_to", Topic::kRetransmission, kHw, true, kMlx5},
    {"duplicate_request", Topic::kRetransmission, kHw, true, kMlx5},  // and rxe
    {"to_retransmits", Topic::kRetransmission, kHw, true, kBnxt},
    {"seq_err_naks_rcvd", Topic::kSequence, kHw, true, kBnxt},
    {"missing_resp", Topic::kSequence, kHw, true, kBnxt},
    {"dup_req", Topic::kRetransmission, kHw, true, kBnxt},
    {"oos_drop_count", Topic::kSequence, kHw, true, kBnxt},
    {"out_of_seq_request", Topic::kSequence, kHw, true, kRxe},
    {"rcvd_seq_err", Topic::kSequence, kHw, true, kRxe},
    {"completer_retry_err", Topic::kRetransmission, kHw, true, kRxe},
    {"tcpRetransSegs", Topic::kTcpRetransmission, kHw, false, kIrdma},
    {"ip4RetransSegs", Topic::kTcpRetransmission, kHw, false, kCxgb4},
    {"ip6RetransSegs", Topic::kTcpRetransmission, kHw, false, kCxgb4},
    // The receiver was not ready.
    {"rnr_nak_retry_err", Topic::kReceiverNotReady, kHw, true, kMlx5},
    {"out_of_buffer", Topic::kReceiverNotReady, kHw, true, kMlx5},
    {"rnr_naks_rcvd", Topic::kReceiverNotReady, kHw, true, kBnxt},
    {"rx_out_of_buffer", Topic::kReceiverNotReady, kHw, true, kBnxt},
    {"rcvd_rnr_err", Topic::kReceiverNotReady, kHw, true, kRxe},
    {"send_rnr_err", Topic::kReceiverNotReady, kHw, true, kRxe},
    // Retries were used up.
    {"req_transport_retries_exceeded", Topic::kRetriesUsedUp, kHw, true, kMlx5},
    {"req_rnr_retries_exceeded", Topic::kReceiverNeverReady, kHw, true, kMlx5},
    {"max_retry_exceeded", Topic::kRetriesUsedUp, kHw, true, kBnxt},
    {"retry_exceeded_err", Topic::kRetriesUsedUp, kHw, true, kRxe},
    {"retry_rnr_exceeded_err", Topic::kReceiverNeverReady, kHw, true, kRxe},
    // A wrong key, or a right that was not given.
    {"req_remote_access_errors", Topic::kRemoteAccess, kHw, true, kMlx5},
    {"resp_remote_access_errors", Topic::kRemoteAccess, kHw, true, kMlx5},
    {"remote_access_err", Topic::kRemoteAccess, kHw, true, kBnxt},
    // Dropped or damaged.
    {"rx_icrc_encapsulated", Topic::kDamaged, kHw, true, kMlx5},
    {"rx_roce_discards", Topic::kDropped, kHw, true, kBnxt},
    {"tx_roce_discards", Topic::kDropped, kHw, true, kBnxt},
    {"rx_roce_errors", Topic::kDropped, kHw, true, kBnxt},
    {"tx_roce_errors", Topic::kDropped, kHw, true, kBnxt},
    {"unrecoverable_err", Topic::kDropped, kHw, true, kBnxt},
    {"ip4InDiscards", Topic::kDropped, kHw, true, kIrdma},
    {"ip6InDiscards", Topic::kDropped, kHw, true, kIrdma},
    {"rxVlanErrors", Topic::kDropped, kHw, true, kIrdma},
    {"tcpInProtoErrors", Topic::kDropped, kHw, true, kIrdma},
    {"tcpInOptErrors", Topic::kDropped, kHw, true, kIrdma},
    {"send_err", Topic::kDropped, kHw, true, kRxe},
    // Congestion: notifications that were not acted on warn.
    {"rp_cnp_ignored", Topic::kCnpIgnored, kHw, true, kMlx5},
    {"rp_cnp_handled", Topic::kCnpHandled, kHw, false, kMlx5},
    {"np_cnp_sent", Topic::kCnpSent, kHw, false, kMlx5},
    {"np_ecn_marked_roce_packets", Topic::kEcnMarked, kHw, false, kMlx5},
    {"rx_cnp_pkts", Topic::kCnpHandled, kHw, false, kBnxt},
    {"tx_cnp_pkts", Topic::kCnpSent, kHw, false, kBnxt},
    {"rx_ecn_marked_pkts", Topic::kEcnMarked, kHw, false, kBnxt},
    {"cnpIgnored", Topic::kCnpIgnored, kHw, true, kIrdma},
    {"cnpHandled", Topic::kCnpHandled, kHw, false, kIrdma},
    {"cnpSent", Topic::kCnpSent, kHw, false, kIrdma},
    {"RxECNMrkd", Topic::kEcnMarked, kHw, false, kIrdma},
    // The link itself.
    {"link_downed", Topic::kLink, kHw, true, kRxe},
    {"symbol_error", Topic::kLink, kPma, true, kSysfsPma},
    {"link_error_recovery", Topic::kLink, kPma, true, kSysfsPma},
    {"link_downed", Topic::kLink, kPma, true, kSysfsPma},
    {"port_rcv_errors", Topic::kLink, kPma, true, kSysfsPma},
    {"port_rcv_remote_physical_errors", Topic::kLink, kPma, true, kSysfsPma},
    {"port_xmit_discards", Topic::kLink, kPma, true, kSysfsPma},
    {"local_link_integrity_errors", Topic::kLink, kPma, true, kSysfsPma},
    {"excessive_buffer_overrun_errors", Topic::kLink, kPma, true, kSysfsPma},
    {"VL15_dropped", Topic::kLink, kPma, true, kSysfsPma},
};

// The growth before a reset is not known, so the growth after it does not count either.
bool Grew(const CounterChange& change) { return change.kind != Kind::kReset && GrowthOf(change) > 0; }

// Which family a change is of is not kept: a name warns in all of them or in none.
bool Warns(std::string_view name) {
  const auto* const row = std::ranges::find(kTable, name, &ErrorCounter::name);
  return row != std::end(kTable) && row->warns;
}

bool IsAboutAny(std::string_view name, std::initializer_list<Topic> topics) {
  return std::ranges::any_of(topics, [name](Topic topic) { return IsAbout(name, kHw, topic); });
}

bool TellsOfLoss(std::string_view name) {
  return IsAboutAny(name, {Topic::kSequence, Topic::kRetransmission, Topic::kRetriesUsedUp});
}

bool ProvesLoss(std::string_view name) {
  return IsAboutAny(name, {Topic::kSequence, Topic::kDropped, Topic::kRetriesUsedUp});
}

bool TellsOfRetries(std::string_view name) {
  return TellsOfLoss(name) || IsAboutAny(name, {Topic::kReceiverNotReady, Topic::kReceiverNeverReady});
}

bool AnyGrew(std::span<const EndCounters> ends, bool (*counts)(std::string_view)) {
  return std::ranges::any_of(ends, [counts](const EndCounters& end) {
    return end.changes && std::ranges::any_of(*end.changes, [counts](const CounterChange& change) {
             return Grew(change) && counts(change.name);
           });
  });
}

std::string ListedRow(std::string_view list, std::string_view item) {
  return Cat(list, list.empty() ? "" : ", ", item);
}

std::string Joined(std::string_view sentence, std::string_view next) {
  return Cat(sentence, sentence.empty() || next.empty() ? "" : "; ", next);
}

// The lists of what grew and what was reset, in one place.
class GrownRows {
 public:
  void Add(const CounterChange& change) {
    if (++rows_ > kMostRows) return;  // an agent may send as many as it likes
    if (Grew(change)) {
      const std::string_view more = change.kind == Kind::kSaturated ? " or more" : "";
      grown_ = ListedRow(grown_, Cat(change.name, " +", change.by, more));
    }
    if (change.kind != Kind::kReset) return;
    several_reset_ = !reset_.empty();
    reset_ = ListedRow(reset_, change.name);
  }
  std::string Text(std::string_view host, std::string_view place) const {
    const std::string where = Cat(" on ", host, host.empty() ? "" : " ", place);
    return Joined(grown_.empty() ? "" : grown_ + where, reset_.empty() ? "" : ResetText(where));
  }

 private:
  static constexpr std::size_t kMostRows = 256;

  std::string ResetText(std::string_view where) const {
    if (several_reset_)
      return Cat("counters ", reset_, where,
                 " were reset during the test: their growth is not known, and the result leaves them out");
    return Cat("counter ", reset_, where,
               " was reset during the test: its growth is not known, and the result leaves it out");
  }

  std::string grown_{};
  std::string reset_{};
  bool several_reset_ = false;
  std::size_t rows_ = 0;
};

std::string EndText(const EndCounters& end) {
  GrownRows of_port;
  if (end.changes)
    for (const CounterChange& change : *end.changes) of_port.Add(change);
  std::string text = of_port.Text(end.host, end.port);
  if (!end.nic) return text;
  constexpr std::size_t kMostNics = 16;
  std::map<std::string, GrownRows> of_nics;
  for (const NicChange& one : *end.nic)
    if (of_nics.size() < kMostNics || of_nics.contains(one.netdev)) of_nics[one.netdev].Add(one.change);
  for (const auto& [netdev, rows] : of_nics) text = Joined(text, rows.Text(end.host, netdev));
  return text;
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

bool IsAbout(std::string_view name, CounterFamily family, ErrorTopic topic) {
  return std::ranges::any_of(kTable, [&](const ErrorCounter& row) {
    return row.name == name && row.family == family && row.topic == topic;
  });
}

std::uint64_t GrowthOf(const CounterChange& change) {
  switch (change.kind) {
    case Kind::kGrew:
    case Kind::kWrapped:
    case Kind::kSaturated:
    case Kind::kReset:
      return change.by;
    case Kind::kUnknown:
    case Kind::kUnchanged:
    case Kind::kAppeared:
    case Kind::kGone:
      return 0;
  }
  return 0;
}

std::string GrowthText(std::span<const EndCounters> ends) {
  std::string text;
  for (const EndCounters& end : ends) text = Joined(text, EndText(end));
  return Printable(text);
}

bool GrewWorryingly(std::span<const EndCounters> ends) { return AnyGrew(ends, Warns); }

bool ShowRetries(std::span<const EndCounters> ends) { return AnyGrew(ends, TellsOfRetries); }

bool ShowMissing(std::span<const EndCounters> ends) { return AnyGrew(ends, ProvesLoss); }

bool ShowLoss(std::span<const EndCounters> ends) { return AnyGrew(ends, TellsOfLoss); }

}  // namespace rdmaready
