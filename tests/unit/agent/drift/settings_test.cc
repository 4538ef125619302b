// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/good_host.h"

namespace rdmaready::drift {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

// What the second reading changes of what the first one knew.
std::vector<Change> Changed(const Facts& before, const Facts& after) {
  KnownSettings known;
  EXPECT_THAT(known.Update(ReadSettings(before)), IsEmpty()) << "the first reading changes nothing";
  return known.Update(ReadSettings(after));
}

testing::Matcher<Change> Is(const std::string& where, const std::string& what, const std::string& from,
                            const std::string& to) {
  return AllOf(Field(&Change::where, where), Field(&Change::what, what), Field(&Change::from, from),
               Field(&Change::to, to));
}

TEST(DriftSettings, AHostThatStaysAsItIsHasNoChange) {
  EXPECT_THAT(Changed(GoodHost(), GoodHost()), IsEmpty());
}

TEST(DriftSettings, PfcOnAnotherPriorityIsTheTablesSetting) {
  const Facts after = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 1U << 4U;
    netdev.dcb.pfc = pfc;
    port.netdev = netdev;
  });
  const std::vector<Change> changes = Changed(GoodHost(), after);
  ASSERT_THAT(changes, ElementsAre(AllOf(Field(&Change::where, "dcb0"), Field(&Change::what, "pfc"))));
  EXPECT_EQ(changes[0].object, (SettingObject{.kind = SettingKind::kPfc, .where = "dcb0"}));
  EXPECT_THAT(TextOf(changes[0]), testing::StartsWith("pfc on 3 delay "));
  EXPECT_THAT(TextOf(changes[0]), testing::HasSubstr(" -> on 4 delay "));
}

TEST(DriftSettings, WhatTheTableHasNotIsToldByItsPath) {
  const Facts after = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.master = "bond0";
    port.netdev = netdev;
  });
  EXPECT_THAT(Changed(GoodHost(), after), ElementsAre(Is("dcb0", "master", "", "bond0")));
}

TEST(DriftSettings, AnAddressThatGoesIsAChange) {
  const Facts after = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{};
    port.netdev = netdev;
  });
  EXPECT_THAT(Changed(GoodHost(), after),
              ElementsAre(AllOf(Field(&Change::what, "addresses"), Field(&Change::to, ""))));
}

TEST(DriftSettings, ALinkThatGoesDownByItselfIsNone) {
  const Facts after = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.carrier = false;
    netdev.speed_mbps = Missing{Missing::Kind::kFailed, "speed unknown while link is down"};
    port.netdev = netdev;
    port.state = PortState::kDown;
  });
  EXPECT_THAT(Changed(GoodHost(), after), IsEmpty());
}

// As after a boot that found the interfaces in another order.
TEST(DriftSettings, IgnoresTheNumbersOfInterfaces) {
  const auto numbered = [](std::uint32_t first) {
    return WithPort([first](Port& port) {
      Netdev netdev = *port.netdev;
      netdev.ifindex = first;
      port.netdev = netdev;
      Netdev lower = netdev;
      lower.name = "eth7";
      lower.ifindex = first + 1;
      port.lowers = std::vector<Netdev>{lower};
      port.uppers = std::vector<UpperNetdev>{
          {.name = "dcb0.5", .ifindex = 100 - first, .kind = "vlan", .over = {"dcb0"}, .mtu_bytes = 9000}};
    });
  };
  EXPECT_THAT(Changed(numbered(4), numbered(9)), IsEmpty());
}

TEST(DriftSettings, WhatIsNotKnownIsNoChangeAndIsComparedWhenItIsKnownAgain) {
  KnownSettings known;
  known.Update(ReadSettings(GoodHost()));
  const Facts silent = WithPort([](Port& port) { port.netdev = Missing{Missing::Kind::kFailed, "no answer"}; });
  EXPECT_THAT(known.Update(ReadSettings(silent)), IsEmpty());
  // It came back, as another interface, without what was set.
  const Facts back = WithPort([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.ifindex = 99;
    netdev.mtu_bytes = 1500;
    port.netdev = netdev;
  });
  EXPECT_THAT(known.Update(ReadSettings(back)),
              ElementsAre(AllOf(Field(&Change::where, "dcb0"), Field(&Change::what, "mtu"),
                                Field(&Change::to, "1500"))));
}

TEST(DriftSettings, APortThatIsKnownToBeNoMoreIsGoneAndItsReturnIsTold) {
  KnownSettings known;
  known.Update(ReadSettings(GoodHost()));
  Facts without = GoodHost();
  without.ports = std::vector<Port>{};
  EXPECT_THAT(known.Update(ReadSettings(without)), Contains(Is("dcb0", "interface", "there", "gone")));
  EXPECT_THAT(known.Update(ReadSettings(without)), IsEmpty()) << "told once";
  EXPECT_THAT(known.Update(ReadSettings(GoodHost())), Contains(Is("dcb0", "interface", "gone", "there")));
}

UpperNetdev Above(const std::string& name, const std::string& kind) {
  UpperNetdev upper{
      .name = name, .ifindex = 50, .kind = kind, .over = {"dcb0"}, .admin_up = true, .mtu_bytes = 9000};
  return upper;
}

Facts WithUppers(const std::vector<UpperNetdev>& uppers) {
  return WithPort([&](Port& port) { port.uppers = uppers; });
}

TEST(DriftSettings, AVlanIsSomebodysSettingAndAPodsInterfaceIsNot) {
  EXPECT_THAT(Changed(WithUppers({Above("dcb0.5", "vlan")}), WithUppers({})),
              ElementsAre(Is("dcb0.5", "interface", "there", "gone")));
  EXPECT_THAT(Changed(WithUppers({Above("pod1", "macvlan")}), WithUppers({})), IsEmpty());
}

TEST(DriftSettings, TenThousandVlansThatCameAndWentAreNotKept) {
  KnownSettings known;
  known.Update(ReadSettings(GoodHost()));
  for (int i = 0; i < 10'000; ++i) {
    known.Update(ReadSettings(WithUppers({Above("v" + std::to_string(i), "vlan")})));
  }
  EXPECT_LE(known.size(), KnownSettings::kMostGone + 8);
}

}  // namespace
}  // namespace rdmaready::drift
