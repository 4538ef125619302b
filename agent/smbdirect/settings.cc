// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/settings.h"

#include <algorithm>
#include <limits>

#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {
namespace {

constexpr std::uint32_t kWindowsMaxPreferredSendBytes = 8'136;

bool TimersAreOrdered(const Timers& timers) {
  const std::chrono::milliseconds least =
      std::min({timers.negotiate_active, timers.negotiate_passive, timers.idle, timers.keepalive_answer});
  return least >= std::chrono::milliseconds::zero() &&
         (timers.idle == std::chrono::milliseconds::zero() ||
          timers.keepalive_answer > std::chrono::milliseconds::zero());
}

}  // namespace

NegotiatePolicy WindowsPolicy() {
  return {.exact_version = true, .max_preferred_send_bytes = kWindowsMaxPreferredSendBytes};
}

NegotiatePolicy OldKsmbdPolicy() { return {.minima_excluded = true, .grant_regardless = true}; }

absl::Status Validate(const Settings& settings) {
  // A grant is a 16-bit number, and one buffer more than the maximum can be granted.
  if (settings.receive_credit_max == 0 ||
      settings.receive_credit_max == std::numeric_limits<std::uint16_t>::max()) {
    return absl::InvalidArgumentError("receive_credit_max must be 1 to 65534");
  }
  if (settings.send_credit_target == 0) return absl::InvalidArgumentError("send_credit_target must not be 0");
  if (settings.max_send_bytes < kMinReceiveBytes) {
    return absl::InvalidArgumentError("max_send_bytes must be at least 128");
  }
  if (settings.max_receive_bytes < kMinReceiveBytes) {
    return absl::InvalidArgumentError("max_receive_bytes must be at least 128");
  }
  if (settings.max_fragmented_bytes < kMinFragmentedBytes) {
    return absl::InvalidArgumentError("max_fragmented_bytes must be at least 131072");
  }
  if (settings.max_read_write_bytes == 0)
    return absl::InvalidArgumentError("max_read_write_bytes must not be 0");
  if (settings.max_sends_in_flight == 0 || settings.max_writes_in_flight == 0 ||
      settings.max_queued_messages == 0 || settings.max_queued_rdma == 0) {
    return absl::InvalidArgumentError("no depth may be 0");
  }
  if (!TimersAreOrdered(settings.timers)) {
    return absl::InvalidArgumentError("a timer is negative, or idle has no keepalive_answer");
  }
  return absl::OkStatus();
}

std::uint32_t ReceiveBufferBytes(const Settings& settings) {
  return std::max(settings.max_receive_bytes, static_cast<std::uint32_t>(kNegotiateReceiveBytes));
}

}  // namespace rdmaready::smbdirect
