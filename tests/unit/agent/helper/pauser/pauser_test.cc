// SPDX-License-Identifier: Apache-2.0
// The pauser, served, and the agent's side of it. The interface and its wire are fakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <limits>
#include <mutex>

#include "agent/helper/asker.h"
#include "agent/helper/pauser/helped_pauser.h"
#include "agent/helper/pauser/order.h"
#include "agent/helper/pauser/pauses_file.h"
#include "agent/helper/pauser/verbs.h"
#include "agent/helper/peer.h"
#include "agent/helper/server.h"
#include "api/base/octets.h"
#include "api/base/status.h"
#include "tests/support/eventually.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class PauserTest : public testing::Test {
 protected:
  PauserTest() {
    std::filesystem::create_directories(directory_);
    EXPECT_EQ(::chmod(directory_.c_str(), 0700), 0);
    Allow("ports: [\"ens1f*\"]\ndirect: [\"ens1f0\"]\n");
    Start();
  }
  ~PauserTest() override {
    End();
    std::filesystem::remove_all(directory_);
  }

  void Allow(std::string_view text, ::mode_t mode = 0644) {
    std::ofstream(directory_ + "/pauses.yaml") << text;
    ASSERT_EQ(::chmod((directory_ + "/pauses.yaml").c_str(), mode), 0);
  }

  void Start() {
    server_.reset();
    absl::StatusOr<UniqueFd> listener = ListenOn(directory_ + "/pauser.sock");
    ASSERT_TRUE(listener.ok()) << listener.status();
    told_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    std::vector<Verb> verbs = PauserVerbs({.pauses_file = directory_ + "/pauses.yaml",
                                           .owner = ::geteuid(),
                                           .budget_file = directory_ + "/budget",
                                           .boot = {.boot_id = "boot"},
                                           .read_port = [this](const std::string&) { return port; },
                                           .open = [this](const PausePort&) { return Open(); },
                                           .log = [this](const std::string& line) { Log(line); }});
    server_ = std::make_unique<HelperServer>(*std::move(listener), std::move(verbs),
                                             ServeOptions{.asker = ::geteuid()});
    serving_ = std::async(std::launch::async, [this] { return server_->Run(told_.get()); });
  }
  void End() {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(told_.get(), &one, sizeof(one)), 8);
    if (serving_.valid()) serving_.get();
  }

  absl::StatusOr<FrameSender> Open() {
    if (!open.ok()) return open;
    return FrameSender([this](const PauseFrame& frame) {
      const std::lock_guard lock(mutex_);
      quanta_.push_back(GetBig<std::uint16_t>(frame, 18 + 2 * 3));
      sent_.notify_all();
      return absl::OkStatus();
    });
  }
  void Log(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> Lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::vector<std::uint16_t> Quanta() {
    const std::lock_guard lock(mutex_);
    return quanta_;
  }
  void AwaitFrames(std::size_t count) {
    std::unique_lock lock(mutex_);
    sent_.wait(lock, [&] { return quanta_.size() >= count; });
  }

  static PauseOrder Order() {
    return {.netdev = "ens1f0",
            .priority = 3,
            .burst = milliseconds(20),
            .bursts = 2,
            .gap = milliseconds(20),
            .requester = "ann"};
  }
  absl::StatusOr<PausesSent> Pause(const PauseOrder& order, const std::stop_token& stop = {}) {
    return HelpedPauser(directory_)->Pause(order, stop);
  }

  absl::StatusOr<PausePort> port = PausePort{.netdev = "ens1f0",
                                             .ifindex = 4,
                                             .driver = "mlx5_core",
                                             .key = {.pci = "0000:3b:00.0/0"},
                                             .speed_mbps = 10'000,
                                             .ethernet = true,
                                             .carrier = true};
  absl::Status open = absl::OkStatus();

 private:
  const std::string directory_ = testing::TempDir() + "pauser-" + std::to_string(::getpid());
  UniqueFd told_{};
  std::unique_ptr<HelperServer> server_{};
  std::future<ServeEnd> serving_{};
  std::mutex mutex_{};
  std::condition_variable sent_{};
  std::vector<std::uint16_t> quanta_{};
  std::vector<std::string> lines_{};
};

TEST_F(PauserTest, SendsEachBurstAndEndsIt) {
  const absl::StatusOr<PausesSent> sent = Pause(Order());
  ASSERT_TRUE(sent.ok()) << sent.status();
  EXPECT_EQ(sent->failure, "");
  EXPECT_EQ(sent->driver, "mlx5_core");
  ASSERT_THAT(sent->bursts, SizeIs(2));
  EXPECT_THAT(sent->bursts, Each(Field(&SentBurst::ended, true)));
  for (const SentBurst& burst : sent->bursts) {
    EXPECT_GT(burst.frames, 0U);
    EXPECT_LE(burst.paused, milliseconds(20));
    EXPECT_GT(burst.paused.count(), 0);
  }
  EXPECT_EQ(Quanta().back(), 0);
  EXPECT_EQ(std::ranges::count(Quanta(), 0), 2);
}

TEST_F(PauserTest, HasALineForEachBurst) {
  ASSERT_TRUE(Pause(Order()).ok());
  const std::string place = "netdev=ens1f0 pci=0000:3b:00.0/0 permanent_mac=- phys_port_id=- priority=3 ";
  EXPECT_THAT(Lines(), ElementsAre(StartsWith("begins " + place + "bursts=2 burst_ms=20 requester=\"ann\""),
                                   AllOf(StartsWith("pause " + place + "burst=1/2 "), HasSubstr(" ended=yes ")),
                                   StartsWith("pause " + place + "burst=2/2 ")));
}

TEST_F(PauserTest, RefusesAnInterfaceThatRootDoesNotName) {
  PauseOrder order = Order();
  order.netdev = "eth0";
  const absl::Status refused = Pause(order).status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("does not allow eth0 to send pauses"));
  EXPECT_THAT(Quanta(), IsEmpty());
  EXPECT_THAT(Lines(), ElementsAre(StartsWith("refused netdev=eth0 ")));
}

TEST_F(PauserTest, NeedsAStationThatIsHeardOrTheWordOfRoot) {
  Allow("ports: [\"ens1f*\"]\ndirect: [ens1f1]\n");
  PauseOrder order = Order();
  const absl::Status refused = Pause(order).status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(Message(refused), AllOf(StartsWith("send pauses on ens1f0: "), HasSubstr("name it in `direct`")));
  EXPECT_THAT(Quanta(), IsEmpty());
  order.station_heard = true;
  EXPECT_TRUE(Pause(order).ok());
}

TEST_F(PauserTest, NeedsAnInterfaceOfItsFileThoughAStationIsHeard) {
  Allow("ports: [ens1f1]\ndirect: [\"*\"]\n");
  PauseOrder order = Order();
  order.station_heard = true;
  EXPECT_THAT(Message(Pause(order).status()), HasSubstr("does not allow ens1f0 to send pauses"));
  EXPECT_THAT(Quanta(), IsEmpty());
}

TEST_F(PauserTest, RefusesEveryInterfaceByAFileThatOthersMayWrite) {
  Allow("ports: [\"*\"]\n", 0666);
  EXPECT_TRUE(absl::IsPermissionDenied(Pause(Order()).status()));
  Allow("port: [\"*\"]\n");
  EXPECT_THAT(Message(Pause(Order()).status()), HasSubstr("unknown key `port`"));
  Allow("ports: []\n");
  EXPECT_TRUE(absl::IsPermissionDenied(Pause(Order()).status()));
  EXPECT_THAT(Quanta(), IsEmpty());
}

TEST_F(PauserTest, RefusesANicThatDropsPausesAndTakesNothingForIt) {
  port->driver = "ice";
  PauseOrder whole = Order();
  whole.burst = milliseconds(100);
  whole.gap = milliseconds(100);
  whole.bursts = 10;
  const absl::Status refused = Pause(whole).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("ice_vsi_setup"));
  EXPECT_THAT(Quanta(), IsEmpty());
  port->driver = "mlx5_core";
  EXPECT_TRUE(Pause(Order()).ok());
}

TEST_F(PauserTest, SaysThatTheInterfaceIsGone) {
  port = absl::NotFoundError("ask for interface ens1f0: No such device");
  EXPECT_TRUE(absl::IsNotFound(Pause(Order()).status()));
}

TEST_F(PauserTest, SaysThatItMayNotSend) {
  open = absl::PermissionDeniedError("open a packet socket for ens1f0: Operation not permitted");
  EXPECT_THAT(Message(Pause(Order()).status()), HasSubstr("Operation not permitted"));
}

TEST_F(PauserTest, RefusesWhatTheHourDoesNotHold) {
  PauseOrder order = Order();
  order.burst = milliseconds(10);
  order.gap = milliseconds(10);
  order.bursts = 60;
  ASSERT_TRUE(Pause(order).ok());
  absl::Status refused;
  ASSERT_TRUE(Eventually([&] {
    refused = Pause(order).status();
    return !absl::IsUnavailable(refused);
  }));
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("600 ms of it are used: 600 ms more are free in "));
}

TEST_F(PauserTest, LetsThePartnerGoOnBetweenTwoOrders) {
  PauseOrder order = Order();
  order.burst = milliseconds(100);
  order.bursts = 1;
  order.gap = seconds(1);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Pause(order).ok());
  const absl::Status refused = Pause(order).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(Message(refused),
              AllOf(StartsWith("send pauses on ens1f0: its last burst ended less than 1000 ms ago; the port is "
                               "free in "),
                    HasSubstr(" ms, at 20"), HasSubstr(" UTC")));
  EXPECT_EQ(std::ranges::count(Quanta(), 0), 1);
  ASSERT_TRUE(Eventually([&] { return Pause(order).ok(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(1'200));
}

TEST_F(PauserTest, LetsThePartnerOfAnotherProcessGoOn) {
  PauseOrder order = Order();
  order.bursts = 1;
  ASSERT_TRUE(Pause(order).ok());
  End();
  Start();
  const absl::Status refused = Pause(order).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("a process before this one may have paused its partner"));
  EXPECT_EQ(std::ranges::count(Quanta(), 0), 1);
  EXPECT_TRUE(Eventually([&] { return Pause(order).ok(); }));
}

TEST_F(PauserTest, EndsThePauseWhenItsAskerStops) {
  PauseOrder order = Order();
  order.burst = milliseconds(100);
  order.gap = seconds(1);
  order.bursts = 10;
  std::stop_source stop;
  std::future<absl::StatusOr<PausesSent>> asked =
      std::async(std::launch::async, [&] { return Pause(order, stop.get_token()); });
  AwaitFrames(2);
  stop.request_stop();
  const absl::StatusOr<PausesSent> sent = asked.get();
  ASSERT_TRUE(sent.ok()) << sent.status();
  EXPECT_THAT(sent->bursts, SizeIs(1));
  EXPECT_THAT(sent->failure, Not(IsEmpty()));
  EXPECT_EQ(Quanta().back(), 0);
}

TEST_F(PauserTest, EndsThePauseWhenItIsTerminated) {
  PauseOrder order = Order();
  order.burst = milliseconds(100);
  order.gap = seconds(1);
  order.bursts = 10;
  std::future<absl::StatusOr<PausesSent>> asked = std::async(std::launch::async, [&] { return Pause(order); });
  AwaitFrames(2);
  End();
  asked.get().IgnoreError();
  EXPECT_EQ(Quanta().back(), 0);
}

TEST_F(PauserTest, MakesOneOrderAtATime) {
  PauseOrder order = Order();
  order.burst = milliseconds(50);
  order.gap = seconds(1);
  std::stop_source stop;
  std::future<absl::StatusOr<PausesSent>> asked =
      std::async(std::launch::async, [&] { return Pause(order, stop.get_token()); });
  AwaitFrames(1);
  const absl::Status second = Pause(Order()).status();
  EXPECT_TRUE(absl::IsUnavailable(second)) << second;
  EXPECT_THAT(Message(second), HasSubstr("busy"));
  stop.request_stop();
  asked.get().IgnoreError();
}

TEST(HelpedPauser, SaysHowPausesAreAllowedWhereNoPauserRuns) {
  const PauseOrder order{.netdev = "ens1f0", .burst = milliseconds(50), .bursts = 1, .gap = milliseconds(50)};
  const absl::Status refused = HelpedPauser(testing::TempDir() + "no-such-folder")->Pause(order, {}).status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(Message(refused), AllOf(HasSubstr("rdmaready-pauser"), HasSubstr("/etc/rdmaready/pauses.yaml")));
}

TEST(HelpedPauser, AsksNothingThatNoCallerMayAskFor) {
  PauseOrder order{.netdev = "ens1f0", .burst = milliseconds(4'294'967'295), .bursts = 4'294'967'295U};
  order.gap = order.burst;
  EXPECT_TRUE(absl::IsInvalidArgument(HelpedPauser("/nowhere")->Pause(order, {}).status()));
}

absl::StatusOr<PauseOrder> Decoded(const Json& json) {
  const absl::StatusOr<Json> whole = recording::ParseObject(Text(json));
  if (!whole.ok()) return whole.status();
  Arguments arguments(*whole);
  return DecodePauseOrder(arguments);
}

Json Wire() {
  return ToJson(PauseOrder{.netdev = "ens1f0",
                           .priority = 3,
                           .burst = milliseconds(100),
                           .bursts = 10,
                           .gap = milliseconds(100),
                           .station_heard = true,
                           .requester = "ann"});
}

TEST(PauseOrder, SurvivesARoundTrip) {
  const absl::StatusOr<PauseOrder> order = Decoded(Wire());
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(ToJson(*order), Wire());
}

TEST(PauseOrder, RefusesWhatNoCallerMayAskFor) {
  const std::vector<std::pair<const char*, Json>> wrong{
      {"netdev", ""},
      {"netdev", "../../etc"},
      {"netdev", "sixteen-letters-"},
      {"netdev", 7},
      {"priority", 8},
      {"priority", -1},
      {"priority", "3"},
      {"priority", std::numeric_limits<std::uint64_t>::max()},
      {"burst_ms", 0},
      {"burst_ms", 9},
      {"burst_ms", 101},
      {"burst_ms", 4'294'967'295U},
      {"bursts", 0},
      {"bursts", 11},
      {"bursts", 4'294'967'295U},
      {"gap_ms", 99},
      {"gap_ms", 1'001},
      {"station_heard", 1},
      {"requester", std::string(257, 'a')},
      {"requester", "two\nlines"},
      {"requester", "ann\" frames=0 ended=\"yes"},
      {"requester", "ann\\"},
      {"quanta", 65'535},
      {"bytes", "0180c2000001"},
  };
  for (const auto& [key, value] : wrong) {
    Json json = Wire();
    json[key] = value;
    EXPECT_TRUE(absl::IsInvalidArgument(Decoded(json).status())) << Text(json);
  }
  for (const char* const key :
       {"netdev", "priority", "burst_ms", "bursts", "gap_ms", "station_heard", "requester"}) {
    Json json = Wire();
    json.erase(key);
    EXPECT_TRUE(absl::IsInvalidArgument(Decoded(json).status())) << key;
  }
}

TEST(PausesSent, SurvivesARoundTrip) {
  const PausesSent sent{.driver = "mlx5_core",
                        .bursts = {{3, std::chrono::microseconds(99'000), true}, {1, {}, false}},
                        .failure = "send a pause on ens1f0: Network is down"};
  const absl::StatusOr<PausesSent> read = ReadPausesSent(ToJson(sent));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, sent);
}

TEST(PausesSent, IsNotReadFromAnAnswerOfAnotherShape) {
  EXPECT_TRUE(absl::IsInternal(ReadPausesSent(Json::object()).status()));
  Json many = ToJson(PausesSent{.bursts = std::vector<SentBurst>(101)});
  EXPECT_TRUE(absl::IsInternal(ReadPausesSent(many).status()));
  EXPECT_TRUE(absl::IsInternal(ReadPausesSent(ToJson(PausesSent{.failure = std::string(513, 'a')})).status()));
}

TEST(PausesFile, NamesPatternsOfInterfaces) {
  const auto rules = ParsePausesFile("ports: [ens1f*, \"ib[0-3]\"]\ndirect: [ens1f0]\n", "p.yaml");
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_THAT(rules->ports, ElementsAre("ens1f*", "ib[0-3]"));
  EXPECT_THAT(rules->direct, ElementsAre("ens1f0"));
  EXPECT_THAT(ParsePausesFile("ports: [ens1f*]\n", "p.yaml")->direct, IsEmpty());
}

TEST(PausesFile, NamesTheLineOfAFault) {
  EXPECT_THAT(Message(ParsePausesFile("ports: [\"\"]\n", "p.yaml").status()), StartsWith("p.yaml:1: `ports`"));
  EXPECT_THAT(Message(ParsePausesFile("direct: [\"\"]\n", "p.yaml").status()),
              StartsWith("p.yaml:1: `direct`"));
  EXPECT_THAT(Message(ParsePausesFile("ports: [\"a b\"]\n", "p.yaml").status()), StartsWith("p.yaml:1: "));
  EXPECT_THAT(Message(ParsePausesFile("\nlimit: 5\n", "p.yaml").status()), StartsWith("p.yaml:2: unknown key"));
  EXPECT_FALSE(ParsePausesFile("ports: [", "p.yaml").ok());
}

}  // namespace
}  // namespace rdmaready::helper
