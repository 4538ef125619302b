// SPDX-License-Identifier: Apache-2.0
#include "checks/diagnosis/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/catalog.h"
#include "checks/device/link_fix.h"
#include "checks/diagnosis/rules.h"
#include "checks/words/fix.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kPort = "rxe0/1 dcb0";

Finding Made(std::string_view id, Outcome outcome, const std::string& subject = kPort) {
  Finding finding{.id = std::string(id), .scope = Scope::kPort, .subject = subject, .outcome = outcome};
  SetFix(finding, "true");
  return finding;
}

std::vector<std::string> RuledOut(const Facts& host, std::vector<Finding> findings) {
  Diagnose(host, findings);
  return findings.front().remedy ? findings.front().remedy->ruled_out : std::vector<std::string>{};
}

TEST(Diagnosis, RulesOutWhatAnotherCheckOfTheSamePlaceSawInOrder) {
  for (const PassRule& rule : PassRules()) {
    SCOPED_TRACE(std::string(rule.wrong) + " " + std::string(rule.passes));
    const Finding wrong = Made(rule.wrong, Outcome::kFail);
    const auto with = [&](Outcome outcome, const std::string& subject = kPort) {
      return RuledOut({}, {wrong, Made(rule.passes, outcome, subject)});
    };
    EXPECT_THAT(with(Outcome::kPass), Contains(std::string(rule.not_this)));
    for (const Outcome other : {Outcome::kFail, Outcome::kWarn, Outcome::kUnknown, Outcome::kNotApplicable})
      EXPECT_THAT(with(other), IsEmpty());
    EXPECT_THAT(with(Outcome::kPass, "rxe1/1 dcb1"), IsEmpty()) << "of another port";
  }
}

TEST(Diagnosis, KnowsTheChecksOfItsRules) {
  for (const PassRule& rule : PassRules()) {
    EXPECT_NE(FindCheck(rule.wrong), nullptr) << rule.wrong;
    EXPECT_NE(FindCheck(rule.passes), nullptr) << rule.passes;
  }
}

Port Made(Transport transport, const std::string& board, PortState state) {
  Port port = GoodHost().ports->front();
  port.transport = transport;
  port.board = board;
  port.state = state;
  return port;
}

// The first is a port that is down, of the model "MT_0000000838".
Facts Host(const Port& down, const std::string& other_board, PortState other) {
  Facts host = GoodHost();
  Port second = Made(*down.transport, other_board, other);
  second.device = "rxe1";
  host.ports = std::vector<Port>{down, second};
  return host;
}

std::vector<std::string> OfDownLink(const Facts& host) {
  return RuledOut(host, {Made("link.state", Outcome::kFail)});
}

TEST(Diagnosis, RulesOutTheModelWhereAnotherPortOfItIsActive) {
  const std::string board = "MT_0000000838";
  for (const Transport transport : {Transport::kInfiniBand, Transport::kRoce}) {
    const Port down = Made(transport, board, PortState::kDown);
    const Facts host = Host(down, board, PortState::kActive);
    EXPECT_THAT(OfDownLink(host), Contains(HasSubstr("1 other port of this model is active")));
    EXPECT_THAT(RuledOut(host, {Made("mtu.ethernet", Outcome::kFail)}), Not(Contains(HasSubstr("model"))));
    EXPECT_THAT(OfDownLink(Host(down, board, PortState::kDown)), Not(Contains(HasSubstr("model"))));
    EXPECT_THAT(OfDownLink(Host(down, "MT_0000000359", PortState::kActive)), Not(Contains(HasSubstr("model"))));
  }
}

TEST(Diagnosis, RulesOutTheSubnetManagerWhileThePhysicalLinkIsDown) {
  const auto found = [](Transport transport, std::uint8_t phys_state) {
    Port down = Made(transport, "A", PortState::kDown);
    down.phys_state = phys_state;
    return OfDownLink(Host(down, "B", PortState::kDown));
  };
  EXPECT_THAT(found(Transport::kInfiniBand, kPhysPolling), Contains(HasSubstr("the subnet manager")));
  EXPECT_THAT(found(Transport::kInfiniBand, kPhysLinkUp), Not(Contains(HasSubstr("the subnet manager"))));
  EXPECT_THAT(found(Transport::kRoce, kPhysPolling), Not(Contains(HasSubstr("the subnet manager"))));
}

TEST(Diagnosis, RulesOutAPortThatWasNeverUsedByItsLid) {
  const auto found = [](std::uint16_t lid) {
    Port down = Made(Transport::kInfiniBand, "A", PortState::kDown);
    down.ib.lid = lid;
    down.port_counters = std::vector<Counter>{{"port_xmit_data", 0}, {"port_rcv_data", 0}};
    return OfDownLink(Host(down, "B", PortState::kDown));
  };
  EXPECT_THAT(found(868), Contains(HasSubstr("LID 868")));
  EXPECT_THAT(found(0), Not(Contains(HasSubstr("never used"))));
}

TEST(Diagnosis, RulesOutAnLldpAgentOnlyWhereNobodyRunsOne) {
  Facts host = GoodHost();
  host.lldp_agents = std::vector<std::string>{};
  EXPECT_THAT(RuledOut(host, {Made("ets.map", Outcome::kWarn)}), Contains(HasSubstr("LLDP agent")));
  host.lldp_agents = std::vector<std::string>{"lldpad"};
  EXPECT_THAT(RuledOut(host, {Made("ets.map", Outcome::kWarn)}), IsEmpty());
  host.lldp_agents = Missing{.kind = Missing::Kind::kDenied};
  EXPECT_THAT(RuledOut(host, {Made("ets.map", Outcome::kWarn)}), IsEmpty());
}

TEST(Diagnosis, SaysNothingOfWhatIsNotWrong) {
  Facts host = GoodHost();
  host.lldp_agents = std::vector<std::string>{};
  for (const Outcome outcome : {Outcome::kPass, Outcome::kUnknown, Outcome::kNotApplicable})
    EXPECT_THAT(RuledOut(host, {Made("ets.map", outcome)}), IsEmpty());
  Finding without = Made("ets.map", Outcome::kFail);
  SetFix(without, {});
  EXPECT_THAT(RuledOut(host, {without}), IsEmpty()) << "no remedy";
}

}  // namespace
}  // namespace rdmaready
