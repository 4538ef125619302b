// SPDX-License-Identifier: Apache-2.0
#include "agent/port/stress_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "agent/port/spent_times.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::chrono::hours kRemembered{1};
constexpr std::size_t kMostRuns = 4096;  // that are remembered
constexpr std::uint64_t kBytesPerMbps = 125'000;
constexpr std::uint32_t kPrioritiesOfPfc = 8;

using Run = std::pair<std::string, std::string>;  // who, and the run id

double Seconds(Clock::TimePoint::duration time) { return std::chrono::duration<double>(time).count(); }

absl::Status CheckPart(const StressPart& part, const StressLimits& limits) {
  if (part.priority && *part.priority >= kPrioritiesOfPfc)
    return absl::InvalidArgumentError(fmt::format("stress test of priority {}: 0 to 7", *part.priority));
  if (part.duration > limits.duration) {
    return absl::InvalidArgumentError(
        fmt::format("stress test of {} ms: too long (limit {} ms, --stress-max-time)", part.duration.count(),
                    limits.duration.count()));
  }
  if (limits.bytes_per_s == 0 || (part.bytes_per_s > 0 && part.bytes_per_s <= limits.bytes_per_s))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("stress test of more than {} Mb/s (limit of --stress-max-mbps): ask for less by --max-mbps",
                  limits.bytes_per_s / kBytesPerMbps));
}

}  // namespace

absl::Status StressIsOff() {
  return absl::FailedPreconditionError(
      "stress tests are off: root of this host has to start the agent with --allow-stress");
}

struct StressPorts::State {
  struct Held {
    Run run{};
    StressHold hold;
    std::optional<std::uint32_t> priority{};
    Clock::TimePoint since{};
    std::uint32_t transfers = 0;
    std::uint64_t bytes_per_s = 0;
  };
  explicit State(Clock& by) : clock(by) {}

  Clock& clock;
  std::mutex mutex;                    // guards what follows, and is held while a lock is taken or given back
  std::map<std::string, Held> held{};  // by port
  std::map<std::tuple<std::string, std::string, std::string>, Clock::TimePoint> begun{};  // by port and run
  SpentTimes spent{};  // of runs that are over

  // When the run began on the port.
  Clock::TimePoint BeganAt(const std::string& port, const Run& run, Clock::TimePoint now) {
    std::erase_if(begun, [now](const auto& entry) { return entry.second + kRemembered <= now; });
    const auto found = begun.find({port, run.first, run.second});
    return found == begun.end() ? now : found->second;
  }

  void Remember(const std::string& port, const Run& run, Clock::TimePoint now) {
    if (begun.size() >= kMostRuns)
      begun.erase(std::ranges::min_element(begun, {}, [](const auto& entry) { return entry.second; }));
    begun.try_emplace({port, run.first, run.second}, now);
  }

  // When the time of the run on the port is over. kResourceExhausted: for a transfer of that length it is.
  absl::StatusOr<Clock::TimePoint> EndOf(const std::string& port, const StressPart& part,
                                         const StressLimits& limits, Clock::TimePoint now) {
    const Run run{part.who, part.run_id};
    const Clock::TimePoint run_end = BeganAt(port, run, now) + limits.run;
    if (now + part.duration > run_end) {
      return absl::ResourceExhaustedError(
          fmt::format("the time of the stress test {} on this port is over (limit {} ms, --stress-max-run)",
                      part.run_id, limits.run.count()));
    }
    const auto found = held.find(port);
    const bool holds = found != held.end() && found->second.run == run;
    const Clock::TimePoint since = holds ? found->second.since : now;
    const Clock::TimePoint::duration before = spent.Of({port, part.who}, now);
    const Clock::TimePoint hour_end = since + limits.hour - before;
    if (now + part.duration <= hour_end) return std::min(run_end, hour_end);
    return absl::ResourceExhaustedError(fmt::format(
        "the stress tests of this caller had this port for {:.0f} s within an hour (limit {:.0f} s, "
        "--stress-max-hour)",
        Seconds(before + (now - since)), Seconds(limits.hour)));
  }
};

// The part of one transfer in the lock. It holds the meter too, whose end waits for a reading: so that does not
// happen while the mutex is held.
class StressPorts::Share {
 public:
  Share(std::shared_ptr<State> state, std::string port, std::uint64_t bytes_per_s,
        std::shared_ptr<PressureMeter> meter)
      : meter_(std::move(meter)), state_(std::move(state)), port_(std::move(port)), bytes_per_s_(bytes_per_s) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() {
    const std::lock_guard lock(state_->mutex);
    const auto held = state_->held.find(port_);
    State::Held& of_run = held->second;
    of_run.bytes_per_s -= bytes_per_s_;
    if (--of_run.transfers > 0) return;
    const Clock::TimePoint now = state_->clock.Now();
    state_->spent.Add({port_, of_run.run.first}, now - of_run.since, now);
    state_->held.erase(held);
  }

 private:
  const std::shared_ptr<PressureMeter> meter_;
  const std::shared_ptr<State> state_;
  const std::string port_;
  const std::uint64_t bytes_per_s_;
};

StressPorts::StressPorts(Clock& clock) : state_(std::make_shared<State>(clock)) {}

absl::StatusOr<PortShare> StressPorts::Join(const std::string& port, const StressPart& part,
                                            const StressLimits& limits,
                                            const std::function<absl::StatusOr<StressHold>()>& take) {
  RR_RETURN_IF_ERROR(CheckPart(part, limits));
  const Run run{part.who, part.run_id};
  const std::lock_guard lock(state_->mutex);
  const Clock::TimePoint now = state_->clock.Now();
  RR_ASSIGN_OR_RETURN(const Clock::TimePoint until, state_->EndOf(port, part, limits, now));
  auto held = state_->held.find(port);
  if (held == state_->held.end() || held->second.run != run) {
    RR_ASSIGN_OR_RETURN(StressHold taken, take());
    held = state_->held.insert_or_assign(port, State::Held{run, std::move(taken), part.priority, now}).first;
  }
  State::Held& of_run = held->second;
  if (of_run.priority != part.priority)
    return absl::InvalidArgumentError("the transfers of one stress test on a port sample one priority");
  if (of_run.transfers >= std::max(limits.senders, 1U)) {
    return absl::ResourceExhaustedError(fmt::format(
        "too many transfers of one stress test on a port (limit {}, --stress-max-senders)", limits.senders));
  }
  if (limits.bytes_per_s > 0 && of_run.bytes_per_s + part.bytes_per_s > limits.bytes_per_s) {
    return absl::ResourceExhaustedError(
        fmt::format("the transfers of one stress test on a port ask for more than {} Mb/s together (limit of "
                    "--stress-max-mbps)",
                    limits.bytes_per_s / kBytesPerMbps));
  }
  auto share = std::make_shared<const Share>(state_, port, part.bytes_per_s, of_run.hold.meter);
  ++of_run.transfers;
  of_run.bytes_per_s += part.bytes_per_s;
  state_->Remember(port, run, now);
  return PortShare{of_run.hold.meter, std::shared_ptr<const PortLock>(std::move(share), &of_run.hold.lock),
                   until, of_run.hold.idle};
}

absl::StatusOr<PortShare> StressPorts::Hold(const std::string& port, const std::string& who,
                                            const std::string& run_id, const StressLimits& limits) {
  const std::lock_guard lock(state_->mutex);
  const auto held = state_->held.find(port);
  if (held == state_->held.end() || held->second.run != Run{who, run_id}) {
    return absl::FailedPreconditionError(
        fmt::format("no transfer of the stress test {} holds this port for its caller", run_id));
  }
  RR_ASSIGN_OR_RETURN(const Clock::TimePoint until,
                      state_->EndOf(port, {.who = who, .run_id = run_id}, limits, state_->clock.Now()));
  StressHold& hold = held->second.hold;
  auto share = std::make_shared<const Share>(state_, port, 0, hold.meter);
  ++held->second.transfers;
  return PortShare{hold.meter, std::shared_ptr<const PortLock>(std::move(share), &hold.lock), until, hold.idle};
}

}  // namespace rdmaready
