// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/cli/reports.h"

#include <utility>

#include "checks/catalog.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "checks/words/fix.h"

namespace rdmaready {
namespace {

constexpr const char* kPort = "rxe0/1 dcb0";

Finding Make(const std::string& id, Outcome outcome, const std::string& observed) {
  const std::string_view group = GroupOf(id);
  Finding finding{
      .id = id, .title = "title of " + id, .scope = Scope::kPort, .rung = Rung::kHost, .subject = kPort};
  finding.outcome = outcome;
  finding.blocking = true;
  finding.observed = observed;
  finding.source = "dcbnl";
  if (group == "loopback") finding.rung = Rung::kLoopback;
  if (group == "peer" || group == "pair") {
    finding.rung = Rung::kPeer;
    finding.scope = Scope::kPair;
    finding.subject = "rxe0/1 -> rxe0/1";
  }
  if (id == "inv.rdma-present" || id == "host.memlock") {
    finding.scope = Scope::kHost;
    finding.subject = "host";
  }
  return finding;
}

void AddTransfers(std::vector<Finding>& findings, Rung rung) {
  findings.push_back(Pass(TransferId(rung, "send-1k"), "p50 46 us, p99 195 us, p99.9 1.3 ms"));
  findings.push_back(Pass(TransferId(rung, "write-8k"), "9120 operations/s, p50 6.9 ms, p99 9.1 ms"));
  findings.push_back(Pass(TransferId(rung, "read-8k"), "8890 operations/s, p50 7.0 ms, p99 9.4 ms"));
  findings.push_back(
      Pass(TransferId(rung, "write-512k"), "61.2 MB/s, worst 100 ms 58.9 MB/s, 40.0 MB verified"));
  findings.push_back(
      Pass(TransferId(rung, "read-512k"), "60.8 MB/s, worst 100 ms 57.7 MB/s, 40.0 MB verified"));
}

CheckSummary Begin(Rung level) {
  CheckSummary check;
  Report& report = check.report;
  report.version = "0.1.0";
  report.run_id = "20261120T191700Z-4f1c09aa";
  report.started_unix_ns = 1'795'200'000'000'000'000;
  report.duration_ns = 2'100'000'000;
  report.profiles = {{"virtual-fabric", "00ff"}};
  report.level = level;
  return check;
}

void AddHost(CheckSummary& check, HostReport host) {
  HostNotes notes;
  if (host.error.empty()) {
    notes.software = true;
    host.profiles = check.report.profiles;
  }
  if (!host.error.empty()) notes.failure = ExitStatus::kUnreachable;
  check.report.hosts.push_back(std::move(host));
  check.notes.push_back(notes);
}

}  // namespace

Finding Pass(const std::string& id, const std::string& observed) { return Make(id, Outcome::kPass, observed); }

Finding Fail(const std::string& id, const std::string& observed, const std::string& expected,
             const std::string& fix) {
  Finding finding = Make(id, Outcome::kFail, observed);
  finding.expected = expected;
  finding.why = "why " + id + " matters";
  SetFix(finding, fix);
  return finding;
}

Finding NotApplicable(const std::string& id, const std::string& reason) {
  return Make(id, Outcome::kNotApplicable, reason);
}

Finding HiddenBehind(const std::string& id, const std::string& by) {
  Finding finding = Make(id, Outcome::kNotApplicable, "not judged: " + by + " fails");
  finding.hidden_by = by;
  return finding;
}

HostReport HealthyHost(const std::string& name, bool loopback) {
  HostReport host{.host = name, .agent_version = "0.1.0", .kernel_release = "6.12.117"};
  host.findings = {
      Pass("inv.rdma-present", "rxe0/1: RoCE, software device"),
      Pass("inv.netdev-mapping", "dcb0"),
      Pass("inv.transport", "RoCE"),
      Pass("link.state", "rxe0/1 active, dcb0 up at 25 Gb/s"),
      Pass("link.speed", "25 Gb/s"),
      Pass("mtu.ethernet", "9000 B"),
      Pass("mtu.roce-active", "4096 B"),
      Pass("gid.v2-present", "RoCE v2 for 10.0.0.1"),
      Pass("gid.default-mode", "RoCE v2"),
      Pass("roce.tos", "106 (DSCP 26)"),
      Pass("drv.dcb-capable", "ETS and PFC"),
      Pass("dcbx.mode", "IEEE, by the host, willing off"),
      Pass("pfc.lossless-priority", "PFC on 3"),
      Pass("pfc.only-one", "PFC on 3"),
      Pass("ets.map", "priority 3 alone in class 3"),
      Pass("ets.rdma-share", "50 % for class 3"),
      Pass("map.dscp", "DSCP 26 to priority 3"),
      NotApplicable("trust.mode", "the driver offers no APP trust"),
      Pass("host.memlock", "unlimited"),
  };
  if (loopback) AddTransfers(host.findings, Rung::kLoopback);
  return host;
}

CheckSummary HealthyCheck() {
  CheckSummary check = Begin(Rung::kLoopback);
  AddHost(check, HealthyHost("node1", true));
  Conclude(check.report);
  return check;
}

CheckSummary SickCheck() {
  CheckSummary check = Begin(Rung::kHost);
  HostReport host{.host = "node1", .agent_version = "0.1.0", .kernel_release = "6.12.117"};
  Finding warning =
      Fail("pfc.only-one", "PFC on 3 and 4", "PFC on one priority", "dcb pfc set dev dcb0 prio-pfc 4:off");
  warning.outcome = Outcome::kWarn;
  warning.blocking = false;
  Finding unknown = Fail("ets.rdma-share", "dcbnl: Operation not permitted", "50 %", "# run the agent as root");
  unknown.outcome = Outcome::kUnknown;
  host.findings = {
      Pass("inv.rdma-present", "rxe0/1: RoCE, software device"),
      Fail("link.state", "rxe0/1 down, dcb0 has no carrier", "active, interface up with carrier",
           "ip link set dev dcb0 up  # and check the cable, the transceiver and the switch port, one after the "
           "other"),
      HiddenBehind("link.speed", "link.state"),
      HiddenBehind("gid.v2-present", "link.state"),
      Pass("pfc.lossless-priority", "PFC on 3 and 4"),
      warning,
      unknown,
      NotApplicable("map.dscp", "profile x does not ask for a DSCP"),
      NotApplicable("trust.mode", "profile x does not ask for a DSCP"),
  };
  AddHost(check, host);
  Conclude(check.report);
  return check;
}

CheckSummary PeerCheck() {
  CheckSummary check = Begin(Rung::kPeer);
  AddHost(check, HealthyHost("127.0.0.1:9001", true));
  AddHost(check, HealthyHost("127.0.0.1:9002", true));
  PairReport there{.from = "127.0.0.1:9001", .to = "127.0.0.1:9002"};
  there.findings = {Pass("mtu.pair", "4096 B on both"), Pass("pfc.both-directions", "PFC on 3 on both")};
  PairReport back{.from = "127.0.0.1:9002", .to = "127.0.0.1:9001"};
  AddTransfers(there.findings, Rung::kPeer);
  AddTransfers(back.findings, Rung::kPeer);
  check.report.pairs = {there, back};
  Conclude(check.report);
  return check;
}

CheckSummary UnreachableCheck() {
  CheckSummary check = Begin(Rung::kHost);
  AddHost(check, HealthyHost("a", false));
  AddHost(check, {.host = "b", .error = "host b: connect to 10.0.0.2:7471: Connection refused"});
  Conclude(check.report);
  return check;
}

TransferRow GoodTransfer() {
  TransferRow row{.from = "a", .to = "b", .subject = "rxe0/1 -> rxe0/1", .software = true};
  row.result = {
      .case_name = "write-512k",
      .operation = Operation::kWrite,
      .message_bytes = 524'288,
      .local_gid = "::ffff:10.0.0.1",
      .remote_gid = "::ffff:10.0.0.2",
      .transport = "roce-v2",
      .messages = 80,
      .bytes = 41'943'040,
      .bytes_verified = 41'943'040,
      .elapsed_ns = 685'000'000,
      .throughput_bytes_per_s = 61'200'000,
      .worst_interval_bytes_per_s = 58'900'000,
      .operations_per_s = 117,
      .latency = {.p50_ns = 137'000'000, .p99_ns = 150'000'000, .p999_ns = 151'000'000, .max_ns = 152'000'000},
      .cpu_initiator_ns = 120'000'000,
      .cpu_responder_ns = 90'000'000};
  row.findings = {Pass("peer.write-512k", "61.2 MB/s")};
  return row;
}

TransferRow CorruptTransfer() {
  TransferRow row = GoodTransfer();
  row.result.bytes_wrong = 1;
  row.result.first_wrong_offset = 4096;
  row.result.failure = {FailureKind::kCorrupt, "message 1"};
  row.findings = {
      Fail("peer.write-512k", "wrong bytes arrived: message 1", "", "rdma statistic show  # on both hosts")};
  return row;
}

}  // namespace rdmaready
