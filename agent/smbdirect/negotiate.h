// SPDX-License-Identifier: Apache-2.0
// The negotiation as pure functions: a message of the peer and our settings make an agreement or an end.
// Section numbers are those of [MS-SMBD].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "agent/smbdirect/reason.h"
#include "agent/smbdirect/settings.h"
#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {

// What both ends hold from now on.
struct Agreement {
  std::uint32_t max_send_bytes = 0;                // one message, its header included
  std::uint32_t max_receive_bytes = 0;             // the same, towards us
  std::uint32_t max_fragmented_send_bytes = 0;     // one message of the upper layer
  std::uint32_t max_fragmented_receive_bytes = 0;  // the same, towards us
  // The most that one request of the upper layer may move by RDMA: the lesser of both ends' values at the
  // initiator (0 when the listener named none), our own at the listener, which was told nothing.
  std::uint32_t max_read_write_bytes = 0;
  std::uint16_t peer_credits_requested = 0;
  std::uint16_t credits_granted = 0;  // in the response: by us (listener) or to us (initiator)
  bool operator==(const Agreement&) const = default;
};

// The end of a negotiation.
struct Refusal {
  EndReason reason{};
  std::uint32_t status = kStatusSuccess;  // NTSTATUS: received, or to be sent before the end when `answer`
  bool answer = false;
  bool operator==(const Refusal&) const = default;
};

NegotiateRequest MakeRequest(const Settings& settings);  // 3.1.5.2

// The listener's judgement, 3.1.5.6.
std::variant<Agreement, Refusal> JudgeRequest(Bytes request, const Settings& settings);
NegotiateResponse MakeResponse(const Agreement& agreement, const Settings& settings);  // 3.1.5.3
NegotiateResponse MakeFailure(std::uint32_t status);                                   // 3.1.5.3

// The initiator's judgement, 3.1.5.7. More credits than requested are accepted: ksmbd grants 254 whatever
// one asks.
std::variant<Agreement, Refusal> JudgeResponse(Bytes response, const Settings& settings);

}  // namespace rdmaready::smbdirect
