// SPDX-License-Identifier: Apache-2.0
// Several frames: which agents there are; and where they are listened for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/collect.h"
#include "collectors/lldp/lldp.h"
#include "collectors/recording/format.h"
#include "collectors/recording/recorded_host.h"
#include "collectors/recording/recording_host.h"
#include "tests/support/lldp_wire.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using lldp_wire::Bytes;
using lldp_wire::operator+;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const LldpWait kWait{.longest = std::chrono::seconds(35)};

LldpFrame At(std::uint32_t first_ms, std::uint32_t last_ms, Bytes bytes) {
  return {.times = 2, .first_ms = first_ms, .last_ms = last_ms, .bytes = std::move(bytes)};
}

Bytes FrameOf(int chassis, std::string_view port, const Bytes& rest = {}, int ttl = 120) {
  return lldp_wire::Header() + lldp_wire::Chassis(chassis) + lldp_wire::Port(port) + lldp_wire::Ttl(ttl) +
         rest + lldp_wire::End();
}

LldpHeard Heard(std::vector<LldpFrame> frames) {
  return DecodeLldp({.listened_ms = 35'000, .frames = std::move(frames)});
}

TEST(LldpHeard, NothingIsAnAnswer) {
  const LldpHeard heard = Heard({});
  EXPECT_EQ(heard.listened_ms, 35'000U);
  EXPECT_THAT(heard.peers, IsEmpty());
  EXPECT_THAT(heard.own, IsEmpty());
  EXPECT_THAT(heard.notes, IsEmpty());
}

TEST(LldpHeard, WhatAnAgentSaidLastCounts) {
  const LldpHeard heard = Heard({At(100, 100, FrameOf(1, "a", lldp_wire::Pfc(8, 0x08))),
                                 At(30'100, 30'200, FrameOf(1, "a", lldp_wire::Pfc(8, 0x10)))});
  ASSERT_THAT(heard.peers, SizeIs(1));
  EXPECT_EQ(heard.peers[0].pfc->enabled, 0x10);
  EXPECT_EQ(heard.peers[0].frames, 4U);
  EXPECT_EQ(heard.peers[0].first_ms, 100U);
  EXPECT_EQ(heard.peers[0].last_ms, 30'200U);
}

TEST(LldpHeard, AgentsWithOtherIdsOrDialectsAreKeptApart) {
  EXPECT_THAT(Heard({At(1, 1, FrameOf(1, "a")), At(2, 2, FrameOf(2, "a"))}).peers, SizeIs(2));
  EXPECT_THAT(Heard({At(1, 1, FrameOf(1, "a")), At(2, 2, FrameOf(1, "b"))}).peers, SizeIs(2));
  const LldpHeard dialects =
      Heard({At(1, 9, FrameOf(1, "a", lldp_wire::Pfc())), At(2, 8, FrameOf(1, "a", lldp_wire::Cee()))});
  ASSERT_THAT(dialects.peers, SizeIs(2));
  EXPECT_TRUE(dialects.peers[0].dialects.ieee);
  EXPECT_TRUE(dialects.peers[1].dialects.cee);
  EXPECT_LT(dialects.peers[1].first_ms, dialects.peers[0].last_ms);  // they took turns
}

TEST(LldpHeard, AgentsOfThisHostAreNoPeers) {
  LldpFrame own = At(1, 1, FrameOf(1, "a"));
  own.sent_here = true;
  const LldpHeard heard = Heard({own, At(2, 2, FrameOf(2, "b"))});
  ASSERT_THAT(heard.own, SizeIs(1));
  ASSERT_THAT(heard.peers, SizeIs(1));
  EXPECT_EQ(heard.own[0].port.text, "a");
  EXPECT_EQ(heard.peers[0].port.text, "b");
}

TEST(LldpHeard, WhoSaidGoodbyeIsNoNeighbour) {
  const LldpHeard heard = Heard({At(1, 1, FrameOf(1, "a")), At(5, 5, FrameOf(1, "a", {}, 0))});
  EXPECT_THAT(heard.peers, IsEmpty());
  EXPECT_THAT(heard.notes, ElementsAre("02:00:00:00:00:01 port a said goodbye"));
}

TEST(LldpHeard, WhoWasStartedAgainIsOne) {
  const LldpHeard heard = Heard({At(1, 1, FrameOf(1, "a", {}, 0)), At(5, 5, FrameOf(1, "a"))});
  EXPECT_THAT(heard.peers, SizeIs(1));
  EXPECT_THAT(heard.notes, IsEmpty());
}

TEST(LldpHeard, MoreAgentsThanAreKeptAreNotedOnce) {
  std::vector<LldpFrame> frames;
  for (int port = 0; port < 70; ++port) frames.push_back(At(1, 1, FrameOf(1, "port " + std::to_string(port))));
  const LldpHeard heard = Heard(frames);
  EXPECT_THAT(heard.peers, SizeIs(64));
  EXPECT_THAT(heard.notes, ElementsAre("more than 64 agents were heard"));
}

TEST(LldpHeard, FramesThatAreNoneAndThoseLeftOutAreNoted) {
  const LldpHeard heard =
      DecodeLldp({.listened_ms = 1, .left_out = 7, .frames = {At(1, 1, lldp_wire::Header())}});
  EXPECT_THAT(heard.peers, IsEmpty());
  EXPECT_THAT(heard.notes, ElementsAre("decode LLDP: ends at byte 14", "7 more frames were left out"));
}

Fact<LldpHeard> OfOnlyPort(const Facts& facts) {
  return facts.ports && facts.ports->size() == 1 && facts.ports->front().netdev
             ? facts.ports->front().netdev->lldp
             : Fact<LldpHeard>();
}

TEST(ReadLldp, NobodyListensUnlessAsked) {
  FakeHost host = GoodFakeHost();
  const Facts facts = CollectFacts(host);
  EXPECT_FALSE(host.Asked("listen for LLDP"));
  EXPECT_EQ(OfOnlyPort(facts).missing(),
            (Missing{Missing::Kind::kNotCollected, "not listened for: use --lldp 35"}));
}

TEST(ReadLldp, FillsTheNetdevOfThePort) {
  FakeHost host = GoodFakeHost();
  host.lldp["dcb0"] = LldpFrames{.listened_ms = 35'000, .frames = {At(1, 1, lldp_wire::FullFrame())}};
  Facts facts = CollectFacts(host);
  const Facts before = facts;
  ReadLldp(host, kWait, facts);
  ASSERT_TRUE(OfOnlyPort(facts));
  EXPECT_EQ(OfOnlyPort(facts)->peers.at(0).system_name, "leaf1");
  Netdev rest = *facts.ports->front().netdev;
  rest.lldp = OfOnlyPort(before);
  EXPECT_EQ(rest, *before.ports->front().netdev);
}

TEST(ReadLldp, WhatCannotBeListenedToSaysWhy) {
  FakeHost host = GoodFakeHost();
  host.lldp["dcb0"] = ErrnoStatus(EPERM, "listen for LLDP on dcb0");
  Facts facts = CollectFacts(host);
  ReadLldp(host, kWait, facts);
  EXPECT_EQ(OfOnlyPort(facts).missing(),
            (Missing{Missing::Kind::kDenied, "listen for LLDP on dcb0: Operation not permitted"}));
}

// Listening blocks for the whole time: nothing is gained without a link.
TEST(ReadLldp, WithoutALinkNobodyListens) {
  FakeHost host = GoodFakeHost();
  Facts facts = CollectFacts(host);
  std::vector<Port> ports = *facts.ports;
  Netdev netdev = *ports[0].netdev;
  netdev.carrier = false;
  ports[0].netdev = netdev;
  facts.ports = ports;
  ReadLldp(host, kWait, facts);
  EXPECT_FALSE(host.Asked("listen for LLDP"));
  EXPECT_EQ(OfOnlyPort(facts).missing().detail, "no link: nothing can be heard");
}

TEST(ReadLldp, OfABondThePortsUnderItAreListenedOnEachOnce) {
  FakeHost host;
  host.lldp["p0"] = LldpFrames{.listened_ms = 1, .frames = {At(1, 1, FrameOf(1, "a"))}};
  host.lldp["p1"] = LldpFrames{.listened_ms = 1, .frames = {At(1, 1, FrameOf(2, "b"))}};
  const Netdev p0{.name = "p0", .admin_up = true, .carrier = true};
  const Netdev p1{.name = "p1", .admin_up = true, .carrier = true};
  Port port{.netdev = Netdev{.name = "bond0", .admin_up = true, .carrier = true},
            .lowers = std::vector<Netdev>{p0, p1}};
  Facts facts{.ports = std::vector<Port>{port, port}};
  ReadLldp(host, kWait, facts);
  EXPECT_THAT(host.asked, ElementsAre("listen for LLDP on p0", "listen for LLDP on p1"));
  for (const Port& one : *facts.ports) {
    EXPECT_EQ(one.netdev->lldp.missing().detail, "LLDP is heard on the ports under it");
    EXPECT_EQ(one.lowers->at(0).lldp->peers.at(0).port.text, "a");
    EXPECT_EQ(one.lowers->at(1).lldp->peers.at(0).port.text, "b");
  }
}

TEST(ReadLldp, AHostWithoutPortsOrNetdevsIsLeftAsItIs) {
  FakeHost host;
  for (Facts facts : {Facts{}, Facts{.ports = std::vector<Port>{Port{}}}}) {
    const Facts before = facts;
    ReadLldp(host, kWait, facts);
    EXPECT_EQ(facts, before);
  }
}

Facts Replayed(const Recording& recording) {
  absl::StatusOr<Recording> decoded = DecodeRecording(*EncodeRecording(recording));
  if (!decoded.ok()) {
    ADD_FAILURE() << Message(decoded.status());
    return {};
  }
  RecordedHost again(*std::move(decoded));
  Facts facts = CollectFacts(again);
  ReadLldp(again, kWait, facts);
  return facts;
}

TEST(ReadLldp, ARecordedHostSaysWhatItHeard) {
  FakeHost host = GoodFakeHost();
  LldpFrame own = At(3, 4, FrameOf(7, "dcb0"));
  own.sent_here = true;
  host.lldp["dcb0"] =
      LldpFrames{.listened_ms = 35'000, .left_out = 2, .frames = {At(1, 30'000, lldp_wire::FullFrame()), own}};
  RecordingHost recorder(host);
  Facts live = CollectFacts(recorder);
  ReadLldp(recorder, kWait, live);
  ASSERT_TRUE(OfOnlyPort(live));
  EXPECT_EQ(Replayed(recorder.Take()), live);
}

TEST(ReadLldp, ARecordingWithoutListeningSaysSo) {
  FakeHost host = GoodFakeHost();
  RecordingHost recorder(host);
  CollectFacts(recorder);
  const Fact<LldpHeard> heard = OfOnlyPort(Replayed(recorder.Take()));
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.missing().kind, Missing::Kind::kNotCollected);
  EXPECT_THAT(heard.missing().detail, HasSubstr("listen for LLDP on dcb0: not in the recording"));
}

}  // namespace
}  // namespace rdmaready
