// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/ingest_service.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>

#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "hub/ingest/hello.h"
#include "hub/ingest/unpack.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kMostStrangers = 4096;  // streams that have not said hello
constexpr std::int64_t kCenturyNs = std::int64_t{3'155'760'000} * 1'000'000'000;

grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

// Spread, so that those that were put off together do not come back together.
std::uint32_t SomeTimeLater() {
  thread_local std::mt19937 random(std::random_device{}());
  return std::uniform_int_distribution<std::uint32_t>(1'000, 10'000)(random);
}

// A clock that says nothing, or what no clock can say, is not compared.
std::int64_t ClockAhead(std::int64_t said_unix_ns, std::int64_t now) {
  return said_unix_ns <= 0 || said_unix_ns > now + kCenturyNs ? 0 : said_unix_ns - now;
}

// Of the caller by TLS; empty without.
std::string PropertyOf(const grpc::ServerContextBase& context, const char* name) {
  const std::vector<grpc::string_ref> values = context.auth_context()->FindPropertyValues(name);
  return values.empty() ? std::string() : std::string(values.front().data(), values.front().size());
}

std::vector<SubjectName> NamesOfCaller(const grpc::ServerContextBase& context) {
  return SubjectNames(PropertyOf(context, GRPC_X509_PEM_CERT_PROPERTY_NAME));
}

}  // namespace

// One stream. gRPC calls it on threads of its own, never two at once of reading or of writing; the keeper
// answers on its thread. Lives until OnDone and until nobody holds it.
class AgentCall final : public grpc::ServerBidiReactor<v1::FromAgent, v1::FromHub>,
                        public AgentStream,
                        public std::enable_shared_from_this<AgentCall> {
 public:
  AgentCall(IngestService& service, grpc::CallbackServerContext& context)
      : service_(service), context_(context) {}

  void Begin(std::list<IngestService::Stranger>::iterator stranger) {
    self_ = shared_from_this();
    stranger_ = stranger;
    StartRead(&in_);
  }

  void Refuse(const absl::Status& why) {
    self_ = shared_from_this();
    ++service_.refused_;
    End(why);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(absl::OkStatus());
    if (Ended()) return;  // what was on its way when another stream came is older than what that one says
    if (host_id_.empty()) return SaysHello();
    if (!in_.has_report()) return End(absl::InvalidArgumentError("a report is expected"));
    Reports();
  }

  // After an answer the next message is read; lists are told whatever is being read.
  void OnWriteDone(bool ok) override {
    if (!ok) return End(absl::UnavailableError("the agent is gone"));
    const std::lock_guard lock(mutex_);
    sending_ = {};  // lists of the revoked may be large
    const Writing done = std::exchange(writing_, Writing::kNothing);
    if (ended_) return;
    if (done == Writing::kAnswer) StartRead(&in_);
    if (answer_waits_) return Write(Writing::kAnswer, std::exchange(out_, {}));
    if (std::exchange(lists_wait_, false)) WriteLists();
  }

  void OnCancel() override { End(absl::CancelledError("the agent is gone")); }

  void OnDone() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    Greeted();
    if (!host_id_.empty()) service_.book_.Detach(host_id_, this);
    --service_.streams_;
    self_.reset();  // may be the end of this object
  }

  void Replace(const absl::Status& why) override {
    ++service_.replaced_;
    End(why);
  }

  // The context lives until OnDone has returned, and that waits for this.
  void JudgeAgain() override {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    const std::string why = WhyRefusedNow();
    if (why.empty()) return;
    Tell(service_.options_.events, EventLevel::kWarning, "agent-refused",
         {{"peer", context_.peer()}, {"hostname", hello_->hostname()}, {"reason", why}});
    End(absl::UnavailableError(why));  // he may come again, and the handshake says the same, or not
  }

  void TellLists() override {
    const std::lock_guard lock(mutex_);
    if (ended_ || !takes_lists_) return;
    lists_wait_ = writing_ != Writing::kNothing;
    if (!lists_wait_) WriteLists();
  }

  void EndAsStranger() { End(absl::DeadlineExceededError("no hello")); }

 private:
  void End(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    Finish(ToGrpc(status));
  }

  bool Ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

  void Greeted() {
    const std::lock_guard lock(service_.mutex_);
    if (!stranger_) return;
    service_.strangers_.erase(*stranger_);
    stranger_.reset();
  }

  void SaysHello() {
    if (!in_.has_hello()) return End(absl::InvalidArgumentError("hello is expected"));
    const v1::AgentHello& hello = in_.hello();
    if (const absl::Status differs = CheckRevision(hello); !differs.ok()) return TurnAway(hello, differs);
    const std::vector<SubjectName> names =
        service_.options_.tls ? NamesOfCaller(context_) : std::vector<SubjectName>();
    absl::StatusOr<std::string> id = HostIdOf(hello, service_.options_.tls ? &names : nullptr);
    if (!id.ok()) return TurnAway(hello, id.status());
    if (const absl::Status claim = service_.book_.identities().Hello(
            {*id, hello.hostname(), hello.machine_id(), hello.run_id(), context_.peer()},
            service_.book_.SteadyNowNs());
        !claim.ok()) {
      service_.book_.End(*id, claim);
      return TurnAway(hello, claim);
    }
    Greeted();
    hello_ = std::make_unique<v1::AgentHello>(hello);
    WantsLists();
    host_id_ = *std::move(id);
    const std::optional<HostNow> known = service_.book_.Attach(host_id_, shared_from_this());
    // The handshake judged the connection, which may be months old. After Attach, so that whoever looks at all
    // streams meanwhile finds this one.
    if (const std::string why = WhyRefusedNow(); !why.empty())
      return TurnAway(*hello_, absl::UnavailableError(why));
    if (const std::string why = WhyGone(); !why.empty())
      return TurnAway(*hello_, absl::PermissionDeniedError(why));
    v1::HubWelcome& welcome = *out_.mutable_welcome();
    welcome.set_hub(service_.options_.hub_name);
    welcome.set_hub_version(std::string(kVersion));
    welcome.set_api_revision(kIngestRevision);
    welcome.set_period_s(PeriodS());
    if (known) welcome.set_digest(absl::HexStringToBytes(known->digest));
    if (known) welcome.set_past_digest(absl::HexStringToBytes(known->past_digest));
    welcome.set_past_max_bytes(kMostPackedPastBytes);
    welcome.set_unix_ns(UnixNs(*service_.options_.clock));
    welcome.set_facts_max_bytes(kMostPackedBytes);
    welcome.set_facts_max_plain_bytes(kMostPlainBytes);
    Answer();
  }

  std::string WhyRefusedNow() const {
    if (!service_.options_.why_refused) return {};
    return service_.options_.why_refused(PropertyOf(context_, GRPC_X509_PEM_CERT_PROPERTY_NAME),
                                         PropertyOf(context_, GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME));
  }

  std::string WhyGone() const {
    return service_.options_.why_gone ? service_.options_.why_gone(host_id_) : std::string();
  }

  void TurnAway(const v1::AgentHello& hello, const absl::Status& why) {
    ++service_.refused_;
    Tell(service_.options_.events, EventLevel::kWarning, "agent-refused",
         {{"peer", context_.peer()}, {"hostname", hello.hostname()}, {"reason", Message(why)}});
    End(why);
  }

  // Of sizes and digests; what they are of is looked at later.
  static absl::Status CheckReport(const v1::StateReport& report) {
    if (report.facts_zlib().size() > kMostPackedBytes)
      return absl::InvalidArgumentError(fmt::format("facts of more than {} bytes", kMostPackedBytes));
    if (report.past_zlib().size() > kMostPackedPastBytes)
      return absl::InvalidArgumentError(fmt::format("past tests of more than {} bytes", kMostPackedPastBytes));
    if (report.digest().size() != kDigestBytes ||
        (!report.past_zlib().empty() && report.past_digest().size() != kDigestBytes))
      return absl::InvalidArgumentError("a digest of 32 octets is expected");
    return absl::OkStatus();
  }

  void Reports() {
    v1::StateReport& report = *in_.mutable_report();
    ++service_.reports_;
    if (const absl::Status bad = CheckReport(report); !bad.ok()) return End(bad);
    std::string digest = absl::BytesToHexString(report.digest());
    const std::int64_t now = UnixNs(*service_.options_.clock);
    const AgentRun agent{.agent_version = hello_->agent_version(),
                         .machine_id = hello_->machine_id(),
                         .boot_id = hello_->boot_id(),
                         .mark = {.run_id = hello_->run_id(), .sequence = report.sequence()}};
    const std::int64_t ahead = ClockAhead(report.sent_unix_ns(), now);
    has_past_ = !report.past_zlib().empty();
    const bool past_is_news =
        has_past_ && absl::BytesToHexString(report.past_digest()) != service_.book_.PastOf(host_id_);
    const bool asked = !report.facts_zlib().empty() && service_.book_.FactsAsked(host_id_);
    const bool known = !asked && service_.book_.HeardUnchanged(host_id_, digest, agent, now, ahead);
    // By another name other rules may hold: it is judged again, from the facts that are kept.
    if (known && !past_is_news && service_.book_.IsNamed(host_id_, hello_->hostname())) {
      ++service_.unchanged_;
      if (report.facts_zlib().empty() && service_.book_.TakeFactsDue(host_id_)) {
        ++service_.facts_wanted_;
        return Acknowledge(report.sequence(), v1::ReportAck::RESULT_FACTS_WANTED, now);
      }
      return Acknowledge(report.sequence(), v1::ReportAck::RESULT_KEPT, now);
    }
    if (!known && report.facts_zlib().empty()) {
      ++service_.facts_wanted_;
      return Acknowledge(report.sequence(), v1::ReportAck::RESULT_FACTS_WANTED, now);
    }
    Keep(report, std::move(digest), past_is_news, now);
  }

  void Keep(v1::StateReport& report, std::string digest, bool past_is_news, std::int64_t now) {
    Arrival arrival{.host_id = host_id_,
                    .name = hello_->hostname(),
                    .machine_id = hello_->machine_id(),
                    .boot_id = hello_->boot_id(),
                    .agent_version = hello_->agent_version(),
                    .mark = {.run_id = hello_->run_id(), .sequence = report.sequence()},
                    .digest = std::move(digest),
                    .facts_zlib = std::move(*report.mutable_facts_zlib()),
                    .facts_bytes = report.facts_bytes(),
                    .received_unix_ns = now,
                    .clock_ahead_ns = ClockAhead(report.sent_unix_ns(), now)};
    if (past_is_news) {
      arrival.past_digest = absl::BytesToHexString(report.past_digest());
      arrival.past_zlib = std::move(*report.mutable_past_zlib());
      arrival.past_bytes = report.past_bytes();
    }
    const std::uint64_t sequence = report.sequence();
    arrival.answer = [self = shared_from_this(), sequence, now](const absl::Status& kept,
                                                                const std::string& past_refused) {
      self->Kept(kept, past_refused, sequence, now);
    };
    in_.Clear();
    service_.book_.Pending(host_id_, 1);
    if (!service_.keeper_.Add(std::move(arrival)))
      Kept(absl::ResourceExhaustedError("busy"), "", sequence, now);
  }

  void Kept(const absl::Status& status, const std::string& past_refused, std::uint64_t sequence,
            std::int64_t received) {
    service_.book_.Pending(host_id_, -1);
    out_.mutable_ack()->set_past_refused(past_refused);
    if (status.ok()) return Acknowledge(sequence, v1::ReportAck::RESULT_KEPT, received);
    v1::ReportAck& ack = *out_.mutable_ack();
    if (absl::IsInvalidArgument(status)) {
      ack.set_reason(Message(status));
      return Acknowledge(sequence, v1::ReportAck::RESULT_REFUSED, received);
    }
    ++service_.put_off_;
    ack.set_again_after_ms(SomeTimeLater());
    Acknowledge(sequence, v1::ReportAck::RESULT_LATER, received);
  }

  void Acknowledge(std::uint64_t sequence, v1::ReportAck::Result result, std::int64_t received) {
    v1::ReportAck& ack = *out_.mutable_ack();
    ack.set_sequence(sequence);
    ack.set_result(result);
    ack.set_received_unix_ns(received);
    ack.set_period_s(PeriodS());
    if (has_past_) ack.set_past_digest(absl::HexStringToBytes(service_.book_.PastOf(host_id_)));
    Answer();
  }

  std::uint32_t PeriodS() const { return static_cast<std::uint32_t>(service_.options_.period.count()); }

  // What was said is copied by gRPC before StartWrite returns from here on; the next message is read when it is
  // out.
  void Answer() {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    in_ = {};  // facts are large
    answer_waits_ = writing_ != Writing::kNothing;
    if (!answer_waits_) Write(Writing::kAnswer, std::exchange(out_, {}));
  }

  enum class Writing { kNothing, kAnswer, kLists };

  // With the mutex held, and nothing on its way.
  void Write(Writing what, v1::FromHub message) {
    if (what == Writing::kAnswer) answer_waits_ = false;
    writing_ = what;
    sending_ = std::move(message);
    StartWrite(&sending_);
  }

  void WriteLists() {
    const std::shared_ptr<const SignedLists> lists = service_.options_.lists();
    if (lists == nullptr || lists->sha256 == lists_sha256_) return;
    lists_sha256_ = lists->sha256;
    v1::FromHub message;
    message.mutable_revocations()->set_lists_pem(lists->pem);
    Write(Writing::kLists, std::move(message));
  }

  // Those that it does not have follow the welcome.
  void WantsLists() {
    const std::lock_guard lock(mutex_);
    takes_lists_ = service_.options_.lists && !hello_->revocations_sha256().empty();
    lists_sha256_ = hello_->revocations_sha256();
    lists_wait_ = takes_lists_;
  }

  IngestService& service_;
  grpc::CallbackServerContext& context_;
  std::shared_ptr<AgentCall> self_{};                                       // until OnDone
  std::optional<std::list<IngestService::Stranger>::iterator> stranger_{};  // guarded by the service's mutex
  std::string host_id_{};                                                   // empty: no hello yet
  std::unique_ptr<v1::AgentHello> hello_{};
  v1::FromAgent in_{};
  bool has_past_ = false;  // the report that is answered now
  v1::FromHub out_{};
  v1::FromHub sending_{};
  std::recursive_mutex mutex_;  // gRPC may call back from within what is started
  bool ended_ = false;
  Writing writing_ = Writing::kNothing;
  bool answer_waits_ = false;  // in `out_`, until what is on its way is out
  bool lists_wait_ = false;    // the same of lists
  bool takes_lists_ = false;
  std::string lists_sha256_{};  // that it has
};

IngestService::IngestService(IngestOptions options, HostBook& book, Keeper& keeper)
    : options_(std::move(options)), book_(book), keeper_(keeper) {}

grpc::ServerBidiReactor<v1::FromAgent, v1::FromHub>* IngestService::Attach(
    grpc::CallbackServerContext* context) {
  const auto call = std::make_shared<AgentCall>(*this, *context);
  if (++streams_ > options_.most_streams) {
    call->Refuse(
        absl::ResourceExhaustedError(fmt::format("{} agents are here already", options_.most_streams)));
    return call.get();
  }
  std::list<Stranger>::iterator stranger;
  {
    const std::lock_guard lock(mutex_);
    if (strangers_.size() >= kMostStrangers) {
      call->Refuse(absl::ResourceExhaustedError("too many say nothing: come later"));
      return call.get();
    }
    stranger = strangers_.insert(strangers_.end(), {.came = options_.clock->Now(), .stream = call});
  }
  call->Begin(stranger);
  return call.get();
}

IngestCounts IngestService::Counts() const {
  return {.reports = reports_,
          .unchanged = unchanged_,
          .facts_wanted = facts_wanted_,
          .put_off = put_off_,
          .refused_streams = refused_,
          .replaced_streams = replaced_,
          .streams = streams_};
}

void IngestService::EndStrangers(std::chrono::milliseconds patience) {
  std::vector<std::shared_ptr<AgentStream>> late;
  {
    const std::lock_guard lock(mutex_);
    for (const Stranger& stranger : strangers_) {
      if (options_.clock->Now() - stranger.came < patience) break;  // in the order of their coming
      if (std::shared_ptr<AgentStream> stream = stranger.stream.lock()) late.push_back(std::move(stream));
    }
  }
  for (const std::shared_ptr<AgentStream>& stream : late) static_cast<AgentCall&>(*stream).EndAsStranger();
}

}  // namespace rdmaready::hub
