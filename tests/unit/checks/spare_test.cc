// SPDX-License-Identifier: Apache-2.0
#include "checks/spare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/words.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The good host with a second port that nobody plugged in, nor set up in any way, but for a change.
template <class Change>
Facts WithUncabled(Change change) {
  return WithSecond(GoodHost(), [&change](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.carrier = false;
    netdev.addresses = std::vector<IpAddress>{};
    netdev.driver = "bnxt_en";
    netdev.dcb.pfc = Pfc{.capability = 8};
    netdev.dcb.ets = Ets{};
    netdev.dcb.app = std::vector<AppEntry>{};
    port.netdev = netdev;
    port.state = PortState::kDown;
    port.cm_default_tos = std::uint8_t{0};
    port.gids = std::vector<Gid>{};
    change(port);
  });
}

Facts WithSpare() {
  return WithUncabled([](Port&) {});
}

bool SecondIsSpare(const Facts& host, const Profile& profile = VirtualFabricProfile()) {
  return IsSpare(host, host.ports->at(1), profile);
}

std::vector<std::string> OfSecond(std::span<const Finding> findings) {
  std::vector<std::string> ids;
  for (const Finding* finding : WorthSaying(findings)) {
    if (finding->subject.starts_with("rxe1/1")) ids.push_back(finding->id);
  }
  return ids;
}

TEST(Spare, IsWhatHasNeitherCableNorAddress) {
  EXPECT_TRUE(SecondIsSpare(WithSpare()));
  EXPECT_FALSE(IsSpare(WithSpare(), WithSpare().ports->front(), VirtualFabricProfile()));
  const auto not_spare = [](auto change) { EXPECT_FALSE(SecondIsSpare(WithUncabled(change))); };
  not_spare([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "10.0.1.1", .prefix_length = 24}};
    port.netdev = netdev;
  });
  not_spare([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = Denied();
    port.netdev = netdev;
  });
  not_spare([](Port& port) {
    port.uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .over = {"dcb1"}}};
  });
  not_spare([](Port& port) { port.uppers = Denied(); });
  not_spare([](Port& port) { port.netdev = Denied(); });
}

TEST(Spare, IsNoneWhereTheHostNeedsIt) {
  Profile two = VirtualFabricProfile();
  two.min_ports = std::uint8_t{2};
  EXPECT_FALSE(SecondIsSpare(WithSpare(), two));
  Facts dead = WithSpare();
  std::vector<Port> ports = *dead.ports;
  ports.front().state = PortState::kDown;
  dead.ports = ports;
  EXPECT_FALSE(SecondIsSpare(dead));
}

// An InfiniBand host with a second port that has no link, but for a change.
template <class Change>
Facts WithIdleInfiniband(Change change) {
  Facts host = OnInfiniband([](Port&) {});
  std::vector<Port> ports = *host.ports;
  Port second = ports.front();
  second.device = "mlx5_1";
  second.state = PortState::kDown;
  second.phys_state = std::uint8_t{3};
  second.ib.lid = std::uint16_t{0xffff};
  change(second);
  ports.push_back(second);
  host.ports = ports;
  return host;
}

TEST(Spare, IsToldOfInfinibandByThePortItself) {
  const auto idle = [](auto change) { return SecondIsSpare(WithIdleInfiniband(change), InfinibandProfile()); };
  EXPECT_TRUE(idle([](Port&) {}));
  EXPECT_FALSE(idle([](Port& port) { port.state = PortState::kInit; }));
  EXPECT_FALSE(idle([](Port& port) { port.phys_state = std::uint8_t{5}; }));
  EXPECT_FALSE(idle([](Port& port) { port.phys_state = Denied(); }));
  EXPECT_FALSE(idle([](Port& port) { port.uppers = Denied(); }));
  const auto with_address = [](Fact<std::vector<IpAddress>> addresses) {
    return [addresses](Port& port) {
      port.uppers = std::vector<UpperNetdev>{{.name = "ib1", .kind = "ipoib", .addresses = addresses}};
    };
  };
  EXPECT_TRUE(idle(with_address(std::vector<IpAddress>{})));
  EXPECT_FALSE(idle(with_address(std::vector<IpAddress>{{.address = "10.0.1.1", .prefix_length = 24}})));
  EXPECT_FALSE(idle(with_address(Denied())));
}

TEST(Spare, ExcludesAnInfinibandPortThatWasInUse) {
  const auto idle = [](auto change) {
    const Facts host = WithIdleInfiniband(change);
    return SpareOf(host, host.ports->at(1), InfinibandProfile());
  };
  EXPECT_EQ(idle([](Port& port) { port.ib.lid = std::uint16_t{868}; }), Fact<bool>(false));
  EXPECT_EQ(idle([](Port& port) { port.ib.lid = std::uint16_t{0}; }), Fact<bool>(true));
  const auto counted = [](std::string name, std::uint64_t value) {
    return [name, value](Port& port) { port.port_counters = std::vector<Counter>{{name, value}}; };
  };
  EXPECT_EQ(idle(counted("port_xmit_data", 1)), Fact<bool>(false));
  EXPECT_EQ(idle(counted("port_rcv_data", 1)), Fact<bool>(false));
  EXPECT_EQ(idle(counted("port_rcv_data", 0)), Fact<bool>(true));
  EXPECT_FALSE(idle([](Port& port) { port.ib.lid = Denied(); }));
  EXPECT_FALSE(idle([](Port& port) { port.port_counters = Denied(); }));
}

// An InfiniBand host of so many equal adapters, of which the last has no link and never had one.
Facts WithRails(std::size_t rails) {
  Facts host = WithIdleInfiniband([](Port& port) {
    port.port_counters = std::vector<Counter>{{"link_downed", 0}};
  });
  std::vector<Port> ports = *host.ports;
  PciFunction idle = *ports[1].pci;
  idle.address = "0000:5e:00.0";
  ports[1].pci = idle;
  for (std::size_t i = 2; i < rails; ++i) {
    Port more = ports.front();
    more.device = Cat("mlx5_", i);
    PciFunction function = *more.pci;
    function.address = Cat("0000:", 40 + i, ":00.0");
    more.pci = function;
    ports.push_back(more);
  }
  host.ports = ports;
  return host;
}

TEST(Spare, WarnsOfOneOfSeveralEqualRails) {
  const auto said = [](const Facts& host) {
    for (const Finding& finding : JudgeHost(host, InfinibandProfile())) {
      if (finding.id == "link.state" && finding.subject.starts_with("mlx5_1/1")) return finding;
    }
    return Finding{};
  };
  EXPECT_EQ(said(WithRails(3)).outcome, Outcome::kNotApplicable);
  Facts sibling = WithRails(4);
  std::vector<Port> with_sibling = *sibling.ports;
  with_sibling[2].pci = with_sibling[1].pci;
  sibling.ports = with_sibling;
  EXPECT_EQ(said(sibling).outcome, Outcome::kNotApplicable) << "its adapter has another port, which is up";
  const Finding of_four = said(WithRails(4));
  EXPECT_EQ(of_four.outcome, Outcome::kWarn);
  EXPECT_THAT(of_four.observed, HasSubstr("1 of 4 equal ports is down"));
  Facts unequal = WithRails(4);
  std::vector<Port> ports = *unequal.ports;
  ports.back().board = std::string("MT_0000000999");
  unequal.ports = ports;
  EXPECT_EQ(said(unequal).outcome, Outcome::kNotApplicable);
  ports.back().board = Denied();
  unequal.ports = ports;
  EXPECT_EQ(said(unequal).outcome, Outcome::kUnknown);
  ports.back().board = ports.front().board;
  ports.back().state = PortState::kDown;
  unequal.ports = ports;
  EXPECT_EQ(said(unequal).outcome, Outcome::kNotApplicable) << "two are down: perhaps meant so";
}

TEST(Spare, IsNotKnownWhereThatHangsOnWhatWasNotRead) {
  const auto gap = [](const Facts& host) {
    const Fact<bool> spare = SpareOf(host, host.ports->at(1), VirtualFabricProfile());
    return !spare && spare.missing().kind == Missing::Kind::kDenied;
  };
  EXPECT_TRUE(gap(WithUncabled([](Port& port) { port.uppers = Denied(); })));
  EXPECT_TRUE(gap(WithUncabled([](Port& port) { port.netdev = Denied(); })));
  EXPECT_FALSE(gap(WithUncabled([](Port& port) {
    port.netdev = Denied();
    port.state = PortState::kActive;
  })));
  Facts other = WithSpare();
  std::vector<Port> ports = *other.ports;
  ports.front().state = Denied();
  other.ports = ports;
  EXPECT_TRUE(gap(other));
  ports.front().state = PortState::kDown;
  other.ports = ports;
  EXPECT_FALSE(gap(other));
}

TEST(Spare, PerhapsIsUnknownAndNoMore) {
  const Facts host = WithUncabled([](Port& port) { port.uppers = Denied(); });
  for (const Finding& finding : JudgeHost(host, VirtualFabricProfile())) {
    if (!finding.subject.starts_with("rxe1/1") || finding.id == "inv.netdev-mapping" ||
        finding.id == "inv.netns-mode" || finding.id == "dev.guid")
      continue;
    EXPECT_TRUE(finding.outcome == Outcome::kUnknown || finding.outcome == Outcome::kNotApplicable)
        << finding.id;
  }
}

TEST(Spare, NeverHadALinkWhereNoneWentDown) {
  const auto never = [](Fact<std::vector<Counter>> counters) {
    const Facts host = WithIdleInfiniband([&counters](Port& port) { port.port_counters = counters; });
    return NeverHadLink(host.ports->at(1));
  };
  EXPECT_EQ(never(std::vector<Counter>{{"link_downed", 0}}), Fact<bool>(true));
  EXPECT_EQ(never(std::vector<Counter>{{"link_downed", 1}}), Fact<bool>(false));
  EXPECT_FALSE(never(std::vector<Counter>{}));
  EXPECT_FALSE(never(Denied()));
  EXPECT_EQ(never(Missing{Missing::Kind::kUnsupported, "no counters"}), Fact<bool>(false));
  EXPECT_EQ(NeverHadLink(GoodHost().ports->front()), Fact<bool>(false));
}

TEST(Spare, HadALinkWhereAnEthernetPortMovedData) {
  const auto never = [](Fact<std::vector<Counter>> counters) {
    const Facts host = WithUncabled([&counters](Port& port) {
      Netdev netdev = *port.netdev;
      netdev.carrier_changes = std::uint64_t{1};
      port.netdev = netdev;
      port.port_counters = counters;
    });
    return NeverHadLink(host.ports->at(1));
  };
  EXPECT_EQ(never(std::vector<Counter>{{"port_xmit_data", 0}, {"port_rcv_data", 0}}), Fact<bool>(true));
  EXPECT_EQ(never(std::vector<Counter>{{"port_xmit_data", 0}, {"port_rcv_data", 7}}), Fact<bool>(false));
  EXPECT_EQ(never(Missing{Missing::Kind::kUnsupported, "no counters"}), Fact<bool>(true));
  EXPECT_FALSE(never(Denied()));
}

TEST(Spare, OfWhichNothingTellsWhetherItHadALinkIsUnknown) {
  const auto said = [](Fact<std::vector<Counter>> counters) {
    const Facts host = WithIdleInfiniband([&counters](Port& port) { port.port_counters = counters; });
    const std::vector<Finding> findings = JudgeHost(host, InfinibandProfile());
    return std::ranges::find_if(findings,
                                [](const Finding& finding) {
                                  return finding.id == "link.state" && finding.subject.starts_with("mlx5_1/1");
                                })
        ->outcome;
  };
  EXPECT_EQ(said(std::vector<Counter>{{"link_downed", 0}}), Outcome::kNotApplicable);
  EXPECT_EQ(said(std::vector<Counter>{{"link_downed", 1}}), Outcome::kWarn);
  EXPECT_EQ(said(std::vector<Counter>{}), Outcome::kUnknown);
  EXPECT_EQ(said(Denied()), Outcome::kUnknown);
}

TEST(Spare, IsSaidOnceAndKeepsNoHostFromBeingReady) {
  const std::vector<Finding> findings = JudgeHost(WithSpare(), VirtualFabricProfile());
  EXPECT_THAT(IdsWith(findings, Outcome::kFail), IsEmpty());
  EXPECT_THAT(OfSecond(findings), ElementsAre("link.state"));
  const auto said = std::ranges::find_if(findings, [](const Finding& finding) {
    return finding.id == "link.state" && finding.outcome == Outcome::kWarn;
  });
  ASSERT_NE(said, findings.end());
  EXPECT_THAT(said->observed, HasSubstr("spare: rxe1/1 down, dcb1 has no carrier"));
  EXPECT_EQ(ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost), Readiness::kReady);
}

TEST(Spare, NeedNotBeOfTheMakeOfTheOthers) {
  const auto hardware = [](Facts host) {
    std::vector<Port> ports = *host.ports;
    for (Port& port : ports) {
      port.software = false;
      port.board = port.device;
      port.firmware = std::string("1.0");
    }
    host.ports = ports;
    return host;
  };
  const auto symmetry = [](const Facts& host) {
    return Of(JudgeHost(host, VirtualFabricProfile()), "inv.symmetry").outcome;
  };
  EXPECT_EQ(symmetry(hardware(WithSpare())), Outcome::kNotApplicable);
  EXPECT_EQ(symmetry(hardware(WithUncabled([](Port& port) { port.uppers = Denied(); }))), Outcome::kUnknown);
}

// Everything that its driver shows only with a link follows from the cable.
TEST(PulledCable, IsOneRedLine) {
  const Facts pulled = WithUncabled([](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "10.0.1.1", .prefix_length = 24}};
    port.netdev = netdev;
  });
  EXPECT_THAT(IdsWith(JudgeHost(pulled, VirtualFabricProfile()), Outcome::kFail), ElementsAre("link.state"));
}

}  // namespace
}  // namespace rdmaready
