// SPDX-License-Identifier: Apache-2.0
// EndReason: every way in which an SMB Direct connection can end. Section numbers are those of [MS-SMBD].
#pragma once

#include <cstdint>
#include <string_view>

namespace rdmaready::smbdirect {

enum class EndReason : std::uint8_t {
  // Nobody's fault.
  kClosedLocally,  // Close was called
  kPeerClosed,     // the peer disconnected an established connection

  // The lower layer, or this end's user.
  kTransportFailed,  // a work request or the device failed
  kMisuse,           // an event that cannot be: a completion of what was never posted

  // Time, 3.1.2.
  kNegotiationTimeout,
  kKeepaliveTimeout,

  // At the responder, by the request, 3.1.5.6.
  kRequestTooShort,
  kRequestVersion,  // answered with STATUS_NOT_SUPPORTED first
  kRequestNoCredits,
  kRequestReceiveSize,
  kRequestFragmentedSize,
  kRequestSendSize,  // answered with STATUS_INSUFFICIENT_RESOURCES first; by policy only

  // At the initiator, by the response, 3.1.5.7.
  kPeerClosedInNegotiation,  // dropped without an answer (both roles)
  kMessageTooEarly,          // a message before there was a request
  kResponseTooShort,
  kResponseRefused,  // with an NTSTATUS
  kResponseVersion,
  kResponseNoCreditsRequested,
  kResponseNoCreditsGranted,
  kResponseReceiveSize,
  kResponseFragmentedSize,
  kResponseSendSize,

  // By a data transfer message, 3.1.5.8.
  kDataTooShort,
  kDataTooLong,  // longer than the negotiated receive size
  kDataNoCreditsRequested,
  kDataOffsetUnaligned,
  kDataOffsetInHeader,
  kDataBeyondMessage,
  kFragmentedTooLong,
  kFragmentOverrun,     // a fragment brings more than was announced to remain
  kFragmentCutShort,    // the last fragment came before all that was announced
  kFragmentMiscounted,  // what remains is not what was announced, less what came since
  kInvalidatedTwice,    // a second remote invalidation within one message
};

inline constexpr EndReason kFirstReason = EndReason::kClosedLocally;
inline constexpr EndReason kLastReason = EndReason::kInvalidatedTwice;

// What happened, as a sentence without a full stop: "the peer's request asks for no credits".
std::string_view Text(EndReason reason);

// True when the peer broke the protocol: neither time, nor transport, nor this end.
bool IsViolation(EndReason reason);

}  // namespace rdmaready::smbdirect
