// SPDX-License-Identifier: Apache-2.0
#include "agent/report/reporter.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "agent/report/own_identity.h"
#include "agent/report/pack_state.h"
#include "api/base/status.h"
#include "api/client/address.h"
#include "api/client/report_channel.h"

namespace rdmaready::report {
namespace {

constexpr auto kBetweenLooks = std::chrono::seconds(1);
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
                    .channel = [this] { return ReportChannel(options_.hub, options_.tls); },
                    .wake =
                        [this] {
                          {
                            const std::lock_guard lock(mutex_);
                            wake_ = true;
                          }
                          woken_.notify_one();
                        },
                    .seed = std::random_device()(),
                    .events = options_.events});
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Reporter::~Reporter() {
  thread_ = {};
  client_->StopAndWait(kGoodbye);
}

void Reporter::Checked(const Facts& facts, const std::string& digest, std::int64_t read_unix_ns) {
  {
    const std::lock_guard lock(mutex_);
    checked_at_ = std::chrono::steady_clock::now();
    if (std::exchange(digest_, digest) == digest) return;
  }
  absl::StatusOr<std::shared_ptr<const HostState>> state = PackState(facts, digest, read_unix_ns);
  if (!state.ok())
    return Tell(options_.events, EventLevel::kError, "hub-away", {{"reason", Message(state.status())}});
  client_->Offer(*std::move(state));
}

void Reporter::LookAgain() {
  {
    const std::lock_guard lock(mutex_);
    look_again_ = wake_ = true;
  }
  woken_.notify_one();
}

// What is told each period is what the host is then: a reading of half a period ago will do.
bool Reporter::WantsCheck(TimePoint now) {
  const std::lock_guard lock(mutex_);
  const bool rested = now - checked_at_ >= kBetweenLooks;
  if (look_again_ && rested) {
    look_again_ = false;
  } else {
    const bool due = client_->connected() && (digest_.empty() || client_->DueAt() <= now);
    if (!due || now - checked_at_ < std::max<std::chrono::nanoseconds>(client_->period() / 2, kBetweenLooks))
      return false;
  }
  checked_at_ = now;
  return true;
}

void Reporter::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (WantsCheck(now)) options_.check(stop);
    TimePoint next = client_->Tick(std::chrono::steady_clock::now());
    std::unique_lock lock(mutex_);
    if (look_again_) next = std::min(next, checked_at_ + kBetweenLooks);
    // A clock's end is no time to wait until.
    next = std::min(next, std::chrono::steady_clock::now() + std::chrono::hours(1));
    woken_.wait_until(lock, stop, next, [&] { return wake_; });
    wake_ = false;
  }
}

}  // namespace rdmaready::report
