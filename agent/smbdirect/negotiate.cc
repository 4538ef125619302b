// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect/negotiate.h"

#include <algorithm>

namespace rdmaready::smbdirect {
namespace {

bool OffersVersion1(const NegotiateRequest& request, const NegotiatePolicy& policy) {
  if (policy.exact_version) return request.min_version == kVersion1 && request.max_version == kVersion1;
  return request.min_version <= kVersion1 && request.max_version >= kVersion1;
}

bool Below(std::uint32_t value, std::uint32_t minimum, const NegotiatePolicy& policy) {
  return value < minimum || (policy.minima_excluded && value == minimum);
}

std::uint16_t Grant(std::uint16_t requested, const Settings& settings) {
  // Old ksmbd: all its buffers but the one that the request came in, which is not back yet.
  if (settings.policy.grant_regardless && settings.receive_credit_max > 1) {
    return static_cast<std::uint16_t>(settings.receive_credit_max - 1);
  }
  return std::min(requested, settings.receive_credit_max);
}

// Nothing in the specification keeps a sender from preferring next to nothing, so there is a floor.
std::uint32_t AgreedReceiveBytes(std::uint32_t own, std::uint32_t peer_preferred_send) {
  return std::max(kMinReceiveBytes, std::min(own, peer_preferred_send));
}

}  // namespace

NegotiateRequest MakeRequest(const Settings& settings) {
  return {.min_version = kVersion1,
          .max_version = kVersion1,
          .credits_requested = settings.send_credit_target,
          .preferred_send_bytes = settings.max_send_bytes,
          .max_receive_bytes = settings.max_receive_bytes,
          .max_fragmented_bytes = settings.max_fragmented_bytes};
}

std::variant<Agreement, Refusal> JudgeRequest(Bytes bytes, const Settings& settings) {
  const std::optional<NegotiateRequest> request = DecodeNegotiateRequest(bytes);
  const NegotiatePolicy& policy = settings.policy;
  if (!request) return Refusal{.reason = EndReason::kRequestTooShort};
  if (!OffersVersion1(*request, policy)) {
    return Refusal{.reason = EndReason::kRequestVersion, .status = kStatusNotSupported, .answer = true};
  }
  if (request->credits_requested == 0) return Refusal{.reason = EndReason::kRequestNoCredits};
  if (Below(request->max_receive_bytes, kMinReceiveBytes, policy)) {
    return Refusal{.reason = EndReason::kRequestReceiveSize};
  }
  if (Below(request->max_fragmented_bytes, kMinFragmentedBytes, policy)) {
    return Refusal{.reason = EndReason::kRequestFragmentedSize};
  }
  if (policy.max_preferred_send_bytes != 0 && request->preferred_send_bytes > policy.max_preferred_send_bytes) {
    return Refusal{
        .reason = EndReason::kRequestSendSize, .status = kStatusInsufficientResources, .answer = true};
  }
  return Agreement{
      .max_send_bytes = std::min(settings.max_send_bytes, request->max_receive_bytes),
      .max_receive_bytes = AgreedReceiveBytes(settings.max_receive_bytes, request->preferred_send_bytes),
      .max_fragmented_send_bytes = request->max_fragmented_bytes,
      .max_fragmented_receive_bytes = settings.max_fragmented_bytes,
      .max_read_write_bytes = settings.max_read_write_bytes,
      .peer_credits_requested = request->credits_requested,
      .credits_granted = Grant(request->credits_requested, settings)};
}

NegotiateResponse MakeResponse(const Agreement& agreement, const Settings& settings) {
  return {.negotiated_version = kVersion1,
          .credits_requested = settings.send_credit_target,
          .credits_granted = agreement.credits_granted,
          .status = kStatusSuccess,
          .max_read_write_bytes = settings.max_read_write_bytes,
          .preferred_send_bytes = agreement.max_send_bytes,
          .max_receive_bytes = agreement.max_receive_bytes,
          .max_fragmented_bytes = agreement.max_fragmented_receive_bytes};
}

NegotiateResponse MakeFailure(std::uint32_t status) { return {.status = status}; }

std::variant<Agreement, Refusal> JudgeResponse(Bytes bytes, const Settings& settings) {
  const std::optional<NegotiateResponse> response = DecodeNegotiateResponse(bytes);
  if (!response) return Refusal{.reason = EndReason::kResponseTooShort};
  // Before the other fields, which are all 0 then: the status says more than their being 0.
  if (response->status != kStatusSuccess) {
    return Refusal{.reason = EndReason::kResponseRefused, .status = response->status};
  }
  if (response->negotiated_version != kVersion1) return Refusal{.reason = EndReason::kResponseVersion};
  if (response->credits_requested == 0) return Refusal{.reason = EndReason::kResponseNoCreditsRequested};
  if (response->credits_granted == 0) return Refusal{.reason = EndReason::kResponseNoCreditsGranted};
  if (response->max_receive_bytes < kMinReceiveBytes) return Refusal{.reason = EndReason::kResponseReceiveSize};
  if (response->max_fragmented_bytes < kMinFragmentedBytes) {
    return Refusal{.reason = EndReason::kResponseFragmentedSize};
  }
  if (response->preferred_send_bytes > settings.max_receive_bytes) {
    return Refusal{.reason = EndReason::kResponseSendSize};
  }
  return Agreement{
      .max_send_bytes = std::min(settings.max_send_bytes, response->max_receive_bytes),
      .max_receive_bytes = AgreedReceiveBytes(settings.max_receive_bytes, response->preferred_send_bytes),
      .max_fragmented_send_bytes = response->max_fragmented_bytes,
      .max_fragmented_receive_bytes = settings.max_fragmented_bytes,
      .max_read_write_bytes = std::min(settings.max_read_write_bytes, response->max_read_write_bytes),
      .peer_credits_requested = response->credits_requested,
      .credits_granted = response->credits_granted};
}

}  // namespace rdmaready::smbdirect
