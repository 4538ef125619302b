// SPDX-License-Identifier: Apache-2.0
// Settings: what one end of an SMB Direct connection brings to the negotiation, and its times.
#pragma once

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"

namespace rdmaready::smbdirect {

enum class Role : std::uint8_t { kInitiator, kResponder };

// What a responder refuses. The default is the specification; the other two act like servers in the field, so
// that a test of an initiator needs none of them.
struct NegotiatePolicy {
  // Both versions must be exactly 1.0 rather than a range that holds it: Windows Server 2012,
  // [MS-SMBD] notes on 3.1.5.6.
  bool exact_version = false;
  // A larger PreferredSendSize is refused with STATUS_INSUFFICIENT_RESOURCES; 0 accepts all. 8136 in Windows
  // Server 2012 R2 and later, the same notes.
  std::uint32_t max_preferred_send_bytes = 0;
  // The minima themselves are refused, and dropped without an answer: ksmbd before Linux 6.18.
  bool minima_excluded = false;
  // Grants what it has, however little was requested: ksmbd before Linux 6.18.
  bool grant_regardless = false;
};
NegotiatePolicy WindowsPolicy();
NegotiatePolicy OldKsmbdPolicy();

// Zero: never.
struct Timers {
  std::chrono::milliseconds negotiate_active{120'000};  // 3.1.2.1, of who connects
  std::chrono::milliseconds negotiate_passive{5'000};   // the same, of who listens
  std::chrono::milliseconds idle{120'000};              // 3.1.2.2 and its note
  std::chrono::milliseconds keepalive_answer{5'000};    // 3.1.5.1 and its note
};

// The defaults are those of Windows, [MS-SMBD] note on 3.1.4.1; Linux differs in max_receive_bytes (1364) and
// max_fragmented_bytes (173910).
struct Settings {
  std::uint16_t receive_credit_max = 255;  // receives the peer may have at its disposal
  std::uint16_t send_credit_target = 255;  // what we ask for
  std::uint32_t max_send_bytes = 1'364;
  std::uint32_t max_receive_bytes = 8'192;
  std::uint32_t max_fragmented_bytes = 1'048'576;  // received; also the bound of the memory for reassembly
  std::uint32_t max_read_write_bytes = 8'388'608;
  std::uint32_t max_sends_in_flight = 256;
  std::uint32_t max_writes_in_flight = 128;
  std::uint32_t max_queued_messages = 1'024;  // submitted, not yet begun
  std::uint32_t max_queued_rdma = 1'024;      // RDMA requests not yet complete, per direction
  Timers timers{};
  NegotiatePolicy policy{};  // of a responder
};

// InvalidArgument names the first value that [MS-SMBD] or this implementation does not allow.
absl::Status Validate(const Settings& settings);

// Receive buffers that a connection uses, numbered from 0, and the bytes that each must have. One is kept back
// for the grant that must go along with the last credit.
constexpr std::uint32_t ReceiveBufferCount(const Settings& settings) {
  return std::uint32_t{settings.receive_credit_max} + 1;
}
std::uint32_t ReceiveBufferBytes(const Settings& settings);

}  // namespace rdmaready::smbdirect
