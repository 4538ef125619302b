// SPDX-License-Identifier: Apache-2.0
// AgentClient: one agent, as the command line sees it. Values of the model go in and come out; gRPC
// stays inside.
//
// Errors: kNotFound (name does not resolve), kUnavailable (refused, not answering, went away), kUnimplemented
// (an agent of an incompatible version), kDeadlineExceeded; anything else is the agent's own failure. Texts
// name the host. Threads: one client may be used by several threads at once.
#pragma once

#include <grpcpp/channel.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/address.h"
#include "api/client/answer_bounds.h"
#include "api/client/tls.h"
#include "api/model/baseline.h"
#include "api/model/change.h"
#include "api/model/facts.h"
#include "api/model/history.h"
#include "api/model/plan.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/model/transfer.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {

// What an agent says in GetVersion. Another number: the two cannot speak to each other. 2: facts say of each
// field whether it is there.
inline constexpr std::uint32_t kApiRevision = 3;

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds call_timeout{120000};  // of one whole check or test
  bool insecure = false;                           // plain text to other than loopback
  std::shared_ptr<const TlsMaterial> tls{};        // null: plain text; a unix socket is always plain
  std::string tls_name{};                          // what certificates must carry; empty: the host as named
};

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
};

struct CheckAnswer {
  HostReport report{};  // with every finding that was streamed
  std::string run_id{};
  std::vector<Profile> profiles{};     // by which the agent judged
  std::optional<Facts> facts{};        // the ones that were judged, if they were asked for
  bool software_devices_only = false;  // all RDMA devices of the host, of which there are some
  std::string store_error{};           // the verdict stands, but the agent could not keep it
  std::string store_notice{};          // what happened to the agent's store before, said once
};

struct PortTransfer {
  std::string port{};  // "rxe0/1"
  TransferResult result{};
  std::optional<TransferResult> reverse{};  // the other way, when both were asked for
  std::string store_error{};
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

struct ApplyOptions {
  std::vector<Profile> profiles{};   // each for its ports; empty: the agent's own choice
  std::vector<std::string> ports{};  // only these, by name; empty: all
  std::chrono::milliseconds confirm_within{60'000};
  bool allow_one_way = false;
  bool proof = true;
  std::string peer{};  // the host with which a transfer proves it too; empty: none
  std::string caller{};
  std::string plan_sha256{};  // PlanDigest of the plan that was shown: no other is written; empty: any
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
  std::string instance_id{};  // of the agent's process; empty when it is of a version without
};

class AgentClient {
 public:
  using Progress = std::function<void(const std::string& what)>;
  using OnFinding = std::function<void(const Finding& finding)>;
  using OnTransfer = std::function<void(const PortTransfer& transfer)>;

  // Resolves, connects within options.connect_timeout, and asks for the version. A connection that TLS ended is
  // kUnavailable and says what was wrong with whose certificate.
  static absl::StatusOr<std::unique_ptr<AgentClient>> Connect(const HostAddress& address,
                                                              const ClientOptions& options);

  // Over a channel that exists already (an agent in this process).
  AgentClient(std::string name, std::shared_ptr<grpc::Channel> channel, const ClientOptions& options);

  const std::string& name() const { return name_; }

  // As told when connecting; empty over a channel that existed already.
  const AgentVersion& version() const { return version_; }

  absl::StatusOr<AgentVersion> GetVersion();
  absl::StatusOr<Facts> GetFacts();
  // What the host was asked and what it answered: the files of a recording, by their paths in its folder.
  // Bounded; not looked into. `lldp` is how long the agent listens for LLDP neighbours too, in whole seconds;
  // an agent of an older version does not.
  absl::StatusOr<std::map<std::string, std::string>> GetRecording(std::chrono::seconds lldp = {});
  absl::StatusOr<CheckAnswer> Check(const CheckOptions& options, const Progress& progress,
                                    const OnFinding& on_finding);
  // Empty `cases`: all.
  absl::Status TestLoopback(const PortSelection& port, const std::vector<std::string>& cases,
                            const std::string& caller, const std::string& run_id, const Progress& progress,
                            const OnTransfer& on_transfer, const TransferOptions& options = {});
  // What the server answered, also when that is nothing.
  absl::StatusOr<ProbeAnswer> Probe(const ProbeOptions& options, const Progress& progress);
  absl::StatusOr<History> ListHistory(const HistoryQuery& query);
  absl::StatusOr<std::vector<CaseBaseline>> Baseline(const BaselineQuery& query);
  // What the agent's log said last, oldest first; an agent of an older version keeps none: kUnimplemented.
  absl::StatusOr<std::vector<AgentEvent>> GetEvents();

  // Of the host's settings. All: kUnimplemented (an agent of an older version; the text says which it is). But
  // of the plan: kFailedPrecondition (the host does not permit it, or has no applier), kPermissionDenied (this
  // caller's role).
  absl::StatusOr<Plan> MakePlan(const std::vector<Profile>& profiles, const std::vector<std::string>& ports,
                                bool persist);
  // What came of it, after `on_change` has seen it on the way. An agent whose caller goes away takes it back.
  absl::StatusOr<Change> Apply(const ApplyOptions& options,
                               const std::function<void(const Change&)>& on_change);
  absl::StatusOr<Change> ProvePeer(const std::string& change_id);
  // kNotFound: no such change awaits it.
  absl::StatusOr<Change> Confirm(const std::string& change_id);
  absl::StatusOr<Change> RollBack(const std::string& change_id);
  // Empty: all. What is not kept any more.
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects);
  // `within`: when the answer is late; 0: as of any call.
  absl::StatusOr<ApplierStatus> GetApplier(std::chrono::milliseconds within = {});

 private:
  friend class PeerRelay;

  absl::Status Explain(const grpc::Status& status) const;
  // The same of a call that older agents do not know.
  absl::Status ExplainNewer(const grpc::Status& status) const;
  std::chrono::system_clock::time_point Deadline() const;
  template <class Request, class Response>
  absl::StatusOr<Response> CallOnce(grpc::Status (v1::Agent::Stub::*method)(grpc::ClientContext*,
                                                                            const Request&, Response*),
                                    const Request& request, std::chrono::milliseconds within = {});
  // Takes one more message of an answer within its bounds; what is too much ends the call.
  absl::Status Take(AnswerBounds& bounds, const google::protobuf::Message& message,
                    grpc::ClientContext& context) const;
  // A way over which secrets may go; null: the usual one is. Errors: there is none.
  absl::StatusOr<std::unique_ptr<v1::Agent::Stub>> WayForSecrets() const;
  // When a call that makes so many tests of that length is late. No agent allows one of ten minutes.
  std::chrono::system_clock::time_point Deadline(const TransferOptions& test, int tests) const {
    const auto longer = std::min<std::chrono::milliseconds>(test.duration, std::chrono::minutes(10));
    return std::chrono::system_clock::now() + options_.call_timeout + tests * longer;
  }

  std::string name_;
  ClientOptions options_;
  AgentVersion version_;
  bool private_ = true;        // nobody else can read what goes over it, and who is there is known
  std::string socket_path_{};  // of a local socket: who listens there is to be found out
  std::unique_ptr<v1::Agent::Stub> stub_;
};

}  // namespace rdmaready
