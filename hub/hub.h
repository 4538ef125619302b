// SPDX-License-Identifier: Apache-2.0
// Hub: the centre of a fleet in this process: its store, what agents report, and what is asked of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/pulse.h"
#include "api/client/caller_judge.h"
#include "api/client/report_channel.h"
#include "api/client/tls.h"
#include "api/daemon/listening.h"
#include "api/daemon/watchdog.h"
#include "api/metrics/door.h"
#include "hub/access/audit_trail.h"
#include "hub/access/fleet_gate.h"
#include "hub/clock_watch.h"
#include "hub/enrol/admission.h"
#include "hub/fleet/change_feed.h"
#include "hub/fleet/fleet_view.h"
#include "hub/ingest/comparer.h"
#include "hub/ingest/host_book.h"
#include "hub/ingest/host_notes.h"
#include "hub/ingest/ingest_counts.h"
#include "hub/ingest/keeper.h"
#include "hub/ingest/list_teller.h"
#include "hub/judge/fleet_agreement.h"
#include "hub/judge/rule_book.h"
#include "hub/metrics/exposition.h"
#include "hub/metrics/fleet_counter.h"
#include "hub/metrics/latency.h"
#include "hub/notice/notice_file.h"
#include "hub/notice/notifier.h"
#include "hub/store/fleet_store.h"
#include "hub/store/token_store.h"

namespace rdmaready::hub {

class AccessService;
class EnrolDoor;
class FleetService;
class IngestService;
class RenewalService;
struct IngestOptions;

inline constexpr std::uint16_t kHubMetricsPort = 7474;

struct HubOptions {
  std::vector<std::string> listen{};
  TlsFiles tls{};         // given: mutual TLS, and nothing else
  std::string roles{};    // a file of FleetRoles; empty: operators operate, other certificates look
  bool insecure = false;  // without it, plain text is listened to on loopback only
  FleetAsk plain_role = FleetAsk::kObserve;  // of callers by plain text, loopback included
  std::string name{};                        // how it calls itself
  std::chrono::seconds period{300};
  std::size_t most_agents = 20'000;
  Keepalive keepalive{std::chrono::milliseconds(150'000), std::chrono::milliseconds(30'000)};
  std::chrono::milliseconds shortest_agent_ping{30'000};  // agents that ping more often are sent away
  std::chrono::seconds facts_every{3600};    // facts of states that are kept, for their readings; 0: never
  std::chrono::hours keep_changes{24 * 90};  // 0: for ever
  std::chrono::hours keep_audit{24 * 400};   // 0: for ever
  bool reflection = true;
  RuleFiles rules{};
  std::optional<NoticeOptions> notices{};  // none: nobody is told
  std::string metrics_listen{};            // see metrics::DoorOptions
  std::string store_path{};                // whose bytes are told; empty: they are not known
  std::unique_ptr<FleetStore> store{};
  TokenStore* tokens = nullptr;  // part of `store`, or as long-lived; needed with an authority
  std::string authority{};       // a CA that this hub signs with; empty: none
  std::string enrol_listen{};    // empty: no host enrols here
  std::chrono::seconds certificate_lifetime = kDefaultLifetime;
  KeeperLimits keeper{};
  // A thread of the hub's that did nothing for so long hangs: a disk may be as slow as that.
  std::chrono::milliseconds hangs_after{180'000};
  Clock* clock = &RealClock();  // outlives the hub
  EventSink events{};
};

class Hub {
 public:
  // Errors: those of RuleBook::Load, of the store, and of StartListening.
  static absl::StatusOr<std::unique_ptr<Hub>> Start(HubOptions options);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  const std::vector<std::string>& addresses() const { return listening_.addresses; }
  // Where hosts enrol; empty: nowhere.
  const std::vector<std::string>& enrol_addresses() const { return enrolling_.addresses; }

  // Reads profiles, waivers and roles again, and judges again whatever is judged otherwise by them; whom it
  // tells from now on is `notices`, none: nobody. What is refused changes nothing.
  absl::Status Reload(const RuleFiles& files, const std::string& roles,
                      const std::optional<NoticeOptions>& notices);

  // Ends the calls that still run after `grace`.
  void Shutdown(std::chrono::milliseconds grace);

  // kDataLoss once the store turned out to be damaged: nothing more is acknowledged, and the process had better
  // end.
  absl::Status StoreHealth() const;

  // That calls are answered, and that the threads that write and look after the fleet get on. A store that is
  // full, or fails, is no hang. The hub outlives their use.
  std::vector<ProofOfLife> ProofsOfLife() const;

  IngestCounts ingest() const;
  // Of /metrics; null: there is none.
  const metrics::Door* metrics() const { return metrics_.get(); }
  KeeperCounts keeper() const { return keeper_->Counts(); }

 private:
  explicit Hub(HubOptions options);
  absl::Status Begin();
  absl::Status Recall();
  void StartKeeper();
  void MakeView();
  void Compare();
  absl::Status Notify(const std::optional<NoticeOptions>& notices);
  std::shared_ptr<Notifier> WhoNotifies() const;
  std::shared_ptr<const RuleBook> Rules() const;
  void Stored(const absl::Status& status);
  // What happened to hosts as a whole: kept, and told to who watches.
  void NoteOf(std::span<const std::string> host_ids, const std::string& text);

  // hub_listening.cc
  absl::Status Listen();
  IngestOptions IngestSeams() const;

  // hub_admission.cc
  absl::Status OpenAdmission();
  absl::Status ListenForNewHosts();
  void RegisterAccess(grpc::ServerBuilder& builder);
  void Revoked(const std::string& host_id, const std::string& text);
  void LookAfterAdmission();

  // hub_metrics.cc
  absl::Status OpenMetrics();
  HubNow Now();

  // hub_chores.cc: on a thread of its own, once a second.
  void Chores(const std::stop_token& stop);
  void ChoresOf(std::int64_t second);
  void WatchTheClock();
  void Prune();
  void JudgeAgainWhatDiffers();
  void TellOfSilence();
  void TellOfIdentities();
  void EndTheRevoked();

  HubOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const RuleBook> rules_{};
  absl::Status store_health_{};
  bool store_failed_ = false;
  const std::int64_t started_unix_ns_;
  std::filesystem::file_time_type
      lists_written_{};  // the lists of the revoked, as streams were judged by them last
  LatencyBook commits_;
  HostBook book_;
  ChangeFeed feed_;
  HostNotes notes_;
  std::unique_ptr<AuditTrail> trail_;
  FleetAgreement agreement_;
  std::shared_ptr<CallerJudge> judge_{};  // null: no TLS
  std::unique_ptr<FleetGate> gate_;
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<FleetView> view_;
  std::unique_ptr<IngestService> ingest_;
  std::unique_ptr<FleetService> fleet_;
  std::unique_ptr<Admission> admission_;  // null: no authority
  std::unique_ptr<RenewalService> renewal_;
  std::unique_ptr<AccessService> access_;
  std::unique_ptr<EnrolDoor> enrol_door_;
  ListeningServer enrolling_{};
  ListeningServer listening_{};
  std::unique_ptr<Comparer> comparer_;
  std::shared_ptr<Notifier> notifier_{};  // null: nobody is told
  std::unique_ptr<FleetCounter> counter_{};
  std::unique_ptr<metrics::Door> metrics_{};
  std::unique_ptr<ListTeller> lists_{};
  Pulse chores_pulse_{*options_.clock};
  ClockWatch clock_watch_{};  // of the chores, as the next one
  std::int64_t prune_after_steady_ns_ = 0;
  std::jthread chores_{};
};

}  // namespace rdmaready::hub
