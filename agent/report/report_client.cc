// SPDX-License-Identifier: Apache-2.0
#include "agent/report/report_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <utility>

#include "agent/report/report_stream.h"
#include "api/base/clock.h"
#include "api/base/ingest_revision.h"

namespace rdmaready::report {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstBackOff{1'000};
constexpr milliseconds kLongestBackOff{60'000};
constexpr milliseconds kRefusedBackOff{600'000};  // who was told to stay away asks again now and then
constexpr milliseconds kLongestPatience{600'000};
constexpr int kMostDoublings = 6;
constexpr std::uint32_t kLongestPeriodS = 86'400;
constexpr auto kNever = TimePoint::max();

bool IsForGood(int code) {
  return code == grpc::StatusCode::PERMISSION_DENIED || code == grpc::StatusCode::UNAUTHENTICATED ||
         code == grpc::StatusCode::UNIMPLEMENTED || code == grpc::StatusCode::INVALID_ARGUMENT ||
         code == grpc::StatusCode::FAILED_PRECONDITION;
}

v1::FromAgent Hello(const ReportingHost& host, std::int64_t unix_ns, const std::string& lists_sha256) {
  v1::FromAgent message;
  v1::AgentHello& hello = *message.mutable_hello();
  hello.set_host_id(host.host_id);
  hello.set_hostname(host.hostname);
  hello.set_machine_id(host.machine_id);
  hello.set_boot_id(host.boot_id);
  hello.set_run_id(host.run_id);
  hello.set_agent_version(host.agent_version);
  hello.set_api_revision(host.api_revision);
  hello.set_unix_ns(unix_ns);
  hello.set_revocations_sha256(lists_sha256);
  return message;
}

}  // namespace

struct ReportClient::Act {
  std::shared_ptr<ReportStream> stream{};
  std::shared_ptr<grpc::Channel> open_on{};  // null: the stream is there
  std::optional<v1::FromAgent> message{};    // none: cancel
};

ReportClient::ReportClient(ReportOptions options) : options_(std::move(options)), random_(options_.seed) {}

ReportClient::~ReportClient() {
  if (stream_ != nullptr) stream_->Cancel();
}

std::int64_t ReportClient::UnixNow() const { return UnixNs(*options_.clock) + options_.clock_error.count(); }

void ReportClient::Offer(std::shared_ptr<const HostState> state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = std::move(state);
  }
  if (options_.wake) options_.wake();
}

void ReportClient::OfferPast(std::shared_ptr<const HostPast> past) {
  {
    const std::lock_guard lock(mutex_);
    past_ = std::move(past);
  }
  if (options_.wake) options_.wake();
}

// With a state that the hub knows, or is told in the same report: else it could not judge it.
bool ReportClient::PastIsNews() const {
  if (past_ == nullptr || past_max_bytes_ == 0 || state_ == nullptr) return false;
  if (past_->digest == kept_past_ || past_->digest == refused_past_) return false;
  if (past_->tests == 0 && kept_past_.empty()) return false;
  return StateIsNews() || state_->digest == kept_digest_;
}

bool ReportClient::StateIsNews() const {
  return state_ != nullptr && state_->digest != refused_digest_ &&
         (facts_wanted_ || state_->digest != kept_digest_);
}

TimePoint ReportClient::Tick(TimePoint now) {
  Act act;
  TimePoint next;
  {
    const std::lock_guard lock(mutex_);
    next = Next(now, act);
  }
  Do(std::move(act));
  return next;
}

void ReportClient::Do(Act act) {
  if (act.stream == nullptr) return;
  if (!act.message) return act.stream->Cancel();
  if (act.open_on != nullptr) return act.stream->Begin(act.open_on, *std::move(act.message));
  act.stream->Send(*std::move(act.message));
}

TimePoint ReportClient::Next(TimePoint now, Act& act) {
  switch (phase_) {
    case Phase::kStopped:
      return kNever;
    case Phase::kIdle:
      if (now >= next_) act = Open(now);
      return next_;
    case Phase::kGreeting:
    case Phase::kWaiting:
      if (now >= next_) {
        next_ = now + options_.answer_within;
        act.stream = stream_;
      }
      return next_;
    case Phase::kOpen:
      if (state_ == nullptr) return kNever;
      if (PastIsNews() && past_->zlib.size() > past_max_bytes_)
        RefusePast(past_->digest, std::to_string(past_->zlib.size()) + " bytes, this hub takes " +
                                      std::to_string(past_max_bytes_));
      if (const TimePoint due = StateIsNews() || PastIsNews() ? not_before_ : std::max(next_, not_before_);
          now < due)
        return due;
      if (facts_wanted_) TakeFreshState();
      if (StateIsNews() && state_->facts_zlib.size() > facts_max_bytes_) {
        RefuseState("facts of " + std::to_string(state_->facts_zlib.size()) + " bytes, this hub takes " +
                    std::to_string(facts_max_bytes_));
        return std::max(next_, not_before_);
      }
      act = Send(now);
      return next_;
  }
  return kNever;
}

// The hub may want facts of a state that it knows: their readings have moved on since it was offered.
void ReportClient::TakeFreshState() {
  if (!options_.fresh) return;
  std::shared_ptr<const HostState> fresh = options_.fresh();
  if (fresh != nullptr && fresh->digest == state_->digest) state_ = std::move(fresh);
}

TimePoint ReportClient::DueAt() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::kOpen ? next_ : kNever;
}

ReportClient::Act ReportClient::Open(TimePoint now) {
  if (channel_ == nullptr) channel_ = options_.channel();
  ++counts_.streams;
  phase_ = Phase::kGreeting;
  next_ = now + options_.answer_within;
  stream_ = std::make_shared<ReportStream>(weak_from_this(), in_use_);
  return {.stream = stream_,
          .open_on = channel_,
          .message = Hello(options_.host, UnixNow(), options_.lists_sha256 ? options_.lists_sha256() : "")};
}

ReportClient::Act ReportClient::Send(TimePoint now) {
  v1::FromAgent message;
  v1::StateReport& report = *message.mutable_report();
  report.set_sequence(++sequence_);
  report.set_digest(state_->digest);
  report.set_read_unix_ns(state_->read_unix_ns);
  report.set_sent_unix_ns(UnixNow());
  if (StateIsNews()) {
    report.set_facts_zlib(state_->facts_zlib);
    report.set_facts_bytes(state_->facts_bytes);
    ++counts_.with_facts;
  }
  early_since_.reset();
  if (PastIsNews()) {
    if (!StateIsNews() && now < next_) early_since_ = next_;
    report.set_past_digest(past_->digest);
    report.set_past_zlib(past_->zlib);
    report.set_past_bytes(past_->bytes);
    sent_past_ = past_;
    ++counts_.with_past;
  }
  ++counts_.sent;
  sent_ = state_;
  sent_at_ = now;
  phase_ = Phase::kWaiting;
  next_ = now + options_.answer_within;
  return {.stream = stream_, .message = std::move(message)};
}

void ReportClient::Received(const ReportStream* from, const v1::FromHub& message) {
  if (message.has_revocations() && options_.heard_lists)
    options_.heard_lists(message.revocations().lists_pem());
  Act act;
  {
    const std::lock_guard lock(mutex_);
    if (stream_.get() != from || phase_ == Phase::kStopped) return;
    const TimePoint now = options_.clock->Now();
    if (message.has_welcome() && phase_ == Phase::kGreeting) act = Welcomed(message.welcome(), now);
    if (message.has_ack() && phase_ == Phase::kWaiting && message.ack().sequence() == sequence_)
      Acknowledged(message.ack(), now);
  }
  Do(std::move(act));
  if (options_.wake) options_.wake();
}

void ReportClient::RefuseState(const std::string& why) {
  ++counts_.refused;
  facts_wanted_ = false;
  refused_digest_ = state_->digest;
  Tell(options_.events, EventLevel::kError, "hub-refused", {{"reason", why}});
}

void ReportClient::SetPeriod(std::uint32_t seconds) {
  if (seconds != 0) period_ = std::chrono::seconds(std::min(seconds, kLongestPeriodS));
}

// A hub of before looked at no revision: then it is the agent that goes.
ReportClient::Act ReportClient::Welcomed(const v1::HubWelcome& welcome, TimePoint now) {
  if (const std::string why = WhyRevisionsDiffer(options_.host.api_revision, welcome.api_revision());
      !why.empty()) {
    GoneWithout(why, grpc::StatusCode::FAILED_PRECONDITION);
    return {.stream = std::exchange(stream_, nullptr)};
  }
  SetPeriod(welcome.period_s());
  if (welcome.facts_max_bytes() != 0) facts_max_bytes_ = welcome.facts_max_bytes();
  kept_digest_ = welcome.digest();
  refused_digest_.clear();  // another hub, or another version of it, may take it
  kept_past_ = welcome.past_digest();
  refused_past_.clear();
  past_max_bytes_ = welcome.past_max_bytes();
  facts_wanted_ = false;
  trouble_.clear();
  phase_ = Phase::kOpen;
  next_ = now;  // it is told at once that this host is there
  not_before_ = now;
  Tell(options_.events, EventLevel::kInfo, "hub",
       {{"hub", welcome.hub()},
        {"version", welcome.hub_version()},
        {"period_s", std::int64_t{period_.count()}}});
  return {};
}

void ReportClient::Acknowledged(const v1::ReportAck& ack, TimePoint now) {
  SetPeriod(ack.period_s());
  if (options_.acked) options_.acked(now - sent_at_);
  counts_.slowest_ack = std::max(counts_.slowest_ack, std::chrono::nanoseconds(now - sent_at_));
  phase_ = Phase::kOpen;
  not_before_ = now;
  // The first period is of any length, so that those who came together do not stay together.
  const bool first = counts_.kept == 0;
  const milliseconds whole = std::chrono::duration_cast<milliseconds>(period_);
  next_ = now + (first ? milliseconds(std::uniform_int_distribution<std::int64_t>(0, whole.count())(random_))
                       : Around(whole));
  // Tests come at any time, and many one after the other: what is due each period is due all the same.
  if (early_since_) next_ = *early_since_;
  switch (ack.result()) {
    case v1::ReportAck::RESULT_FACTS_WANTED:
      kept_digest_.clear();
      facts_wanted_ = true;
      break;
    case v1::ReportAck::RESULT_LATER:
      ++counts_.put_off;
      not_before_ = now + std::clamp(milliseconds(ack.again_after_ms()), milliseconds(100), kLongestPatience);
      break;
    case v1::ReportAck::RESULT_REFUSED:
      ++counts_.refused;
      facts_wanted_ = false;
      refused_digest_ = sent_->digest;
      Tell(options_.events, EventLevel::kError, "hub-refused", {{"reason", ack.reason()}});
      break;
    default:  // kept, and what a newer hub says of what it has
      ++counts_.kept;
      failures_ = 0;
      facts_wanted_ = false;
      kept_digest_ = sent_->digest;
      PastAnswered(ack);
  }
  sent_.reset();
  sent_past_.reset();
}

// One that the hub did not take is not sent again in this stream, whatever the reason.
void ReportClient::PastAnswered(const v1::ReportAck& ack) {
  if (sent_past_ == nullptr) return;
  kept_past_ = ack.past_digest();
  if (kept_past_ == sent_past_->digest) return;
  RefusePast(sent_past_->digest, ack.past_refused());
}

void ReportClient::RefusePast(const std::string& digest, const std::string& why) {
  refused_past_ = digest;
  Tell(options_.events, EventLevel::kError, "hub-refused", {{"reason", "what live tests showed: " + why}});
}

milliseconds ReportClient::Around(milliseconds time) {
  const std::int64_t tenth = time.count() / 10;
  return milliseconds(
      std::uniform_int_distribution<std::int64_t>(time.count() - tenth, time.count() + tenth)(random_));
}

milliseconds ReportClient::BackOff(int code) {
  if (IsForGood(code)) return Around(kRefusedBackOff);
  const milliseconds most =
      std::min(kLongestBackOff, kFirstBackOff * (1 << std::min(failures_, kMostDoublings)));
  return milliseconds(std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
}

// There is no stream, and another is opened after a while. A reason is told once, until there was a stream.
void ReportClient::GoneWithout(const std::string& why, int code) {
  phase_ = Phase::kIdle;
  const bool refused = code == grpc::StatusCode::FAILED_PRECONDITION;
  if (refused) ++counts_.refused;
  if (why != trouble_)
    Tell(options_.events, refused ? EventLevel::kError : EventLevel::kWarning,
         refused ? "hub-refused" : "hub-away", {{"reason", why}, {"code", std::int64_t{code}}});
  trouble_ = why;
  next_ = options_.clock->Now() + BackOff(code);
  ++failures_;
}

void ReportClient::Ended(const ReportStream* from, int code, const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    if (stream_.get() != from || phase_ == Phase::kStopped) return;
    stream_.reset();
    sent_.reset();
    sent_past_.reset();
    GoneWithout(code == grpc::StatusCode::OK ? "the hub ended the stream" : words, code);
  }
  if (options_.wake) options_.wake();
}

void ReportClient::Reconnect() {
  Act act;
  {
    const std::lock_guard lock(mutex_);
    channel_.reset();
    act.stream = stream_;
  }
  Do(std::move(act));  // Ended opens the next one
}

void ReportClient::Stop() {
  Act act;
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::kStopped;
    act.stream = std::move(stream_);
  }
  Do(std::move(act));
}

void ReportClient::StopAndWait(std::chrono::milliseconds at_most) {
  Stop();
  Clock& clock = RealClock();  // of the threads of gRPC, whatever clock the reports go by
  const TimePoint end = clock.Now() + at_most;
  while (in_use_.use_count() > 1 && clock.Now() < end)
    clock.SleepUntil(clock.Now() + std::chrono::milliseconds(2), {});
}

bool ReportClient::connected() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::kOpen || phase_ == Phase::kWaiting;
}

bool ReportClient::greeting() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::kGreeting;
}

std::string ReportClient::kept_digest() const {
  const std::lock_guard lock(mutex_);
  return kept_digest_;
}

std::string ReportClient::kept_past() const {
  const std::lock_guard lock(mutex_);
  return kept_past_;
}

ReportCounts ReportClient::Counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::string ReportClient::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::chrono::seconds ReportClient::period() const {
  const std::lock_guard lock(mutex_);
  return period_;
}

}  // namespace rdmaready::report
