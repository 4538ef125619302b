// SPDX-License-Identifier: Apache-2.0
// The announcements of the switch, as the product's own decoder reads them.
#include "tests/fabric/hub/lldp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "collectors/lldp/lldp.h"
#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

rdmaready::LldpNeighbour Decoded(const Bytes& frame) {
  const auto decoded = rdmaready::DecodeLldpFrame(std::as_bytes(std::span(frame)));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *decoded : rdmaready::LldpNeighbour();
}

class Announcing : public testing::Test {
 protected:
  void SetUp() override {
    rig_.Set("1 dscp 0,26:3");
    rig_.Set("1 pfc 3");
    rig_.Set("1 class 0,3:3");
    rig_.Set("1 ets 0:50,3:50");
    rig_.Set("1 lldp_ms 1000");
  }

  // The announcement of port 1 that is due now.
  rdmaready::LldpNeighbour Said() {
    const std::vector<Bytes> frames = rig_.Drain(1);
    EXPECT_THAT(frames, SizeIs(1));
    return frames.size() == 1 ? Decoded(frames[0]) : rdmaready::LldpNeighbour();
  }

  Rig rig_{2};
};

TEST_F(Announcing, SaysWhatItsPortDoes) {
  const rdmaready::LldpNeighbour said = Said();
  EXPECT_THAT(said.oddities, IsEmpty());
  EXPECT_EQ(said.destination_mac, "01:80:c2:00:00:0e");
  EXPECT_EQ(said.chassis.text, "02:73:77:00:00:00");
  EXPECT_EQ(said.port.text, "p1");
  EXPECT_EQ(said.system_name, "switch");
  EXPECT_EQ(said.ttl_s, 4);
  EXPECT_EQ(said.max_frame_bytes, 9216);
  EXPECT_TRUE(said.dialects.ieee);
  ASSERT_TRUE(said.pfc);
  EXPECT_EQ(said.pfc->enabled, 0x08);
  EXPECT_FALSE(said.pfc->willing);
  ASSERT_TRUE(said.ets && said.ets_recommended);
  EXPECT_EQ(said.ets->traffic_classes, 8);
  EXPECT_THAT(said.ets->prio_tc, ElementsAre(0, 0, 0, 3, 0, 0, 0, 0));
  EXPECT_THAT(said.ets->percent, ElementsAre(50, 0, 0, 50, 0, 0, 0, 0));
  EXPECT_EQ(said.ets_recommended->percent, said.ets->percent);
  ASSERT_TRUE(said.app);
  ASSERT_THAT(*said.app, SizeIs(1));
  EXPECT_EQ((*said.app)[0].protocol, 26);
  EXPECT_EQ((*said.app)[0].priority, 3);
  EXPECT_EQ((*said.app)[0].selector, rdmaready::AppSelector::kDscp);
}

TEST_F(Announcing, SaysItAgainAtEachInterval) {
  Said();
  EXPECT_THAT(rig_.DrainUntil(1, rig_.now_ns + 3500 * kMillisecond), SizeIs(3));
  EXPECT_THAT(rig_.Drain(2), IsEmpty());
  rig_.Set("1 lldp_ms 0");
  EXPECT_EQ(SwitchWakesNs(rig_.get(), 0), kNever);
}

TEST_F(Announcing, SaysWhatIsNotTrueOnDemand) {
  rig_.Set("1 lldp_pfc 4");
  rig_.Set("1 lldp_ets 0:90,3:10");
  rig_.Set("1 lldp_app 26:4,48:6");
  const rdmaready::LldpNeighbour said = Said();
  EXPECT_EQ(said.pfc->enabled, 0x10);
  EXPECT_THAT(said.ets->percent, ElementsAre(90, 0, 0, 10, 0, 0, 0, 0));
  EXPECT_THAT(said.ets->prio_tc, ElementsAre(0, 0, 0, 3, 0, 0, 0, 0));
  EXPECT_THAT(*said.app, SizeIs(2));
  EXPECT_EQ(rig_.At(1).lossless, 1 << 3);

  rig_.Set("1 lldp_pfc true");
  rig_.Set("1 lldp_ets true");
  rig_.Set("1 lldp_app true");
  EXPECT_EQ(Said().pfc->enabled, 0x08);
}

TEST_F(Announcing, HasNoRowsWithoutTrustInDscp) {
  rig_.Set("1 trust pcp");
  EXPECT_FALSE(Said().app);
  rig_.Set("1 trust dscp");
  rig_.Set("1 lldp_app none");
  EXPECT_FALSE(Said().app);
}

TEST(Lldp, IsSilentUntilItIsSwitchedOn) {
  Rig rig(2);
  EXPECT_EQ(SwitchWakesNs(rig.get(), 0), kNever);
}

TEST(Lldp, FitsItsFrameWithAllRows) {
  Rig rig(2);
  rig.Set("1 pfc 0,1,2,3,4,5,6,7");
  rig.Set("1 lldp_ms 600000");
  const std::vector<Bytes> frames = rig.Drain(1);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_LE(frames[0].size(), static_cast<std::size_t>(kMostLldpBytes));
  const rdmaready::LldpNeighbour said = Decoded(frames[0]);
  EXPECT_THAT(*said.app, SizeIs(kMostApps));
  EXPECT_THAT(said.oddities, IsEmpty());
  EXPECT_EQ(said.ttl_s, 2400);
}

}  // namespace
}  // namespace fabric
