// SPDX-License-Identifier: Apache-2.0
// Data transfer: the cases of the public MS-SMBD test suite's design, at a responder and at an initiator alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>

#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kFragmented = 131'072;

// An end that takes messages of 1024 bytes and fragmented ones of 131072 bytes.
class DataTransfer : public testing::TestWithParam<Role> {
 protected:
  std::unique_ptr<Driver> Negotiated(std::uint32_t max_receive_bytes = 1024) {
    auto driver = std::make_unique<Driver>(
        GetParam(), Settings{.max_receive_bytes = max_receive_bytes, .max_fragmented_bytes = kFragmented});
    if (GetParam() == Role::kResponder) {
      Agree(*driver);
    } else {
      AgreeTo(*driver);
    }
    return driver;
  }

  // The end that comes of these messages; nullopt when it lives.
  std::optional<EndReason> Outcome(const std::vector<WireMessage>& messages) {
    const auto driver = Negotiated();
    for (const WireMessage& message : messages) {
      EXPECT_FALSE(driver->end) << "ended before the last message";
      EXPECT_TRUE(driver->Arrive(message, kStart));
    }
    EXPECT_EQ(driver->breach(), "");
    if (!driver->end) return std::nullopt;
    EXPECT_TRUE(IsViolation(driver->end->reason));
    return driver->end->reason;
  }
};

INSTANTIATE_TEST_SUITE_P(Roles, DataTransfer, testing::Values(Role::kInitiator, Role::kResponder),
                         [](const auto& role) {
                           return role.param == Role::kInitiator ? "initiator" : "responder";
                         });

HandMade Changed(std::size_t payload, void (*change)(DataHeader&)) {
  HandMade made = HandMade::Of(Fill(payload));
  change(made.header);
  return made;
}

TEST_P(DataTransfer, EndsOnEachBadHeader) {
  const struct {
    const char* name;
    HandMade message;
    EndReason reason;
  } cases[] = {
      {"CreditsRequested 0", Changed(0, [](auto& h) { h.credits_requested = 0; }),
       EndReason::kDataNoCreditsRequested},
      {"DataOffset 23", Changed(100, [](auto& h) { h.data_offset = 23; }), EndReason::kDataOffsetUnaligned},
      {"DataOffset 25", Changed(100, [](auto& h) { h.data_offset = 25; }), EndReason::kDataOffsetUnaligned},
      {"DataOffset 8 more", Changed(100, [](auto& h) { h.data_offset = 32; }), EndReason::kDataBeyondMessage},
      {"DataOffset largest", Changed(100, [](auto& h) { h.data_offset = kMost; }),
       EndReason::kDataOffsetUnaligned},
      {"DataOffset largest aligned", Changed(100, [](auto& h) { h.data_offset = kMost - 7; }),
       EndReason::kDataBeyondMessage},
      {"DataOffset 0", Changed(100, [](auto& h) { h.data_offset = 0; }), EndReason::kDataOffsetInHeader},
      {"DataLength 1 more", Changed(100, [](auto& h) { h.data_bytes = 101; }), EndReason::kDataBeyondMessage},
      {"DataLength MaxSendSize", Changed(100, [](auto& h) { h.data_bytes = 1024; }),
       EndReason::kDataBeyondMessage},
      {"DataLength largest", Changed(100, [](auto& h) { h.data_bytes = kMost; }),
       EndReason::kDataBeyondMessage},
      {"Remaining 1 too many", Changed(100, [](auto& h) { h.remaining_data_bytes = kFragmented - 99; }),
       EndReason::kFragmentedTooLong},
      {"Remaining largest", Changed(100, [](auto& h) { h.remaining_data_bytes = kMost; }),
       EndReason::kFragmentedTooLong},
      {"Remaining largest, no payload", Changed(0, [](auto& h) { h.remaining_data_bytes = kMost; }),
       EndReason::kFragmentedTooLong},
      {"more than MaxReceiveSize", HandMade::Of(Fill(1001)), EndReason::kDataTooLong},
  };
  for (const auto& test : cases) EXPECT_EQ(Outcome({test.message.Message()}), test.reason) << test.name;
}

TEST_P(DataTransfer, EndsOnEveryMessageShorterThan20Bytes) {
  for (std::size_t size = 0; size < 20; ++size) {
    WireMessage message = HandMade::Of({}).Message();
    message.bytes.resize(size);
    EXPECT_EQ(Outcome({message}), EndReason::kDataTooShort) << size;
  }
}

TEST_P(DataTransfer, TakesWhatIsJustAllowed) {
  const HandMade cases[] = {
      HandMade::Of(Fill(1000)),  // MaxReceiveSize
      HandMade::Of(Fill(1)),
      Changed(0, [](auto& h) { h.remaining_data_bytes = kFragmented; }),
      Changed(100, [](auto& h) { h.remaining_data_bytes = kFragmented - 100; }),
      Changed(0, [](auto& h) { h.flags = 0xfffe; }),  // bits of the future
      Changed(0, [](auto& h) { h.credits_granted = 0xffff; }),
  };
  for (const HandMade& made : cases) EXPECT_EQ(Outcome({made.Message()}), std::nullopt);
}

TEST_P(DataTransfer, ToleratesBytesBehindThePayload) {
  const auto driver = Negotiated();
  const std::vector<std::byte> words = Fill(300);
  WireMessage message = HandMade::Of(words).Message();
  message.bytes.resize(1024, std::byte{0xee});
  ASSERT_TRUE(driver->Arrive(message, kStart));
  EXPECT_THAT(driver->delivered, testing::ElementsAre(words));
}

TEST_P(DataTransfer, TakesPayloadBehindAGap) {
  const auto driver = Negotiated();
  HandMade made = HandMade::Of(Fill(16));
  made.header.data_offset = 32;
  made.header.data_bytes = 8;
  ASSERT_TRUE(driver->Arrive(made.Message(), kStart));
  const std::vector<std::byte> words = Fill(16);
  EXPECT_THAT(driver->delivered, testing::ElementsAre(std::vector(words.begin() + 8, words.end())));
}

// Sends `whole` in fragments of these sizes, as far as the credits of the peer go.
void ArriveInPieces(Driver& driver, const std::vector<std::byte>& whole,
                    const std::vector<std::size_t>& sizes) {
  std::size_t at = 0;
  for (const std::size_t size : sizes) {
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(at);
    at += size;
    const auto remaining = static_cast<std::uint32_t>(whole.size() - at);
    const auto end = whole.begin() + static_cast<std::ptrdiff_t>(at);
    ASSERT_TRUE(driver.Arrive(HandMade::Of({begin, end}, remaining).Message(), kStart));
    ASSERT_FALSE(driver.end) << Text(driver.end->reason);
    while (!driver.wire.empty()) Take(driver);
  }
}

// The suite's variable segments: an empty one with everything to come, 128, 127, ... 1, 0, 1, ... 127,
// the rest.
TEST_P(DataTransfer, ReassemblesSegmentsOfEveryLength) {
  std::vector<std::size_t> sizes{0};
  for (std::size_t size = 128; size > 0; --size) sizes.push_back(size);
  for (std::size_t size = 0; size < 128; ++size) sizes.push_back(size);
  const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  sizes.push_back(999);
  const std::vector<std::byte> whole = Fill(total + 999);
  const auto driver = Negotiated();
  ArriveInPieces(*driver, whole, sizes);
  EXPECT_THAT(driver->delivered, testing::ElementsAre(whole));
}

// As the suite sends it: with the offset of a payload, and padding, but no payload.
TEST_P(DataTransfer, TakesAFragmentOfNoBytesWithAnOffset) {
  const auto driver = Negotiated();
  HandMade nothing = HandMade::Of({}, 10);
  nothing.header.data_offset = kDataOffset;
  WireMessage message = nothing.Message();
  message.bytes.resize(kDataOffset);
  ASSERT_TRUE(driver->Arrive(HandMade::Of(Fill(5), 10).Message(), kStart));
  ASSERT_TRUE(driver->Arrive(message, kStart));
  ASSERT_TRUE(driver->Arrive(HandMade::Of(Fill(10), 0).Message(), kStart));
  ASSERT_EQ(driver->delivered.size(), 1u);
  EXPECT_EQ(driver->delivered[0].size(), 15u);
}

TEST_P(DataTransfer, ReassemblesSegmentsOfOneByte) {
  const std::vector<std::byte> whole = Fill(kFragmented);
  const auto driver = Negotiated();
  ArriveInPieces(*driver, whole, std::vector<std::size_t>(whole.size(), 1));
  EXPECT_THAT(driver->delivered, testing::ElementsAre(whole));
}

TEST_P(DataTransfer, TakesEmptyMessagesBetweenFragments) {
  const auto driver = Negotiated();
  const std::vector<std::byte> whole = Fill(30);
  const auto piece = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    return HandMade::Of({whole.begin() + from, whole.begin() + to}, static_cast<std::uint32_t>(30 - to))
        .Message();
  };
  HandMade keepalive = HandMade::Of({});
  keepalive.header.flags = kFlagResponseRequested;
  for (const WireMessage& message : {piece(0, 10), HandMade::Of({}).Message(), piece(10, 11),
                                     keepalive.Message(), HandMade::Of({}).Message(), piece(11, 30)}) {
    ASSERT_TRUE(driver->Arrive(message, kStart));
    ASSERT_FALSE(driver->end);
  }
  EXPECT_THAT(driver->delivered, testing::ElementsAre(whole));
}

TEST_P(DataTransfer, EndsWhenFragmentsContradictEachOther) {
  const auto piece = [](std::size_t size, std::uint32_t remaining) {
    return HandMade::Of(Fill(size), remaining).Message();
  };
  EXPECT_EQ(Outcome({piece(10, 20), piece(10, 0)}), EndReason::kFragmentCutShort);
  EXPECT_EQ(Outcome({piece(10, 20), piece(21, 0)}), EndReason::kFragmentOverrun);
  EXPECT_EQ(Outcome({piece(10, 20), piece(30, 1000)}), EndReason::kFragmentOverrun);
  EXPECT_EQ(Outcome({piece(10, 20), piece(10, 11)}), EndReason::kFragmentMiscounted);
  EXPECT_EQ(Outcome({piece(10, 20), piece(10, 9)}), EndReason::kFragmentMiscounted);
  EXPECT_EQ(Outcome({piece(0, 20), piece(0, 21)}), EndReason::kFragmentMiscounted);
  EXPECT_EQ(Outcome({piece(10, 20), piece(10, kMost)}), EndReason::kFragmentedTooLong);
  EXPECT_EQ(Outcome({piece(10, 20), piece(20, 0), piece(10, 0)}), std::nullopt);
}

TEST_P(DataTransfer, MemoryForReassemblyIsBoundedByTheAgreement) {
  const auto driver = Negotiated();
  EXPECT_EQ(driver->connection().reassembly_memory_bytes(), 0u);
  const std::vector<std::byte> whole = Fill(kFragmented);
  for (int round = 0; round < 3; ++round) {
    ArriveInPieces(*driver, whole, {500, 500});
    EXPECT_LE(driver->connection().reassembly_memory_bytes(), kFragmented);
    ArriveInPieces(*driver, {whole.begin() + 1000, whole.end()}, std::vector<std::size_t>(13'007, 10));
    ArriveInPieces(*driver, {whole.end() - 2, whole.end()}, {2});
  }
  EXPECT_EQ(driver->delivered.size(), 3u);
}

TEST_P(DataTransfer, AMessageOfOneFragmentIsDeliveredInPlace) {
  const auto driver = Negotiated();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(driver->Arrive(HandMade::Of(Fill(900)).Message(), kStart));
    while (!driver->wire.empty()) Take(*driver);
  }
  EXPECT_EQ(driver->connection().reassembly_memory_bytes(), 0u);
}

TEST_P(DataTransfer, ReportsTheInvalidatedTokenWhicheverFragmentCarriedIt) {
  for (const int carrier : {0, 1, 2}) {
    const auto driver = Negotiated();
    for (int i = 0; i < 3; ++i) {
      WireMessage message = HandMade::Of(Fill(10), static_cast<std::uint32_t>(20 - 10 * i)).Message();
      if (i == carrier) message.invalidate = 0x1234;
      ASSERT_TRUE(driver->Arrive(message, kStart));
    }
    ASSERT_TRUE(driver->Arrive(HandMade::Of(Fill(1)).Message(), kStart));
    EXPECT_THAT(driver->invalidated, testing::ElementsAre(testing::Optional(0x1234u), std::nullopt)) << carrier;
  }
  WireMessage first = HandMade::Of(Fill(10), 10).Message();
  WireMessage second = HandMade::Of(Fill(10), 0).Message();
  first.invalidate = 1;
  second.invalidate = 2;
  EXPECT_EQ(Outcome({first, second}), EndReason::kInvalidatedTwice);
}

TEST_P(DataTransfer, SendsFragmentsThatFillTheAgreedSize) {
  const auto driver = Negotiated();
  HandMade grant = HandMade::Of({});
  grant.header.credits_granted = 50;
  ASSERT_TRUE(driver->Arrive(grant.Message(), kStart));
  while (!driver->wire.empty()) Take(*driver);
  const std::vector<std::byte> whole = Fill(2500);
  ASSERT_TRUE(driver->Submit({.bytes = whole, .cookie = 7, .invalidate = 99}).ok());
  std::vector<std::byte> received;
  for (const std::uint32_t remaining : {1500u, 500u, 0u}) {
    const WireMessage message = Take(*driver);
    const DataMessage data = Decoded(message);
    EXPECT_EQ(data.header.data_offset, 24u);
    EXPECT_EQ(data.header.data_bytes, std::min(1000u, 500 + remaining));
    EXPECT_EQ(data.header.remaining_data_bytes, remaining);
    EXPECT_EQ(message.invalidate, remaining == 1500 ? std::optional(99u) : std::nullopt);
    EXPECT_TRUE(message.solicited || remaining > 0);
    EXPECT_EQ(driver->submitted.empty(), remaining > 0) << "complete with the last fragment's completion";
    received.insert(received.end(), data.payload.begin(), data.payload.end());
  }
  EXPECT_EQ(received, whole);
  EXPECT_THAT(driver->submitted, testing::ElementsAre(7u));
}

TEST_P(DataTransfer, RefusesMessagesThatThePeerCannotTake) {
  const auto driver = Negotiated();
  const std::vector<std::byte> whole = Fill(kFragmented + 1);
  EXPECT_EQ(driver->Submit({}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(driver->Submit({.bytes = whole}).code(), absl::StatusCode::kInvalidArgument);
  driver->Close();
  EXPECT_EQ(driver->Submit({.bytes = Bytes(whole).first(1)}).code(), absl::StatusCode::kFailedPrecondition);
  Driver idle(GetParam(), {});
  EXPECT_EQ(idle.Submit({.bytes = Bytes(whole).first(1)}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(DataTransfer, IgnoresEverythingAfterTheEnd) {
  const auto driver = Negotiated();
  driver->Close();
  ASSERT_EQ(driver->end->reason, EndReason::kClosedLocally);
  ASSERT_TRUE(driver->Arrive(HandMade::Of(Fill(10)).Message(), kStart));
  driver->CompleteSends();
  driver->CompleteRead();
  driver->CompleteWrite();
  driver->Timer(kStart + std::chrono::hours{1});
  driver->PeerClosed();
  driver->Fail();
  driver->Close();
  EXPECT_EQ(driver->breach(), "");
  EXPECT_TRUE(driver->delivered.empty());
}

TEST_P(DataTransfer, NamesTheEndsThatAreNobodysViolation) {
  const auto left = Negotiated();
  left->PeerClosed();
  EXPECT_EQ(left->end->reason, EndReason::kPeerClosed);
  const auto failed = Negotiated();
  failed->Fail();
  EXPECT_EQ(failed->end->reason, EndReason::kTransportFailed);
  for (const EndReason reason : {left->end->reason, failed->end->reason}) EXPECT_FALSE(IsViolation(reason));
}

TEST_P(DataTransfer, CompletionsOfWhatWasNeverPostedEndIt) {
  const std::vector<std::byte> words = Fill(30);
  const auto elsewhere = Negotiated();
  elsewhere->ArriveIn(100'000, words, kStart);
  EXPECT_EQ(elsewhere->end->reason, EndReason::kMisuse);
  const auto read = Negotiated();
  read->CompleteRead();
  EXPECT_EQ(read->end->reason, EndReason::kMisuse);
  const auto write = Negotiated();
  write->CompleteWrite();
  EXPECT_EQ(write->end->reason, EndReason::kMisuse);
}

}  // namespace
}  // namespace rdmaready::smbdirect
