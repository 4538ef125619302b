// SPDX-License-Identifier: Apache-2.0
#include "checks/counted/counters.h"

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;

struct NamedBits {
  std::string_view name;
  unsigned bits;
};

// PortCounters of the InfiniBand architecture (drivers/infiniband/core/sysfs.c): all of them saturate.
constexpr std::array<NamedBits, 17> kPmaCounters{{
    {"symbol_error", 16},
    {"link_error_recovery", 8},
    {"link_downed", 8},
    {"port_rcv_errors", 16},
    {"port_rcv_remote_physical_errors", 16},
    {"port_rcv_switch_relay_errors", 16},
    {"port_xmit_discards", 16},
    {"port_xmit_constraint_errors", 8},
    {"port_rcv_constraint_errors", 8},
    {"local_link_integrity_errors", 4},
    {"excessive_buffer_overrun_errors", 4},
    {"VL15_dropped", 16},
    {"port_xmit_data", 32},
    {"port_rcv_data", 32},
    {"port_xmit_packets", 32},
    {"port_rcv_packets", 32},
    {"port_xmit_wait", 32},
}};

// Q counters of mlx5, 32 bits in firmware (mlx5_ib_query_q_counters of drivers/infiniband/hw/mlx5/counters.c).
// Other drivers count some of these names in 64 bits; there a smaller value is a reset, which Difference tells
// by how far it fell.
constexpr std::array<std::string_view, 26> kWrapAt32{
    "rx_write_requests",
    "rx_read_requests",
    "rx_atomic_requests",
    "rx_dct_connect",
    "out_of_buffer",
    "out_of_sequence",
    "duplicate_request",
    "rnr_nak_retry_err",
    "packet_seq_err",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "resp_local_length_error",
    "resp_cqe_error",
    "req_cqe_error",
    "req_remote_invalid_request",
    "req_remote_access_errors",
    "resp_remote_access_errors",
    "resp_cqe_flush_error",
    "req_cqe_flush_error",
    "req_transport_retries_exceeded",
    "req_rnr_retries_exceeded",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_cnps",
    "roce_slow_restart_trans",
};

constexpr std::uint64_t MaximumOf(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

// A counter that wrapped was in the upper half of its range and has come less than half the range: a reset
// looks like that only by chance.
bool LooksWrapped(std::uint64_t before, std::uint64_t after, unsigned bits) {
  const std::uint64_t half = std::uint64_t{1} << (bits - 1);
  return before >= half && MaximumOf(bits) - before + after < half;
}

const Counter* FindByName(const std::vector<Counter>& counters, std::string_view name) {
  const auto found = std::ranges::find(counters, name, &Counter::name);
  return found == counters.end() ? nullptr : &*found;
}

}  // namespace

std::optional<CounterWidth> WidthOf(std::string_view name, CounterFamily family) {
  switch (family) {
    case CounterFamily::kPort: {
      const auto* const found = std::ranges::find(kPmaCounters, name, &NamedBits::name);
      if (found == kPmaCounters.end()) return std::nullopt;
      return CounterWidth{found->bits, true};
    }
    case CounterFamily::kHardware:
      if (std::ranges::find(kWrapAt32, name) == kWrapAt32.end()) return std::nullopt;
      return CounterWidth{32, false};
  }
  return std::nullopt;
}

CounterChange Difference(const Counter& before, const Counter& after, std::optional<CounterWidth> width) {
  const bool narrow = width && std::max(before.value, after.value) <= MaximumOf(width->bits);
  if (narrow && width->saturates && after.value == MaximumOf(width->bits)) {
    return {after.name, Kind::kSaturated, after.value - before.value};
  }
  if (after.value == before.value) return {after.name, Kind::kUnchanged, 0};
  if (after.value > before.value) return {after.name, Kind::kGrew, after.value - before.value};
  if (narrow && !width->saturates && LooksWrapped(before.value, after.value, width->bits)) {
    return {after.name, Kind::kWrapped, MaximumOf(width->bits) - before.value + after.value + 1};
  }
  return {after.name, Kind::kReset, after.value};
}

std::vector<CounterChange> Differences(const std::vector<Counter>& before, const std::vector<Counter>& after,
                                       CounterFamily family) {
  std::vector<CounterChange> changes;
  for (const Counter& now : after) {
    const Counter* then = FindByName(before, now.name);
    changes.push_back(then != nullptr ? Difference(*then, now, WidthOf(now.name, family))
                                      : CounterChange{now.name, Kind::kAppeared, 0});
  }
  for (const Counter& then : before) {
    if (FindByName(after, then.name) == nullptr) changes.push_back({then.name, Kind::kGone, 0});
  }
  return changes;
}

}  // namespace rdmaready
