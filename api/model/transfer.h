// SPDX-License-Identifier: Apache-2.0
// Transfer: how a live test is run and what it measured (numbers only). Which tests there are stands in
// api/model/cases.h. Whether the numbers are good enough checks say (checks/live/transfer.h), not the engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/model/counter_change.h"
#include "api/model/numbered.h"

namespace rdmaready {

// A test in production puts at most this share of the port's rate on the wire in each direction, headers
// included.
inline constexpr std::uint32_t kInProductionPercent = 5;

enum class Operation { kUnknown, kSend, kWrite, kRead };

// How the two queue pairs of a transfer come to know each other.
enum class ConnectionKind {
  kUnknown,  // in options: by RDMA-CM
  kRdmaCm,   // the RDMA connection manager
  kVerbs,    // each end moves its queue pair itself, by what the other end reports over the control channel
};

// How a case is run where the caller wants it otherwise than the row says. Both ends must be told the same.
struct TransferOptions {
  bool busy_poll = false;      // spin on completions instead of sleeping
  bool verify = true;          // compare every byte; off: raw speed
  bool bidirectional = false;  // both directions at the same time
  std::uint32_t qps = 1;       // queue pairs in each direction, each with a thread of its own
  // Zero: as the case says.
  std::uint32_t depth = 0;  // messages in flight on each queue pair
  std::chrono::milliseconds duration{};
  std::uint64_t max_bytes = 0;  // on each queue pair: the measured part ends there even before its time

  std::optional<std::uint8_t> tos{};  // marks the traffic, whatever the agent's profile says
  bool system_tos = false;            // leaves the mark to RDMA-CM's configuration, whatever the profile says
  ConnectionKind connection = ConnectionKind::kUnknown;

  // A part of a stress test: transfers of one run share a port, and each end samples what holds it back. Needs
  // the role stress, and an agent that allows it.
  bool stress = false;
  std::optional<std::uint32_t> stress_priority{};  // whose pauses and drops are sampled; absent: of all
  std::uint64_t max_bytes_per_s = 0;               // on the wire, in each direction; 0: as much as goes
  std::uint32_t interval_ms = 0;  // of TransferResult::interval_bytes: 10, 20, 50 or 100; 0: 100

  // Over TCP between the addresses of the two RDMA ports, for what RDMA is compared with.
  bool over_tcp = false;

  // Each end says how busy its host's CPUs are, and waits before the test for as long as the test lasts.
  bool measure_cpu = false;

  // Writes with numbers that all such tests of the run share (api/model/numbered.h). The duration is that of
  // the run, from its first write.
  bool numbered = false;
  std::uint32_t path_timeout_ms =
      0;  // of numbered writes: a path that answers nothing for so long is lost; 0: 500
  // A packet of a queue pair is sent again after 4.096 us * 2^ack_timeout, so often. Absent: as in every test.
  std::optional<std::uint32_t> ack_timeout{};
  std::optional<std::uint32_t> retries{};

  // At most kInProductionPercent of the port's rate; where the agent allows it, also on a port that others use.
  bool in_production = false;

  bool operator==(const TransferOptions&) const = default;
};

// What the traffic of a transfer was marked with.
struct Marking {
  std::optional<std::uint8_t> tos{};  // that rdmaready asked for; absent: left to RDMA-CM's configuration
  // As the initiator's queue pair has them; absent where there is no such thing (iWARP) or it is not told.
  std::optional<std::uint8_t> traffic_class{};
  std::optional<std::uint8_t> service_level{};

  bool operator==(const Marking&) const = default;
};

// Why a transfer did not come to its end. Told apart, because the remedy differs.
enum class FailureKind {
  kUnknown,  // of a peer or a store that does not say whether it failed
  kNone,
  kSetup,         // no device, address, memory or queue pair
  kRejected,      // the peer's connection manager said no, or the nonce was wrong
  kUnreachable,   // the address or route did not resolve, or nobody answered
  kCompletion,    // a work request ended in error: see `completion_status`
  kDisconnected,  // the peer's side of the connection went away
  kPeerGone,      // the control channel broke, or the peer's agent gave up
  kStalled,       // work requests were posted and did not complete in time
  kLost,          // completed at the sender, never arrived at the receiver
  kCorrupt,       // arrived with other bytes than were sent
  kCancelled,     // the caller gave up
};

// A failure that nobody set is none: what runs a transfer notes the first one. What comes from elsewhere and
// does not say so is kUnknown (api/convert/records.h).
struct Failure {
  FailureKind kind = FailureKind::kNone;
  std::string detail{};  // "RDMA write: transport retry counter exceeded (message 17 of 32 in flight)"

  bool operator==(const Failure&) const = default;
  void Fields(auto& list) const { list("kind", kind, "detail", detail); }
};

struct LatencySummary {
  std::int64_t p50_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t p999_ns = 0;
  std::int64_t max_ns = 0;

  bool operator==(const LatencySummary&) const = default;
  void Fields(auto& list) const {
    list("p50_ns", p50_ns, "p99_ns", p99_ns, "p999_ns", p999_ns, "max_ns", max_ns);
  }
};

// TransferResult::transport of TransferOptions::over_tcp. The result does not count as one of RDMA.
inline constexpr std::string_view kTcpTransport = "tcp";

// One end's view, or both merged (the initiator merges what the responder tells it).
struct TransferResult {
  std::string case_name{};
  Operation operation = Operation::kUnknown;
  std::uint32_t message_bytes = 0;

  std::string local_gid{};  // of the initiator; empty until connected
  std::string remote_gid{};
  std::string transport{};  // "roce-v2", "iwarp", "infiniband", "memory", kTcpTransport
  Marking marking{};
  std::optional<ConnectionKind> connection{};  // as it was tried; absent: an older agent, by RDMA-CM

  std::uint32_t depth = 0;  // messages in flight on each queue pair; 0: not told (an older agent)
  std::uint32_t qps = 1;
  bool busy_poll = false;
  bool unverified = false;     // nobody looked at the bytes
  bool bidirectional = false;  // another transfer ran the other way at the same time

  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_verified = 0;
  std::uint64_t bytes_wrong = 0;
  std::optional<std::uint64_t>
      first_wrong_offset{};  // from the first byte of the transfer, or of its queue pair

  std::int64_t elapsed_ns = 0;
  std::uint64_t throughput_bytes_per_s = 0;
  std::uint64_t worst_interval_bytes_per_s = 0;  // of the worst whole 100 ms; 0 when shorter than that
  std::uint64_t operations_per_s = 0;
  LatencySummary latency{};  // half the round trip for send; post to completion for write and read

  std::int64_t cpu_initiator_ns = 0;  // CPU time of the thread that ran that end
  std::int64_t cpu_responder_ns = 0;

  Failure failure{};

  // Of the port at the end that keeps or tells this result: never merged. Of a test in both directions only the
  // forward result has them, for both.
  CounterChanges error_counters{};
  Fact<PriorityPackets> priority_packets{};
  std::optional<std::int64_t> counted_ns{};  // from the first reading of priority_packets to the second
  // The packets of others: counted in the same way for `idle_ns` just before the test. Missing: not measured,
  // or an older agent.
  Fact<PriorityPackets> idle_packets{};
  std::optional<std::int64_t> idle_ns{};
  // The payload of a full packet that this end's queue pairs send (IBV_QP_PATH_MTU), over TCP of a segment
  // (tcpi_snd_mss). Absent: iWARP, not
  // connected, queue pairs that differ, or an older agent.
  std::optional<std::uint32_t> path_mtu_bytes{};
  // A stress test at this end: bytes of each whole interval (the initiator's end), and what held them back.
  std::vector<std::uint64_t> interval_bytes{};
  std::optional<std::uint32_t> interval_ms{};  // absent: 100, of an older agent, or there are no intervals
  std::vector<PressureSample> pressure{};
  NicChanges nic_counters{};  // of this end's Ethernet ports; missing: loopback, or an older agent
  // Of what the port moved during the test, how much others move at the rate that was measured just before it.
  // Absent: the driver does not count what it moves, or an older agent.
  std::optional<std::uint32_t> foreign_permille{};
  // Where the end's own thread ran when the test ended; absent: an older agent.
  std::optional<std::uint32_t> tester_cpu{};
  std::optional<std::uint32_t> tester_numa_node{};
  // The most that each direction put on the wire, headers included; absent: there was no such limit.
  std::optional<std::uint64_t> limit_bytes_per_s{};
  std::optional<HostCpu> host_cpu{};  // of this end; absent: not asked for, not known, or an older agent
  // The Ethernet ports of this end, where several are under its RDMA port and each of them counts its bytes.
  std::vector<MemberBytes> members{};
  std::optional<NumberedIo> numbered{};  // of the whole run, as of the end of this test

  bool operator==(const TransferResult&) const = default;
  void Fields(auto& list) const {
    list("case_name", case_name, "operation", operation, "message_bytes", message_bytes, "local_gid", local_gid,
         "remote_gid", remote_gid, "transport", transport, "asked_tos", marking.tos, "traffic_class",
         marking.traffic_class, "service_level", marking.service_level, "depth", depth, "qps", qps, "busy_poll",
         busy_poll, "unverified", unverified, "bidirectional", bidirectional, "messages", messages, "bytes",
         bytes, "bytes_verified", bytes_verified, "bytes_wrong", bytes_wrong, "first_wrong_offset",
         first_wrong_offset, "elapsed_ns", elapsed_ns, "throughput_bytes_per_s", throughput_bytes_per_s,
         "worst_interval_bytes_per_s", worst_interval_bytes_per_s, "operations_per_s", operations_per_s,
         "latency", latency, "cpu_initiator_ns", cpu_initiator_ns, "cpu_responder_ns", cpu_responder_ns,
         "failure", failure, "error_counters", error_counters, "priority_packets", priority_packets,
         "foreign_permille", foreign_permille, "tester_cpu", tester_cpu, "tester_numa_node", tester_numa_node,
         "counted_ns", counted_ns, "idle_packets", idle_packets, "idle_ns", idle_ns, "path_mtu_bytes",
         path_mtu_bytes, "connection", connection, "nic_counters", nic_counters, "interval_bytes",
         interval_bytes, "interval_ms", interval_ms, "pressure", pressure, "limit_bytes_per_s",
         limit_bytes_per_s, "host_cpu", host_cpu, "members", members, "numbered", numbered);
  }
};

}  // namespace rdmaready
