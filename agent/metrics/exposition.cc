// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/exposition.h"

#include <string_view>

#include "api/metrics/families.h"
#include "checks/counted/error_counters.h"
#include "checks/words/names.h"

namespace rdmaready::metrics {
namespace {

constexpr double kNsPerSecond = 1e9;

double Seconds(std::int64_t ns) { return static_cast<double>(ns) / kNsPerSecond; }

double Number(std::uint64_t count) { return static_cast<double>(count); }

void AddRungs(const Kept& kept, Families& all) {
  Family ready = all.Gauge(
      "rdmaready_ready",
      "Whether the host is ready on this rung, by the last check: 1 ready, 0 not ready or not known.");
  Family undetermined = all.Gauge("rdmaready_undetermined",
                                  "Whether the last check could not tell if the host is ready on this rung.");
  Family when = all.Gauge("rdmaready_check_last_run_timestamp_seconds", "When the check began that says so.");
  Family duration = all.Gauge("rdmaready_check_duration_seconds", "How long it took.");
  Family findings = all.Gauge("rdmaready_findings", "Findings of the last check, by outcome, without the waived ones.");
  Family waived = all.Gauge("rdmaready_waived_findings", "Findings of the last check that are accepted for now.");
  for (const LastRung& last : kept.rungs) {
    const LabelValue rung{"rung", Name(last.rung)};
    ready.Add(last.outcome == RungOutcome::kPass ? 1 : 0, {rung});
    undetermined.Add(last.outcome == RungOutcome::kPass || last.outcome == RungOutcome::kFail ? 0 : 1, {rung});
    when.Add(Seconds(last.started_unix_ns), {rung});
    duration.Add(Seconds(last.duration_ns), {rung});
    for (std::size_t i = 0; i < last.findings.size(); ++i) {
      const auto outcome = static_cast<Outcome>(i);
      if (outcome == Outcome::kNotApplicable) continue;  // nobody waits for one
      findings.Add(Number(last.findings[i]), {rung, {"outcome", Name(outcome)}});
    }
    if (last.waived > 0) waived.Add(Number(last.waived), {rung});
  }
  for (const Family* one : {&ready, &undetermined, &when, &duration, &findings, &waived}) all.Take(*one);
}

std::string_view SeverityOf(const NotWell& one) {
  if (one.waived) return "waived";
  return one.blocking ? "blocking" : "advisory";
}

// Settings that somebody else writes, and settings that the next boot loses.
std::string_view DriftOf(std::string_view check) {
  if (check.starts_with("drift.")) return "written-by-others";
  if (check == "dcb.at-boot" || check == "roce.tos-persistent") return "lost-at-boot";
  return {};
}

void AddNotWell(const Kept& kept, Families& all) {
  if (kept.rungs.empty()) return;
  Family state =
      all.Gauge("rdmaready_check_state",
                "Checks that are not well: they warn, fail or are unknown. What is well has no series.");
  Family drift = all.Gauge("rdmaready_drift_findings",
                           "Checks by which settings drift: written by others, or lost at the next boot.");
  std::size_t left_out = 0;
  std::uint64_t written = 0;
  std::uint64_t lost = 0;
  for (const LastRung& last : kept.rungs) {
    left_out += last.left_out;
    for (const NotWell& one : last.not_well) {
      state.Add(1, {{"check", one.check},
                    {"outcome", Name(one.outcome)},
                    {"severity", SeverityOf(one)},
                    {"subject", one.subject},
                    {"profile", one.profile}});
      if (one.outcome == Outcome::kUnknown || one.waived) continue;
      const std::string_view kind = DriftOf(one.check);
      written += kind == "written-by-others" ? 1U : 0U;
      lost += kind == "lost-at-boot" ? 1U : 0U;
    }
  }
  drift.Add(Number(written), {{"kind", "written-by-others"}});
  drift.Add(Number(lost), {{"kind", "lost-at-boot"}});
  all.Take(state);
  all.TakeGauge("rdmaready_check_states_left_out",
                "Checks that are not well and have no series: there are too many.", Number(left_out));
  all.Take(drift);
  all.TakeGauge("rdmaready_ports", "RDMA ports of this host, by the last check.",
                Number(kept.rungs.front().ports));
  Family profiles = all.Gauge("rdmaready_profile_info", "By what the host was judged.");
  for (const std::string& name : kept.rungs.front().profiles) profiles.Add(1, {{"profile", name}});
  all.Take(profiles);
}

void AddLosses(const LossWindow& losses, Families& all) {
  if (losses.end_unix_ns == 0) return;
  all.TakeGauge("rdmaready_loss_window_end_timestamp_seconds",
                "When the error counters were read last, to be compared with the time before.",
                Seconds(losses.end_unix_ns));
  Family window =
      all.Gauge("rdmaready_loss_window_seconds", "The time between the two readings that were compared.");
  Family known = all.Gauge("rdmaready_loss_known", "Whether the error counters of the port could be compared.");
  Family grown = all.Gauge("rdmaready_loss_window_events",
                           "How far an error counter grew in the window; one that did not grow has no series.");
  for (const PortLosses& port : losses.ports) {
    window.Add(port.window_s, {{"port", port.port}});
    known.Add(port.known ? 1 : 0, {{"port", port.port}});
    for (const CounterChange& change : port.grown)
      grown.Add(Number(GrowthOf(change)), {{"port", port.port}, {"counter", change.name}});
  }
  for (const Family* one : {&window, &known, &grown}) all.Take(*one);
}

void AddTests(const Kept& kept, Families& all) {
  Family when =
      all.Gauge("rdmaready_test_last_timestamp_seconds", "When the last live test of the case ended.");
  Family failed = all.Gauge("rdmaready_test_failed",
                            "Why the last live test of the case failed; one that passed has no series.");
  Family rate =
      all.Gauge("rdmaready_test_throughput_bytes_per_second", "What the last live test of the case moved.");
  Family worst =
      all.Gauge("rdmaready_test_worst_window_bytes_per_second", "What it moved in its worst 100 ms.");
  Family p50 =
      all.Gauge("rdmaready_test_latency_p50_seconds", "Median latency of the last live test of the case.");
  Family p99 = all.Gauge("rdmaready_test_latency_p99_seconds", "99th percentile of its latency.");
  for (const LastTest& test : kept.tests) {
    const LabelValue port{"port", test.port};
    const LabelValue name{"case", test.case_name};
    const LabelValue way{"way", test.loopback ? "loopback" : "peer"};
    when.Add(Seconds(test.ended_unix_ns), {port, name, way});
    if (test.failure != FailureKind::kNone) {
      const std::string_view kind = Name(test.failure);
      failed.Add(1, {port, name, way, {"kind", kind.empty() ? "unknown" : kind}});
    } else if (test.figure == Figure::kLatency) {
      p50.Add(Seconds(test.latency_p50_ns), {port, name, way});
      p99.Add(Seconds(test.latency_p99_ns), {port, name, way});
    } else {
      rate.Add(Number(test.throughput_bytes_per_s), {port, name, way});
      if (test.worst_window_bytes_per_s > 0)
        worst.Add(Number(test.worst_window_bytes_per_s), {port, name, way});
    }
  }
  for (const Family* one : {&when, &failed, &rate, &worst, &p50, &p99}) all.Take(*one);
}

void AddAgent(const AgentNow& now, const Kept& kept, Families& all) {
  Family build = all.Gauge("rdmaready_build_info", "The agent that answers.");
  build.Add(1, {{"version", now.version}});
  all.Take(build);
  all.TakeGauge("rdmaready_check_interval_seconds",
                "How often the agent checks this host by itself, about; 0: never.", now.check_interval_s);
  Family calls = all.Counter("rdmaready_calls_total", "Calls that were let in, by the role that they need.");
  calls.Add(Number(now.served.observe), {{"role", "observe"}});
  calls.Add(Number(now.served.test), {{"role", "test"}});
  calls.Add(Number(now.served.prove), {{"role", "prove"}});
  calls.Add(Number(now.served.apply), {{"role", "apply"}});
  all.Take(calls);
  Family refused = all.Counter("rdmaready_refusals_total", "Calls that were refused, by what refused them.");
  refused.Add(Number(now.refused_by_role), {{"reason", "role"}});
  refused.Add(Number(now.refused_by_quota), {{"reason", "quota"}});
  all.Take(refused);
  all.TakeCounter("rdmaready_results_stored_total", "Results that were kept.", Number(kept.results_stored));
  all.TakeCounter("rdmaready_store_errors_total", "Results that could not be kept.", Number(kept.store_errors));
  all.TakeCounter("rdmaready_readings_total", "Readings of the host, for whoever asked.", Number(now.readings));
  all.TakeGauge("rdmaready_readings_waiting", "Readings of the host that wait for another one.",
                Number(now.readings_waiting));
  all.TakeGauge("rdmaready_reading_stuck",
                "Whether a reading of the host has not returned: a driver does not answer.",
                now.reading_stuck ? 1 : 0);
  all.TakeGauge("rdmaready_live_test_running", "Whether a live test of this agent runs now.",
                now.live_test_running ? 1 : 0);
}

// That others wrote nothing is told from the beginning. Our own writes have a series once there is one.
void AddDrift(const AgentNow& now, const Kept& kept, Families& all) {
  all.TakeGauge("rdmaready_drift_watched", "Whether changes of settings are heard as they happen.",
                now.drift_watched ? 1 : 0);
  Family changes = all.Counter("rdmaready_drift_changes_total",
                               "Settings that became others, by who wrote them: own is rdmaready, foreign others.");
  Family when = all.Gauge("rdmaready_drift_last_change_timestamp_seconds", "When one did last.");
  const auto add = [&](const char* kind, const DriftCount& count) {
    changes.Add(Number(count.changes), {{"kind", kind}});
    if (count.last_unix_ns != 0) when.Add(Seconds(count.last_unix_ns), {{"kind", kind}});
  };
  if (kept.own_drift.changes != 0) add("own", kept.own_drift);
  add("foreign", kept.foreign_drift);
  all.Take(changes);
  all.Take(when);
}

// By the names that all of Prometheus's own libraries use.

}  // namespace

std::string Exposition(const AgentNow& now, const Kept& kept, const OwnCost& cost) {
  Families all;
  AddRungs(kept, all);
  AddNotWell(kept, all);
  AddLosses(kept.losses, all);
  AddTests(kept, all);
  AddDrift(now, kept, all);
  AddAgent(now, kept, all);
  AddCost(cost, now.started_unix_s, all);
  return all.Text();
}

}  // namespace rdmaready::metrics
