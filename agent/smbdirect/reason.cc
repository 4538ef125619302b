// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/reason.h"

namespace rdmaready::smbdirect {

std::string_view Text(EndReason reason) {
  switch (reason) {
    case EndReason::kClosedLocally:
      return "this end closed the connection";
    case EndReason::kPeerClosed:
      return "the peer closed the connection";
    case EndReason::kTransportFailed:
      return "the RDMA connection failed";
    case EndReason::kMisuse:
      return "a completion arrived of something that was never posted";
    case EndReason::kNegotiationTimeout:
      return "the negotiation did not complete in time";
    case EndReason::kKeepaliveTimeout:
      return "the peer did not answer a keepalive in time";
    case EndReason::kRequestTooShort:
      return "the negotiate request is shorter than 20 bytes";
    case EndReason::kRequestVersion:
      return "the negotiate request does not offer version 1.0";
    case EndReason::kRequestNoCredits:
      return "the negotiate request asks for no credits";
    case EndReason::kRequestReceiveSize:
      return "the negotiate request's MaxReceiveSize is below the minimum";
    case EndReason::kRequestFragmentedSize:
      return "the negotiate request's MaxFragmentedSize is below the minimum";
    case EndReason::kRequestSendSize:
      return "the negotiate request's PreferredSendSize is above the limit";
    case EndReason::kPeerClosedInNegotiation:
      return "the peer closed the connection before it was negotiated";
    case EndReason::kMessageTooEarly:
      return "the peer sent a message before the negotiate request";
    case EndReason::kResponseTooShort:
      return "the negotiate response is shorter than 32 bytes";
    case EndReason::kResponseRefused:
      return "the peer refused the negotiation";
    case EndReason::kResponseVersion:
      return "the negotiate response chose another version than 1.0";
    case EndReason::kResponseNoCreditsRequested:
      return "the negotiate response asks for no credits";
    case EndReason::kResponseNoCreditsGranted:
      return "the negotiate response grants no credits";
    case EndReason::kResponseReceiveSize:
      return "the negotiate response's MaxReceiveSize is below the minimum";
    case EndReason::kResponseFragmentedSize:
      return "the negotiate response's MaxFragmentedSize is below the minimum";
    case EndReason::kResponseSendSize:
      return "the negotiate response's PreferredSendSize is above our MaxReceiveSize";
    case EndReason::kDataTooShort:
      return "a data transfer message is shorter than 20 bytes";
    case EndReason::kDataTooLong:
      return "a data transfer message is longer than the negotiated receive size";
    case EndReason::kDataNoCreditsRequested:
      return "a data transfer message asks for no credits";
    case EndReason::kDataOffsetUnaligned:
      return "a data transfer message's DataOffset is not a multiple of 8";
    case EndReason::kDataOffsetInHeader:
      return "a data transfer message's payload lies inside its header";
    case EndReason::kDataBeyondMessage:
      return "a data transfer message's payload ends behind its end";
    case EndReason::kFragmentedTooLong:
      return "a fragmented message is longer than the negotiated MaxFragmentedSize";
    case EndReason::kFragmentOverrun:
      return "a fragment brings more bytes than remained";
    case EndReason::kFragmentCutShort:
      return "a fragmented message ends before all its bytes came";
    case EndReason::kFragmentMiscounted:
      return "a fragment's RemainingDataLength contradicts the ones before";
    case EndReason::kInvalidatedTwice:
      return "two fragments of one message carried a remote invalidation";
  }
  return "unknown";
}

bool IsViolation(EndReason reason) {
  switch (reason) {
    case EndReason::kClosedLocally:
    case EndReason::kPeerClosed:
    case EndReason::kTransportFailed:
    case EndReason::kMisuse:
    case EndReason::kNegotiationTimeout:
    case EndReason::kKeepaliveTimeout:
    case EndReason::kPeerClosedInNegotiation:
    case EndReason::kResponseRefused:
      return false;
    default:
      return true;
  }
}

}  // namespace rdmaready::smbdirect
