// SPDX-License-Identifier: Apache-2.0
#include "hub/hub.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/client/subject_names.h"
#include "api/daemon/server_tls.h"
#include "api/pki/identity.h"

namespace rdmaready::hub {
namespace {

constexpr int kMostMessageBytes = 1024 * 1024;
constexpr std::size_t kMostMemoryBytes = std::size_t{2} * 1024 * 1024 * 1024;  // of gRPC's buffers
constexpr int kMostThreads = 64;
constexpr int kHandshakeMs = 20'000;  // of thousands at once, on few processors
constexpr int kAgentPingMs = 150'000;
constexpr int kPingAnswerMs = 30'000;
constexpr int kShortestAgentPingMs = 30'000;  // agents that ping more often are sent away

constexpr auto kHelloWithin = std::chrono::seconds(30);
constexpr std::int64_t kSecondsBetweenSeen = 60;
constexpr std::int64_t kSecondsBetweenSilence = 5;
constexpr std::int64_t kSecondsBetweenLists = 10;
constexpr auto kListsRest = std::chrono::seconds(2);
constexpr std::int64_t kSecondsBetweenRules = 60;
constexpr std::int64_t kSecondsBetweenPrunes = 10;
constexpr std::uint64_t kMostPruned = 5'000;                 // rows at a time
constexpr std::chrono::milliseconds kBetweenCounts{10'000};  // of what hosts have in common
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kKeepOverNs = 30 * 24 * 3'600 * kSecondNs;  // findings that are over, and nobody cares

void SetHubLimits(grpc::ServerBuilder& builder) {
  grpc::ResourceQuota quota("rdmaready-hub");
  quota.SetMaxThreads(kMostThreads).Resize(kMostMemoryBytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(kMostMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kAgentPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnswerMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kShortestAgentPingMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 16);
}

}  // namespace

Hub::Hub(HubOptions options) : options_(std::move(options)), started_unix_ns_(UnixNowNs()) {}

absl::StatusOr<std::unique_ptr<Hub>> Hub::Start(HubOptions options) {
  std::unique_ptr<Hub> hub(new Hub(std::move(options)));
  RR_ASSIGN_OR_RETURN(hub->rules_, RuleBook::Load(hub->options_.rules));
  if (!hub->options_.roles.empty()) {
    RR_ASSIGN_OR_RETURN(hub->roles_, FleetRoles::Load(hub->options_.roles));
  }
  FleetStore& store = *hub->options_.store;
  hub->book_.SetFactsEvery(std::chrono::nanoseconds(hub->options_.facts_every).count());
  RR_RETURN_IF_ERROR(store.Hosts([&](KnownHost&& host) { hub->book_.Know(host); }));
  RR_RETURN_IF_ERROR(store.Findings({}, [&](FleetFinding&& finding) { hub->agreement_.Restore(finding); }));
  hub->trail_ = std::make_unique<AuditTrail>(store, hub->options_.name, hub->options_.events);
  hub->keeper_ = std::make_unique<Keeper>(
      KeeperSeams{.store = store,
                  .book = hub->book_,
                  .rules = [hub = hub.get()] { return hub->Rules(); },
                  .changed = [hub = hub.get()](const auto& changes) { hub->feed_.Tell(changes); },
                  .stored = [hub = hub.get()](const absl::Status& status) { hub->Stored(status); },
                  .agreement = &hub->agreement_,
                  .took = [hub = hub.get()](std::chrono::nanoseconds took) { hub->commits_.Add(took); }},
      hub->options_.keeper);
  RR_RETURN_IF_ERROR(hub->OpenAdmission());
  FleetView::RevokedOf revoked;
  if (hub->admission_ != nullptr)
    revoked = [admission = hub->admission_.get()](const std::string& id) { return admission->RevokedOf(id); };
  hub->view_ = std::make_unique<FleetView>(
      store, hub->book_, hub->agreement_, hub->options_.period, [hub = hub.get()] { return hub->Rules(); },
      std::move(revoked));
  RR_RETURN_IF_ERROR(hub->ListenForNewHosts());
  RR_RETURN_IF_ERROR(hub->Listen());
  RR_RETURN_IF_ERROR(hub->StartNotices());
  RR_RETURN_IF_ERROR(hub->OpenMetrics());
  hub->JudgeAgainWhatDiffers();
  hub->Compare();
  hub->chores_ = std::jthread([hub = hub.get()](const std::stop_token& stop) { hub->Chores(stop); });
  return hub;
}

void Hub::Compare() {
  const std::chrono::milliseconds period = options_.period;
  comparer_ = std::make_unique<Comparer>(
      ComparerSeams{
          .store = *options_.store,
          .agreement = agreement_,
          .rules = [this] { return Rules(); },
          .hosts = [this] { return view_->Hosts({}, UnixNowNs()); },
          .judge_again = [this](std::vector<std::string> ids) { keeper_->JudgeAgain(std::move(ids)); },
          .busy = [this] { return keeper_->Counts().waiting_again > 0; }},
      std::min(period, kBetweenCounts));
}

absl::Status Hub::Listen() {
  const bool tls = options_.tls.Any();
  if (tls) judge_ = MakeCallerJudge(options_.tls, options_.events);
  std::function<std::string(const std::string&, const std::string&)> why_refused;
  if (tls && judge_->HasLists())
    why_refused = [judge = judge_](const std::string& pem, const std::string& others) {
      return judge->WhyRefused(pem, others);
    };
  std::function<std::shared_ptr<const SignedLists>()> lists;
  std::function<std::string(const std::string&)> why_gone;
  if (admission_ != nullptr) {
    lists = [this] { return admission_->Lists(); };
    why_gone = [this](const std::string& host_id) {
      const std::optional<RevokedHost> revoked = admission_->RevokedOf(host_id);
      return revoked ? "this host was revoked: " + revoked->why : std::string();
    };
  }
  ingest_ = std::make_unique<IngestService>(IngestOptions{.hub_name = options_.name,
                                                          .period = options_.period,
                                                          .most_streams = options_.most_agents,
                                                          .tls = tls,
                                                          .why_refused = std::move(why_refused),
                                                          .lists = std::move(lists),
                                                          .why_gone = std::move(why_gone),
                                                          .events = options_.events},
                                            book_, *keeper_);
  FleetServiceOptions fleet{
      .hub_name = options_.name, .keeps_changes = options_.keep_changes, .events = options_.events};
  fleet.admit = [this](const grpc::ServerContextBase& context, FleetAsk ask) { return Admit(context, ask); };
  fleet_ = std::make_unique<FleetService>(std::move(fleet), *options_.store, *view_, feed_, *trail_);
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  if (tls) {
    RR_ASSIGN_OR_RETURN(credentials, MakeServerCredentials(options_.tls, judge_));
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  SetHubLimits(builder);
  SetReflection(builder, options_.reflection);
  builder.RegisterService(ingest_.get());
  builder.RegisterService(fleet_.get());
  RegisterAccess(builder);
  RR_ASSIGN_OR_RETURN(listening_, StartListening(builder, {.listen = options_.listen,
                                                           .credentials = credentials,
                                                           .plain_anywhere = options_.insecure || tls,
                                                           .needs = "--tls-cert, --tls-key and --tls-ca"}));
  for (const char* service : {v1::Ingest::service_full_name(), v1::Fleet::service_full_name()})
    SetHealth(listening_.server.get(), service, true);
  return absl::OkStatus();
}

absl::Status Hub::StartNotices() {
  if (!options_.notices) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(
      notifier_,
      Notifier::Start({.notices = *options_.notices, .hub = options_.name, .events = options_.events},
                      *options_.store, *view_, feed_, started_unix_ns_));
  return absl::OkStatus();
}

absl::StatusOr<std::string> Hub::HostThatCalls(const grpc::ServerContextBase& context) const {
  const auto property = [&context](const char* name) {
    const std::vector<grpc::string_ref> values = context.auth_context()->FindPropertyValues(name);
    return values.empty() ? std::string() : std::string(values.front().data(), values.front().size());
  };
  const std::string certificate = property(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (certificate.empty()) return absl::UnauthenticatedError("no certificate");
  const std::string others = property(GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME);
  if (const std::string why = judge_->WhyRefused(certificate, others); !why.empty())
    return absl::PermissionDeniedError(why);
  std::vector<std::string> uris;
  for (const SubjectName& name : SubjectNames(certificate)) {
    if (name.kind == SubjectName::Kind::kUri) uris.push_back(name.text);
  }
  if (std::optional<std::string> id = pki::HostIdOf(uris)) return *std::move(id);
  return absl::PermissionDeniedError("the certificate names no host of a fleet");
}

absl::StatusOr<FleetCaller> Hub::Admit(const grpc::ServerContextBase& context, FleetAsk ask) const {
  if (!options_.tls.Any()) {
    if (ask != FleetAsk::kObserve && options_.insecure)
      return absl::PermissionDeniedError("without TLS nobody operates this hub: it listens off loopback");
    return FleetCaller{.who = context.peer()};
  }
  const std::vector<grpc::string_ref> pem = context.auth_context()->FindPropertyValues("x509_pem_cert");
  if (pem.empty()) return absl::UnauthenticatedError("no certificate");
  const std::string certificate(pem.front().data(), pem.front().size());
  // Who was let in may have been revoked since.
  if (judge_->HasLists()) {
    const std::vector<grpc::string_ref> chain =
        context.auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME);
    const std::string others = chain.empty() ? "" : std::string(chain.front().data(), chain.front().size());
    if (const std::string why = judge_->WhyRefused(certificate, others); !why.empty())
      return absl::UnauthenticatedError(why);
  }
  FleetCaller caller{.who = "a certificate without names"};
  std::vector<std::string> uris;
  const std::vector<SubjectName> names = SubjectNames(certificate);
  for (const SubjectName& name : names) {
    if (uris.empty()) caller.who = NameText(name);
    if (name.kind == SubjectName::Kind::kUri) uris.push_back(name.text);
  }
  const std::optional<pki::CertificateIdentity> identity = pki::IdentityOf(uris);
  const pki::Kind kind = identity ? identity->kind : pki::Kind::kUnknown;
  if (kind == pki::Kind::kHost)
    return absl::PermissionDeniedError("a host of the fleet reports, and does not look at others");
  if (kind == pki::Kind::kOperator) caller.who = identity->name;
  if (const std::shared_ptr<const FleetRoles> roles = Roles()) {
    std::optional<std::vector<std::string>> groups = roles->GroupsOf(names, ask);
    if (!groups)
      return absl::PermissionDeniedError(
          fmt::format("{} may not {}, by the file of roles of this hub", caller.who, AskWord(ask)));
    caller.groups = *std::move(groups);
    return caller;
  }
  if (ask != FleetAsk::kObserve && kind != pki::Kind::kOperator)
    return absl::PermissionDeniedError(fmt::format(
        "{} may observe: to operate takes a certificate with the URI {} (rdmaready pki issue operator NAME)",
        caller.who, pki::IdentityUri(pki::Kind::kOperator, "NAME")));
  return caller;
}

Hub::~Hub() { Shutdown(std::chrono::milliseconds(0)); }

void Hub::Shutdown(std::chrono::milliseconds grace) {
  chores_ = {};
  comparer_.reset();
  metrics_.reset();
  feed_.End();
  if (enrolling_.server != nullptr) {
    enrolling_.server->Shutdown(std::chrono::system_clock::now() + grace);
    enrolling_.server.reset();
  }
  if (listening_.server != nullptr) {
    listening_.server->Shutdown(std::chrono::system_clock::now() + grace);
    listening_.server.reset();
  }
  notifier_.reset();
  if (keeper_ != nullptr) {
    keeper_.reset();
    Stored(options_.store->PutSeen(book_.TakeSeen()));
  }
}

std::shared_ptr<const RuleBook> Hub::Rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::shared_ptr<const FleetRoles> Hub::Roles() const {
  const std::lock_guard lock(mutex_);
  return roles_;
}

absl::Status Hub::Reload(const RuleFiles& files, const std::string& roles_file) {
  RR_ASSIGN_OR_RETURN(std::shared_ptr<const RuleBook> rules, RuleBook::Load(files));
  std::shared_ptr<const FleetRoles> roles;
  if (!roles_file.empty()) {
    RR_ASSIGN_OR_RETURN(roles, FleetRoles::Load(roles_file));
  }
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
    roles_ = std::move(roles);
  }
  JudgeAgainWhatDiffers();
  return absl::OkStatus();
}

void Hub::JudgeAgainWhatDiffers() {
  const std::shared_ptr<const RuleBook> rules = Rules();
  const std::int64_t now = UnixNowNs();
  const auto others =
      book_.JudgedByOthers([&](const std::string& name) { return rules->RulesOf(name, now).digest; });
  if (others.empty()) return;
  std::vector<std::string> ids;
  for (const auto& [id, name] : others) ids.push_back(id);
  keeper_->JudgeAgain(std::move(ids));
}

absl::Status Hub::StoreHealth() const {
  const std::lock_guard lock(mutex_);
  return store_health_;
}

// Said when it changes: a disk that is full stays full for a while.
void Hub::Stored(const absl::Status& status) {
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    tell = store_failed_ != !status.ok();
    store_failed_ = !status.ok();
    if (absl::IsDataLoss(status)) store_health_ = status;
  }
  if (!tell) return;
  if (status.ok())
    return Tell(options_.events, EventLevel::kInfo, "store", {{"reason", std::string("keeps again")}});
  Tell(options_.events, EventLevel::kError, "store", {{"reason", Message(status)}});
}

void Hub::Chores(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  for (std::int64_t second = 1;; ++second) {
    std::unique_lock lock(mutex);
    if (woken.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) || stop.stop_requested())
      return;
    ChoresOf(second);
  }
}

void Hub::ChoresOf(std::int64_t second) {
  FleetStore& store = *options_.store;
  ingest_->EndStrangers(kHelloWithin);
  if (second % kSecondsBetweenSilence == 0) TellOfSilence();
  TellOfIdentities();
  if (second % kSecondsBetweenLists == 0) {
    EndTheRevoked();
    LookAfterAdmission();
  }
  if (second % kSecondsBetweenSeen == 0) Stored(store.PutSeen(book_.TakeSeen()));
  if (second % kSecondsBetweenRules == 0) JudgeAgainWhatDiffers();
  if (second % kSecondsBetweenPrunes == 0) {
    const std::int64_t now = UnixNowNs();
    const std::int64_t changes_before =
        options_.keep_changes.count() == 0 ? 0 : now - std::chrono::nanoseconds(options_.keep_changes).count();
    Stored(store.Prune(changes_before, now - kKeepOverNs, kMostPruned).status());
    if (options_.keep_audit.count() > 0)
      Stored(store.PruneAudit(now - std::chrono::nanoseconds(options_.keep_audit).count(), kMostPruned));
  }
}

// Streams last for months: whenever the lists were written again every one is judged by them.
void Hub::EndTheRevoked() {
  if (judge_ == nullptr || !judge_->HasLists()) return;
  std::error_code error;
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(options_.tls.crl, error);
  // One that is being written has a moment to become whole.
  const bool fresh = std::filesystem::file_time_type::clock::now() - written < kListsRest;
  if (error || written == lists_written_ || fresh) return;
  lists_written_ = written;
  for (const std::shared_ptr<AgentStream>& stream : book_.Streams()) stream->JudgeAgain();
}

void Hub::TellOfIdentities() {
  for (const IdentityNote& note : book_.identities().TakeNotes()) {
    Tell(options_.events, EventLevel::kWarning, "host-identity",
         {{"host_id", note.host_id}, {"reason", note.text}});
    const absl::StatusOr<std::vector<CommittedChange>> changes =
        options_.store->NoteHosts(std::span(&note.host_id, 1), note.text, UnixNowNs());
    Stored(changes.status());
    if (changes.ok()) feed_.Tell(*changes);
  }
}

void Hub::TellOfSilence() {
  const std::int64_t patience = kSilentAfterPeriods * std::chrono::nanoseconds(options_.period).count();
  const HostBook::SilenceTurns turns = book_.TakeSilence(UnixNowNs() - patience, started_unix_ns_);
  for (const auto& [ids, text] : {std::pair(&turns.silent, "silent"), std::pair(&turns.back, "heard again")}) {
    if (ids->empty()) continue;
    const absl::StatusOr<std::vector<CommittedChange>> changes =
        options_.store->NoteHosts(*ids, text, UnixNowNs());
    Stored(changes.status());
    if (changes.ok()) feed_.Tell(*changes);
  }
}

}  // namespace rdmaready::hub
