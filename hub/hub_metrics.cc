// SPDX-License-Identifier: Apache-2.0
// What the hub tells Prometheus, and whom.
#include <filesystem>
#include <system_error>
#include <utility>

#include "api/base/status.h"
#include "api/base/version.h"
#include "api/metrics/own_cost.h"
#include "hub/hub.h"
#include "hub/ingest/ingest_service.h"

namespace rdmaready::hub {
namespace {

// The file, and what of it is in the log still.
std::uint64_t BytesOfStore(const std::string& path) {
  if (path.empty()) return 0;
  std::uint64_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path + suffix, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

absl::Status Hub::OpenMetrics() {
  counter_ = std::make_unique<FleetCounter>(*options_.store, *view_, *options_.clock);
  RR_ASSIGN_OR_RETURN(
      metrics_, metrics::Door::Open({.listen = options_.metrics_listen,
                                     .default_port = kHubMetricsPort,
                                     .tls = options_.tls,
                                     .insecure = options_.insecure,
                                     .clock = options_.clock,
                                     .events = options_.events,
                                     .admit =
                                         [this](const metrics::HttpCaller& caller) {
                                           return gate_->AdmitToSums(caller.certificate_pem, caller.others_pem);
                                         },
                                     .page = [this] { return HubExposition(Now(), metrics::ReadOwnCost()); }}));
  return absl::OkStatus();
}

HubNow Hub::Now() {
  constexpr double kNs = 1e9;
  HubNow now{.version = std::string(kVersion),
             .started_unix_s = static_cast<double>(started_unix_ns_) / kNs,
             .period_s = std::chrono::duration<double>(options_.period).count(),
             .sums = counter_->Now(),
             .contested = book_.identities().CountContested(book_.SteadyNowNs()),
             .ingest = ingest_->Counts(),
             .keeper = keeper_->Counts(),
             .commits = commits_.Now(),
             .store_bytes = BytesOfStore(options_.store_path)};
  if (const std::shared_ptr<Notifier> notifier = WhoNotifies(); notifier != nullptr)
    now.couriers = notifier->Counts();
  const std::lock_guard lock(mutex_);
  now.store_fails = store_failed_;
  return now;
}

}  // namespace rdmaready::hub
