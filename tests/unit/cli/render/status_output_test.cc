// SPDX-License-Identifier: Apache-2.0
// What `rdmaready status` shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/fleet/host_status.h"
#include "cli/render/status_json.h"
#include "cli/render/text_status.h"
#include "tests/unit/cli/golden.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::int64_t kNow = 1'795'200'000'000'000'000;
constexpr std::int64_t kMinuteNs = 60'000'000'000;

HostStatus Quiet(const std::string& name) {
  return {.host = name,
          .agent_version = "0.1.0",
          .agent_since_unix_ns = kNow - 5000 * kMinuteNs,
          .hub = HubLink{.hub = "hub1", .since_unix_ns = kNow - 600 * kMinuteNs},
          .heard_unix_ns = kNow,
          .last_check = LastCheck{.run_id = "r",
                                  .started_unix_ns = kNow - 4 * kMinuteNs,
                                  .level = Rung::kHost,
                                  .verdict = Readiness::kReady}};
}

HostStatus WithChange(const std::string& name, ChangeState state) {
  HostStatus host = Quiet(name);
  Change change{.id = "1a2b3c4d5e6f708192a3b4c5d6e7f809",
                .requester = "alice (tls CN=alice)",
                .begun_unix_ns = kNow - kMinuteNs,
                .state = state};
  change.steps.resize(2);
  if (state == ChangeState::kAwaitingConfirm) change.deadline_in_ms = 42'000;
  if (state == ChangeState::kRollbackFailed)
    change.reason = "nobody confirmed it in time; dcb0: it is \"9000\"";
  host.changes.push_back(change);
  return host;
}

StatusRun SomeHosts() {
  HostStatus silent{.host = "node4",
                    .error = "host node4: connect to 10.0.0.4:7471: Connection refused",
                    .failure = ExitStatus::kUnreachable};
  HostStatus worse = Quiet("node5");
  worse.last_check->verdict = Readiness::kNotReady;
  worse.last_check->ids = {"link.state", "pfc.only-one"};
  worse.drift = {{.unix_ns = kNow - 2 * kMinuteNs, .text = "dcb0: pfc on 3 -> off, by dcb?"},
                 {.unix_ns = kNow - 3 * kMinuteNs, .text = "dcb0: mtu 9000 -> 1500, writer not known"}};
  worse.hub->trouble = "connection refused";
  return {.hosts = {Quiet("node1"), WithChange("node2", ChangeState::kAwaitingConfirm),
                    WithChange("node3", ChangeState::kRollbackFailed), silent, worse},
          .way = " --insecure",
          .told_unix_ns = kNow};
}

TEST(StatusText, ShowsWhatNeedsAPersonFirst) {
  const std::string text = StatusText(SomeHosts(), Style{});
  EXPECT_EQ(text, Golden("status.txt", text));
  EXPECT_LT(text.find("node3"), text.find("node2"));
  EXPECT_LT(text.find("node2"), text.find("node4"));
  EXPECT_LT(text.find("node4"), text.find("node5"));
  EXPECT_LT(text.find("node5"), text.find("node1"));
}

TEST(StatusText, NamesTheCommandsThatSettleAChange) {
  const std::string text = StatusText(SomeHosts(), Style{});
  EXPECT_THAT(text, HasSubstr("rdmaready confirm node2 --insecure\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready rollback node2 --insecure\n"));
  EXPECT_THAT(text, HasSubstr("rdmaready rollback node3 --insecure\n"));
  EXPECT_THAT(text, Not(HasSubstr("rdmaready confirm node3")));
}

TEST(StatusText, NamesNoHostInTheCommandsOfThisHost) {
  const StatusRun run{
      .hosts = {WithChange("node2", ChangeState::kAwaitingConfirm)}, .local = true, .told_unix_ns = kNow};
  EXPECT_THAT(StatusText(run, Style{}), HasSubstr("rdmaready confirm\n"));
}

TEST(StatusExit, CountsChangesAndNoticesAndNotWhatWasFoundBefore) {
  const auto of = [](HostStatus host) { return StatusOf(StatusRun{.hosts = {std::move(host)}}); };
  EXPECT_EQ(of(Quiet("a")), ExitStatus::kOk);
  EXPECT_EQ(of(WithChange("a", ChangeState::kAwaitingConfirm)), ExitStatus::kNotReady);
  EXPECT_EQ(of(WithChange("a", ChangeState::kRollbackFailed)), ExitStatus::kNotReady);
  HostStatus noticed = Quiet("a");
  noticed.notices = {"the journal is damaged"};
  EXPECT_EQ(of(noticed), ExitStatus::kNotReady);
  HostStatus not_ready = Quiet("a");
  not_ready.last_check->verdict = Readiness::kNotReady;
  EXPECT_EQ(of(not_ready), ExitStatus::kOk);
  HostStatus silent = Quiet("a");
  silent.failure = ExitStatus::kUnreachable;
  EXPECT_EQ(of(silent), ExitStatus::kUnreachable);
}

TEST(StatusJson, HoldsWhatIsOpen) {
  const auto json = nlohmann::json::parse(StatusJson(SomeHosts()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Status");
  const auto& hosts = json["hosts"];
  ASSERT_THAT(hosts, SizeIs(5));
  EXPECT_EQ(hosts[0]["needs_person"], false);
  EXPECT_EQ(hosts[0]["last_check"]["verdict"], "ready");
  EXPECT_EQ(hosts[0]["hub"]["hub"], "hub1");
  EXPECT_EQ(hosts[1]["needs_person"], true);
  EXPECT_EQ(hosts[1]["changes"][0]["state"], "awaiting-confirm");
  EXPECT_EQ(hosts[1]["changes"][0]["deadline_in_ms"], 42'000);
  EXPECT_FALSE(hosts[3].contains("last_check"));
  EXPECT_EQ(hosts[4]["last_check"]["checks"], nlohmann::json({"link.state", "pfc.only-one"}));
}

TEST(HostStatus, TakesOfAnApplierWhatIsOpenOrFailed) {
  ApplierStatus applier;
  for (const ChangeState state :
       {ChangeState::kConfirmed, ChangeState::kRolledBack, ChangeState::kAwaitingConfirm,
        ChangeState::kRollbackFailed, ChangeState::kUnknown})
    applier.changes.push_back({.id = "x", .state = state});
  EXPECT_THAT(OpenChangesOf(applier), SizeIs(3));
}

TEST(HostStatus, KnowsTheHubByTheLastEventAboutIt) {
  EXPECT_FALSE(HubLinkOf({{.unix_ns = 1, .name = "check"}}).has_value());
  const std::vector<AgentEvent> events{{.unix_ns = 1, .name = "started"},
                                       {.unix_ns = 2, .name = "hub", .fields = {{"hub", "h1"}}},
                                       {.unix_ns = 3, .name = "hub-away", .fields = {{"reason", "gone"}}}};
  EXPECT_EQ(HubLinkOf(events)->hub, "h1");
  EXPECT_EQ(HubLinkOf(events)->trouble, "gone");
  EXPECT_EQ(StartOf(events), 1);
}

TEST(HostStatus, TakesTheDriftSinceACheck) {
  const std::vector<StoreEvent> events{{.unix_ns = 5, .text = "drift: dcb0: mtu 9000 -> 1500"},
                                       {.unix_ns = 4, .text = "damaged, set aside"},
                                       {.unix_ns = 2, .text = "drift: old"}};
  const std::vector<StoreEvent> drift = DriftIn(events, 3);
  ASSERT_THAT(drift, SizeIs(1));
  EXPECT_EQ(drift[0].text, "dcb0: mtu 9000 -> 1500");
}

}  // namespace
}  // namespace rdmaready
