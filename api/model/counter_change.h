// SPDX-License-Identifier: Apache-2.0
// CounterChange: what became of a counter between two readings, and those of a port over a live test.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/dcb.h"
#include "api/model/fact.h"
#include "api/model/nic_statistics.h"

namespace rdmaready {

struct CounterChange {
  enum class Kind {
    kUnknown,    // not compared
    kUnchanged,  // the same value
    kGrew,       // by `by`
    kWrapped,    // passed its maximum once; grew by `by`
    kReset,      // started again, after which it grew by `by`; what it had counted before that is lost
    kSaturated,  // stands at its maximum: grew by at least `by`, maybe 0, and cannot tell more
    kAppeared,   // only in the later reading: nothing can be said of its growth
    kGone,       // only in the earlier reading
  };
  std::string name{};
  Kind kind = Kind::kUnknown;
  std::uint64_t by = 0;

  bool operator==(const CounterChange&) const = default;
  void Fields(auto& list) const { list("name", name, "kind", kind, "by", by); }
};

// Of the error counters that checks/counted/error_counters.h knows, also where they did not change. Missing:
// not known.
using CounterChanges = Fact<std::vector<CounterChange>>;

// Packets of each priority that the Ethernet ports of one end counted from just before to just after a live
// test. The port's other traffic counts too.
struct PriorityPackets {
  std::array<std::uint64_t, kPriorities> sent{};
  std::array<std::uint64_t, kPriorities> received{};

  bool operator==(const PriorityPackets&) const = default;
  void Fields(auto& list) const { list("sent", sent, "received", received); }
};

// A counter of one of the Ethernet ports of one end: one of IsAboutLoss().
struct NicChange {
  std::string netdev{};
  NicCounter counter = NicCounter::kUnknown;
  std::optional<std::uint32_t> priority{};  // 0..7; absent: of all, or of a class of the NIC's own
  CounterChange change{};                   // its name is the driver's

  bool operator==(const NicChange&) const = default;
  void Fields(auto& list) const {
    list("netdev", netdev, "counter", counter, "priority", priority, "change", change);
  }
};

// From just before to just after a live test, also those that did not change. Missing: not known.
using NicChanges = Fact<std::vector<NicChange>>;

// Bytes of one of several Ethernet ports under an RDMA port, as the members of a bond, from just before to just
// after a live test. The port's other traffic counts too.
struct MemberBytes {
  std::string netdev{};
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  bool operator==(const MemberBytes&) const = default;
  void Fields(auto& list) const { list("netdev", netdev, "sent", sent, "received", received); }
};

// One interval at one end during a test, of kPressureIntervalMs or longer: what held its traffic back, of all
// its Ethernet ports together, and how busy its host was. A number is absent where nothing counts it or a
// reading failed. The measured part begins at the responder with the first message that comes to it, so a
// little after the initiator began; where none comes (writes that nobody verifies) when it is ready, which is
// before.
inline constexpr std::uint32_t kPressureIntervalMs = 250;
struct PressureSample {
  std::uint32_t begin_ms = 0;                    // since the measured part began at this end
  std::uint32_t length_ms = 0;                   // of the interval
  std::optional<std::uint64_t> pauses{};         // frames of PFC of the test's priority, sent and received
  std::optional<std::uint64_t> marks{};          // frames with a congestion mark, and notifications
  std::optional<std::uint64_t> drops{};          // of the test's priority, or without one, dropped by the NIC
  std::optional<std::uint32_t> idle_permille{};  // of the time of all CPUs

  bool operator==(const PressureSample&) const = default;
  void Fields(auto& list) const {
    list("begin_ms", begin_ms, "length_ms", length_ms, "pauses", pauses, "marks", marks, "drops", drops,
         "idle_permille", idle_permille);
  }
};

// All CPUs of one end's host together: from the start of the measured part to the end of the test, and in an
// idle time just before it. The kernel counts in steps of 10 ms on each CPU.
struct HostCpu {
  std::int64_t busy_ns = 0;
  std::int64_t measured_ns = 0;  // in which it was that busy
  std::int64_t idle_busy_ns = 0;
  std::int64_t idle_ns = 0;

  bool operator==(const HostCpu&) const = default;
  void Fields(auto& list) const {
    list("busy_ns", busy_ns, "measured_ns", measured_ns, "idle_busy_ns", idle_busy_ns, "idle_ns", idle_ns);
  }
};

// What the error counters of one end's RDMA port did from just before to just after a live test. The port's
// other traffic counts in them too.
struct EndCounters {
  std::string host{};  // as the caller named it; empty: the host that the reader looks at
  std::string port{};  // "mlx5_0/1"
  CounterChanges changes{};
  Fact<PriorityPackets> packets{};
  // See TransferResult:
  std::optional<std::uint32_t> foreign_permille{};
  std::optional<std::int64_t> counted_ns{};  // of `packets`
  Fact<PriorityPackets> idle_packets{};
  std::optional<std::int64_t> idle_ns{};
  std::optional<std::uint32_t> path_mtu_bytes{};
  NicChanges nic{};
  std::vector<PressureSample> pressure{};
  std::optional<HostCpu> host_cpu{};
  std::vector<MemberBytes> members{};

  bool operator==(const EndCounters&) const = default;
};

}  // namespace rdmaready
