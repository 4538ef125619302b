// SPDX-License-Identifier: Apache-2.0
// Our responder against the negotiation cases of the public MS-SMBD test suite's design: lengths, versions,
// zero credits, size limits, and the 5 s timer; and the servers of the field that a policy imitates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMostOfResponder = std::numeric_limits<std::uint32_t>::max();

enum class Answer { kAccepts, kDrops, kRefuses };

struct RequestCase {
  const char* name;
  NegotiateRequest request;
  Answer answer = Answer::kAccepts;
  EndReason reason = EndReason::kClosedLocally;  // unless it accepts
  std::uint32_t status = kStatusSuccess;         // of a refusal
};

NegotiateRequest RequestWith(void (*change)(NegotiateRequest&)) {
  NegotiateRequest request = GoodRequest();
  change(request);
  return request;
}

NegotiateRequest Versions(std::uint16_t min, std::uint16_t max) {
  NegotiateRequest request = GoodRequest();
  request.min_version = min;
  request.max_version = max;
  return request;
}

RequestCase NotSupported(const char* name, const NegotiateRequest& request) {
  return {name, request, Answer::kRefuses, EndReason::kRequestVersion, kStatusNotSupported};
}

const RequestCase kSpecification[] = {
    {"basic", GoodRequest()},
    {"PreferredSendSize 0", RequestWith([](auto& r) { r.preferred_send_bytes = 0; })},
    {"PreferredSendSize 127", RequestWith([](auto& r) { r.preferred_send_bytes = 127; })},
    {"PreferredSendSize 128", RequestWith([](auto& r) { r.preferred_send_bytes = 128; })},
    {"PreferredSendSize 8136", RequestWith([](auto& r) { r.preferred_send_bytes = 8136; })},
    {"PreferredSendSize largest", RequestWith([](auto& r) { r.preferred_send_bytes = kMostOfResponder; })},
    NotSupported("versions above", Versions(0x0101, 0xffff)),
    NotSupported("versions below", Versions(0x0000, 0x00ff)),
    NotSupported("versions the wrong way round", Versions(0x0101, 0x00ff)),
    {"versions from 1.0 up", Versions(0x0100, 0xffff)},
    {"versions up to 1.0", Versions(0x0000, 0x0100)},
    {"versions around 1.0", Versions(0x00ff, 0x0101)},
    {"CreditsRequested 0", RequestWith([](auto& r) { r.credits_requested = 0; }), Answer::kDrops,
     EndReason::kRequestNoCredits},
    {"CreditsRequested 1", RequestWith([](auto& r) { r.credits_requested = 1; })},
    {"CreditsRequested largest", RequestWith([](auto& r) { r.credits_requested = 0xffff; })},
    {"MaxReceiveSize 0", RequestWith([](auto& r) { r.max_receive_bytes = 0; }), Answer::kDrops,
     EndReason::kRequestReceiveSize},
    {"MaxReceiveSize 127", RequestWith([](auto& r) { r.max_receive_bytes = 127; }), Answer::kDrops,
     EndReason::kRequestReceiveSize},
    {"MaxReceiveSize 128", RequestWith([](auto& r) { r.max_receive_bytes = 128; })},
    {"MaxReceiveSize largest", RequestWith([](auto& r) { r.max_receive_bytes = kMostOfResponder; })},
    {"MaxFragmentedSize 131071", RequestWith([](auto& r) { r.max_fragmented_bytes = 131'071; }), Answer::kDrops,
     EndReason::kRequestFragmentedSize},
    {"MaxFragmentedSize 131072", RequestWith([](auto& r) { r.max_fragmented_bytes = 131'072; })},
    {"MaxFragmentedSize largest", RequestWith([](auto& r) { r.max_fragmented_bytes = kMostOfResponder; })},
};

// What the test suite's checker asks of a response.
void CheckResponse(const NegotiateRequest& request, const NegotiateResponse& response,
                   const Settings& settings) {
  EXPECT_EQ(response.status, kStatusSuccess);
  EXPECT_EQ(response.min_version, kVersion1);
  EXPECT_EQ(response.max_version, kVersion1);
  EXPECT_EQ(response.negotiated_version, kVersion1);
  EXPECT_EQ(response.credits_requested, settings.send_credit_target);
  EXPECT_EQ(response.credits_granted, std::min(request.credits_requested, settings.receive_credit_max));
  EXPECT_EQ(response.max_read_write_bytes, settings.max_read_write_bytes);
  EXPECT_EQ(response.preferred_send_bytes, std::min(settings.max_send_bytes, request.max_receive_bytes));
  EXPECT_EQ(response.max_receive_bytes,
            std::max(128u, std::min(settings.max_receive_bytes, request.preferred_send_bytes)));
  EXPECT_EQ(response.max_fragmented_bytes, settings.max_fragmented_bytes);
}

void CheckCase(const RequestCase& test, const Settings& settings) {
  SCOPED_TRACE(test.name);
  Driver responder(Role::kResponder, settings);
  responder.Connect(kStart);
  ASSERT_TRUE(responder.Arrive(Raw(Encode(test.request)), kStart));
  EXPECT_EQ(responder.breach(), "");
  if (test.answer == Answer::kDrops) {
    EXPECT_TRUE(responder.wire.empty());
    ASSERT_TRUE(responder.end);
    EXPECT_EQ(responder.end->reason, test.reason);
    return;
  }
  ASSERT_EQ(responder.wire.size(), 1u);
  ASSERT_EQ(responder.wire.front().bytes.size(), 32u);
  const auto response = DecodeNegotiateResponse(responder.wire.front().bytes);
  if (test.answer == Answer::kAccepts) {
    CheckResponse(test.request, *response, settings);
    EXPECT_EQ(responder.posted(), response->credits_granted) << "grants what is posted";
    EXPECT_TRUE(responder.connection().established());
    return;
  }
  NegotiateResponse refusal;
  refusal.status = test.status;
  EXPECT_EQ(*response, refusal) << "all fields but versions and status are 0";
  EXPECT_FALSE(responder.end) << "disconnecting now could overtake the answer";
  responder.CompleteSends();
  ASSERT_TRUE(responder.end);
  EXPECT_EQ(responder.end->reason, test.reason);
  EXPECT_EQ(responder.end->status, test.status);
}

TEST(Responder, HoldsToTheSpecification) {
  for (const RequestCase& test : kSpecification) CheckCase(test, Settings{});
}

TEST(Responder, WithSmallSettingsHoldsToItToo) {
  for (const RequestCase& test : kSpecification) {
    CheckCase(test, {.receive_credit_max = 1,
                     .send_credit_target = 1,
                     .max_send_bytes = 128,
                     .max_receive_bytes = 128,
                     .max_fragmented_bytes = 131'072,
                     .max_sends_in_flight = 1});
  }
}

TEST(Responder, AsWindowsRefusesARangeOfVersionsAndALargePreferredSendSize) {
  const Settings settings{.policy = WindowsPolicy()};
  const RequestCase cases[] = {
      {"basic", GoodRequest()},
      NotSupported("versions from 1.0 up", Versions(0x0100, 0x0200)),
      NotSupported("versions up to 1.0", Versions(0x0000, 0x0100)),
      {"PreferredSendSize 8136", RequestWith([](auto& r) { r.preferred_send_bytes = 8136; })},
      {"PreferredSendSize 8137", RequestWith([](auto& r) { r.preferred_send_bytes = 8137; }), Answer::kRefuses,
       EndReason::kRequestSendSize, kStatusInsufficientResources},
  };
  for (const RequestCase& test : cases) CheckCase(test, settings);
}

// As measured against ksmbd of Linux 6.12.
TEST(Responder, AsOldKsmbdDropsTheMinimaAndGrantsWhatItHas) {
  const Settings settings{
      .max_receive_bytes = 1364, .max_fragmented_bytes = 173'910, .policy = OldKsmbdPolicy()};
  const RequestCase drops[] = {
      {"MaxReceiveSize 128", RequestWith([](auto& r) { r.max_receive_bytes = 128; }), Answer::kDrops,
       EndReason::kRequestReceiveSize},
      {"MaxFragmentedSize 131072", GoodRequest(), Answer::kDrops, EndReason::kRequestFragmentedSize},
  };
  for (const RequestCase& test : drops) CheckCase(test, settings);
  Driver responder(Role::kResponder, settings);
  const NegotiateResponse response = Agree(responder, {.credits_requested = 10,
                                                       .preferred_send_bytes = 1364,
                                                       .max_receive_bytes = 8192,
                                                       .max_fragmented_bytes = 1'048'576});
  EXPECT_EQ(response.credits_granted, 254);
  EXPECT_EQ(response.credits_requested, 255);
  EXPECT_EQ(response.max_read_write_bytes, 8'388'608u);
  EXPECT_EQ(response.preferred_send_bytes, 1364u);
  EXPECT_EQ(response.max_receive_bytes, 1364u);
  EXPECT_EQ(response.max_fragmented_bytes, 173'910u);
}

TEST(Responder, DropsEveryShorterRequest) {
  for (std::size_t size = 0; size < 20; ++size) {
    Driver responder(Role::kResponder, {});
    responder.Connect(kStart);
    ASSERT_TRUE(responder.Arrive(Raw(Encode(GoodRequest()), size), kStart));
    EXPECT_TRUE(responder.wire.empty()) << size;
    ASSERT_TRUE(responder.end) << size;
    EXPECT_EQ(responder.end->reason, EndReason::kRequestTooShort) << size;
  }
}

TEST(Responder, ToleratesARequestOf512Bytes) {
  Driver responder(Role::kResponder, {});
  responder.Connect(kStart);
  ASSERT_TRUE(responder.Arrive(Raw(Encode(GoodRequest()), 512), kStart));
  CheckResponse(GoodRequest(), *DecodeNegotiateResponse(Take(responder).bytes), {});
}

TEST(Responder, TakesTheRequestBeforeTheConnectionsEvent) {
  // Some drivers report the first receive first.
  Driver responder(Role::kResponder, {});
  ASSERT_TRUE(responder.Arrive(Raw(Encode(GoodRequest())), kStart));
  responder.Connect(kStart + 1ms);
  EXPECT_TRUE(responder.connection().established());
  EXPECT_EQ(responder.wire.size(), 1u);
  EXPECT_EQ(responder.breach(), "");
}

TEST(Responder, WaitsFourSecondsForARequestAndNotFive) {
  Driver patient(Role::kResponder, {});
  patient.Connect(kStart);
  ASSERT_EQ(patient.timer, kStart + 5s);
  patient.Timer(kStart + 4s);  // early: nothing, but the time again
  EXPECT_FALSE(patient.end);
  EXPECT_EQ(patient.timer, kStart + 5s);
  ASSERT_TRUE(patient.Arrive(Raw(Encode(GoodRequest())), kStart + 4s));
  EXPECT_TRUE(patient.connection().established());
  patient.Timer(kStart + 5s);
  EXPECT_FALSE(patient.end);

  Driver left_alone(Role::kResponder, {});
  left_alone.Connect(kStart);
  left_alone.Timer(kStart + 5s);
  ASSERT_TRUE(left_alone.end);
  EXPECT_EQ(left_alone.end->reason, EndReason::kNegotiationTimeout);
  EXPECT_TRUE(left_alone.wire.empty());
}

TEST(Responder, WhoseRefusalNeverArrivesStillEnds) {
  void (*const ends[])(Driver&) = {
      [](Driver& responder) { responder.PeerClosed(); },
      [](Driver& responder) { responder.Fail(); },
      [](Driver& responder) { responder.Timer(kStart + 5s); },
  };
  for (const auto& end : ends) {
    Driver responder(Role::kResponder, {});
    responder.Connect(kStart);
    ASSERT_TRUE(responder.Arrive(Raw(Encode(Versions(2, 2))), kStart));
    end(responder);
    ASSERT_TRUE(responder.end);
    EXPECT_EQ(responder.end->reason, EndReason::kRequestVersion);
    EXPECT_EQ(responder.end->status, kStatusNotSupported);
  }
}

TEST(Responder, SaysNothingBeforeTheInitiatorGrants) {
  Driver responder(Role::kResponder, {});
  Agree(responder);
  const std::vector<std::byte> words = Fill(10);
  ASSERT_TRUE(responder.Submit({.bytes = words, .cookie = 1}).ok());
  EXPECT_TRUE(responder.wire.empty());
  HandMade grant = HandMade::Of({});
  grant.header.credits_granted = 2;
  ASSERT_TRUE(responder.Arrive(grant.Message(), kStart));
  EXPECT_EQ(Decoded(Take(responder)).payload.size(), 10u);
}

TEST(Responder, LeftInTheNegotiationSaysSo) {
  Driver responder(Role::kResponder, {});
  responder.Connect(kStart);
  responder.PeerClosed();
  ASSERT_TRUE(responder.end);
  EXPECT_EQ(responder.end->reason, EndReason::kPeerClosedInNegotiation);
}

}  // namespace
}  // namespace rdmaready::smbdirect
