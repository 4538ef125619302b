// SPDX-License-Identifier: Apache-2.0
// The options and the answers of the calls of AgentClient: values of the model, for callers and renderers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "api/model/change.h"
#include "api/model/facts.h"
#include "api/model/pfc_run.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/remembered.h"
#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

struct PortSelection {  // empty device: the agent chooses (loopback: every port)
  std::string device{};
  std::uint32_t number = 0;
  std::string address{};  // must be the port's own; empty: its first routable one
};

struct CheckOptions {
  std::vector<Profile> profiles{};   // each for its ports; empty: the agent's own choice
  std::vector<std::string> ports{};  // only these, by name; empty: all
  Rung level = Rung::kHost;          // kHost or kLoopback; kPeer is the caller's work
  std::string caller{};
  std::string run_id{};
  std::chrono::seconds watch{};  // of the ports, before they are judged; an agent refuses more than it allows
  bool with_facts = false;       // for callers that compare hosts or pair their ports
  bool in_production = false;    // of its live tests: TransferOptions::in_production
};

struct CheckAnswer {
  HostReport report{};  // with every finding that was streamed
  std::string run_id{};
  std::vector<Profile> profiles{};         // by which the agent judged
  std::optional<Facts> facts{};            // the ones that were judged, if they were asked for
  bool software_devices_only = false;      // all RDMA devices of the host, of which there are some
  std::string store_error{};               // the verdict stands, but the agent could not keep it
  std::string store_notice{};              // what happened to the agent's store before, said once
  std::optional<Remembered> remembered{};  // absent from an agent of an older version
};

struct PortTransfer {
  std::string port{};  // "rxe0/1"
  TransferResult result{};
  std::optional<TransferResult> reverse{};  // the other way, when both were asked for
  std::string store_error{};
};

struct PauseOptions {
  PortSelection port{};
  std::uint32_t priority = 0;         // 0 to 7
  std::chrono::milliseconds burst{};  // 10 to 100 ms
  std::uint32_t bursts = 0;           // together at most a second
  std::chrono::milliseconds gap{};    // from one burst's time to a second
  std::string caller{};
  std::string run_id{};  // of the stress test that holds the port
};

struct PauseAnswer {
  std::string netdev{};
  std::string driver{};  // may be empty
  std::vector<PauseBurst> bursts{};
  std::string failure{};  // why not all were sent; empty: they were
};

struct ProbeOptions {
  Protocol protocol = Protocol::kUnknown;
  std::string target{};
  std::uint32_t port_number = 0;        // of the RDMA connection; 0: the protocol's own
  PortSelection port{};                 // empty device: the one that leads to the target
  std::chrono::milliseconds timeout{};  // of the walk, at most kMostProbeTime; 0: the agent's own
  bool prove = false;                   // also I/O on a volume of the server
  std::string volume{};       // SMB: the share; NVMe: the NQN; iSER: the target's name; NFS: the export's path
  Credentials credentials{};  // refused where others could read them on the way
  std::string caller{};
  std::string run_id{};
  bool in_production = false;  // TransferOptions::in_production
};

// kInvalidArgument: why a host that is spoken to in plain text gets no credentials. On loopback, too: whoever
// was first may listen on a port.
absl::Status CredentialsNeedPrivacy(const std::string& host);

struct ProbeAnswer {
  ProbeResult result{};
  std::vector<Finding> findings{};
  std::string run_id{};
  std::string store_error{};
  std::string store_notice{};
};

// Settings that are not kept any more.
struct Forgotten {
  std::vector<Setting> settings{};
  std::vector<BootFile> files{};  // of a request with `persist`, each with its state
};

struct ApplyOptions {
  std::vector<Profile> profiles{};   // each for its ports; empty: the agent's own choice
  std::vector<std::string> ports{};  // only these, by name; empty: all
  std::chrono::milliseconds confirm_within{60'000};
  bool allow_one_way = false;
  bool proof = true;
  std::string peer{};  // the host with which a transfer proves it too; empty: none
  std::string caller{};
  std::string plan_sha256{};  // PlanDigest of the plan that was shown: no other is written; empty: any
  bool persist = false;       // also files for the next boot
  std::chrono::milliseconds estimate{};  // what its writes take, by itself: the call may last longer by that
};

// A line of an agent's log.
struct AgentEvent {
  std::int64_t unix_ns = 0;
  std::string level{};  // "info", "warning", "error"; empty: of a kind that we do not know
  std::string name{};
  std::vector<std::pair<std::string, std::string>> fields{};  // key and value
};

struct AgentVersion {
  std::string version{};
  std::string hostname{};
  std::string instance_id{};   // of the agent's process; empty when it is of a version without
  bool limits_tests = false;   // it knows in_production
  bool stress = false;         // it takes part in stress tests
  bool tcp_transfers = false;  // it knows TransferOptions::over_tcp in a stress test
  bool tcp_tests = false;      // and in any other test
  bool numbered = false;       // it knows TransferOptions::numbered
};

}  // namespace rdmaready
