// SPDX-License-Identifier: Apache-2.0
// Runs: what an agent is asked to do, and what came of it. Values; Agent makes them, the service and the log
// read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/helper/pauser/pauser.h"
#include "api/model/baseline.h"
#include "api/model/change.h"
#include "api/model/facts.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/remembered.h"
#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

struct Caller {
  std::string name{};     // "root@build1 (pid 7)", shown to a caller that finds the port busy
  std::string run_id{};   // empty: a fresh one
  std::string origin{};   // what it cannot choose itself: address, certificate
  std::string who{};      // the same without what each connection has another of: access::Identity::who
  bool compares = false;  // with the reading of the last check that did: what was counted since is judged
  std::function<absl::Status()> may_test{};              // asked before each live test; empty: it may
  std::function<void(const struct LiveTest&)> tested{};  // told of each; may be empty
  std::function<std::string()> why_gone{};  // why its call is over, where the agent ended it; may be empty
};

// One live test of this host, and whether the store took it.
struct LiveTest {
  std::string port{};
  TransferResult result{};
  std::optional<TransferResult> reverse{};  // the other way, when both were asked for
  std::int64_t duration_ns = 0;             // with what it takes to set up and to end
  absl::Status stored{};
  // The result beside those of the days before; absent where it was not kept, or says nothing of what the path
  // can do (api/model/baseline.h).
  std::optional<CaseBaseline> past{};
};

// The same caller, with a fresh run id where he has none.
Caller WithRunId(Caller caller);

// Why a call of the caller is over that was cancelled; "the caller gave up" where the agent did not end it.
std::string WhyGone(const Caller& caller);

// What a check is to look at.
struct CheckOrder {
  std::vector<Profile> profiles{};    // each judges the ports that it is for
  std::vector<std::string> ports{};   // only these, by name; empty: all
  Rung level = Rung::kHost;           // kPeer and above are judged as kLoopback: the rest is the caller's work
  std::chrono::milliseconds watch{};  // of the ports, before they are judged
  bool in_production = false;         // of the live tests: TransferOptions::in_production
};

struct CheckRun {
  std::string run_id{};
  HostReport report{};
  Facts facts{};
  Remembered remembered{};  // of the runs before
  absl::Status stored{};
};

// A check that was made, for who only wants to know. Refers to what its caller holds.
struct CheckDone {
  const CheckOrder& order;
  const std::vector<Profile>& own_profiles;  // of callers who name none
  const CheckRun& run;
  std::int64_t started_unix_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t started_steady_ns = 0;  // the wall clock may be set back from one check to the next
  bool compares = false;               // with the check of the schedule before
};

// What is to be set on this host, and what is to prove it.
struct ChangeOrder {
  std::vector<Profile> profiles{};   // each for the ports that it is for
  std::vector<std::string> ports{};  // only these, by name; empty: all
  std::uint32_t confirm_within_ms = 60'000;
  bool allow_one_way = false;
  bool proof = true;
  std::string
      peer{};  // the host with which a transfer proves it too; empty: none, unless the applier names one
  std::string plan_sha256{};  // as of ApplyOrder
  bool persist = false;       // the same
};

// Called while a change is made, on its thread. Any may be empty.
struct ChangeWatcher {
  std::function<void(const Change&)> progress{};  // after every step, and as its proof goes on
  std::function<void(const Change&)> written{};   // once: nothing more is written but to take it back
};

struct ProbeRun {
  std::string run_id{};
  ProbeResult result{};
  std::vector<Finding> findings{};
  absl::Status stored{};
};

// Called while a check or a test runs, on its thread. Any may be empty.
struct Watcher {
  std::function<void(const std::string& what)> progress{};
  std::function<void(const Finding&)> finding{};
  std::function<void(const LiveTest&)> transfer{};
};

struct PortRequest {
  std::string device{};  // empty: every port (loopback only)
  std::uint32_t number = 0;
  std::string address{};
};

// Pauses of one priority, as a caller asks for them.
struct PauseQuestion {
  PortRequest port{};
  std::uint32_t priority = 0;
  std::chrono::milliseconds burst{};
  std::uint32_t bursts = 0;
  std::chrono::milliseconds gap{};
};

// For the audit: "rxe0/1 priority=3 bursts=5 burst_ms=100 gap_ms=200".
std::string TextOf(const PauseQuestion& question);

struct PausesMade {
  std::string netdev{};
  helper::PausesSent sent{};
};

// What to find out about a storage server.
struct ProbeQuestion {
  Protocol protocol = Protocol::kUnknown;
  std::string target{};                 // name or address
  std::uint32_t port_number = 0;        // of the RDMA connection; 0: the protocol's own
  PortRequest port{};                   // empty device: the one that leads to the target
  std::chrono::milliseconds timeout{};  // of the whole probe; 0: the agent's own
  bool prove = false;                   // also I/O on a volume of the server
  std::string volume{};                 // of the proof; empty: the first that is offered, SMB: never empty
  Credentials credentials{};
  bool in_production = false;  // TransferOptions::in_production
};

struct PeerRequest {
  enum class Role { kInitiator, kResponder };
  Role role = Role::kResponder;
  PortRequest port{};
  std::string case_name{};
  std::string peer_name{};
  TransferOptions options{};
};

}  // namespace rdmaready
