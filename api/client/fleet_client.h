// SPDX-License-Identifier: Apache-2.0
// FleetClient: what a hub knows of its fleet, asked by gRPC. Decodes into the model; bounds nothing but by
// pages.
//
// Errors: kUnavailable (nobody there, or gone), kDeadlineExceeded, kPermissionDenied, kUnauthenticated,
// kUnimplemented (no hub), kInvalidArgument and kNotFound (what was asked).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/client_options.h"
#include "api/model/fleet.h"
#include "api/model/fleet_past.h"

namespace grpc {
class Channel;
class ClientContext;
class Status;
}  // namespace grpc

namespace rdmaready::v1 {
class MakeTokensRequest;
class MakeTokensResponse;
class RevokeHostResponse;
class TokenRow;
}  // namespace rdmaready::v1

namespace rdmaready {

// Which hosts, and of them which checks; see v1::HostFilter.
struct FleetFilterWords {
  std::vector<std::string> hosts{};
  std::vector<std::string> groups{};
  std::vector<std::string> racks{};
  std::vector<HostCondition> conditions{};
  std::vector<std::string> checks{};
};

class FleetClient {
 public:
  // `hub` as in api/client/address.h, without a port the hub's own. Errors as those of AgentClient::Connect.
  static absl::StatusOr<std::unique_ptr<FleetClient>> Connect(const std::string& hub,
                                                              const ClientOptions& options);
  FleetClient(const FleetClient&) = delete;
  FleetClient& operator=(const FleetClient&) = delete;
  ~FleetClient();

  absl::StatusOr<FleetStatus> Status(const FleetFilterWords& filter, std::uint32_t most_odd);
  // All pages.
  absl::StatusOr<std::vector<FleetHost>> Hosts(const FleetFilterWords& filter);
  // A filter that names one host: with remedies, where the hub has that host's facts.
  absl::StatusOr<std::vector<FleetFinding>> Findings(const FleetFilterWords& filter);
  // Newest first, at most `most`.
  absl::StatusOr<std::vector<FleetChange>> Changes(const FleetFilterWords& filter, std::int64_t since_unix_ns,
                                                   std::size_t most);
  struct DiffAnswer {
    std::vector<FleetDifference> differences{};
    std::int64_t kept_since_unix_ns = 0;  // what changed before is forgotten; 0: nothing is
  };
  absl::StatusOr<DiffAnswer> Diff(const FleetFilterWords& filter, std::int64_t at_unix_ns);
  struct BaselineAnswer {
    std::vector<UsualValue> usual{};
    bool complete = false;  // all hosts were compared
  };
  absl::StatusOr<BaselineAnswer> Baseline(const FleetFilterWords& filter);

  // Of what live tests showed last: the first `most`, and how many there are.
  struct PastWords {
    std::vector<std::string> ports{};
    std::vector<std::string> cases{};
    std::vector<PastState> states{};
  };
  struct PastAnswer {
    std::vector<FleetPastTest> tests{};
    std::uint64_t of = 0;
  };
  absl::StatusOr<PastAnswer> Past(const FleetFilterWords& filter, const PastWords& words, std::size_t most);

  // Until `tell` says false, or Cancel. When the stream breaks it is opened again, and nothing that happened
  // meanwhile is left out; `trouble` hears of that. An error: it cannot be opened at all.
  absl::Status Watch(const FleetFilterWords& filter, std::int64_t since_unix_ns,
                     const std::function<bool(const FleetChange&)>& tell,
                     const std::function<void(const std::string&)>& trouble);
  // Ends a Watch. Any thread, also a signal's.
  void Cancel();

  struct Acknowledged {
    std::uint64_t marked = 0;
    std::uint64_t forgotten = 0;
  };
  absl::StatusOr<Acknowledged> Acknowledge(const FleetFilterWords& filter,
                                           const std::vector<std::string>& subjects, const std::string& why);
  // All that are kept since then, the oldest first.
  absl::StatusOr<std::vector<FleetAuditEntry>> Audit(std::int64_t since_unix_ns);
  absl::StatusOr<std::uint64_t> SetMaintenance(const FleetFilterWords& filter, std::int64_t until_unix_ns,
                                               const std::string& reason);

  // Of the hub's authority: kFailedPrecondition where it has none. What comes is the wire's: nobody keeps it.
  absl::StatusOr<v1::MakeTokensResponse> MakeTokens(const v1::MakeTokensRequest& wanted);
  absl::StatusOr<std::vector<v1::TokenRow>> Tokens();
  absl::StatusOr<std::uint64_t> WithdrawTokens(const std::vector<std::string>& ids);
  absl::StatusOr<v1::RevokeHostResponse> RevokeHost(const std::string& host, const std::string& why);

 private:
  struct Wire;  // the generated stubs: fleet_wire.h

  FleetClient(std::string name, const ClientOptions& options, std::shared_ptr<grpc::Channel> channel);
  absl::Status Explain(const grpc::Status& status) const;
  template <class Method, class Request, class Response>
  absl::Status Call(Method method, const Request& request, Response& response);
  template <class Method, class Request, class Response>
  absl::Status CallAccess(Method method, const Request& request, Response& response);

  const std::string name_;
  const std::chrono::milliseconds call_timeout_;
  const std::unique_ptr<Wire> wire_;
  std::mutex mutex_;
  grpc::ClientContext* watching_ = nullptr;
  bool cancelled_ = false;
};

}  // namespace rdmaready
