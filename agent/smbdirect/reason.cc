// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/reason.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace rdmaready::smbdirect {
namespace {

struct ReasonRow {
  EndReason reason;
  bool violation;
  std::string_view text;
};

constexpr ReasonRow kReasons[] = {
    {EndReason::kClosedLocally, false, "this end closed the connection"},
    {EndReason::kPeerClosed, false, "the peer closed the connection"},
    {EndReason::kTransportFailed, false, "the RDMA connection failed"},
    {EndReason::kMisuse, false, "a completion arrived of something that was never posted"},
    {EndReason::kNegotiationTimeout, false, "the negotiation did not complete in time"},
    {EndReason::kKeepaliveTimeout, false, "the peer did not answer a keepalive in time"},
    {EndReason::kRequestTooShort, true, "the negotiate request is shorter than 20 bytes"},
    {EndReason::kRequestVersion, true, "the negotiate request does not offer version 1.0"},
    {EndReason::kRequestNoCredits, true, "the negotiate request asks for no credits"},
    {EndReason::kRequestReceiveSize, true, "the negotiate request's MaxReceiveSize is below the minimum"},
    {EndReason::kRequestFragmentedSize, true, "the negotiate request's MaxFragmentedSize is below the minimum"},
    {EndReason::kRequestSendSize, true, "the negotiate request's PreferredSendSize is above the limit"},
    {EndReason::kPeerClosedInNegotiation, false, "the peer closed the connection before it was negotiated"},
    {EndReason::kMessageTooEarly, true, "the peer sent a message before the negotiate request"},
    {EndReason::kResponseTooShort, true, "the negotiate response is shorter than 32 bytes"},
    {EndReason::kResponseRefused, false, "the peer refused the negotiation"},
    {EndReason::kResponseVersion, true, "the negotiate response chose another version than 1.0"},
    {EndReason::kResponseNoCreditsRequested, true, "the negotiate response asks for no credits"},
    {EndReason::kResponseNoCreditsGranted, true, "the negotiate response grants no credits"},
    {EndReason::kResponseReceiveSize, true, "the negotiate response's MaxReceiveSize is below the minimum"},
    {EndReason::kResponseFragmentedSize, true,
     "the negotiate response's MaxFragmentedSize is below the minimum"},
    {EndReason::kResponseSendSize, true,
     "the negotiate response's PreferredSendSize is above our MaxReceiveSize"},
    {EndReason::kDataTooShort, true, "a data transfer message is shorter than 20 bytes"},
    {EndReason::kDataTooLong, true, "a data transfer message is longer than the negotiated receive size"},
    {EndReason::kDataNoCreditsRequested, true, "a data transfer message asks for no credits"},
    {EndReason::kDataOffsetUnaligned, true, "a data transfer message's DataOffset is not a multiple of 8"},
    {EndReason::kDataOffsetInHeader, true, "a data transfer message's payload lies inside its header"},
    {EndReason::kDataBeyondMessage, true, "a data transfer message's payload ends behind its end"},
    {EndReason::kFragmentedTooLong, true,
     "a fragmented message is longer than the negotiated MaxFragmentedSize"},
    {EndReason::kFragmentOverrun, true, "a fragment brings more bytes than remained"},
    {EndReason::kFragmentCutShort, true, "a fragmented message ends before all its bytes came"},
    {EndReason::kFragmentMiscounted, true, "a fragment's RemainingDataLength contradicts the ones before"},
    {EndReason::kInvalidatedTwice, true, "two fragments of one message carried a remote invalidation"},
};
static_assert(std::size(kReasons) == static_cast<std::size_t>(kLastReason) + 1);

}  // namespace

std::string_view Text(EndReason reason) {
  const auto* const row = std::ranges::find(kReasons, reason, &ReasonRow::reason);
  return row == std::end(kReasons) ? "unknown" : row->text;
}

bool IsViolation(EndReason reason) {
  const auto* const row = std::ranges::find(kReasons, reason, &ReasonRow::reason);
  return row == std::end(kReasons) || row->violation;
}

}  // namespace rdmaready::smbdirect
