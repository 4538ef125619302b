// SPDX-License-Identifier: Apache-2.0
// Agent: what one host can be asked for, without knowledge of the wire. It owns nothing of the world: host,
// store and links are given, so a test gives others.
//
// Threads: every method may be called from any thread; live tests of one port exclude each other (PortLock).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/configurer.h"
#include "agent/change_book.h"
#include "agent/helper/pauser/pauser.h"
#include "agent/link/link.h"
#include "agent/numbered_runs.h"
#include "agent/port/host_cpu.h"
#include "agent/port/link_partner.h"
#include "agent/port/port_choice.h"
#include "agent/port/port_counters.h"
#include "agent/port/port_lock.h"
#include "agent/port/port_use.h"
#include "agent/port/pressure_meter.h"
#include "agent/port/priority_packets.h"
#include "agent/port/probe_path.h"
#include "agent/port/stress_ports.h"
#include "agent/port/use_watch.h"
#include "agent/probe/prover.h"
#include "agent/probe/walk.h"
#include "agent/proving.h"
#include "agent/recent_runs.h"
#include "agent/runs.h"
#include "agent/store/store.h"
#include "agent/transfer/limits.h"
#include "agent/transfer/peer_channel.h"
#include "agent/transfer/run.h"
#include "agent/trust/signed_channel.h"
#include "agent/worker/host_worker.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/prefix_index.h"
#include "api/model/baseline.h"
#include "api/model/cases.h"
#include "api/model/facts.h"
#include "api/model/history.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/model/transfer.h"
#include "checks/host_parts.h"
#include "collectors/host_reader.h"
#include "collectors/recording/format.h"

namespace rdmaready {

struct ProbeRow;

struct AgentConfig {
  std::string version{};
  std::vector<Profile> default_profiles{};  // for callers who name none, until others are set
  std::vector<Waiver> waivers{};            // of whatever is judged here, until others are set
  std::string lock_directory{};             // of PortLock; empty: the host's own
  std::string instance_id{};                // told to callers: two addresses with one id are one agent
  EventSink events{};
  ProbeNetwork network = HostNetwork();
  // Proofs attach and mount volumes of servers. Allowed: this process makes them, on what a caller names. Else
  // `prover` does, which knows what may be proven; null: nobody.
  bool allow_proofs = false;
  std::shared_ptr<Prover> prover{};
  // A caller may have a port tested that others use, at kInProductionPercent of its rate.
  bool allow_in_production = false;
  StressLimits stress{};
  std::shared_ptr<helper::Pauser> pauser{};  // null: this agent sends no pauses
  // Asked who uses a port during a test, and for the pressure of a stress test, each beside readings of the
  // host, which take longer. Null: the host is asked in its turn.
  std::shared_ptr<HostReader> use_host{};
  std::shared_ptr<Configurer> configurer{};  // null: nobody changes settings of this host for this agent
  std::function<bool()> applier_trace{};     // see ChangeBook
  TransferLimits transfer{};                 // of live tests
  LinkMaker make_tcp_link{};                 // of tests over TCP; empty: a TcpLink
  PeerTrust trust{};                         // between agents; with files, a peer test is with agents that sign
  // Where to connect in a peer test besides the own subnets; with TLS: and nowhere else.
  std::vector<Prefix> peers{};
  WorkerLimits reading{};                                // how long the host may take to answer
  std::function<void(const absl::Status&)> on_stored{};  // after every attempt to keep a result, on its thread
  // After every check, and every live test in which this host had a part, on its thread. Both may be empty.
  std::function<void(const CheckDone&)> on_checked{};
  std::function<void(const LiveTest&, bool loopback)> on_tested{};
  // After every whole reading of the host, which did not begin before `begun`; on the thread of who asked.
  std::function<void(const std::shared_ptr<const Facts>&, std::chrono::steady_clock::time_point begun)>
      on_read{};
  Clock* clock = &RealClock();  // outlives readings that do not return, too
};

// How a live test may use its port.
struct PortPass {
  bool watched = true;  // it stops when a user comes; false: it was asked for in production
  // In production, one for each direction; null: at full speed. All cases that are made with this pass share
  // them.
  std::shared_ptr<Pacer> pacer{};
  std::shared_ptr<Pacer> reverse_pacer{};
};

// The agent outlives it.
struct PeerTicket {
  PeerRequest request{};
  Caller caller{};
  PortAddress port{};
  TransferCase test{};
  PortShare share{};
  PortPass pass{};
  std::vector<Prefix> own_subnets{};  // of all RDMA ports
  Clock::TimePoint admitted{};        // by the agent's clock
};

// Told of each record; false: no more of its kind is wanted. None is empty.
struct HistoryListener {
  std::function<bool(const RunRecord&)> run{};
  std::function<bool(const TransferRecord&)> transfer{};
  std::function<bool(const StoreEvent&)> event{};
};

// Counts what runs.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& count_;
};

class Agent {
 public:
  // `host` lives as long as a reading of it that does not return: see HostWorker.
  Agent(std::shared_ptr<HostReader> host, Store& store, LinkMaker make_link, AgentConfig config);
  // The same of a host that outlives this, and answers.
  Agent(HostReader& host, Store& store, LinkMaker make_link, AgentConfig config);

  const AgentConfig& config() const { return config_; }
  Clock& clock() const { return *config_.clock; }
  std::string hostname() const;

  // Reads the host afresh; one reading at a time, which callers who wait for it share. What does not answer in
  // time is missing. kUnavailable: the agent is ending.
  absl::StatusOr<Facts> Collect();
  // The same without waiting: see HostWorker::CollectThen.
  void CollectThen(std::function<void(const HostWorker::FactsOrWhy&)> then) {
    worker_.CollectThen(std::move(then));
  }

  // The state of the applier's changes. No reading of the host has this fact: a judge of its facts adds it.
  // Asks the applier at most once in 2 s; the answer may take time.
  Fact<ApplyState> ApplyStateNow();

  HostWorker& worker() { return worker_; }
  const HostWorker& worker() const { return worker_; }

  // The profiles for callers that name none: those of the configuration, or of the last SetDefaultProfiles().
  // They hold the agent's own waivers, too. Any thread may call both.
  std::shared_ptr<const std::vector<Profile>> default_profiles() const;
  void SetDefaultProfiles(std::vector<Profile> profiles, std::vector<Waiver> own_waivers);
  // Adds the agent's own waivers to what a caller brought.
  std::vector<Profile> WithOwnWaivers(std::vector<Profile> profiles) const;

  // Whoever waits for a reading of the host, or comes to, is refused. The destructor does it too.
  void StopReading();
  bool ReadingStuck() const { return worker_.Stuck(); }

  // The same reading, kept as the files of a recording: questions and answers, not facts.
  // Listens for LLDP too when `lldp` has any time for it; others may be served meanwhile.
  absl::StatusOr<RecordingFiles> Record(const LldpWait& lldp = {});

  // Judges this host and stores the report. Before that it watches the ports for as long as the order says,
  // when that is any time: what counts there, and what LLDP is heard. `cancel` ends the watch, and what was
  // seen until then is judged. kInvalidArgument: the profiles or the names of ports do not divide this host
  // (HostParts); nothing is stored then.
  absl::StatusOr<CheckRun> Check(const CheckOrder& order, const Caller& caller, const Watcher& watcher,
                                 std::stop_token cancel);

  // A live test of any caller begins with the same question (agent_use.cc): whether others use the port. Where
  // they do, or it is not known, nothing is sent, unless the caller asked for a test in production and the
  // agent allows it. kAborted says who uses the port, or began to.

  // kNotFound (no such port or case), kFailedPrecondition (no address), kAborted (in use), kResourceExhausted
  // (busy: the text says who), kInvalidArgument (options beyond the limits). A transfer that failed is a
  // successful call. Empty `cases`: all.
  absl::Status TestLoopback(const PortRequest& port, const std::vector<std::string>& cases,
                            const TransferOptions& options, const Caller& caller, const Watcher& watcher,
                            std::stop_token cancel);

  // The same through each port that nobody uses and no test of this agent holds (agent/port/port_use.h);
  // `left_out` gets the other ports, and those that cannot be tested. Errors are of the whole: the host is not
  // read, or `cancel`.
  absl::Status TestIdleLoopback(
      const std::vector<std::string>& cases, const TransferOptions& options, const Caller& caller,
      const std::function<void(const std::string& port, const std::string& why)>& left_out,
      std::stop_token cancel);

  // What is remembered, each kind newest first, a few records in memory at a time. Whatever the store says, it
  // is our own failure (kInternal).
  absl::Status Remember(const HistoryQuery& query, const HistoryListener& listener);
  // What live tests showed last, and in the days before. Errors as those of Remember.
  absl::StatusOr<std::vector<CaseBaseline>> Baselines(const BaselineQuery& query);
  // Keeps a word of the agent's own for who reads the history.
  void KeepEvent(const std::string& text);
  // What happened to the store, for the reader of the next report; empty the next time.
  std::string TakeStoreNotice() { return store_.TakeNotice(); }

  // One end of a transfer, in two steps: the admitted caller (same errors) holds the port until it has run.
  // Then with TLS: kPermissionDenied (the other end is no agent that this one believes, the text says why),
  // kFailedPrecondition (this end's own certificate, key or role map).
  absl::StatusOr<PeerTicket> AdmitPeer(const PeerRequest& request, const Caller& caller);
  absl::StatusOr<LiveTest> RunPeer(const PeerTicket& ticket, PeerChannel& channel,
                                   const std::stop_token& cancel);

  // Pauses one priority of the link partner of the port, for a run of stress tests of this caller that holds
  // the port. The bursts that were sent until `stop` are an answer, too, and so are those until somebody else
  // uses the port or the time of the test is over. Errors: those of ChoosePort, StressPorts::Hold and Pauser.
  // kFailedPrecondition: stress tests are off, the port is not one Ethernet NIC, or nobody sends pauses for
  // this agent. The same where LLDP hears that the partner is not a station, and where others used the Ethernet
  // port before the test.
  absl::StatusOr<PausesMade> SendPauses(const PauseQuestion& question, const Caller& caller,
                                        const std::stop_token& stop);

  // Approaches a storage server as its clients do; what that comes to is an answer, also when the server is not
  // there. Errors: kUnimplemented (no probe for the protocol), kInvalidArgument, kNotFound and
  // kFailedPrecondition (what the caller named), kResourceExhausted (the port is busy).
  absl::StatusOr<ProbeRun> Probe(const ProbeQuestion& question, const Caller& caller, const Watcher& watcher,
                                 std::stop_token cancel);

  // The plan of this host; with `order.persist` also the files for the next boot. If the caller may apply
  // and the applier answers, the files are the applier's, else this agent's own (Plan::persist_from_applier).
  // kInvalidArgument: the profiles or the names of ports do not divide this host.
  absl::StatusOr<Plan> MakePlan(const ChangeOrder& order, bool may_apply);

  // Has the applier set it, then proves it: by loopback through every port that was touched, and with `peer` by
  // the tests that ProvePeer reports. A port that others use is proven in production where the agent allows
  // that; else the change is refused before anything is written. Blocks until the change awaits its
  // confirmation or was rolled back, or there was nothing to do: each is an answer. `stop`: the caller is gone,
  // and the change is rolled back. After these errors nothing is left changed: kInvalidArgument;
  // kFailedPrecondition (not permitted, another change is open, no applier); kResourceExhausted (the caller's
  // tests are used up). kInternal: the applier ended in the middle, and rolls the change back by itself.
  absl::StatusOr<Change> Apply(const ChangeOrder& order, const Caller& caller, const ChangeWatcher& watcher,
                               const std::stop_token& stop);
  // The peer tests were made. Blocks until that change is proven or rolled back. kNotFound: no such change of
  // this caller waits for them.
  absl::StatusOr<Change> ProvePeer(const std::string& change_id, const Caller& caller) {
    return proving_.Ask({.change_id = change_id, .who = caller.who});
  }

  // As Configurer's, and kept in the history.
  absl::StatusOr<Change> Confirm(const std::string& change_id, const Caller& caller);
  absl::StatusOr<Change> RollBack(const std::string& change_id, const Caller& caller);
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects, const Caller& caller);
  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                    const Caller& caller);
  absl::StatusOr<ApplierStatus> GetApplier();

  // Whether a live test of this agent holds a port now.
  bool LiveTestRunning() const { return live_tests_ > 0; }

 private:
  // Reads the host at the beginning and at the end of a watch, and listens in between; others may be
  // served meanwhile.
  absl::StatusOr<Facts> Watch(const LldpWait& wait);
  absl::StatusOr<PortLock> TakePort(const PortAddress& port, const Caller& caller,
                                    const std::string& what) const;
  // Keeps with `now` what counted in the reading before it, and `now` for the next one.
  void CompareWithLast(Facts& now);
  // For a part of a stress test: with the other parts of its run.
  absl::StatusOr<PortShare> TakeSharedPort(const PortAddress& port, const Caller& caller,
                                           const PeerRequest& request, const TransferCase& test);
  CounterReading CountersOf(const PortAddress& port);
  PacketReading PacketsOf(const PortAddress& port);
  // The packets of others, and how busy the CPUs are, before the test that begins now; the second of the two is
  // its own first reading.
  std::pair<PacketReading, PacketReading> IdleBeforeTest(const PeerTicket& ticket, PeerChannel& channel,
                                                         CpuWatch& cpu, const std::stop_token& cancel);
  // False where it was cancelled, or the other end went away before the time was over.
  bool WaitIdle(std::chrono::milliseconds longest, PeerChannel& channel, const std::stop_token& cancel) const;
  // Reads all CPUs of the host.
  CpuWatch::Reader CpuReader();
  // Of its NUMA node; none where nobody says.
  std::set<std::uint32_t> CpusNear(const PortAddress& port);
  // One transfer of this host through `port`, with what its error counters did meanwhile.
  LiveTest Run(const PortAddress& port, const std::function<BothWays()>& transfer);
  LiveTest RunLoopbackCase(const TransferCase& test, const PortAddress& port, const RunOptions& options,
                           const Caller& caller);
  bool Signs() const { return config_.trust.files.Any(); }
  // What an offer's address is held against; null: it is signed, which is enough.
  class PeerGuard;
  std::unique_ptr<PeerGuard> GuardOf(const PeerTicket& ticket) const;
  absl::Status RefusedPeer(const PeerTicket& ticket, const absl::Status& why) const;  // tells the log
  // `proves`: the test counts for the change whose id is its run id.
  absl::StatusOr<LiveTest> RunPeerOver(const PeerTicket& ticket, PeerChannel& channel, bool proves,
                                       const std::stop_token& cancel);
  // Whether others use the Ethernet port under `port`, on which no transfer of ours is: as IsIdleBetween. It
  // takes kTrafficLook, and as long again where the first look saw them.
  absl::Status LookForTraffic(const PortAddress& port);
  // The answer of the look before the run that holds the port. kPermissionDenied: nobody sends pauses.
  absl::Status WasIdle(const PortShare& share) const;
  // Reads the pressure of a port, beside looks at who uses it. The agent outlives it.
  std::function<std::optional<PressureReading>()> PressureOf(const PortAddress& port,
                                                             std::optional<std::uint32_t> priority);
  // The links of a test over TCP, or over RDMA.
  LinkMaker LinksFor(const TransferOptions& options) const;
  static void LimitTo(std::uint64_t bytes_per_s, PortPass& pass);
  // `watch` outlives what is run with the options.
  RunOptions OptionsOf(const TransferOptions& asked, std::uint32_t qps, const PortAddress& port,
                       const PortPass& pass, const UseWatch& watch, const Caller& caller) const;
  // Whether the ports that the change would touch can be tested now. A proof beside others' work is made only
  // in production, where the agent allows that. kFailedPrecondition: the change could not be proven.
  absl::Status CanProve(const Facts& facts, const ChangeOrder& order, const Caller& caller,
                        const std::stop_token& stop);
  absl::Status CanProveOn(const PortAddress& port, const Caller& caller, const std::stop_token& stop);
  absl::StatusOr<Change> ProveChange(Change change, const ChangeOrder& order, const Facts& before,
                                     const Caller& caller, const ChangeWatcher& watcher,
                                     const std::stop_token& stop);
  // Both fill in what `change.proof` says of them, and tell of the change meanwhile. The first returns through
  // which ports.
  std::set<std::string> ProveByLoopback(Change& change, const ChangeOrder& order, const Facts& before,
                                        const Caller& asked_by, const ChangeWatcher& watcher,
                                        const std::stop_token& stop);
  // `goes_back`: when the applier's timer takes it back.
  void ProveByPeer(Change& change, const Proving::Handle& mine, const std::set<std::string>& ports,
                   std::chrono::steady_clock::time_point goes_back, const ChangeWatcher& watcher,
                   const std::stop_token& stop);
  absl::StatusOr<Facts> WhenUsable(const std::string& port, std::chrono::steady_clock::time_point until,
                                   const std::stop_token& stop);
  // What a proof showed through one port; the error says why it failed.
  absl::StatusOr<std::string> LoopbackOf(const std::string& name, const ChangeOrder& order,
                                         const Caller& caller, const Watcher& watcher,
                                         std::chrono::steady_clock::time_point until,
                                         const std::stop_token& stop);
  // As KeepEvent, unless it was kept by an agent before this one.
  void KeepOnce(const std::string& text);
  // What `live` lacks is filled in: whether both of its results are kept.
  void Keep(LiveTest& live, const TransferRecord& kept_as);
  absl::Status Kept(absl::Status stored) const;
  // Of a test that was kept as this.
  std::optional<CaseBaseline> PastOf(const TransferRecord& kept);
  // Whether a live test may begin on the port, which is locked. The look takes 0.1 s, and 0.4 s more where it
  // saw something: the remains of a test that has just ended go away in that time. kAborted: others use the
  // port, or that is not known. In production also: the rate is not known.
  absl::StatusOr<PortPass> AdmitUse(const PortAddress& port, bool in_production, const std::stop_token& cancel);
  PortUse UseNow(const PortAddress& port, const std::stop_token& cancel);
  // The owners of objects on the port and on those that share its NIC, read now, without those of this process
  // and those that `own` names.
  PortUse OwnersOf(const PortAddress& port, UseExceptions own = {});
  // For a test that the pass allows: stops it when a user comes, and at its end.
  UseWatch WatchUse(const PortAddress& port, const PortPass& pass, const std::stop_token& cancel,
                    std::optional<WatchEnd> end = std::nullopt);
  // When the time of the share is over; nothing where the port is not held by a stress test.
  static std::optional<WatchEnd> EndOf(const PortShare& share);
  // How long a part of a stress test may still take to greet and to connect; more than 0.
  std::chrono::milliseconds SetUpLeft(const PeerTicket& ticket) const;
  absl::StatusOr<ProbePath> PathTo(const std::vector<std::string>& addresses, const PortRequest& asked,
                                   const Facts& facts) const;
  // The first steps of a walk. The address is empty when the name did not resolve. An error is one of the call
  // and not an answer of the server: what the caller named does not exist.
  absl::StatusOr<ProbePath> FindServer(const ProbeQuestion& question, const Facts& facts, Walk walk) const;
  absl::StatusOr<ProbePath> PathThrough(const std::vector<std::string>& addresses, const PortRequest& asked,
                                        const Facts& facts) const;
  std::shared_ptr<Prover> MakeProver();
  // The volume to prove; errors as those of Prover::Admit.
  absl::StatusOr<std::string> MayProve(const ProbeQuestion& question) const;
  // Fills in the volume of a question that proves. A proof that this caller may not make is asked no more, and
  // `refused` says why. Errors: the caller's mistakes.
  absl::Status AdmitProof(ProbeQuestion& question, absl::Status& refused) const;
  // The steps of the row behind those of FindServer.
  void RunProbe(const ProbeRow& row, const ProbeQuestion& question, const ProbePath& path, Walk& walk);
  // What a row asks of the kernel, with what only the agent knows.
  bool ProveByKernel(KernelProof proof, const ProbeQuestion& question, const ProbePath& path, Walk& walk) const;
  class ProbedPort;
  // Lets go of the port by `free_port` as soon as RDMA is not used any more.
  void ProveOnShare(const ProbeQuestion& question, const ProbePath& path, Walk& walk,
                    const std::function<void()>& free_port) const;
  void KeepProbe(ProbeRun& run, const Facts& facts, std::int64_t started_unix_ns);
  // The loopback tests of a check; what they find goes behind what was found.
  void CheckLoopbacks(const HostParts& parts, const Caller& caller, const Watcher& watcher, bool in_production,
                      const std::stop_token& cancel, std::vector<Finding>& findings);
  // Those of one port of the host. `judged` is what the check found so far: it may make them pointless.
  std::vector<Finding> CheckLoopback(const Facts& host, const Port& port, const Profile& profile,
                                     std::span<const Finding> judged, const Caller& caller,
                                     const Watcher& watcher, bool in_production, const std::stop_token& cancel);
  // Makes the cases through one port, which it holds meanwhile for `purpose`; tells the watcher of each that
  // begins and of each that ended. kResourceExhausted: the port is busy, the text says who has it; kCancelled:
  // the caller gave up, and the rest was not made.
  // kAborted: others use the port, or began to; the text says who.
  absl::Status RunLoopbacks(const PortAddress& port, std::span<const TransferCase> cases,
                            const TransferOptions& options, const std::string& purpose, const Caller& caller,
                            const Watcher& watcher, const std::stop_token& cancel);

  std::shared_ptr<HostReader> host_;
  Store& store_;
  RecentRuns recent_{store_};
  LinkMaker make_link_;
  AgentConfig config_;
  mutable std::mutex profiles_mutex_;  // guards what follows
  std::shared_ptr<const std::vector<Profile>> default_profiles_;
  std::vector<Waiver> own_waivers_{};
  StressPorts stress_ports_{clock()};
  NumberedRuns numbered_runs_{clock()};
  HeardNeighbours heard_{};
  std::atomic<int> live_tests_ = 0;
  struct LastReading {
    Facts facts{};  // of each port what counts
    std::chrono::steady_clock::time_point when{};
  };
  std::mutex last_mutex_;  // guards what follows
  std::optional<LastReading> last_{};
  HostWorker worker_;
  std::optional<HostWorker> use_worker_{};       // of use_host
  std::optional<HostWorker> pressure_worker_{};  // of use_host, where stress tests are allowed
  std::shared_ptr<Prover> prover_;
  Proving proving_{clock()};
  ChangeBook changes_;
};

}  // namespace rdmaready
