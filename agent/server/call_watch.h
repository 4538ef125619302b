// SPDX-License-Identifier: Apache-2.0
// CallWatch: a caller who went away, as a stop_token; and one who keeps us waiting, ended.
#pragma once

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "api/base/clock.h"

namespace rdmaready {

// gRPC's synchronous server tells of a cancelled call only when asked, and its reads and writes wait for ever,
// so somebody has to look.
class CallWatch {
 public:
  // Cancels the call when it has lasted `longest`, or soon after its caller is not to be served
  // any more (Gate::StillServed; empty: he always is).
  CallWatch(const grpc::ServerContext& context, std::chrono::milliseconds longest,
            const std::function<bool()>& still_served, Clock& clock)
      : clock_(clock),
        end_(clock.Now() + longest),
        watcher_([this, &context, still_served](const std::stop_token& done) {
          constexpr auto kInterval = std::chrono::milliseconds(100);
          constexpr auto kAskAgain = std::chrono::seconds(10);
          constexpr auto kFarewell = std::chrono::seconds(2);  // for the reason to reach a caller that is there
          std::optional<Clock::TimePoint> silent_end;
          constexpr int kTimes = 2;  // in a row: a file that is being written again says nothing yet
          auto ask = clock_.Now() + kAskAgain;
          int refused = 0;
          std::unique_lock lock(mutex_);
          while (!done.stop_requested()) {
            const auto now = clock_.Now();
            if (still_served && now >= ask) {
              refused = still_served() ? 0 : refused + 1;
              if (refused == kTimes) context.TryCancel();
              ask = now + kAskAgain;
            }
            if (now >= end_ || (step_end_ && now >= *step_end_)) context.TryCancel();
            if (!silent_end && Missing()) {
              source_.request_stop();
              silent_end = now + kFarewell;
            }
            if (silent_end && now >= *silent_end) context.TryCancel();
            if (context.IsCancelled()) source_.request_stop();
            clock_.WaitUntil(wake_, lock, done, now + kInterval, [] { return false; });
          }
        }) {}

  std::stop_token token() const { return source_.get_token(); }

  // Why this ended the call, where the caller was not heard; empty: it did not. Any thread may ask.
  std::string reason() const { return missed_ ? "the agent did not hear its caller for 0.8 s" : ""; }

  // From now on the caller has to be heard: `heard` says whether it was since it was asked last (Beats::Begin).
  // When it was not for 0.8 s, before the first time for 3 s, the token is stopped, and 2 s later the call is
  // cancelled. Empty: the caller does not say anything. Looks are counted, not time: a machine that stops for a
  // moment misses both.
  void Expect(std::function<bool()> heard) {
    const std::lock_guard lock(mutex_);
    heard_ = std::move(heard);
  }

  // Makes one read or write of the call; cancels the call when it takes longer than `limit`. From one thread at
  // a time.
  template <class Step>
  auto Within(std::chrono::milliseconds limit, const Step& step) {
    struct Mark {
      Mark(CallWatch& whole, Clock::TimePoint end) : watch(whole) { watch.SetStepEnd(end); }
      ~Mark() { watch.SetStepEnd(std::nullopt); }
      CallWatch& watch;
    };
    const Mark mark(*this, clock_.Now() + limit);
    return step();
  }

 private:
  // The lock is held.
  bool Missing() {
    constexpr int kMostSilent = 8;
    if (!heard_) return false;
    silent_ = heard_() ? 0 : silent_ + 1;
    missed_ = silent_ >= kMostSilent;
    return missed_;
  }

  void SetStepEnd(std::optional<Clock::TimePoint> end) {
    const std::lock_guard lock(mutex_);
    step_end_ = end;
  }

  Clock& clock_;
  std::stop_source source_;
  std::atomic<bool> missed_ = false;
  std::mutex mutex_;  // guards step_end_, heard_ and silent_
  std::condition_variable_any wake_;
  std::optional<Clock::TimePoint> step_end_;
  std::function<bool()> heard_{};
  int silent_ = -22;  // looks since the caller was heard; it has longer for the first time
  const Clock::TimePoint end_;
  std::jthread watcher_;
};

}  // namespace rdmaready
