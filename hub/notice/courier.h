// SPDX-License-Identifier: Apache-2.0
// Courier: brings the notices of one receiver, in their order, on a thread of its own. A receiver that is gone
// is tried again, later each time, and holds up nobody else. The queue is bounded: the oldest go.
//
// Threads: any thread may call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "api/base/clock.h"
#include "api/base/event.h"
#include "hub/notice/sender.h"

namespace rdmaready::hub {

struct CourierLimits {
  std::size_t queue = 1'000;
  std::chrono::milliseconds first_rest{1'000};  // after a failure; twice as long after each
  std::chrono::milliseconds longest_rest{300'000};
};

struct CourierCounts {
  std::string receiver{};
  std::uint64_t sent = 0;
  std::uint64_t failed = 0;   // attempts
  std::uint64_t dropped = 0;  // the queue was full, or the receiver refused it for good
  std::size_t waiting = 0;
};

struct NoticeParcel {
  std::string key{};  // under which the store has it
  v1::Notice notice{};
};

// What a courier that was stopped leaves to the next one of the same receiver.
struct CourierLeft {
  std::deque<NoticeParcel> queue{};
  std::vector<std::string> done{};
  CourierCounts counts{};
};

class Courier {
 public:
  using Parcel = NoticeParcel;

  Courier(std::string receiver, std::unique_ptr<NoticeSender> sender, CourierLimits limits, EventSink events,
          CourierLeft left = {}, Clock& clock = RealClock());
  // What waits stays in the store.
  ~Courier();

  void Add(Parcel parcel);
  // Sends no more, and returns when nothing is under way.
  void Stop();
  // After that.
  CourierLeft TakeLeft();
  // Keys of what is done with, sent or dropped, since the last call.
  std::vector<std::string> TakeDone();
  CourierCounts Counts() const;
  const std::string& receiver() const { return receiver_; }

 private:
  void Run(const std::stop_token& stop);
  void Took(const SendResult& result, const Parcel& parcel);
  std::chrono::milliseconds RestAfter(const SendResult& result);

  const std::string receiver_;
  const std::unique_ptr<NoticeSender> sender_;
  const CourierLimits limits_;
  const EventSink events_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::deque<Parcel> queue_{};
  std::vector<std::string> done_{};
  CourierCounts counts_{};
  std::chrono::milliseconds rest_{0};
  bool told_away_ = false;
  std::mt19937 random_{std::random_device{}()};
  std::jthread thread_{};
};

}  // namespace rdmaready::hub
