// SPDX-License-Identifier: Apache-2.0
// AgentClient: one agent, as the command line sees it. Values of the model go in and come out; gRPC
// stays inside.
//
// Errors: kNotFound (name does not resolve), kUnavailable (refused, not answering, went away), kUnimplemented
// (an agent of an incompatible version), kDeadlineExceeded; anything else is the agent's own failure. Texts
// name the host. Threads: one client may be used by several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/client/address.h"
#include "api/client/agent_calls.h"
#include "api/client/client_options.h"
#include "api/model/baseline.h"
#include "api/model/history.h"
#include "api/model/plan.h"

namespace google::protobuf {
class Message;
}
namespace grpc {
class Channel;
class ClientContext;
class Status;
}  // namespace grpc

namespace rdmaready {

class AnswerBounds;

// What an agent says in GetVersion. Another number: the two cannot speak to each other. 2: facts say of each
// field whether it is there.
inline constexpr std::uint32_t kApiRevision = 3;

class AgentClient {
 public:
  using Progress = std::function<void(const std::string& what)>;
  using OnFinding = std::function<void(const Finding& finding)>;
  using OnTransfer = std::function<void(const PortTransfer& transfer)>;

  // Resolves, connects within options.connect_timeout, and asks for the version. kUnauthenticated: a
  // certificate is refused, or TLS is wanted; the text says which. Waiting does not change that.
  static absl::StatusOr<std::unique_ptr<AgentClient>> Connect(const HostAddress& address,
                                                              const ClientOptions& options);

  // Over a channel that exists already (an agent in this process).
  AgentClient(std::string name, std::shared_ptr<grpc::Channel> channel, const ClientOptions& options);
  AgentClient(const AgentClient&) = delete;
  AgentClient& operator=(const AgentClient&) = delete;
  ~AgentClient();

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
  // While a peer test of the same run, with TransferOptions::stress, goes through that port.
  // kFailedPrecondition: the host does not allow it, or none does; kResourceExhausted: its hour is used up, and
  // when it is not.
  absl::StatusOr<PauseAnswer> SendPauses(const PauseOptions& options);
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
  // Empty: all. `persist`: also the files for the next boot that keep them.
  absl::StatusOr<Forgotten> Forget(const std::vector<SettingObject>& objects, bool persist);
  // `within`: when the answer is late; 0: as of any call.
  absl::StatusOr<ApplierStatus> GetApplier(std::chrono::milliseconds within = {});

 private:
  friend class PeerRelay;
  struct Wire;  // the generated stub: agent_wire.h

  absl::Status Explain(const grpc::Status& status) const;
  // kFailedPrecondition: the agent is of an older version, and would make the tests at full speed. Asks it only
  // where `in_production` is true.
  absl::Status KnowsInProduction(bool in_production);
  // The same of a call that older agents do not know.
  absl::Status ExplainNewer(const grpc::Status& status) const;
  Clock::WallTime Deadline() const;
  template <class Response, class Method, class Request>
  absl::StatusOr<Response> CallOnce(Method method, const Request& request,
                                    std::chrono::milliseconds within = {});
  // Takes one more message of an answer within its bounds; what is too much ends the call.
  absl::Status Take(AnswerBounds& bounds, const google::protobuf::Message& message,
                    grpc::ClientContext& context) const;
  // A way over which secrets may go; null: the usual one is. Errors: there is none.
  absl::StatusOr<std::unique_ptr<Wire>> WayForSecrets() const;
  // When a call that makes so many tests of that length is late. No agent allows one of ten minutes.
  Clock::WallTime Deadline(const TransferOptions& test, int tests) const;

  std::string name_;
  ClientOptions options_;
  AgentVersion version_;
  bool private_ = true;        // nobody else can read what goes over it, and who is there is known
  std::string socket_path_{};  // of a local socket: who listens there is to be found out
  std::unique_ptr<Wire> wire_;
};

}  // namespace rdmaready
