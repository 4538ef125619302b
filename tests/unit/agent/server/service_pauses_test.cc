// SPDX-License-Identifier: Apache-2.0
// Pauses that an agent has sent: who may ask for them, and when, and what reaches the pauser.
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/helper/pauser/order.h"
#include "agent/helper/pauser/pauser.h"
#include "agent/port/idle_traffic.h"
#include "api/base/status.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/support/lldp_wire.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FakePauser final : public helper::Pauser {
 public:
  absl::Status IsThere() const override { return there; }
  absl::StatusOr<helper::PausesSent> Pause(const helper::PauseOrder& order,
                                           const std::stop_token& stop) override {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back(order);
    }
    if (meanwhile) meanwhile(stop);
    return answer;
  }
  std::vector<helper::PauseOrder> Orders() {
    const std::lock_guard lock(mutex_);
    return orders_;
  }

  absl::Status there = absl::OkStatus();
  absl::StatusOr<helper::PausesSent> answer =
      helper::PausesSent{.driver = "mlx5_core", .bursts = {{60, std::chrono::microseconds(99'500), true}}};
  std::function<void(const std::stop_token& stop)> meanwhile{};

 private:
  std::mutex mutex_;
  std::vector<helper::PauseOrder> orders_{};
};

// The one agent is the responder of a part of a stress test, or of nothing.
class PausesTest : public ServiceTest {
 protected:
  // In one look: a thousandth of 25 Gb/s.
  static constexpr std::uint64_t kMostOfOthers = 3'125'000 * kTrafficLook.count() / 1'000;

  ServedAgent Served(bool allow_stress = true, Clock& clock = RealClock()) {
    return ServedAgent(OneEnd(Role::kResponder), locks_ + "/", {}, HostNetwork(), nullptr, {}, true, nullptr,
                       {}, {}, nullptr, clock, kFewBytes, false, allow_stress ? pauser : nullptr);
  }
  // The netdev has moved so many bytes.
  static void Move(ServedAgent& served, std::uint64_t bytes) {
    for (const char* const name : {"tx_bytes", "rx_bytes"})
      served.host.files[std::string("/sys/class/net/dcb0/statistics/") + name] = std::to_string(bytes);
  }
  // Holds the port of an agent with that clock. In each look others move `bytes`.
  static absl::StatusOr<PeerTicket> HoldBeside(ServedAgent& served, FakeClock& clock, std::uint64_t bytes) {
    std::uint64_t moved = 1'000;
    Move(served, moved);
    auto holding = std::async(std::launch::async, [&] { return Hold(served.agent()); });
    for (int look = 0; look < (bytes > kMostOfOthers ? kTrafficLooks : 1); ++look) {
      // A reading of the host waits by the same clock, for another time.
      EXPECT_TRUE(Eventually([&] { return clock.AwaitSleeper() == kTrafficLook; }));
      Move(served, moved += bytes);
      clock.Advance(kTrafficLook);
    }
    return holding.get();
  }
  absl::StatusOr<PausesMade> Beside(std::uint64_t bytes) {
    FakeClock clock;
    ServedAgent served = Served(true, clock);
    const absl::StatusOr<PeerTicket> ticket = HoldBeside(served, clock, bytes);
    EXPECT_TRUE(ticket.ok()) << ticket.status();
    return served.agent().SendPauses(Pauses(), Me(), {});
  }
  static PauseQuestion Pauses() {
    return {.port = {.device = "rxe0", .number = 1},
            .priority = 3,
            .burst = milliseconds(100),
            .bursts = 5,
            .gap = milliseconds(200)};
  }
  static Caller Me() { return {.name = "a test", .run_id = "run-7", .who = "me"}; }
  static absl::StatusOr<PeerTicket> Hold(Agent& agent) {
    return agent.AdmitPeer({.role = PeerRequest::Role::kResponder,
                            .port = {.device = "rxe0", .number = 1},
                            .case_name = "write-8k",
                            .peer_name = "a",
                            .options = {.stress = true}},
                           Me());
  }
  absl::StatusOr<PausesMade> DuringATest(const PauseQuestion& question, const Caller& caller = Me()) {
    FakeClock clock;
    ServedAgent served = Served(true, clock);
    const absl::StatusOr<PeerTicket> ticket = HoldBeside(served, clock, 0);
    EXPECT_TRUE(ticket.ok()) << ticket.status();
    return served.agent().SendPauses(question, caller, {});
  }

  // Pauses after a watch that heard a neighbour with these capabilities.
  absl::StatusOr<PausesMade> AfterHearing(int enabled) {
    using lldp_wire::operator+;
    constexpr int kCapabilities = 7;
    ServedAgent served = Served();
    Move(served, 0);
    served.host.lldp["dcb0"] = LldpFrames{
        .listened_ms = 10,
        .frames = {
            {.bytes = lldp_wire::Frame(lldp_wire::Tlv(kCapabilities, lldp_wire::Raw({0, 0xff, 0, enabled})))}}};
    EXPECT_TRUE(served.agent().Check({.level = Rung::kHost, .watch = milliseconds(10)}, Me(), {}, {}).ok());
    const absl::StatusOr<PeerTicket> ticket = Hold(served.agent());
    EXPECT_TRUE(ticket.ok()) << ticket.status();
    return served.agent().SendPauses(Pauses(), Me(), {});
  }

  const std::shared_ptr<FakePauser> pauser = std::make_shared<FakePauser>();
};

TEST_F(PausesTest, ReachThePauserForTheRunThatHoldsThePort) {
  const absl::StatusOr<PausesMade> made = DuringATest(Pauses());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->netdev, "dcb0");
  EXPECT_EQ(made->sent, *pauser->answer);
  ASSERT_THAT(pauser->Orders(), SizeIs(1));
  const helper::PauseOrder order = pauser->Orders()[0];
  EXPECT_EQ(order.netdev, "dcb0");
  EXPECT_EQ(order.priority, 3U);
  EXPECT_EQ(order.burst, milliseconds(100));
  EXPECT_EQ(order.bursts, 5U);
  EXPECT_EQ(order.gap, milliseconds(200));
  EXPECT_FALSE(order.station_heard);
  EXPECT_THAT(order.requester, AllOf(HasSubstr("me a test"), HasSubstr("run run-7")));
}

TEST_F(PausesTest, NeedTheRunAndTheCallerThatHoldThePort) {
  Caller other = Me();
  other.run_id = "run-8";
  const absl::Status refused = DuringATest(Pauses(), other).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("no transfer of the stress test run-8 holds this port"));
  other = Me();
  other.who = "somebody";
  EXPECT_EQ(DuringATest(Pauses(), other).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(pauser->Orders(), IsEmpty());
}

TEST_F(PausesTest, EndWithTheTest) {
  ServedAgent served = Served();
  { ASSERT_TRUE(Hold(served.agent()).ok()); }
  EXPECT_EQ(served.agent().SendPauses(Pauses(), Me(), {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(pauser->Orders(), IsEmpty());
}

TEST_F(PausesTest, EndWhenTheTimeOfTheTestIsOver) {
  FakeClock clock;
  ServedAgent served = Served(true, clock);
  const absl::StatusOr<PeerTicket> ticket = HoldBeside(served, clock, 0);
  ASSERT_TRUE(ticket.ok()) << ticket.status();
  pauser->meanwhile = [&](const std::stop_token& stop) {
    EXPECT_FALSE(stop.stop_requested());
    clock.Advance(StressLimits{}.run);
    EXPECT_TRUE(Eventually([&] { return stop.stop_requested(); }));
  };
  const absl::StatusOr<PausesMade> made = served.agent().SendPauses(Pauses(), Me(), {});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->sent.bursts, pauser->answer->bursts);
  EXPECT_THAT(made->sent.failure, HasSubstr("is over (--stress-max-run, --stress-max-hour)"));
  EXPECT_EQ(served.agent().SendPauses(Pauses(), Me(), {}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(pauser->Orders(), SizeIs(1));
}

TEST_F(PausesTest, NeedAPartnerThatNeitherBridgesNorRoutes) {
  for (const int enabled : {0x04, 0x10, 0x84}) {
    const absl::Status refused = AfterHearing(enabled).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_EQ(
        Message(refused),
        "send pauses on dcb0: by LLDP, chassis 02:00:00:00:00:01 port Ethernet1/1 is a bridge or a router, "
        "and pauses are for a cable between two hosts. Nothing was sent");
  }
  EXPECT_THAT(pauser->Orders(), IsEmpty());
}

TEST_F(PausesTest, ReachThePauserWithWhatLldpSaysOfThePartner) {
  ASSERT_TRUE(AfterHearing(0x80).ok());
  ASSERT_TRUE(AfterHearing(0).ok());
  ASSERT_THAT(pauser->Orders(), SizeIs(2));
  EXPECT_TRUE(pauser->Orders()[0].station_heard);
  EXPECT_FALSE(pauser->Orders()[1].station_heard);
}

TEST_F(PausesTest, NameTheRequesterWithoutQuotes) {
  Caller quoting = Me();
  quoting.name = "me\" ended=\"yes\\";
  ASSERT_TRUE(DuringATest(Pauses(), quoting).ok());
  const helper::PauseOrder order = pauser->Orders()[0];
  EXPECT_THAT(order.requester, HasSubstr("me? ended=?yes?"));
  EXPECT_TRUE(helper::CheckPauseOrder(order).ok());
}

TEST_F(PausesTest, ShowInTheAuditHowLongTheyAre) {
  EXPECT_EQ(TextOf(Pauses()), "rxe0/1 priority=3 bursts=5 burst_ms=100 gap_ms=200");
}

TEST_F(PausesTest, NeedAnEthernetPortThatOthersDoNotUse) {
  EXPECT_TRUE(Beside(kMostOfOthers).ok());
  const absl::Status refused = Beside(2 * kMostOfOthers).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(Message(refused), AllOf(HasSubstr("others use dcb0, and would be paused too"),
                                      HasSubstr("50.0 Mb/s (limit 25.0 Mb/s")));
  EXPECT_THAT(pauser->Orders(), SizeIs(1));
}

TEST_F(PausesTest, NeedALookAtTheEthernetPortBeforeTheTest) {
  ServedAgent unread = Served();
  {
    const absl::StatusOr<PeerTicket> ticket = Hold(unread.agent());
    ASSERT_TRUE(ticket.ok()) << ticket.status();
    EXPECT_THAT(Message(unread.agent().SendPauses(Pauses(), Me(), {}).status()),
                HasSubstr("whether others use dcb0 is not known"));
  }
  pauser->there = absl::PermissionDeniedError("rdmaready-pauser is not running");
  const absl::StatusOr<PeerTicket> ticket = Hold(unread.agent());
  ASSERT_TRUE(ticket.ok()) << ticket.status();
  EXPECT_EQ(unread.agent().SendPauses(Pauses(), Me(), {}).status(), pauser->there);
  pauser->there = absl::OkStatus();
  EXPECT_THAT(Message(unread.agent().SendPauses(Pauses(), Me(), {}).status()),
              HasSubstr("was not looked at before the stress test began"));
  EXPECT_THAT(pauser->Orders(), IsEmpty());
}

TEST_F(PausesTest, NeedAPortOfTheHost) {
  PauseQuestion other = Pauses();
  other.port.device = "mlx5_9";
  EXPECT_EQ(DuringATest(other).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(pauser->Orders(), IsEmpty());
}

TEST_F(PausesTest, NeedAnAgentThatTakesPartInStressTests) {
  ServedAgent served = Served(false);
  const absl::Status refused = served.agent().SendPauses(Pauses(), Me(), {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(refused), HasSubstr("--allow-stress"));
}

TEST_F(PausesTest, ReportTheReasonOfThePauser) {
  pauser->answer = absl::ResourceExhaustedError("1000 ms of it are used: 500 ms more are free in 3000 s");
  const absl::Status used_up = DuringATest(Pauses()).status();
  EXPECT_EQ(used_up.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(used_up), HasSubstr("free in 3000 s"));
}

// Callers of this process have every role but that one.
TEST_F(PausesTest, NeedTheRoleStress) {
  ServedAgent served = Served();
  const absl::Status refused = served.Client("b")->SendPauses({.priority = 3}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("needs the role stress"));
  EXPECT_THAT(pauser->Orders(), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
