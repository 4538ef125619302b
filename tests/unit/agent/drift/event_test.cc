// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/good_host.h"

namespace rdmaready::drift {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::IsEmpty;

DriftEvent Foreign() {
  return {.where = "dcb0", .changes = {{"dcb0", "pfc", "on 3 delay 0", "on 4 delay 0", {}}}, .announced = true};
}

TEST(DriftEvent, SaysWhatChangedAndWhoMayHaveDoneIt) {
  DriftEvent event = Foreign();
  event.suspects = {"dcb (process 712)", "lldpad (process 5)"};
  EXPECT_EQ(TextOf(event),
            "dcb0: pfc on 3 delay 0 -> on 4 delay 0, by dcb (process 712) or lldpad (process 5)?");
}

TEST(DriftEvent, SaysWhenTheWriterIsNotKnown) {
  DriftEvent event = Foreign();
  EXPECT_THAT(TextOf(event), EndsWith(", writer not known"));
  event.announced = false;
  EXPECT_THAT(TextOf(event), EndsWith(", not announced, writer not known"));
}

TEST(DriftEvent, OursNamesItsChange) {
  DriftEvent event = Foreign();
  event.own = true;
  EXPECT_THAT(TextOf(event), EndsWith(", by rdmaready"));
  event.change_id = "c1";
  EXPECT_THAT(TextOf(event), EndsWith(", by rdmaready, change c1"));
}

TEST(DriftEvent, AValueOfAThousandWordsIsCutAndNothingIsSaidAsNothing) {
  DriftEvent event = Foreign();
  event.changes[0].to = std::string(100'000, 'x');
  EXPECT_LT(TextOf(event).size(), 500U);
  event.changes[0].to = "";
  EXPECT_THAT(TextOf(event), testing::HasSubstr("-> nothing,"));
  event.changes.resize(1000, event.changes[0]);
  EXPECT_THAT(TextOf(event), testing::HasSubstr("; 992 more,"));
}

TEST(DriftEvent, PfcThatGoesMakesItsCheckFailAndItsReturnMendsIt) {
  const Profile profile = VirtualFabricProfile();
  const Facts without = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
    port.netdev = netdev;
  });
  DriftEvent gone = Foreign();
  JudgeDrift(GoodHost(), without, {&profile, 1}, gone);
  EXPECT_THAT(gone.worse, Contains("pfc.lossless-priority"));
  EXPECT_THAT(gone.better, IsEmpty());
  DriftEvent back = Foreign();
  JudgeDrift(without, GoodHost(), {&profile, 1}, back);
  EXPECT_THAT(back.better, Contains("pfc.lossless-priority"));
  EXPECT_THAT(back.worse, IsEmpty());
}

TEST(DriftEvent, WhatRdmaMakesOfAnAddressIsJudgedByAWholeReadingOnly) {
  const Profile profile = VirtualFabricProfile();
  const Facts moved = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{"10.9.9.9", 24}};
    port.netdev = netdev;
  });
  DriftEvent event = Foreign();
  JudgeDrift(GoodHost(), moved, {&profile, 1}, event);
  EXPECT_THAT(event.worse, testing::Not(Contains(testing::StartsWith("gid."))));
  event.announced = false;
  JudgeDrift(GoodHost(), moved, {&profile, 1}, event);
  EXPECT_THAT(event.worse, Contains(testing::StartsWith("gid.")));
}

TEST(DriftEvent, WhatIsOfNoPortIsNotJudged) {
  const Profile profile = VirtualFabricProfile();
  DriftEvent event = Foreign();
  event.where = "eth7";
  JudgeDrift(GoodHost(), WithPort([](Port& port) { port.state = PortState::kDown; }), {&profile, 1}, event);
  EXPECT_THAT(event.worse, IsEmpty());
}

}  // namespace
}  // namespace rdmaready::drift
