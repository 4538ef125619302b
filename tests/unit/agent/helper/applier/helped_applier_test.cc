// SPDX-License-Identifier: Apache-2.0
// The agent's side of the applier and the verbs that it asks, with a configurer that notes what it is told.
#include "agent/helper/applier/helped_applier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>

#include "agent/helper/applier/order.h"
#include "agent/helper/applier/verbs.h"
#include "agent/helper/asker.h"
#include "agent/helper/peer.h"
#include "agent/helper/server.h"
#include "api/base/status.h"
#include "api/profile/load.h"
#include "tests/support/eventually.h"

namespace rdmaready::helper {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::string kChangeId = "0123456789abcdef0123456789abcdef";

Change ChangeIn(ChangeState state) { return {.id = kChangeId, .state = state}; }

class NotedConfigurer final : public Configurer {
 public:
  absl::StatusOr<Change> Apply(const ApplyOrder& order, const std::function<void(const Change&)>& progress,
                               const std::stop_token& stop) override {
    applied.push_back(order);
    if (!refusal.ok()) return refusal;
    Change change = ChangeIn(ChangeState::kWriting);
    for (int i = 0; i < steps; ++i) {
      change.steps.push_back({.step = {.subject = "rxe0/1 dcb0"}, .state = StepState::kWritten});
      progress(change);
    }
    if (waits_for_stop) {
      std::mutex mutex;
      std::condition_variable_any woken;
      std::unique_lock lock(mutex);
      woken.wait(lock, stop, [] { return false; });
      change.state = ChangeState::kRolledBack;
      taken_back = true;
      return change;
    }
    change.state = ChangeState::kProving;
    return change;
  }
  absl::StatusOr<OrderFiles> FilesOf(const FilesOrder& order, const std::stop_token&) override {
    asked_files.push_back(order);
    return files;
  }
  absl::StatusOr<Change> Proved(const std::string& change_id, const ChangeProof& proof) override {
    proved = {change_id, proof.loopback_text};
    return ChangeIn(ChangeState::kAwaitingConfirm);
  }
  absl::StatusOr<Change> Confirm(const std::string& change_id, const std::string& requester) override {
    if (change_id != kChangeId)
      return absl::NotFoundError("no change " + change_id + " awaits it: it went back");
    confirmed = requester;
    return ChangeIn(ChangeState::kConfirmed);
  }
  absl::StatusOr<Change> RollBack(const std::string&, const std::string& requester) override {
    rolled_back = requester;
    return ChangeIn(ChangeState::kRolledBack);
  }
  absl::StatusOr<Change> RollBackForRoot(const std::string& id, const std::string& requester) override {
    for_root = true;
    return RollBack(id, requester);
  }
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects,
                                              const std::string&) override {
    std::vector<Setting> forgotten;
    for (const SettingObject& object : objects) forgotten.push_back({.object = object, .value = "9000"});
    return forgotten;
  }
  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                    const std::string&) override {
    return std::vector<BootFile>{{.path = "/etc/x", .state = BootFileState::kRemoved, .keeps = objects}};
  }
  absl::StatusOr<ApplierStatus> Status() override { return ApplierStatus{.not_allowed = "no apply.yaml"}; }
  absl::StatusOr<std::vector<OwnWrite>> OwnWrites() override {
    return std::vector<OwnWrite>{{.port_id = 1, .sequence = 2}};
  }

  int steps = 3;
  bool waits_for_stop = false;
  std::atomic<bool> taken_back = false;
  absl::Status refusal{};
  std::vector<ApplyOrder> applied{};
  std::vector<FilesOrder> asked_files{};
  absl::StatusOr<OrderFiles> files = OrderFiles{
      .persist = {{.path = "/etc/netplan/90-rdmaready-dcb0.yaml", .content = "network:\n", .by_apply = true}},
      .unkept = {{.subject = "rxe0/1 dcb0", .what = "DSCP 48", .again = "write it again"}}};
  std::vector<std::string> proved{};
  std::string confirmed{};
  std::string rolled_back{};
  bool for_root = false;
};

class HelpedApplierTest : public testing::Test {
 protected:
  HelpedApplierTest() { std::filesystem::create_directories(directory_); }
  ~HelpedApplierTest() override {
    if (serving_.valid()) End();
    std::filesystem::remove_all(directory_);
  }

  void Start(ServeOptions options = {}) { Start(ApplierVerbs(applier_), std::move(options)); }
  void Start(std::vector<Verb> verbs, ServeOptions options) {
    absl::StatusOr<UniqueFd> listener = ListenOn(directory_ + "/applier.sock");
    ASSERT_TRUE(listener.ok()) << listener.status();
    options.asker = ::geteuid();
    options.progress = kApplierProgress;
    server_ = std::make_unique<HelperServer>(*std::move(listener), std::move(verbs), std::move(options));
    serving_ = std::async(std::launch::async, [this] { return server_->Run(told_.get()); });
  }
  void End() {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(told_.get(), &one, sizeof(one)), 8);
    serving_.get();
  }

  std::shared_ptr<Configurer> Agent() const { return HelpedConfigurer(directory_); }
  static ApplyOrder Order() { return {.profiles = {*LoadProfile("virtual-fabric")}, .requester = "alice"}; }

  // A question as a taken-over agent writes it.
  absl::Status Say(std::string_view verb, const Json& arguments) const {
    return HelperAsker(directory_, kApplierName)
        .Ask(verb, arguments, TimedWait({.longest = seconds(60), .stop = {}}))
        .answer.status();
  }

  const std::string directory_ = testing::TempDir() + "applier " + std::to_string(::getpid());
  const UniqueFd told_{::eventfd(0, EFD_CLOEXEC)};
  NotedConfigurer applier_;
  std::unique_ptr<HelperServer> server_;
  std::future<ServeEnd> serving_;
};

TEST_F(HelpedApplierTest, WhereThereIsNoneItSaysHowToHaveOne) {
  const absl::Status status = Agent()->Status().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(status),
              HasSubstr("rdmaready-applier is not running (systemctl enable --now rdmaready-applier.socket)"));
  EXPECT_THAT(Message(status), HasSubstr("/etc/rdmaready/apply.yaml"));
  EXPECT_EQ(Agent()->Apply(Order(), {}, {}).status(), status);
}

TEST_F(HelpedApplierTest, AnOrderArrivesAndTheChangeIsHeardAfterEveryStep) {
  Start();
  std::vector<std::size_t> heard;
  const auto change =
      Agent()->Apply(Order(), [&](const Change& now) { heard.push_back(now.steps.size()); }, {});
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kProving);
  EXPECT_THAT(change->steps, SizeIs(3));
  EXPECT_THAT(heard, ElementsAre(1, 2, 3));
  ASSERT_THAT(applier_.applied, SizeIs(1));
  EXPECT_EQ(applier_.applied[0].requester, "alice");
  EXPECT_EQ(applier_.applied[0].profiles[0].name, "virtual-fabric");
}

TEST_F(HelpedApplierTest, ALongPlanIsToldToItsEnd) {
  Start();
  applier_.steps = 200;
  std::size_t heard = 0;
  const auto change = Agent()->Apply(Order(), [&](const Change&) { ++heard; }, {});
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(heard, 200U);
}

TEST_F(HelpedApplierTest, WhatIsRefusedIsToldAsItWasSaid) {
  Start();
  for (const absl::Status& refusal :
       {absl::PermissionDeniedError("no apply.yaml"), absl::FailedPreconditionError("another change is open"),
        absl::InvalidArgumentError("limits")}) {
    applier_.refusal = refusal;
    EXPECT_EQ(Agent()->Apply(Order(), {}, {}).status().code(), refusal.code());
    EXPECT_THAT(Message(Agent()->Apply(Order(), {}, {}).status()), HasSubstr(Message(refusal)));
  }
}

TEST_F(HelpedApplierTest, WhoGivesUpStillHearsThatAllWasTakenBack) {
  Start();
  applier_.waits_for_stop = true;
  std::stop_source stop;
  const auto change = Agent()->Apply(
      Order(),
      [&](const Change& now) {
        if (now.steps.size() == 3) stop.request_stop();
      },
      stop.get_token());
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
}

TEST_F(HelpedApplierTest, AnAgentThatDiesStopsItsChange) {
  Start();
  applier_.waits_for_stop = true;
  {
    const absl::StatusOr<UniqueFd> agent =
        ConnectTo(directory_ + "/applier.sock", TimedWait({.longest = seconds(60), .stop = {}}));
    ASSERT_TRUE(agent.ok());
    ASSERT_TRUE(SendFrame(agent->get(), QuestionBody(kApplyVerb, ToJson(Order())),
                          TimedWait({.longest = seconds(60), .stop = {}}))
                    .ok());
    ASSERT_TRUE(
        ReceiveFrame(agent->get(), kMostAnswerBytes, TimedWait({.longest = seconds(60), .stop = {}})).ok());
  }
  EXPECT_TRUE(Eventually([this] { return applier_.taken_back.load(); }));
}

TEST_F(HelpedApplierTest, TheOtherVerbsArriveAsTheyAre) {
  Start();
  EXPECT_EQ(Agent()->Proved(kChangeId, {.loopback_text = "9 Gb/s"})->state, ChangeState::kAwaitingConfirm);
  EXPECT_THAT(applier_.proved, ElementsAre(kChangeId, "9 Gb/s"));
  EXPECT_EQ(Agent()->Confirm(kChangeId, "bob")->state, ChangeState::kConfirmed);
  EXPECT_EQ(applier_.confirmed, "bob");
  EXPECT_EQ(Agent()->RollBack(kChangeId, "eve")->state, ChangeState::kRolledBack);
  EXPECT_EQ(applier_.rolled_back, "eve");
  const SettingObject object{.kind = SettingKind::kMtu, .where = "dcb0"};
  EXPECT_THAT(*Agent()->Forget({object}, "bob"), ElementsAre(Setting{.object = object, .value = "9000"}));
  EXPECT_THAT(*Agent()->ForgetFiles({object}, "bob"),
              ElementsAre(BootFile{.path = "/etc/x", .state = BootFileState::kRemoved, .keeps = {object}}));
  EXPECT_EQ(Agent()->Status()->not_allowed, "no apply.yaml");
  EXPECT_THAT(*Agent()->OwnWrites(), ElementsAre(OwnWrite{.port_id = 1, .sequence = 2}));
}

TEST_F(HelpedApplierTest, FilesOfAnOrderComeWithTheirText) {
  Start();
  const ApplyOrder order = Order();
  const absl::StatusOr<OrderFiles> files =
      Agent()->FilesOf({.profiles = order.profiles, .ports = {"dcb0"}}, {});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(*files, *applier_.files);
  ASSERT_THAT(applier_.asked_files, SizeIs(1));
  EXPECT_EQ(applier_.asked_files[0].profiles[0].name, "virtual-fabric");
  EXPECT_THAT(applier_.asked_files[0].ports, ElementsAre("dcb0"));
  EXPECT_THAT(applier_.applied, SizeIs(0));
}

TEST_F(HelpedApplierTest, FilesAreRefusedInTheWordsOfTheApplier) {
  Start();
  const auto ask = [&] { return Agent()->FilesOf({.profiles = Order().profiles}, {}).status(); };
  for (const absl::Status& refusal :
       {absl::PermissionDeniedError("no apply.yaml"), absl::FailedPreconditionError("a change is open"),
        absl::InvalidArgumentError("profiles that divide no host")}) {
    applier_.files = refusal;
    EXPECT_EQ(ask().code(), refusal.code());
    EXPECT_THAT(Message(ask()), HasSubstr(Message(refusal)));
  }
  applier_.files = OrderFiles{.persist = std::vector<PersistFile>(kMostOrderFiles + 1)};
  EXPECT_EQ(ask().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(HelpedApplierTest, AnApplierOfAnEarlierVersionIsNamed) {
  std::vector<Verb> verbs = ApplierVerbs(applier_);
  std::erase_if(verbs, [](const Verb& verb) { return verb.name == kFilesVerb; });
  Start(std::move(verbs), {});
  const absl::Status status = Agent()->FilesOf({.profiles = Order().profiles}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(Message(status), HasSubstr("rdmaready-applier is of an earlier version"));
  EXPECT_TRUE(Agent()->Apply(Order(), {}, {}).ok());
}

TEST_F(HelpedApplierTest, RootIsKnownByTheKernelAndNotByItsWord) {
  const std::vector<Verb> verbs = ApplierVerbs(applier_);
  const std::string question = QuestionBody(kRollBackVerb, ToJson(ChangeOrder{kChangeId, "root (uid 0)"}));
  const auto ask = [&](bool from_root) {
    const absl::StatusOr<Work> work = DecodeQuestion(question, verbs, from_root);
    ASSERT_TRUE(work.ok()) << work.status();
    EXPECT_TRUE((*work)({}, [](std::string_view) {}).ok());
    EXPECT_EQ(applier_.for_root, from_root);
  };
  ask(false);
  ask(true);
  applier_.for_root = false;
  Start();
  ASSERT_TRUE(Agent()->RollBack(kChangeId, "eve").ok());
  EXPECT_EQ(applier_.for_root, ::geteuid() == 0);
}

TEST_F(HelpedApplierTest, AChangeThatIsNoneIsNotFound) {
  Start();
  const absl::Status status = Agent()->Confirm(std::string(32, 'f'), "bob").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(status), HasSubstr("it went back"));
}

// What no order can say reaches nobody.
TEST_F(HelpedApplierTest, ATakenOverAgentSaysNothingElse) {
  Start();
  EXPECT_EQ(Say("write", {{"object", "pfc of dcb0"}, {"to", "on 3 delay 0"}}).code(),
            absl::StatusCode::kInvalidArgument);
  Json question = ToJson(Order());
  question["steps"] = Json::array({{{"to", "on 3 delay 0"}}});
  EXPECT_EQ(Say(kApplyVerb, question).code(), absl::StatusCode::kInvalidArgument);
  question = ToJson(FilesOrder{.profiles = Order().profiles});
  question["path"] = "/etc/shadow";
  EXPECT_EQ(Say(kFilesVerb, question).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Say(kConfirmVerb, {{"change", "any"}, {"requester", ""}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Say(kStatusVerb, {{"of", "all"}}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(applier_.applied, SizeIs(0));
  EXPECT_THAT(applier_.asked_files, SizeIs(0));
}

TEST_F(HelpedApplierTest, ItStaysWhileThereIsAReasonTo) {
  std::atomic<bool> armed = true;
  std::atomic<int> asked = 0;
  Start({.idle = std::chrono::milliseconds(20), .busy = [&] {
           ++asked;
           return armed.load();
         }});
  ASSERT_TRUE(Eventually([&] { return asked >= 3; }));
  EXPECT_TRUE(Agent()->Status().ok());
  armed = false;
  EXPECT_EQ(serving_.get(), ServeEnd::kIdle);
}

}  // namespace
}  // namespace rdmaready::helper
