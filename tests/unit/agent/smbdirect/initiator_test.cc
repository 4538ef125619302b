// SPDX-License-Identifier: Apache-2.0
// Our initiator: the mirror of responder_test.cc, with responses no server should give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMostOfInitiator = std::numeric_limits<std::uint32_t>::max();

struct ResponseCase {
  const char* name;
  NegotiateResponse response;
  std::optional<EndReason> reason{};  // nullopt: accepted
  std::uint32_t status = kStatusSuccess;
};

NegotiateResponse With(void (*change)(NegotiateResponse&)) {
  NegotiateResponse response = GoodResponse();
  change(response);
  return response;
}

NegotiateResponse Refusal(std::uint32_t status) {
  NegotiateResponse response;
  response.status = status;
  return response;
}

const ResponseCase kCases[] = {
    {"basic", GoodResponse()},
    {"not supported", Refusal(kStatusNotSupported), EndReason::kResponseRefused, kStatusNotSupported},
    {"no resources", Refusal(kStatusInsufficientResources), EndReason::kResponseRefused,
     kStatusInsufficientResources},
    {"a status with everything else in order", With([](auto& r) { r.status = 1; }), EndReason::kResponseRefused,
     1},
    {"all zero", With([](auto& r) { r = NegotiateResponse{.min_version = 0, .max_version = 0}; }),
     EndReason::kResponseVersion},
    {"version 1.1", With([](auto& r) { r.negotiated_version = 0x0101; }), EndReason::kResponseVersion},
    {"version 0", With([](auto& r) { r.negotiated_version = 0; }), EndReason::kResponseVersion},
    {"CreditsRequested 0", With([](auto& r) { r.credits_requested = 0; }),
     EndReason::kResponseNoCreditsRequested},
    {"CreditsRequested 1", With([](auto& r) { r.credits_requested = 1; })},
    {"CreditsRequested largest", With([](auto& r) { r.credits_requested = 0xffff; })},
    {"CreditsGranted 0", With([](auto& r) { r.credits_granted = 0; }), EndReason::kResponseNoCreditsGranted},
    {"CreditsGranted 1", With([](auto& r) { r.credits_granted = 1; })},
    {"CreditsGranted more than asked for", With([](auto& r) { r.credits_granted = 0xffff; })},
    {"MaxReceiveSize 127", With([](auto& r) { r.max_receive_bytes = 127; }), EndReason::kResponseReceiveSize},
    {"MaxReceiveSize 128", With([](auto& r) { r.max_receive_bytes = 128; })},
    {"MaxReceiveSize largest", With([](auto& r) { r.max_receive_bytes = kMostOfInitiator; })},
    {"MaxFragmentedSize 131071", With([](auto& r) { r.max_fragmented_bytes = 131'071; }),
     EndReason::kResponseFragmentedSize},
    {"MaxFragmentedSize largest", With([](auto& r) { r.max_fragmented_bytes = kMostOfInitiator; })},
    {"MaxReadWriteSize largest", With([](auto& r) { r.max_read_write_bytes = kMostOfInitiator; })},
    {"MaxReadWriteSize 0", With([](auto& r) { r.max_read_write_bytes = 0; })},
    {"PreferredSendSize 0", With([](auto& r) { r.preferred_send_bytes = 0; })},
    {"PreferredSendSize as we receive", With([](auto& r) { r.preferred_send_bytes = 8192; })},
    {"PreferredSendSize more than we receive", With([](auto& r) { r.preferred_send_bytes = 8193; }),
     EndReason::kResponseSendSize},
};

void CheckAgreement(const NegotiateResponse& response, const Settings& settings, const Agreement& agreement) {
  EXPECT_EQ(agreement.max_send_bytes, std::min(settings.max_send_bytes, response.max_receive_bytes));
  EXPECT_EQ(agreement.max_receive_bytes,
            std::max(128u, std::min(settings.max_receive_bytes, response.preferred_send_bytes)));
  EXPECT_EQ(agreement.max_fragmented_send_bytes, response.max_fragmented_bytes);
  EXPECT_EQ(agreement.max_fragmented_receive_bytes, settings.max_fragmented_bytes);
  EXPECT_EQ(agreement.max_read_write_bytes,
            std::min(settings.max_read_write_bytes, response.max_read_write_bytes));
}

TEST(Initiator, JudgesEachResponse) {
  for (const ResponseCase& test : kCases) {
    SCOPED_TRACE(test.name);
    const Settings settings;
    Driver initiator(Role::kInitiator, settings);
    initiator.Connect(kStart);
    Take(initiator);
    ASSERT_TRUE(initiator.Arrive(Raw(Encode(test.response)), kStart));
    EXPECT_EQ(initiator.breach(), "");
    EXPECT_EQ(initiator.connection().established(), !test.reason);
    EXPECT_EQ(initiator.connection().response(), test.response) << "for the report, whatever it says";
    EXPECT_EQ(initiator.end.has_value(), test.reason.has_value());
    if (!test.reason) {
      CheckAgreement(test.response, settings, initiator.connection().agreement());
      continue;
    }
    EXPECT_EQ(initiator.end->reason, *test.reason);
    EXPECT_EQ(initiator.end->status, test.status);
    EXPECT_TRUE(initiator.wire.empty());
  }
}

TEST(Initiator, SendsTheRequestOnceConnected) {
  Driver initiator(Role::kInitiator, {});
  EXPECT_EQ(initiator.posted(), 1u) << "before connecting";
  EXPECT_TRUE(initiator.wire.empty());
  initiator.Connect(kStart);
  ASSERT_EQ(initiator.wire.size(), 1u);
  EXPECT_EQ(initiator.wire.front().bytes.size(), 20u);
  EXPECT_EQ(DecodeNegotiateRequest(initiator.wire.front().bytes),
            (NegotiateRequest{.credits_requested = 255,
                              .preferred_send_bytes = 1364,
                              .max_receive_bytes = 8192,
                              .max_fragmented_bytes = 1'048'576}));
}

TEST(Initiator, GrantsWithItsFirstMessage) {
  Driver initiator(Role::kInitiator, {.receive_credit_max = 100});
  initiator.Connect(kStart);
  Take(initiator);
  ASSERT_TRUE(initiator.Arrive(Raw(Encode(GoodResponse())), kStart));
  const DataMessage first = Decoded(Take(initiator));
  EXPECT_EQ(first.header.credits_granted, 10) << "what the peer asked for";
  EXPECT_EQ(initiator.posted(), 10u);
  EXPECT_EQ(initiator.connection().send_credits(), 9u);
}

TEST(Initiator, RefusesEveryShorterResponseAndTakesALongerOne) {
  for (std::size_t size = 0; size < 32; ++size) {
    Driver initiator(Role::kInitiator, {});
    initiator.Connect(kStart);
    ASSERT_TRUE(initiator.Arrive(Raw(Encode(GoodResponse()), size), kStart));
    ASSERT_TRUE(initiator.end) << size;
    EXPECT_EQ(initiator.end->reason, EndReason::kResponseTooShort) << size;
  }
  Driver initiator(Role::kInitiator, {});
  initiator.Connect(kStart);
  ASSERT_TRUE(initiator.Arrive(Raw(Encode(GoodResponse()), 512), kStart));
  EXPECT_TRUE(initiator.connection().established());
}

TEST(Initiator, RefusesAMessageBeforeItsRequest) {
  Driver initiator(Role::kInitiator, {});
  ASSERT_TRUE(initiator.Arrive(Raw(Encode(GoodResponse())), kStart));
  ASSERT_TRUE(initiator.end);
  EXPECT_EQ(initiator.end->reason, EndReason::kMessageTooEarly);
}

TEST(Initiator, WaitsTwoMinutesForTheResponse) {
  Driver initiator(Role::kInitiator, {});
  initiator.Connect(kStart);
  EXPECT_EQ(initiator.timer, kStart + 120s);
  initiator.Timer(kStart + 120s - 1ns);
  EXPECT_FALSE(initiator.end);
  initiator.Timer(kStart + 120s);
  ASSERT_TRUE(initiator.end);
  EXPECT_EQ(initiator.end->reason, EndReason::kNegotiationTimeout);
}

TEST(Initiator, DroppedWithoutAnAnswerSaysSo) {
  Driver initiator(Role::kInitiator, {});
  initiator.Connect(kStart);
  initiator.PeerClosed();
  ASSERT_TRUE(initiator.end);
  EXPECT_EQ(initiator.end->reason, EndReason::kPeerClosedInNegotiation);
}

TEST(Initiator, AgreesWithEachKindOfResponder) {
  for (const NegotiatePolicy& policy : {NegotiatePolicy{}, WindowsPolicy(), OldKsmbdPolicy()}) {
    Driver initiator(Role::kInitiator, {});
    Driver responder(Role::kResponder, {.max_receive_bytes = 1364, .policy = policy});
    Join(initiator, responder);
    EXPECT_EQ(initiator.connection().agreement().max_send_bytes,
              responder.connection().agreement().max_receive_bytes);
    EXPECT_EQ(responder.connection().agreement().max_send_bytes,
              initiator.connection().agreement().max_receive_bytes);
  }
}

TEST(Settings_, AreJudged) {
  EXPECT_TRUE(Validate({}).ok());
  const Settings bad[] = {
      {.receive_credit_max = 0},
      {.receive_credit_max = 65'535},
      {.send_credit_target = 0},
      {.max_send_bytes = 127},
      {.max_receive_bytes = 127},
      {.max_fragmented_bytes = 131'071},
      {.max_read_write_bytes = 0},
      {.max_sends_in_flight = 0},
      {.max_writes_in_flight = 0},
      {.max_queued_messages = 0},
      {.max_queued_rdma = 0},
      {.timers = {.idle = -1ms}},
      {.timers = {.keepalive_answer = 0ms}},
  };
  for (const Settings& settings : bad) EXPECT_FALSE(Validate(settings).ok());
  EXPECT_EQ(ReceiveBufferBytes({.max_receive_bytes = 128}), 512u) << "the negotiation needs as much";
}

}  // namespace
}  // namespace rdmaready::smbdirect
