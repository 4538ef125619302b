// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldpad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "api/base/status.h"
#include "collectors/lldp/lldp.h"
#include "collectors/recording/format.h"
#include "collectors/recording/recorded_host.h"
#include "collectors/recording/recording_host.h"
#include "tests/support/lldpad_wire.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using lldp_wire::operator+;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Fact<std::uint64_t> kStarted = std::uint64_t{40'000};

// Started 60 s ago; one port, dcb0.
Facts Ready() {
  const Netdev netdev{.name = "dcb0", .admin_up = true, .carrier = true};
  return {.uptime_s = std::uint64_t{100}, .ports = std::vector<Port>{Port{.netdev = netdev}}};
}

FakeHost Answering(const std::string& mode) {
  FakeHost host;
  host.modes["/proc/net/vlan"] = 0555U;
  host.lldpad[lldpad_wire::ModeQuestion("dcb0")] = lldpad_wire::Mode("dcb0", mode);
  host.lldpad[lldpad_wire::NeighbourQuestion("dcb0")] = lldpad_wire::Neighbour("dcb0", {});
  host.lldpad[lldpad_wire::OwnQuestion("dcb0")] = lldpad_wire::Own("dcb0", {});
  return host;
}

Fact<LldpHeard> Read(HostReader& host, const Fact<std::uint64_t>& started = kStarted, Facts facts = Ready()) {
  ReadLldpad(host, started, facts, RealClock());
  return facts.ports->front().netdev->lldp_agent;
}

TEST(Lldpad, WhatItHasIsReadAsFramesAre) {
  const lldp_wire::Bytes frame = lldp_wire::FullFrame();
  FakeHost host = Answering("0004rxtx");
  // The padding of a short frame is in it.
  host.lldpad[lldpad_wire::NeighbourQuestion("dcb0")] =
      lldpad_wire::Neighbour("dcb0", lldpad_wire::UnitOf(frame) + lldp_wire::Bytes(9));
  host.lldpad[lldpad_wire::OwnQuestion("dcb0")] =
      lldpad_wire::Own("dcb0", lldpad_wire::UnitOf(lldp_wire::Frame(lldp_wire::Pfc())));
  const Fact<LldpHeard> heard = Read(host);
  ASSERT_TRUE(heard) << heard.missing().detail;
  ASSERT_THAT(heard->peers, SizeIs(1));
  LldpNeighbour expected = *DecodeLldpFrame(frame);
  expected.source_mac = "";
  EXPECT_EQ(heard->peers[0], expected);
  EXPECT_EQ(expected.system_name, "leaf1");
  ASSERT_THAT(heard->own, SizeIs(1));
  EXPECT_EQ(heard->own[0].pfc->enabled, 0x08);
  EXPECT_EQ(heard->listened_ms, 60'000U);
  EXPECT_THAT(heard->notes, IsEmpty());
}

TEST(Lldpad, NobodyHeardIsAnAnswer) {
  FakeHost host = Answering("0004rxtx");
  const Fact<LldpHeard> heard = Read(host);
  ASSERT_TRUE(heard);
  EXPECT_EQ(*heard, (LldpHeard{.listened_ms = 60'000}));
}

TEST(Lldpad, SilenceOfOneThatNeedNotListenTellsNothing) {
  for (const std::string mode : {"0008disabled", "0002tx"}) {
    FakeHost host = Answering(mode);
    const Fact<LldpHeard> heard = Read(host);
    ASSERT_FALSE(heard);
    EXPECT_EQ(heard.missing(),
              (Missing{Missing::Kind::kUnsupported,
                       "lldpad has heard nobody on dcb0 (adminStatus " + mode.substr(4) + ")"}));
  }
}

// Where DCBX is the host's, lldpad listens though nobody set it to.
TEST(Lldpad, WhatItHeardCountsWhateverItsSettingSays) {
  FakeHost host = Answering("0008disabled");
  host.lldpad[lldpad_wire::NeighbourQuestion("dcb0")] =
      lldpad_wire::Neighbour("dcb0", lldpad_wire::UnitOf(lldp_wire::FullFrame()));
  const Fact<LldpHeard> heard = Read(host);
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->peers.at(0).system_name, "leaf1");
  EXPECT_FALSE(host.Asked("ask lldpad " + lldpad_wire::OwnQuestion("dcb0")));
}

TEST(Lldpad, OneThatDoesNotSendIsNotAskedWhatItSends) {
  FakeHost host = Answering("0002rx");
  EXPECT_TRUE(Read(host));
  EXPECT_FALSE(host.Asked("ask lldpad " + lldpad_wire::OwnQuestion("dcb0")));
}

TEST(Lldpad, IsNotAskedUnlessItRuns) {
  FakeHost host = Answering("0004rxtx");
  const Missing why{Missing::Kind::kUnsupported, "lldpad does not run"};
  EXPECT_EQ(Read(host, why).missing(), why);
  EXPECT_THAT(host.asked, IsEmpty());
}

TEST(Lldpad, IsNotAskedWhenThatWouldLoadAModule) {
  FakeHost host = Answering("0004rxtx");
  host.modes.clear();
  EXPECT_EQ(Read(host).missing(), (Missing{Missing::Kind::kNotCollected,
                                           "lldpad is not asked: it would have the kernel load 8021q"}));
  EXPECT_FALSE(host.Asked("ask lldpad"));
}

TEST(Lldpad, IsNotAskedAboutANetdevWithoutALink) {
  FakeHost host = Answering("0004rxtx");
  Facts facts = Ready();
  const Netdev down{.name = "dcb0", .admin_up = true};
  facts.ports = std::vector<Port>{Port{.netdev = down}};
  EXPECT_EQ(Read(host, kStarted, facts).missing().detail, "no link: nothing can be heard");
  EXPECT_FALSE(host.Asked("ask lldpad"));
}

TEST(Lldpad, RefusalsSayWhy) {
  FakeHost host = Answering("0004rxtx");
  std::string& answer = *host.lldpad[lldpad_wire::ModeQuestion("dcb0")];
  answer = "R0a";
  EXPECT_EQ(Read(host).missing(),
            (Missing{Missing::Kind::kDenied, "ask lldpad about dcb0: it answers root only"}));
  answer = "R02C3030000000404dcb0";
  EXPECT_EQ(Read(host).missing(),
            (Missing{Missing::Kind::kUnsupported, "ask lldpad about dcb0: it does not manage it"}));
  answer = "Rubbish";
  EXPECT_EQ(Read(host).missing().kind, Missing::Kind::kFailed);
}

TEST(Lldpad, AFrameThatIsWrongIsNotedAndNobody) {
  FakeHost host = Answering("0004rxtx");
  std::string& answer = *host.lldpad[lldpad_wire::NeighbourQuestion("dcb0")];
  answer = lldpad_wire::Neighbour("dcb0", lldp_wire::Chassis() + lldp_wire::Ttl());
  const Fact<LldpHeard> wrong = Read(host);
  ASSERT_TRUE(wrong);
  EXPECT_THAT(wrong->peers, IsEmpty());
  EXPECT_THAT(wrong->notes, ElementsAre(HasSubstr("decode LLDP: at byte 9: TLV 3, not the port ID")));
  answer = lldpad_wire::Neighbour(
      "dcb0", lldp_wire::Chassis() + lldp_wire::Port() + lldp_wire::Ttl(0) + lldp_wire::End());
  const Fact<LldpHeard> gone = Read(host);
  EXPECT_THAT(gone->peers, IsEmpty());
  EXPECT_THAT(gone->notes, ElementsAre("02:00:00:00:00:01 port Ethernet1/1 said goodbye"));
}

TEST(Lldpad, OneThatKeepsUsWaitingIsNotAskedAgain) {
  FakeHost host;
  host.modes["/proc/net/vlan"] = 0555U;
  Facts facts = Ready();
  std::vector<Port> ports = *facts.ports;
  const Netdev other{.name = "dcb1", .admin_up = true, .carrier = true};
  ports.push_back(Port{.netdev = other});
  facts.ports = ports;
  host.lldpad[lldpad_wire::ModeQuestion("dcb0")] = ErrnoStatus(ETIMEDOUT, "ask lldpad");
  ReadLldpad(host, kStarted, facts, RealClock());
  EXPECT_THAT(host.asked,
              ElementsAre("look at /proc/net/vlan", "ask lldpad " + lldpad_wire::ModeQuestion("dcb0")));
  for (const Port& port : *facts.ports)
    EXPECT_EQ(port.netdev->lldp_agent.missing().detail, "ask lldpad: Connection timed out");
}

TEST(Lldpad, OfABondThePortsUnderItAreAskedForEachOnce) {
  FakeHost host = Answering("0002rx");
  const Netdev dcb0{.name = "dcb0", .admin_up = true, .carrier = true};
  const Port port{.netdev = Netdev{.name = "bond0", .admin_up = true, .carrier = true},
                  .lowers = std::vector<Netdev>{dcb0}};
  Facts facts{.ports = std::vector<Port>{port, port}};
  ReadLldpad(host, kStarted, facts, RealClock());
  EXPECT_THAT(host.asked, SizeIs(3));
  for (const Port& one : *facts.ports) {
    EXPECT_EQ(one.netdev->lldp_agent.missing().detail, "LLDP is heard on the ports under it");
    EXPECT_TRUE(one.lowers->at(0).lldp_agent);
  }
}

TEST(Lldpad, ARecordingHasWhatItAnswered) {
  FakeHost host = Answering("0004rxtx");
  host.lldpad[lldpad_wire::NeighbourQuestion("dcb0")] =
      lldpad_wire::Neighbour("dcb0", lldpad_wire::UnitOf(lldp_wire::FullFrame()));
  RecordingHost recorder(host);
  const Fact<LldpHeard> live = Read(recorder);
  const absl::StatusOr<RecordingFiles> files = EncodeRecording(recorder.Take());
  ASSERT_TRUE(files.ok());
  EXPECT_TRUE(files->contains("lldpad.jsonl"));
  absl::StatusOr<Recording> recording = DecodeRecording(*files);
  ASSERT_TRUE(recording.ok()) << Message(recording.status());
  RecordedHost again(*std::move(recording));
  EXPECT_EQ(Read(again), live);
  EXPECT_TRUE(live);
}

}  // namespace
}  // namespace rdmaready
