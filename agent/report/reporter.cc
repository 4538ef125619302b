// SPDX-License-Identifier: Apache-2.0
#include "agent/report/reporter.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "agent/report/own_identity.h"
#include "agent/report/pack_past.h"
#include "agent/report/pack_state.h"
#include "api/base/status.h"
#include "api/client/address.h"
#include "api/client/report_channel.h"

namespace rdmaready::report {
namespace {

constexpr auto kBetweenLooks = std::chrono::seconds(1);
constexpr auto kAfterFailure = std::chrono::seconds(10);  // a check that came to nothing
constexpr int kOldAfterPeriods = 2;
constexpr auto kLongestLook = std::chrono::seconds(60);  // of a host that is slow to answer
constexpr auto kGoodbye = std::chrono::milliseconds(1000);

}  // namespace

absl::StatusOr<std::unique_ptr<Reporter>> Reporter::Start(ReporterOptions options) {
  RR_RETURN_IF_ERROR(CheckReportRoute(options.hub, options.tls, options.insecure));
  RR_ASSIGN_OR_RETURN(ReportingHost host, OwnIdentity(options.state_directory, options.tls.certificate));
  host.agent_version = options.agent_version;
  return std::unique_ptr<Reporter>(new Reporter(std::move(options), std::move(host)));
}

Reporter::Reporter(ReporterOptions options, ReportingHost host) : options_(std::move(options)) {
  client_ = std::make_shared<ReportClient>(
      ReportOptions{.host = std::move(host),
                    .channel = [hub = options_.hub, tls = options_.tls,
                                number = 0]() mutable { return ReportChannel(hub, tls, number++); },
                    .wake =
                        [waking = waking_] {
                          {
                            const std::lock_guard lock(waking->mutex);
                            waking->wake = true;
                          }
                          waking->woken.notify_one();
                        },
                    .fresh = [newest = newest_] { return PackNewest(*newest); },
                    .lists_sha256 = options_.lists_sha256,
                    .heard_lists = options_.heard_lists,
                    .seed = std::random_device()(),
                    .events = options_.events,
                    .clock = options_.clock});
  if (options_.past) pace_.Tested(options_.clock->Now(), true);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Reporter::~Reporter() {
  thread_ = {};
  client_->StopAndWait(kGoodbye);
}

std::shared_ptr<const HostState> Reporter::PackNewest(Newest& newest) {
  const std::lock_guard lock(newest.mutex);
  if (!newest.facts) return nullptr;
  const absl::StatusOr<std::shared_ptr<const HostState>> state =
      PackState(*newest.facts, newest.digest, newest.read_unix_ns);
  return state.ok() ? *state : nullptr;
}

void Reporter::Checked(const Facts& facts, const std::string& digest, std::int64_t read_unix_ns,
                       std::int64_t read_steady_ns) {
  const std::lock_guard lock(mutex_);  // what was read later is offered later
  looked_at_ = options_.clock->Now();
  {
    const std::lock_guard newest(newest_->mutex);
    if (read_steady_ns >= newest_->read_steady_ns) {
      newest_->facts = facts;
      newest_->digest = digest;
      newest_->read_unix_ns = read_unix_ns;
      newest_->read_steady_ns = read_steady_ns;
    }
  }
  if (digest == digest_ || (!digest_.empty() && read_steady_ns < read_steady_ns_)) return;
  absl::StatusOr<std::shared_ptr<const HostState>> state = PackState(facts, digest, read_unix_ns);
  if (!state.ok())
    return Tell(options_.events, EventLevel::kError, "hub-away", {{"reason", Message(state.status())}});
  digest_ = digest;
  read_steady_ns_ = read_steady_ns;
  client_->Offer(*std::move(state));
}

void Reporter::LookAgain() {
  {
    const std::lock_guard lock(mutex_);
    look_again_ = true;
  }
  Wake();
}

void Reporter::Tested() {
  {
    const std::lock_guard lock(mutex_);
    if (!options_.past || pace_.due()) return;
    pace_.Tested(options_.clock->Now());
  }
  Wake();
}

void Reporter::Wake() {
  {
    const std::lock_guard lock(waking_->mutex);
    waking_->wake = true;
  }
  waking_->woken.notify_one();
}

// What cannot be read, or packed, is tried again; meanwhile the hub has what it had.
void Reporter::TellPast(TimePoint now) {
  {
    const std::lock_guard lock(mutex_);
    if (!pace_.TakeDue(now)) return;
  }
  const TimePoint begun = options_.clock->Now();
  absl::StatusOr<std::vector<CaseBaseline>> tests = options_.past();
  std::shared_ptr<const HostPast> past;
  if (tests.ok()) past = PackPast(*std::move(tests)).value_or(nullptr);
  {
    const std::lock_guard lock(mutex_);
    pace_.Read(begun, options_.clock->Now(), past != nullptr);
  }
  if (past != nullptr) client_->OfferPast(std::move(past));
}

// What is told each period is what the host is then: a reading of half a period ago will do.
bool Reporter::WantsCheck(TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (tried_at_ && now - *tried_at_ < kBetweenLooks) return false;
  if (!look_again_) {
    if (!client_->connected()) return false;
    const bool due = digest_.empty() || client_->DueAt() <= now;
    const bool fresh = looked_at_ && now - *looked_at_ < client_->period() / 2;
    const bool failed = tried_at_ && (!looked_at_ || *looked_at_ < *tried_at_);
    const bool rests = failed && now - *tried_at_ < kAfterFailure;
    if (!due || (fresh && !digest_.empty()) || rests) return false;
  }
  look_again_ = false;
  tried_at_ = now;
  return true;
}

void Reporter::ForgetWhatIsOld(TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (digest_.empty() || !looked_at_ ||
      now - *looked_at_ <= std::max<std::chrono::seconds>(kOldAfterPeriods * client_->period(), kLongestLook))
    return;
  digest_.clear();
  client_->Offer(nullptr);
}

// When to look for what is to be done, besides what the client waits for.
TimePoint Reporter::NextLook() const {
  const TimePoint now = options_.clock->Now();
  const std::lock_guard lock(mutex_);
  if (look_again_) return tried_at_.value_or(now) + kBetweenLooks;
  const TimePoint next = digest_.empty() ? now + kAfterFailure : now + client_->period();
  return std::min(next, pace_.due().value_or(next));
}

void Reporter::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const TimePoint now = options_.clock->Now();
    TellPast(now);
    if (WantsCheck(now)) options_.check(stop);
    ForgetWhatIsOld(now);
    const TimePoint next = std::min(client_->Tick(options_.clock->Now()), NextLook());
    std::unique_lock lock(waking_->mutex);
    options_.clock->WaitUntil(waking_->woken, lock, stop, next, [&] { return waking_->wake; });
    waking_->wake = false;
  }
}

}  // namespace rdmaready::report
