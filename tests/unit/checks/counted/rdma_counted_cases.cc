// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {
namespace {

Facts WithoutHwCounters() {
  return Watched([](Port& port, Netdev&, EarlierReading&, NetdevReading&) { port.hw_counters = kUnsupported; });
}

std::vector<CheckCase> RdmaCountedLossesRows() {
  const auto timeouts = [](std::uint64_t by) { return Counting({{"local_ack_timeout_err", 5, 5 + by}}); };
  const auto gaps = [](std::uint64_t by) { return Counting({{"packet_seq_err", 5, 5 + by}, {"other", 1, 9}}); };
  const Facts wrapped = Counting({{"out_of_sequence", 4'294'967'290, 4}});
  const Facts reset = Counting({{"out_of_sequence", 900, 4}});
  const Facts brief = Watched([](Port& port, Netdev&, EarlierReading& earlier, NetdevReading&) {
    port.hw_counters = earlier.hw_counters = std::vector<Counter>{{"packet_seq_err", 5}};
    port.hw_counters_lifespan_ms = kWindowMs + 1;
  });
  return {Passes("cnt.rdma-retrans", "none", timeouts(0), "no growth in 10 s"),
          Fails("cnt.rdma-retrans", "some", timeouts(3), "local_ack_timeout_err +3 in 10 s",
                {.fix = "rdma statistic show link rxe0/1"}),
          IsUnknown("cnt.rdma-retrans", "denied", EarlierDenied(timeouts(3)), "not permitted"),
          DoesNotApply("cnt.rdma-retrans", "not counted", gaps(3), "does not count"),
          DoesNotApply("cnt.rdma-retrans", "no counters", WithoutHwCounters(), "not offered"),
          DoesNotApply("cnt.rdma-retrans", "not watched", GoodHost(), "not watched (--watch SECONDS)"),
          Passes("cnt.sequence", "none", gaps(0), "no growth"),
          Fails("cnt.sequence", "some", gaps(7), "packet_seq_err +7 in 10 s"),
          Fails("cnt.sequence", "wrapped", wrapped, "out_of_sequence +10"),
          Fails("cnt.sequence", "reset in the watch", reset, "out_of_sequence +4 since it was reset in 10 s"),
          IsUnknown("cnt.sequence", "denied", EarlierDenied(gaps(7)), "not permitted"),
          IsUnknown("cnt.sequence", "within a lifespan", brief, "shorter than the driver keeps")};
}

std::vector<CheckCase> RdmaCountedSoftwareRows() {
  const auto rnr = [](std::uint64_t naks, std::uint64_t exceeded) {
    return Counting({{"rnr_nak_retry_err", 1, 1 + naks}, {"req_rnr_retries_exceeded", 0, exceeded}});
  };
  const auto one = [](const char* name, std::uint64_t by) { return Counting({{name, 2, 2 + by}}); };
  const auto cqe = [](std::uint64_t errors, std::uint64_t flushed) {
    return Counting({{"req_cqe_error", 3, 3 + errors}, {"req_cqe_flush_error", 2, 2 + flushed}});
  };
  return {
      Passes("cnt.cm-retries", "none", one("cm_tx_retries/req", 0), "no growth"),
      Fails("cnt.cm-retries", "two", one("cm_tx_retries/req", 2), "cm_tx_retries/req +2 in 10 s",
            {.fix = "grep -r . /sys/class/infiniband/rxe0/ports/1/cm_tx_retries"}),
      IsUnknown("cnt.cm-retries", "denied", EarlierDenied(one("cm_tx_retries/req", 2)), "not permitted"),
      DoesNotApply("cnt.cm-retries", "not counted", one("packet_seq_err", 2), "does not count"),
      Passes("cnt.cqe", "none", cqe(0, 0), "no growth in 10 s"),
      Passes("cnt.cqe", "of a teardown", cqe(5, 5), "req_cqe_error +5 in 10 s, 5 of them as a queue pair"),
      Fails("cnt.cqe", "more than that", cqe(6, 5), "req_cqe_error +6",
            {.fix = "rdma statistic show link rxe0/1"}),
      IsUnknown("cnt.cqe", "denied", EarlierDenied(cqe(6, 5)), "not permitted"),
      DoesNotApply("cnt.cqe", "not counted", rnr(1, 0), "does not count"),
      DoesNotApply("cnt.cqe", "no counters", WithoutHwCounters(), "not offered"),
      Passes("cnt.rnr", "none", rnr(0, 0), "no growth"),
      Warns("cnt.rnr", "some", rnr(4, 0), "rnr_nak_retry_err +4"),
      Fails("cnt.rnr", "for good", rnr(4, 1), "req_rnr_retries_exceeded +1"),
      IsUnknown("cnt.rnr", "denied", EarlierDenied(rnr(4, 1)), "not permitted"),
      Passes("cnt.retry-exceeded", "none", one("retry_exceeded_err", 0), "no growth"),
      Fails("cnt.retry-exceeded", "one", one("retry_exceeded_err", 1), "retry_exceeded_err +1"),
      IsUnknown("cnt.retry-exceeded", "denied", EarlierDenied(one("retry_exceeded_err", 1)), "not permitted"),
      Passes("cnt.remote-access", "none", one("remote_access_err", 0), "no growth"),
      Fails("cnt.remote-access", "one", one("resp_remote_access_errors", 1), "resp_remote_access_errors +1"),
      IsUnknown("cnt.remote-access", "denied", EarlierDenied(one("remote_access_err", 1)), "not permitted"),
      Passes("cnt.icrc", "none", one("rx_icrc_encapsulated", 0), "no growth"),
      Fails("cnt.icrc", "one", one("rx_icrc_encapsulated", 1), "rx_icrc_encapsulated +1"),
      IsUnknown("cnt.icrc", "denied", EarlierDenied(one("rx_icrc_encapsulated", 1)), "not permitted"),
      DoesNotApply("cnt.icrc", "not counted", one("packet_seq_err", 1), "does not count")};
}

std::vector<CheckCase> RdmaCountedLoopRows() {
  const auto tcp = [](std::uint64_t again) {
    return Counting({{"ip4OutSegs", 0, 100'000}, {"ip4RetransSegs", 0, again}}, Transport::kIwarp);
  };
  return {Passes("iw.retrans", "few", tcp(100), "100 of 100000 segments sent again"),
          Warns("iw.retrans", "some", tcp(101), "0.10%"),
          Fails("iw.retrans", "many", tcp(2500), "in 10 s, 2.50%"),
          IsUnknown("iw.retrans", "denied", EarlierDenied(tcp(2500)), "not permitted"),
          DoesNotApply("iw.retrans", "RoCE", Counting({{"tcpRetransSegs", 0, 9}}), "not iWARP")};
}

}  // namespace

std::vector<CheckCase> RdmaCountedCases() {
  return Joined({RdmaCountedLossesRows(), RdmaCountedSoftwareRows(), RdmaCountedLoopRows()});
}

}  // namespace rdmaready
