// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/render/change_json.h"
#include "cli/render/setting_words.h"
#include "cli/render/text_change.h"
#include "tests/unit/cli/golden.h"

namespace rdmaready {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kId = "1a2b3c4d5e6f708192a3b4c5d6e7f809";

PlanStep PfcStep() {
  return {.object = {.kind = SettingKind::kPfc, .where = "dcb0"},
          .from = "on 4 delay 0",
          .to = "on 3 delay 0",
          .subject = "rxe0/1 dcb0",
          .profile = "virtual-fabric",
          .api = "dcbnl IEEE PFC",
          .disturbance = {.text = "mlx5: the link goes down for about a second",
                          .estimate_ms = 1200,
                          .link_down = true},
          .commands = {"dcb pfc set dev dcb0 prio-pfc all:off 3:on"},
          .mends = {"pfc.lossless-priority", "pfc.only-one"}};
}

PlanStep MtuStep() {
  return {.object = {.kind = SettingKind::kMtu, .where = "dcb0"},
          .from = "1500",
          .to = "9000",
          .subject = "rxe0/1 dcb0",
          .commands = {"ip link set dev dcb0 mtu 9000"},
          .mends = {"mtu.netdev"}};
}

Plan FullPlan() {
  Plan plan{.steps = {MtuStep(), PfcStep()}, .profiles = {{"virtual-fabric", std::string(64, 'a')}}};
  plan.steps[1].one_way = "bnxt: DCBX went to the firmware, and only it gives it back";
  plan.refusals.push_back({.object = {.kind = SettingKind::kEts, .where = "dcb1"},
                           .subject = "rxe1/1 dcb1",
                           .wanted = "TC 3 of 50 %",
                           .reason = "lldpad follows the switch on dcb1",
                           .advice = "configure the switch, or stop lldpad there",
                           .mends = {"ets.rdma-share"}});
  plan.pending.push_back(
      {.object = {.kind = SettingKind::kDevlinkParameter, .where = "pci/0000:3b:00.0", .name = "enable_roce"},
       .subject = "rxe0/1 dcb0",
       .wanted = "true",
       .needs = "devlink dev reload pci/0000:3b:00.0",
       .commands = {"devlink dev param set pci/0000:3b:00.0 name enable_roce value true cmode driverinit"}});
  plan.users.push_back({"rxe0/1 dcb0", "12 queue pairs: 8 of nvme_rdma, 4 of process 712 (python3)"});
  plan.unknown.push_back("the trust of dcb1 is not known: Operation not supported");
  plan.persist.push_back({.path = "/etc/sysctl.d/90-rdmaready.conf",
                          .content = "net.ipv4.conf.all.arp_ignore = 1\n",
                          .note = "read at boot",
                          .exists_already = true});
  return plan;
}

Change Proven() {
  Change change{.id = kId,
                .requester = "anna",
                .state = ChangeState::kAwaitingConfirm,
                .confirm_within_ms = 60'000,
                .deadline_in_ms = 59'400};
  change.steps = {{.step = MtuStep(), .state = StepState::kWritten},
                  {.step = PfcStep(), .state = StepState::kWritten}};
  change.proof = {.plan_empty = true,
                  .loopback = true,
                  .loopback_text = "rxe0/1 send-1k: p50 46 us",
                  .peer = "node2",
                  .peer_passed = true,
                  .peer_text = "rxe0/1 send-1k: p50 60 us"};
  return change;
}

Change TakenBack() {
  Change change = Proven();
  change.state = ChangeState::kRolledBack;
  change.reason = "the loopback failed";
  change.proof.loopback = false;
  change.proof.loopback_text = "rxe0/1 did not come back: it is not active with an address";
  change.proof.peer.clear();
  for (ChangeStep& step : change.steps) step.state = StepState::kTakenBack;
  return change;
}

TEST(SettingWords, SayWhatDiffersAndOnlyThat) {
  const auto words = [](SettingKind kind, const std::string& from, const std::string& to) {
    return ChangeWords({.kind = kind, .where = "dcb0"}, from, to);
  };
  EXPECT_EQ(words(SettingKind::kPfc, "on 4 delay 0", "on 3 delay 0"), "on 4 -> on 3");
  EXPECT_EQ(words(SettingKind::kPfc, "on 3,4 delay 0", "off delay 7"), "on 3,4 -> off, delay 0 -> 7");
  EXPECT_EQ(
      words(SettingKind::kEts,
            "willing on tsa strict,strict,strict,strict,strict,strict,strict,strict tx 0,0,0,0,0,0,0,0 prio "
            "0,0,0,0,0,0,0,0",
            "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 50,0,0,50,0,0,0,0 prio "
            "0,0,0,3,0,0,0,0"),
      "willing on -> off, priority 3 in TC 0 -> 3, TC 0 strict -> ets, TC 0 0 % -> 50 %, TC 3 strict -> ets, "
      "TC 3 0 % -> 50 %");
  EXPECT_EQ(words(SettingKind::kApp, "dscp:24:3", "dscp:26:3"), "without dscp:24:3, with dscp:26:3");
  EXPECT_EQ(words(SettingKind::kVlanEgress, "empty", "0:3"), "with 0:3");
  EXPECT_EQ(words(SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "0,0,0,1000000,0,0,0,0"),
            "TC 3 no limit -> 1000000 kbit/s");
  EXPECT_EQ(words(SettingKind::kMtu, "1500", "9000"), "1500 -> 9000");
}

TEST(SettingWords, ShowWhatIsNotCanonicalAsItIsAndPrintable) {
  EXPECT_EQ(ChangeWords({.kind = SettingKind::kPfc}, "on 4", "\x1b[31mred"), "on 4 ->  [31mred");
  EXPECT_EQ(SettingName({.kind = SettingKind::kPrivateFlag, .where = "e", .name = "fw-lldp-agent"}),
            "private flag fw-lldp-agent");
  for (const SettingKind kind : kSettingKinds)
    EXPECT_THAT(SettingName({.kind = kind, .name = "n"}), Not(HasSubstr("unknown")));
}

TEST(PlanText, IsAsAcceptedWithTheWorstFirst) {
  const PlanRun run{
      .hosts = {
          {.host = "node1", .plan = FullPlan()},
          {.host = "node2", .plan = Plan{}},
          {.host = "node3", .error = "host node3: connection refused", .failure = ExitStatus::kUnreachable}}};
  const std::string text = PlanText(run, {});
  EXPECT_EQ(text, Golden("plan.txt", text));
  EXPECT_LT(text.find("refused"), text.find("set 1"));
}

TEST(ApplyText, IsAsAccepted) {
  const ChangeRun run{.hosts = {{.host = "node1", .change = Proven()},
                                {.host = "node2", .change = TakenBack()},
                                {.host = "node3", .not_begun = true},
                                {.host = "node4", .plan = Plan{}}}};
  const std::string text = ApplyText(run, false, {});
  EXPECT_EQ(text, Golden("apply.txt", text));
}

TEST(ApplyText, AfterStepsThatWereToldSaysOnlyWhatBecameOfThem) {
  const ChangeRun run{.hosts = {{.host = "node1", .change = Proven()}}};
  EXPECT_THAT(ApplyText(run, true, {}), Not(HasSubstr("MTU")));
  EXPECT_THAT(ApplyText({.hosts = {{.host = "node1", .change = TakenBack()}}}, true, {}),
              HasSubstr("back  rxe0/1 dcb0: MTU"));
}

TEST(ApplyText, TheNextCommandReachesTheHostTheSameWay) {
  const ChangeRun run{.hosts = {{.host = "node1", .change = Proven()}}, .way = " --tls-ca ca.pem"};
  EXPECT_THAT(ApplyText(run, true, {}), HasSubstr("rdmaready confirm node1 --tls-ca ca.pem  # within "));
  const ChangeRun local{.hosts = {{.host = "node1", .change = Proven()}}, .local = true};
  EXPECT_THAT(ApplyText(local, true, {}), HasSubstr("rdmaready confirm  # within "));
}

TEST(LeftOpen, NamesWhatIsOpenUntilWhenAndWhatSettlesIt) {
  Change written = Proven();
  written.state = ChangeState::kWriting;
  ChangeRun run{.hosts = {{.host = "node1", .change = Proven()},
                          {.host = "node2", .change = written, .under_way = true},
                          {.host = "node3", .under_way = true},
                          {.host = "node4", .change = TakenBack()},
                          {.host = "node5", .not_begun = true}},
                .way = " --insecure",
                .told_unix_ns = 1'000'000'000'000'000'000};
  const std::vector<std::string> lines = LeftOpen(run);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            "host node1: change 1a2b3c4d is armed and goes back by itself at 2001-09-09 01:47:39 UTC (in 60 "
            "s); to keep it: "
            "rdmaready confirm node1 --insecure; to take it back now: rdmaready rollback node1 --insecure");
  EXPECT_THAT(
      lines[1],
      HasSubstr("node2: change 1a2b3c4d was being written: its agent takes it back now, else it goes back"));
  EXPECT_THAT(lines[2], HasSubstr("rdmaready forget node3 --insecure --list"));
  run.local = true;
  EXPECT_THAT(LeftOpen(run)[0], HasSubstr("to keep it: rdmaready confirm --insecure;"))
      << "nobody named this host, and by its name it may not be reached";
  EXPECT_THAT(LeftOpen({.hosts = {{.host = "node4", .change = TakenBack()}}})[0],
              HasSubstr("no host has a change"));
}

TEST(ApplyText, ASoberWordForEachStateAndNoneForWhatIsNotKnown) {
  Change change = Proven();
  change.state = ChangeState::kRollbackFailed;
  change.reason = "set PFC on dcb0: Device or resource busy";
  change.steps[1] = {.step = PfcStep(), .state = StepState::kNotTakenBack, .text = "Device or resource busy"};
  const std::string text = ApplyText({.hosts = {{.host = "node1", .change = change}}}, false, {});
  EXPECT_THAT(text, HasSubstr("COULD NOT BE TAKEN BACK (change 1a2b3c4d): set PFC on dcb0"));
  EXPECT_THAT(text, HasSubstr("rdmaready rollback node1  # tries once more"));
  EXPECT_THAT(text, HasSubstr("could not be taken back: Device or resource busy"));
  change.state = ChangeState::kUnknown;
  EXPECT_THAT(OutcomeText(change, "node1", "", {}), HasSubstr("not known"));
  change = Proven();
  change.proof = {.asked_for = false};
  EXPECT_THAT(OutcomeText(change, "", "", {}),
              ::testing::AllOf(HasSubstr("none: --no-proof"), HasSubstr("written and armed"),
                               HasSubstr("rdmaready confirm  # within 60 s")));
}

// A change with files for the next boot, one of them in each state that an order may lead to.
Change WithFiles() {
  Change change = Proven();
  const SettingObject mtu{.kind = SettingKind::kMtu, .where = "dcb0"};
  change.files = {
      {.path = "/etc/netplan/90-rdmaready-dcb0.yaml", .state = BootFileState::kPlanned, .keeps = {mtu}},
      {.path = "/etc/sysctl.d/90-rdmaready.conf", .state = BootFileState::kThere}};
  return change;
}

TEST(ApplyText, ListsFilesForTheNextBootAndWhatNoneKeeps) {
  Change change = WithFiles();
  change.files.push_back(
      {.path = "/etc/rc.local", .state = BootFileState::kNotWritten, .text = "for a person"});
  change.unkept = {{.subject = "rxe0/1 dcb0", .what = "DSCP 48", .again = "write it again"}};
  const std::string text = OutcomeText(change, "node1", "", {});
  for (const char* line :
       {"/etc/netplan/90-rdmaready-dcb0.yaml: once confirmed", "/etc/sysctl.d/90-rdmaready.conf: there already",
        "/etc/rc.local: NOT WRITTEN: for a person",
        "rxe0/1 dcb0: no file keeps DSCP 48; to set it again: write it again"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(PlanText, SaysWhichFilesApplyWrites) {
  Plan plan;
  plan.persist = {{.path = "/etc/sysctl.d/90-rdmaready.conf", .by_apply = true}, {.path = "/etc/rc.local"}};
  const std::string text = PlanText({.hosts = {{.host = "node1", .plan = plan}}}, {});
  EXPECT_THAT(text, HasSubstr("/etc/sysctl.d/90-rdmaready.conf (by apply --persist)\n"));
  EXPECT_THAT(text, HasSubstr("/etc/rc.local\n"));
}

TEST(PlanText, SaysWhyApplyMayWriteOtherFiles) {
  Plan plan;
  EXPECT_THAT(PlanText({.hosts = {{.host = "node1", .plan = plan}}}, {}), Not(HasSubstr("unsure")));
  plan.persist_caveat = "a change is open";
  EXPECT_THAT(PlanText({.hosts = {{.host = "node1", .plan = plan}}}, {}), HasSubstr("a change is open"));
}

TEST(ApplierText, ListsFilesOfTheNextBootAndThoseThatWereLeft) {
  ApplierStatus status;
  status.files = {{.path = "/etc/sysctl.d/90-rdmaready.conf", .state = BootFileState::kWritten}};
  Change confirmed = WithFiles();
  confirmed.state = ChangeState::kConfirmed;
  confirmed.files = status.files;
  status.changes = {confirmed};
  const std::string text = ApplierText({.hosts = {{.host = "node1", .status = status}}}, {});
  EXPECT_EQ(text.find("90-rdmaready.conf: written"), text.rfind("90-rdmaready.conf: written")) << text;
  EXPECT_THAT(text, HasSubstr("90-rdmaready.conf: written"));
  HostApplier forgot{.host = "node1"};
  forgot.files = {{.path = "/etc/x", .state = BootFileState::kRemoved},
                  {.path = "/etc/y", .state = BootFileState::kLeft, .text = "it was edited"}};
  const std::string gone = ApplierText({.hosts = {forgot}}, {});
  EXPECT_THAT(gone, HasSubstr("/etc/x: removed"));
  EXPECT_THAT(gone, HasSubstr("/etc/y: LEFT: it was edited"));
  EXPECT_EQ(StatusOf(ApplierRun{.hosts = {forgot}}), ExitStatus::kNotReady);
  forgot.files.pop_back();
  EXPECT_EQ(StatusOf(ApplierRun{.hosts = {forgot}}), ExitStatus::kOk);
}

TEST(ChangeStatus, CountsWhatNoFileKeeps) {
  const auto status = [](const Change& change) {
    return StatusOfApply(ChangeRun{.hosts = {{.change = change}}});
  };
  EXPECT_EQ(status(WithFiles()), ExitStatus::kOk);
  Change change = WithFiles();
  change.files.push_back(
      {.path = "/etc/rc.local", .state = BootFileState::kNotWritten, .text = "for a person"});
  EXPECT_EQ(status(change), ExitStatus::kNotReady);
  EXPECT_EQ(StatusOfApply(change), ExitStatus::kOk) << "it ends no apply on several hosts";
  change.state = ChangeState::kConfirmed;
  EXPECT_EQ(StatusOfSettle({.hosts = {{.change = change}}}, ChangeState::kConfirmed), ExitStatus::kNotReady);
  change.state = ChangeState::kRolledBack;
  EXPECT_EQ(StatusOfSettle({.hosts = {{.change = change}}}, ChangeState::kRolledBack), ExitStatus::kOk);
  Change alone = WithFiles();
  alone.state = ChangeState::kNothingToDo;
  Plan unsure;
  unsure.unknown = {"the trust of dcb1"};
  EXPECT_EQ(StatusOfApply(ChangeRun{.hosts = {{.plan = unsure, .change = alone}}}), ExitStatus::kOwnFailure);
  Change unkept = WithFiles();
  unkept.unkept = {{.subject = "rxe0/1 dcb0", .what = "DSCP 48"}};
  EXPECT_EQ(status(unkept), ExitStatus::kNotReady);
}

TEST(ChangeStatus, CountsAFileThatAPersonHasToWriteBesideOneOfThatPath) {
  const std::string path = "/etc/sysctl.d/90-rdmaready.conf";
  const SettingObject mtu{.kind = SettingKind::kMtu, .where = "dcb0"};
  Plan plan;
  plan.persist = {{.path = path, .keeps = {mtu}, .by_apply = true}};
  EXPECT_EQ(StatusOfApply(ChangeRun{.hosts = {{.plan = plan}}}), ExitStatus::kOk);
  plan.persist.push_back({.path = path, .keeps = {mtu}});
  EXPECT_EQ(StatusOfApply(ChangeRun{.hosts = {{.plan = plan}}}), ExitStatus::kNotReady);
}

TEST(ApplierText, SaysWhatIsKeptAndWhatMayBeSet) {
  ApplierStatus status{.kept = {{{.kind = SettingKind::kPfc, .where = "dcb0"}, "on 3 delay 0"}},
                       .allowed = {"ports: ens1f*"},
                       .audit_head = std::string(64, 'a'),
                       .notices = {"the journal is damaged: line 3"}};
  const ApplierRun run{.hosts = {{.host = "node1", .status = status}, {.host = "node2"}}};
  const std::string text = ApplierText(run, {});
  EXPECT_EQ(text, Golden("applier.txt", text));
}

TEST(ChangeJson, HasTheKeysOfTheContract) {
  const Json plan = Json::parse(
      PlanJson({.hosts = {{.host = "node1", .plan = FullPlan()}, {.host = "node2", .error = "gone"}}}));
  EXPECT_EQ(plan["schema"], "rdmaready.v1.Plan");
  const Json& step = plan["hosts"][0]["plan"]["steps"][1];
  EXPECT_EQ(step["object"]["kind"], "pfc");
  EXPECT_EQ(step["from"], "on 4 delay 0");
  EXPECT_EQ(step["disturbance"]["estimate_ms"], 1200);
  EXPECT_EQ(plan["hosts"][0]["plan"]["profiles"][0]["sha256"], std::string(64, 'a'));
  EXPECT_TRUE(plan["hosts"][1]["plan"].is_null());
  const Json apply = Json::parse(ApplyJson({.hosts = {{.host = "node1", .change = Proven()}}}));
  EXPECT_EQ(apply["schema"], "rdmaready.v1.Apply");
  EXPECT_EQ(apply["hosts"][0]["change"]["state"], "awaiting-confirm");
  EXPECT_EQ(apply["hosts"][0]["change"]["steps"][0]["state"], "written");
  EXPECT_EQ(apply["hosts"][0]["change"]["proof"]["peer"], "node2");
  const Json applier = Json::parse(
      ApplierJson({.hosts = {{.host = "node1", .status = ApplierStatus{.not_allowed = "no file"}}}}));
  EXPECT_EQ(applier["schema"], "rdmaready.v1.Applier");
  EXPECT_EQ(applier["hosts"][0]["applier"]["not_allowed"], "no file");
  EXPECT_EQ(applier["hosts"][0]["applier"]["audit_head"], "");
}

TEST(ChangeStatus, IsThatOfTheContract) {
  Plan plan;
  EXPECT_EQ(StatusOf(plan), ExitStatus::kOk);
  plan.unknown = {"the trust of dcb1"};
  EXPECT_EQ(StatusOf(plan), ExitStatus::kOwnFailure) << "only what is not known";
  plan.steps.push_back(PfcStep());
  EXPECT_EQ(StatusOf(plan), ExitStatus::kNotReady);
  EXPECT_EQ(
      StatusOf(PlanRun{.hosts = {{.plan = Plan{}}, {.error = "gone", .failure = ExitStatus::kUnreachable}}}),
      ExitStatus::kUnreachable);
  EXPECT_EQ(StatusOfApply(Proven()), ExitStatus::kOk);
  EXPECT_EQ(StatusOfApply(TakenBack()), ExitStatus::kNotReady);
  Plan in_part;
  in_part.refusals.push_back(
      {.object = {.kind = SettingKind::kEts, .where = "dcb1"}, .reason = "lldpad has it"});
  EXPECT_EQ(StatusOfApply(ChangeRun{.hosts = {{.plan = in_part, .change = Proven()}}}), ExitStatus::kNotReady)
      << "something wanted was refused, though all else is set";
  Change failed = Proven();
  failed.state = ChangeState::kRollbackFailed;
  EXPECT_EQ(
      StatusOfApply(ChangeRun{.hosts = {{.error = "x", .failure = ExitStatus::kUsage}, {.change = failed}}}),
      ExitStatus::kOwnFailure)
      << "a failed rollback is worse than anything";
  const ChangeRun settled{
      .hosts = {{.change = failed}, {.error = "none is open", .failure = ExitStatus::kNotReady}}};
  EXPECT_EQ(StatusOfSettle(settled, ChangeState::kRolledBack), ExitStatus::kOwnFailure) << "here, too";
  EXPECT_EQ(StatusOfSettle({.hosts = {{.change = TakenBack()}}}, ChangeState::kRolledBack), ExitStatus::kOk);
  EXPECT_EQ(StatusOfSettle({.hosts = {{.change = TakenBack()}}}, ChangeState::kConfirmed),
            ExitStatus::kNotReady);
  EXPECT_EQ(ApplyFailure(absl::FailedPreconditionError("apply.yaml")), ExitStatus::kUsage);
  EXPECT_EQ(ApplyFailure(absl::PermissionDeniedError("refused: role")), ExitStatus::kUnreachable);
  EXPECT_EQ(ApplyFailure(absl::UnimplementedError("too old")), ExitStatus::kUnreachable);
  EXPECT_EQ(ApplyFailure(absl::InternalError("lost")), ExitStatus::kOwnFailure);
}

}  // namespace
}  // namespace rdmaready
