// SPDX-License-Identifier: Apache-2.0
// fleet_sim: a fleet that is made up reports to a hub, while a script happens to it. See README.md.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/synchronization/mutex.h"
#include "api/base/clock.h"
#include "api/base/quantity.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "cli/fleet/saved_hosts.h"
#include "tests/sim/made_fleet.h"

namespace rdmaready::sim {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  FleetPlan plan{};
  std::vector<std::string> hosts{};
  std::string script{};
  std::string authority{};
  std::string duration = "10s";
  std::string settle = "60s";
};

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "fleet_sim: %s\n", Message(status).c_str());
  return 2;
}

std::int64_t Percentile(std::vector<std::int64_t>& values, std::size_t percent) {
  if (values.empty()) return 0;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() * percent / 100);
  const auto at = std::min(place, values.end() - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// After how long all had their state acknowledged; negative: never.
std::int64_t SettledAfterMs(MadeFleet& fleet, Clock::TimePoint since, std::chrono::milliseconds at_most) {
  while (!fleet.Settled()) {
    if (RealClock().Now() - since > at_most) return -1;
    RealClock().SleepUntil(RealClock().Now() + std::chrono::milliseconds(20), std::stop_token());
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(RealClock().Now() - since).count();
}

Json Told(FleetTally tally) {
  return {{"connected", tally.connected},
          {"settled", tally.settled},
          {"streams", tally.counts.streams},
          {"sent", tally.counts.sent},
          {"with_facts", tally.counts.with_facts},
          {"with_past", tally.counts.with_past},
          {"kept", tally.counts.kept},
          {"put_off", tally.counts.put_off},
          {"refused", tally.counts.refused},
          {"ack_p50_us", Percentile(tally.acks_us, 50)},
          {"ack_p99_us", Percentile(tally.acks_us, 99)},
          {"ack_worst_us", Percentile(tally.acks_us, 100)}};
}

absl::StatusOr<int> Simulate(Options options) {
  RR_ASSIGN_OR_RETURN(const std::vector<SavedHost> saved, LoadSavedHosts(options.hosts));
  for (const SavedHost& host : saved) options.plan.kinds.push_back(host.facts);
  RR_ASSIGN_OR_RETURN(const std::chrono::milliseconds duration, ParseDuration(options.duration));
  RR_ASSIGN_OR_RETURN(const std::chrono::milliseconds settle, ParseDuration(options.settle));
  std::vector<Happening> script;
  if (!options.script.empty()) {
    RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(options.script, 1 << 20));
    RR_ASSIGN_OR_RETURN(script, ParseScript(text, options.plan.agents));
  }
  std::optional<MadeCertificates> certificates;
  if (!options.authority.empty()) {
    RR_ASSIGN_OR_RETURN(certificates, MadeCertificates::Open(options.authority));
    options.plan.certificates = &*certificates;
  }
  std::unique_ptr<Relay> relay;
  if (const std::size_t lines = MostPartitioned(script); lines != 0) {
    RR_ASSIGN_OR_RETURN(relay, Relay::Start(options.plan.hub, lines));
    options.plan.relay = relay.get();
  }
  MadeFleet fleet(options.plan);
  const auto start = RealClock().Now();
  fleet.Begin();
  Json result{{"agents", options.plan.agents}, {"settled_after_ms", SettledAfterMs(fleet, start, settle)}};
  const std::size_t acks_at_start = fleet.Tally().acks_us.size();
  Json lines = Json::array();
  bool settled = result["settled_after_ms"] >= 0;
  for (const Happening& happening : script) {
    if (RealClock().Now() - start > duration) break;  // the hub took its time: the rest does not happen
    RealClock().SleepUntil(start + happening.at, std::stop_token());
    const auto since = RealClock().Now();
    fleet.Do(happening);
    const std::int64_t after = SettledAfterMs(fleet, since, settle);
    settled = settled && after >= 0;
    lines.push_back({{"line", happening.text}, {"settled_after_ms", after}});
  }
  RealClock().SleepUntil(start + duration, std::stop_token());
  result["script"] = std::move(lines);
  FleetTally tally = fleet.Tally();
  std::vector<std::int64_t> later(tally.acks_us.begin() + static_cast<std::ptrdiff_t>(acks_at_start),
                                  tally.acks_us.end());
  result["later_ack_p99_us"] = Percentile(later, 99);  // of what came when all were there
  result.update(Told(std::move(tally)));
  std::printf("%s\n", result.dump().c_str());
  std::fflush(stdout);
  // Thousands of calls are still there: gRPC's threads must not outlive what they use.
  std::_Exit(settled ? 0 : 1);
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"A fleet that is made up reports to a hub.", "fleet_sim"};
  app.add_option("--hub", options.plan.hub, "HOST[:PORT]")->required();
  app.add_option("--agents", options.plan.agents, "How many")->required()->check(CLI::Range(1, 100'000));
  app.add_option("--first", options.plan.first, "The number of the first host");
  app.add_option("--hosts", options.hosts, "Recorded hosts; those of the fleet are of these kinds, in turn")
      ->required();
  app.add_option("--past", options.plan.past, "They remember live tests, of so many cases through each port");
  app.add_option("--script", options.script, "What happens to them, a file");
  app.add_option("--for", options.duration, "How long, from the start");
  app.add_option("--settle", options.settle, "How long a state may take to be acknowledged");
  app.add_option("--authority", options.authority,
                 "A CA that gives each of them a certificate, of no use but this");
  app.add_option("--hello-at-once", options.plan.hello_at_once,
                 "So many of them say hello at a time: 5000 hosts' TLS on one processor never ends");
  app.add_option("--tls-cert", options.plan.tls.certificate, "A certificate of one host: for --agents 1");
  app.add_option("--tls-key", options.plan.tls.key, "Its key");
  app.add_option("--tls-ca", options.plan.tls.ca, "Whom to trust");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);  // as the daemons do it
  ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const absl::StatusOr<int> result = Simulate(std::move(options));
  return result.ok() ? *result : Fail(result.status());
}

}  // namespace
}  // namespace rdmaready::sim

int main(int argc, char** argv) { return rdmaready::sim::Main(argc, argv); }
