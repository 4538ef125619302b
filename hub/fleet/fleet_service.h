// SPDX-License-Identifier: Apache-2.0
// FleetService: rdmaready.v1.Fleet: decodes, asks, encodes.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "api/base/clock.h"
#include "api/base/event.h"
#include "hub/access/audit_trail.h"
#include "hub/access/fleet_gate.h"
#include "hub/access/fleet_roles.h"
#include "hub/fleet/change_feed.h"
#include "hub/fleet/fleet_view.h"
#include "rdmaready/v1/fleet.grpc.pb.h"

namespace rdmaready::hub {

struct FleetServiceOptions {
  std::string hub_name{};
  // Who calls; kPermissionDenied, kUnauthenticated. Any thread.
  std::function<absl::StatusOr<FleetCaller>(const grpc::ServerContextBase&, FleetAsk)> admit{};
  std::chrono::nanoseconds keeps_changes{};  // how long; 0: for ever
  int most_watchers = 32;
  int most_past_readers = 8;  // at a time: one may go through the tests of the whole fleet
  Clock* clock = &RealClock();
  EventSink events{};
};

class FleetService final : public v1::Fleet::Service {
 public:
  FleetService(FleetServiceOptions options, FleetStore& store, const FleetView& view, ChangeFeed& feed,
               AuditTrail& trail)
      : options_(std::move(options)), store_(store), view_(view), feed_(feed), trail_(trail) {}

  grpc::Status GetStatus(grpc::ServerContext* context, const v1::GetStatusRequest* request,
                         v1::FleetStatus* response) override;
  grpc::Status ListHosts(grpc::ServerContext* context, const v1::ListHostsRequest* request,
                         v1::ListHostsResponse* response) override;
  grpc::Status ListFindings(grpc::ServerContext* context, const v1::ListFindingsRequest* request,
                            v1::ListFindingsResponse* response) override;
  grpc::Status ListTransitions(grpc::ServerContext* context, const v1::ListTransitionsRequest* request,
                               v1::ListTransitionsResponse* response) override;
  grpc::Status Diff(grpc::ServerContext* context, const v1::FleetDiffRequest* request,
                    v1::FleetDiffResponse* response) override;
  grpc::Status Baseline(grpc::ServerContext* context, const v1::FleetBaselineRequest* request,
                        v1::FleetBaselineResponse* response) override;
  grpc::Status ListPast(grpc::ServerContext* context, const v1::ListPastRequest* request,
                        v1::ListPastResponse* response) override;
  grpc::Status Watch(grpc::ServerContext* context, const v1::WatchFleetRequest* request,
                     grpc::ServerWriter<v1::FleetChange>* writer) override;
  grpc::Status Acknowledge(grpc::ServerContext* context, const v1::AcknowledgeRequest* request,
                           v1::AcknowledgeResponse* response) override;
  grpc::Status ListAudit(grpc::ServerContext* context, const v1::ListAuditRequest* request,
                         v1::ListAuditResponse* response) override;
  grpc::Status SetMaintenance(grpc::ServerContext* context, const v1::SetMaintenanceRequest* request,
                              v1::SetMaintenanceResponse* response) override;

 private:
  absl::StatusOr<FleetCaller> Admit(const grpc::ServerContext& context, FleetAsk ask) const;
  // The same for what is done rather than shown: who is refused stands in the audit.
  absl::StatusOr<FleetCaller> AdmitTo(const char* verb, const grpc::ServerContext& context, FleetAsk ask);

  const FleetServiceOptions options_;
  FleetStore& store_;
  const FleetView& view_;
  ChangeFeed& feed_;
  AuditTrail& trail_;
  std::atomic<int> watchers_ = 0;
  std::atomic<int> past_readers_ = 0;
};

}  // namespace rdmaready::hub
