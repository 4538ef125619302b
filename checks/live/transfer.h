// SPDX-License-Identifier: Apache-2.0
// Transfer checks: whether the numbers of a live test are good enough. Ids are
// "<rung>.<case>": "peer.write-512k".
//
// Judged is whether every byte arrived as it was sent, and that something arrived at all. Speed is shown, and
// that of a test in production never counts. Else it is
// judged where the profile names one for RDMA itself between two hosts (512 KiB writes and reads, 1 KiB
// messages); that of a software device never counts. Without such a demand a rate that is a small share of the
// link's, and 100 ms in which nothing moved, are a warning.
// Error counters of hardware that grew during the test are a warning. Where both ends report them, the finding
// names the first hop that lost something, and the setting that lets it (checks/live/first_loss.h). Loss under
// a profile that wants none is a failure while the port carried nothing else. Above a tenth of foreign traffic
// it is unknown: that traffic may have lost it. A software device loses and repeats when its host is busy: a
// packet that it sent again, missed or did not receive in time is a warning and never more. Its other counters
// are shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/cases.h"
#include "api/model/facts.h"
#include "api/model/report.h"
#include "checks/blocking.h"
#include "checks/words/fix.h"

namespace rdmaready {

// The repair of peer.outlier at that host; empty: of any.
Fix OutlierFix(const std::string& host);

// What `explain` shows of a live test.
struct TransferCheck {
  std::string id{};              // "loopback.send-1k"
  std::string_view case_name{};  // "send-1k"; empty for the first four of AllTransferChecks()
  Rung rung = Rung::kLoopback;
  std::string title{};
  std::string_view why{};
  Fix fix{};
  const Demand* blocks_for = &kDemandsRdma;  // null: never
};

// In a mesh of hosts: checks/fleet/outlier_ports.h.
inline constexpr std::string_view kOutlierId = "peer.outlier";

// "peer.path" (the two hosts have ports that can be tested with each other), tx.effective-class
// (checks/live/effective_class.h), peer.outlier, cmp.own-past (checks/live/own_past.h), then every case on its
// rungs.
const std::vector<TransferCheck>& AllTransferChecks();

// Null when there is none of that id.
const TransferCheck* FindTransferCheck(std::string_view id);

// "loopback.send-1k"
std::string TransferId(Rung rung, std::string_view case_name);

// A test on such a rung is between two hosts.
constexpr bool IsPairRung(Rung rung) { return rung == Rung::kPeer || rung == Rung::kSmbDirect; }

// Where a test ran. What is empty is left out of the hints.
struct TransferPlace {
  Rung rung = Rung::kLoopback;
  std::string subject{};                         // "rxe0/1 dcb0", or "rxe0/1 -> rxe0/1"
  bool software = false;                         // either end is a software device
  bool lossless = false;                         // the profile asks for a path that loses nothing
  std::optional<std::uint32_t> rdma_priority{};  // that the profile gives to RDMA
  bool routed = false;  // the ends have no subnet in common: a router is between them, or nothing
  // Of RDMA itself between two hosts; absent: not asked.
  std::optional<std::uint32_t> min_throughput_mbps{};
  std::optional<std::uint32_t> min_worst_mbps{};
  std::optional<std::uint32_t> max_latency_us{};
  std::optional<std::uint32_t> link_mbps{};  // of the slower of the two ports
  std::string netdev{};                      // of the initiator
  std::string ethernet{};                    // the Ethernet port under it, where its packets are counted
  std::string peer_ethernet{};               // and that of the responder
  std::string peer_address{};                // the responder's RDMA address
  std::string peer_host{};                   // the responder's host, as the caller names it
  std::string host{};                        // and the initiator's
};

// The host's RDMA devices, of which there are some, are software: speed says nothing.
bool AllSoftware(const Facts& host);

// Pass with the figures; fail for any failure, a wrong or unverified byte, no message at all, or a speed that
// `place` does not allow. A test that was cancelled, or of which nobody tells whether it failed, shows
// nothing either way: unknown. `counters` are those of the ends
// that told them; what is not known of them changes nothing.
Finding JudgeTransfer(const TransferResult& result, const TransferPlace& place,
                      std::span<const EndCounters> counters = {});

// A test that was not made (the port is busy, the time was up): unknown, and blocking, so never ready.
Finding NotTested(std::string_view case_name, const TransferPlace& place, std::string_view reason);

// A test that a device of the pair cannot make, and that weighs nothing: not applicable. `reason`
// is LackFor()'s.
Finding NotPossible(std::string_view case_name, const TransferPlace& place, std::string_view reason);

// What the RDMA device of that name must have for the case and has not: "a has no ..." without the host. Empty
// when it lacks nothing, or when nobody could tell.
std::string LackFor(std::string_view case_name, const Facts& host, std::string_view device);

// peer.path: there is no pair to test. `reason` is Pairing::reason.
Finding NoPath(const TransferPlace& place, std::string_view reason);

// The failing finding of the host that makes a live test of this port pointless (no device, no interface, link
// down, no GID); null when the test is worth making. `port_subject` is the subject of the host's own findings:
// "rxe0/1 dcb0".
const Finding* ObstacleTo(std::span<const Finding> host_findings, std::string_view port_subject);

// No connection came about, for a reason that the next case between the same ports meets too. False where the
// case asks more of a device than the others do.
bool CannotConnect(const Failure& failure, std::string_view case_name);

// The failing finding that says why memory could not be registered; null where that is not what failed.
const Finding* MemoryCauseOf(const Failure& failure, std::span<const Finding> host_findings);

// A live finding (a failed one, or one of NotTested or NoPath) hidden behind the host's finding that explains
// it. `host` is named when it is not the host of the report.
Finding Explained(Finding live, const Finding& by, std::string_view host = {});

}  // namespace rdmaready
