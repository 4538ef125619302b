// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "agent/agent_events.h"
#include "agent/port/near_nic.h"
#include "agent/port/priority_packets.h"
#include "agent/request_cases.h"
#include "agent/run_digest.h"
#include "agent/transfer/limits.h"
#include "api/base/clock.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/profile/judged_by.h"
#include "checks/blocking.h"
#include "checks/judge.h"
#include "checks/live/own_past.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "checks/spare.h"
#include "checks/waiving.h"
#include "checks/words/words.h"
#include "collectors/collect.h"
#include "collectors/lldp/lldp.h"
#include "collectors/nic/interrupts.h"
#include "collectors/overhear.h"
#include "collectors/recording/recording_host.h"

namespace rdmaready {
namespace {

// A look that hangs leaves the test unwatched for so long. A host that was short of processors took over 0.4 s.
constexpr WorkerLimits kUseReading{.question = std::chrono::milliseconds(700),
                                   .again = std::chrono::milliseconds(100)};
// Nobody waits for a sample of the pressure, and a busy host answers late.
constexpr WorkerLimits kPressureReading{.question = std::chrono::milliseconds(2000),
                                        .again = std::chrono::milliseconds(1000)};
constexpr std::chrono::milliseconds kIdleLook{50};  // at what others move, before a test

// The mark that all profiles ask for; nothing where they differ: it is not known whose port a test is on.
std::optional<std::uint8_t> CommonTos(std::span<const Profile> profiles) {
  if (profiles.empty()) return std::nullopt;
  const std::optional<std::uint8_t> first = profiles.front().tos;
  return std::ranges::all_of(profiles, [&first](const Profile& profile) { return profile.tos == first; })
             ? first
             : std::nullopt;
}

// The profiles hold the agent's own waivers behind theirs.
JudgedBy Apart(std::vector<Profile> profiles, std::vector<Waiver> own_waivers) {
  for (Profile& profile : profiles) profile.waivers.resize(profile.waivers.size() - own_waivers.size());
  return {.profiles = std::move(profiles), .waivers = std::move(own_waivers), .chosen_by = "agent"};
}

}  // namespace

Caller WithRunId(Caller caller) {
  if (caller.run_id.empty()) caller.run_id = MakeRunId();
  return caller;
}

Agent::Agent(std::shared_ptr<HostReader> host, Store& store, LinkMaker make_link, AgentConfig config)
    : host_(std::move(host)),
      store_(store),
      make_link_(std::move(make_link)),
      config_(std::move(config)),
      worker_(host_, config_.reading, clock()),
      prover_(MakeProver()),
      changes_([this](const std::string& line) { KeepOnce(line); }, config_.applier_trace) {
  if (config_.use_host) use_worker_.emplace(config_.use_host, kUseReading, clock());
  if (config_.use_host && config_.stress.allowed)
    pressure_worker_.emplace(config_.use_host, kPressureReading, clock());
  SetDefaultProfiles(config_.default_profiles, config_.waivers);
}

Agent::Agent(HostReader& host, Store& store, LinkMaker make_link, AgentConfig config)
    : Agent(std::shared_ptr<HostReader>(std::shared_ptr<void>(), &host), store, std::move(make_link),
            std::move(config)) {}

std::string Agent::hostname() const {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : std::string();
}

std::shared_ptr<const std::vector<Profile>> Agent::default_profiles() const {
  const std::lock_guard lock(profiles_mutex_);
  return default_profiles_;
}

void Agent::SetDefaultProfiles(std::vector<Profile> profiles, std::vector<Waiver> own_waivers) {
  for (Profile& profile : profiles) std::ranges::copy(own_waivers, std::back_inserter(profile.waivers));
  auto set = std::make_shared<const std::vector<Profile>>(std::move(profiles));
  const std::lock_guard lock(profiles_mutex_);
  default_profiles_ = std::move(set);
  own_waivers_ = std::move(own_waivers);
}

std::vector<Profile> Agent::WithOwnWaivers(std::vector<Profile> profiles) const {
  const std::lock_guard lock(profiles_mutex_);
  for (Profile& profile : profiles) std::ranges::copy(own_waivers_, std::back_inserter(profile.waivers));
  return profiles;
}

absl::StatusOr<Facts> Agent::Collect() {
  const Clock::TimePoint begun = clock().Now();
  RR_ASSIGN_OR_RETURN(const std::shared_ptr<const Facts> facts, worker_.Collect());
  if (config_.on_read) config_.on_read(facts, begun);
  return *facts;
}

absl::StatusOr<RecordingFiles> Agent::Record(const LldpWait& lldp) {
  struct Read {
    std::shared_ptr<RecordingHost> recorder;
    Facts facts{};
  };
  RR_ASSIGN_OR_RETURN(Read read, worker_.Read<Read>([&by = clock()](HostReader& host) {
    Read now{.recorder = std::make_shared<RecordingHost>(host)};
    now.facts = CollectFacts(*now.recorder, by);
    return now;
  }));
  RecordingHost& recorder = *read.recorder;
  recorder.AskFromNowOn(*host_);
  const Facts& facts = read.facts;
  // Who waits for neighbours does not wait where none can be heard, although DCB could be written there too.
  const bool listen = lldp.longest.count() > 0 && !ReadingStuck();
  if (listen && !LinksToListenOn(facts).empty()) Overhear(recorder, lldp, facts);
  Recording recording = recorder.Take();
  recording.hostname = facts.hostname;
  if (facts.kernel) recording.kernel = facts.kernel->release;
  recording.rdmaready = config_.version;
  recording.recorded_unix_ns = UnixNs(clock());
  recording.apply_state = ApplyStateNow();
  JudgedBy judged_by;
  {
    const std::lock_guard lock(profiles_mutex_);
    judged_by = Apart(*default_profiles_, own_waivers_);
  }
  RR_ASSIGN_OR_RETURN(recording.judged_by, EncodeJudgedBy(judged_by));
  return EncodeRecording(recording);
}

namespace {

void TellWhatIsJudged(const HostParts& parts, const Facts& facts, HostReport& report) {
  if (facts.kernel) report.kernel_release = facts.kernel->release;
  report.profiles = parts.profiles();
  report.ports = parts.ports();
}

void SayWhatBegins(const Watcher& watcher, std::chrono::seconds watch) {
  if (!watcher.progress) return;
  watcher.progress(watch.count() > 0 ? Cat("watching the ports for ", watch.count(), " s")
                                     : "reading the host");
}

void Show(const Watcher& watcher, std::span<const Finding> findings) {
  if (!watcher.finding) return;
  for (const Finding& finding : findings) watcher.finding(finding);
}

}  // namespace

absl::StatusOr<CheckRun> Agent::Check(const CheckOrder& order, const Caller& caller, const Watcher& watcher,
                                      std::stop_token cancel) {
  const std::int64_t started = UnixNs(clock());
  const auto steady_ns = [this] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock().Now().time_since_epoch()).count();
  };
  const std::int64_t began_ns = steady_ns();
  CheckRun run;
  run.run_id = caller.run_id.empty() ? MakeRunId() : caller.run_id;
  SayWhatBegins(watcher, std::chrono::duration_cast<std::chrono::seconds>(order.watch));
  RR_ASSIGN_OR_RETURN(run.facts,
                      order.watch.count() > 0 ? Watch({.longest = order.watch, .stop = cancel}) : Collect());
  run.facts.apply_state = ApplyStateNow();
  if (caller.compares) CompareWithLast(run.facts);
  RR_ASSIGN_OR_RETURN(const HostParts parts, HostParts::Divide(run.facts, order.profiles, order.ports));
  run.report.agent_version = config_.version;
  TellWhatIsJudged(parts, run.facts, run.report);
  run.report.findings = JudgeHost(parts, steady_ns, started);
  const std::string own_name = hostname();
  const auto waive = [&](std::span<Finding> findings) {
    Waive(order.profiles, {&own_name, 1}, started, findings);
  };
  waive(run.report.findings);
  Show(watcher, run.report.findings);
  Caller named = caller;
  named.run_id = run.run_id;
  if (order.level != Rung::kHost) {
    Watcher waiving = watcher;
    waiving.finding = [&](Finding finding) {
      waive({&finding, 1});
      if (watcher.finding) watcher.finding(finding);
    };
    CheckLoopbacks(parts, named, waiving, order.in_production, cancel, run.report.findings);
    waive(run.report.findings);
  }
  const Rung judged = order.level == Rung::kHost ? Rung::kHost : Rung::kLoopback;
  run.report.ladder = MakeLadder(run.report.findings, {}, judged);
  run.report.verdict = ReadinessOf(run.report.ladder, judged);
  const std::int64_t duration_ns = UnixNs(clock()) - started;
  const RunRecord record{.run_id = run.run_id,
                         .started_unix_ns = started,
                         .duration_ns = duration_ns,
                         .level = judged,
                         .report = run.report,
                         .kind = KindOfRun(order, caller, judged, run.report),
                         .digest = DigestOfRun(run.facts, run.report)};
  run.remembered = recent_.Before(record);
  run.stored = Kept(store_.PutRun(record));
  if (run.stored.ok()) recent_.Add(record);
  TellOfCheck(config_.events, run, caller, order.level, duration_ns);
  if (config_.on_checked)
    config_.on_checked({order, *default_profiles(), run, started, duration_ns, began_ns, caller.compares});
  return run;
}

// Each port as its profile asks, by what was found under that.
void Agent::CheckLoopbacks(const HostParts& parts, const Caller& caller, const Watcher& watcher,
                           bool in_production, const std::stop_token& cancel, std::vector<Finding>& findings) {
  for (const HostPart& part : parts.parts()) {
    if (!part.judges_ports || !part.facts->ports) continue;
    for (const Port& port : *part.facts->ports) {
      if (IsUntested(*part.facts, port, *part.profile)) continue;
      const std::vector<Finding> judged = FindingsUnder(part.profile->name, findings);
      std::ranges::move(
          CheckLoopback(parts.host(), port, *part.profile, judged, caller, watcher, in_production, cancel),
          std::back_inserter(findings));
    }
  }
}

absl::Status Agent::Kept(absl::Status stored) const {
  if (config_.on_stored) config_.on_stored(stored);
  return stored;
}

std::vector<Finding> Agent::CheckLoopback(const Facts& host, const Port& port, const Profile& profile,
                                          std::span<const Finding> judged, const Caller& caller,
                                          const Watcher& watcher, bool in_production,
                                          const std::stop_token& cancel) {
  const TransferPlace place{.rung = Rung::kLoopback,
                            .subject = SubjectOf(port),
                            .software = port.software && *port.software,
                            .lossless = kDemandsLossless.made_by(profile),
                            .netdev = port.netdev ? port.netdev->name : ""};
  const Finding* obstacle = ObstacleTo(judged, place.subject);
  std::vector<Finding> findings;
  std::optional<Finding> cause;  // of a test that could not connect: the others would end in the same way
  std::stop_source enough;
  const std::stop_callback given_up(cancel, [&enough] { enough.request_stop(); });
  const auto add = [&](Finding finding) {
    if (obstacle != nullptr) finding = Explained(std::move(finding), *obstacle);
    if (watcher.finding) watcher.finding(finding);
    findings.push_back(std::move(finding));
  };
  std::vector<CaseBaseline> past;
  const auto judge = [&](const LiveTest& live) {
    if (live.past) past.push_back(*live.past);
    const EndCounters counters{.port = live.port, .changes = live.result.error_counters};
    Finding finding = JudgeTransfer(live.result, place, {&counters, 1});
    finding.duration_ns = live.duration_ns;
    if (finding.outcome == Outcome::kFail && CannotConnect(live.result.failure, live.result.case_name)) {
      const Finding* memory = MemoryCauseOf(live.result.failure, judged);
      cause = memory == nullptr ? finding : *memory;
      if (memory != nullptr) finding = Explained(std::move(finding), *memory);
      enough.request_stop();
    }
    add(std::move(finding));
  };
  const std::vector<TransferCase> cases = CheckedCasesOn(Rung::kLoopback);
  const std::vector<std::string> addresses = RoutableAddresses(port);
  std::string why_not;  // of the cases that are not made
  if (obstacle != nullptr) {
    why_not = obstacle->observed;
  } else if (addresses.empty()) {
    why_not = "the port has no routable IP address";
  } else {
    const PortAddress chosen = AddressedBy(host, port, addresses.front());
    const TransferOptions marked{
        .tos = profile.tos, .system_tos = !profile.tos.has_value(), .in_production = in_production};
    why_not = Message(RunLoopbacks(chosen, cases, marked, "check, loopback", caller,
                                   {.progress = watcher.progress, .transfer = judge}, enough.get_token()));
  }
  const std::size_t tests = findings.size();
  for (const TransferCase& test : std::span(cases).subspan(findings.size())) {
    Finding untested = NotTested(test.name, place, cause ? cause->observed : why_not);
    add(cause ? Explained(std::move(untested), *cause) : std::move(untested));
  }
  if (tests > 0) add(JudgeOwnPast(past, place, "no test that counts was kept", tests));
  return findings;
}

absl::Status Agent::RunLoopbacks(const PortAddress& port, std::span<const TransferCase> cases,
                                 const TransferOptions& options, const std::string& purpose,
                                 const Caller& caller, const Watcher& watcher, const std::stop_token& cancel) {
  RR_ASSIGN_OR_RETURN(const PortLock lock, TakePort(port, caller, purpose));
  RR_ASSIGN_OR_RETURN(const PortPass pass, AdmitUse(port, options.in_production, cancel));
  const UseWatch watch = WatchUse(port, pass, cancel);
  for (const TransferCase& test : cases) {
    if (cancel.stop_requested()) return absl::CancelledError(WhyGone(caller));
    if (const std::string why = watch.reason(); !why.empty()) return absl::AbortedError(why);
    if (caller.may_test) RR_RETURN_IF_ERROR(caller.may_test());
    if (watcher.progress) watcher.progress(fmt::format("{} loopback {}", port.port, test.name));
    const LiveTest live = RunLoopbackCase(
        test, port, OptionsOf(options, QpsOf(test, options), port, pass, watch, caller), caller);
    if (watcher.transfer) watcher.transfer(live);
  }
  // The watch or the caller may have stopped the last case.
  if (const std::string why = watch.reason(); !why.empty()) return absl::AbortedError(why);
  return cancel.stop_requested() ? absl::CancelledError(WhyGone(caller)) : absl::OkStatus();
}

absl::StatusOr<PortLock> Agent::TakePort(const PortAddress& port, const Caller& caller,
                                         const std::string& what) const {
  const std::string who = caller.name.empty() ? "an unnamed caller" : caller.name;
  absl::StatusOr<PortLock> lock = PortLock::Take(
      {port.port, port.lock}, who + ", " + what + ", run " + caller.run_id, config_.lock_directory);
  // kUnavailable would look as if the agent itself was gone.
  if (absl::IsUnavailable(lock.status())) return absl::ResourceExhaustedError(lock.status().message());
  return lock;
}

// The mark is the caller's, else the profile's, else the system's.
RunOptions Agent::OptionsOf(const TransferOptions& asked, std::uint32_t qps, const PortAddress& port,
                            const PortPass& pass, const UseWatch& watch, const Caller& caller) const {
  RunOptions options;
  rdmaready::Apply(asked, qps, config_.transfer, options);
  options.pacer = pass.pacer;
  options.reverse_pacer = pass.reverse_pacer;
  options.local_address = port.address;
  options.tos = asked.tos || asked.system_tos ? asked.tos : CommonTos(*default_profiles());
  options.cancel = watch.token();
  options.why_cancelled = [&watch, caller] {
    const std::string why = watch.reason();
    return why.empty() ? WhyGone(caller) : why;
  };
  return options;
}

void Agent::Keep(LiveTest& live, const TransferRecord& kept_as) {
  TransferRecord record = kept_as;
  record.result = live.result;
  DropUnchanged(record.result.nic_counters);
  live.stored = Kept(store_.PutTransfer(record));
  if (live.stored.ok()) live.past = PastOf(record);
  if (!live.reverse) return;
  record.result = *live.reverse;
  if (record.role != "loopback") record.role = record.role == "initiator" ? "responder" : "initiator";
  live.stored.Update(Kept(store_.PutTransfer(record)));
}

CounterReading Agent::CountersOf(const PortAddress& port) {
  absl::StatusOr<CounterReading> reading =
      worker_.Read<CounterReading>([device = port.device, number = port.number, &by = clock()](
                                       HostReader& host) { return ReadCounters(host, device, number, by); });
  if (reading.ok()) return *std::move(reading);
  CounterReading none;
  none.hw.counters = none.pma = MissingFrom(reading.status());
  return none;
}

std::set<std::uint32_t> Agent::CpusNear(const PortAddress& port) {
  const absl::StatusOr<absl::StatusOr<std::string>> list = worker_.Read<absl::StatusOr<std::string>>(
      [path = "/sys/class/infiniband/" + port.device + "/device/local_cpulist"](HostReader& host) {
        return host.ReadFile(path);
      });
  if (!list.ok() || !list->ok()) return {};
  const Fact<std::set<std::uint32_t>> cpus = DecodeCpuList(**list);
  return cpus ? *cpus : std::set<std::uint32_t>();
}

// Whatever a result says of error counters (the other end may have made it), they are those read here.
LiveTest Agent::Run(const PortAddress& port, const std::function<BothWays()>& transfer) {
  const NearNic near(CpusNear(port));
  const auto read = [&] { return CountersOf(port); };
  const CounterReading idle = read();
  if (MovedUntil(idle)) clock().SleepUntil(clock().Now() + kIdleLook, {});
  const CounterReading before = read();
  BothWays both = transfer();
  LiveTest live{.port = port.port, .result = std::move(both.forward), .reverse = std::move(both.reverse)};
  const CounterReading after = read();
  live.result.error_counters = ErrorsBetween(before, after);
  live.result.foreign_permille = ForeignPermille(idle, before, after);
  unsigned int cpu = 0;
  unsigned int node = 0;
  if (::getcpu(&cpu, &node) == 0) {
    live.result.tester_cpu = cpu;
    live.result.tester_numa_node = node;
  }
  if (live.reverse) live.reverse->error_counters = {};
  return live;
}

LiveTest Agent::RunLoopbackCase(const TransferCase& test, const PortAddress& port, const RunOptions& options,
                                const Caller& caller) {
  const Counted running(live_tests_);
  const std::int64_t started = UnixNs(clock());
  LiveTest live = Run(port, [&] { return RunLoopback(test, make_link_, options); });
  live.duration_ns = UnixNs(clock()) - started;
  Keep(
      live,
      {.run_id = caller.run_id, .started_unix_ns = started, .port = port.port, .role = "loopback", .peer = ""});
  if (caller.tested) caller.tested(live);
  if (config_.on_tested) config_.on_tested(live, true);
  TellOfTest(config_.events, live, caller, "loopback", "");
  return live;
}

absl::Status Agent::TestLoopback(const PortRequest& request, const std::vector<std::string>& names,
                                 const TransferOptions& options, const Caller& asked_by, const Watcher& watcher,
                                 std::stop_token cancel) {
  const Caller caller = WithRunId(asked_by);
  RR_ASSIGN_OR_RETURN(const std::vector<TransferCase> cases, ChooseCases(names, options, config_.transfer));
  RR_ASSIGN_OR_RETURN(const Facts facts, Collect());
  std::vector<PortAddress> ports;
  absl::Status left_out;  // a port that cannot be tested keeps no other from it, but is not forgotten
  if (!request.device.empty()) {
    RR_ASSIGN_OR_RETURN(PortAddress port, ChoosePort(facts, request.device, request.number, request.address));
    ports.push_back(std::move(port));
  } else {
    if (!facts.ports) return PortsUnknown(facts);
    if (facts.ports->empty()) return absl::NotFoundError("this host has no RDMA port");
    for (const Port& port : *facts.ports) {
      absl::StatusOr<PortAddress> chosen = ChoosePort(facts, port.device, port.number, "");
      if (chosen.ok()) {
        ports.push_back(*std::move(chosen));
      } else {
        left_out = chosen.status();
      }
    }
  }
  for (const PortAddress& port : ports) {
    const absl::Status made = RunLoopbacks(port, cases, options, "test loopback", caller, watcher, cancel);
    if (absl::IsAborted(made)) left_out = made;
    if (!made.ok() && !absl::IsAborted(made)) return made;
  }
  return left_out;
}

}  // namespace rdmaready
