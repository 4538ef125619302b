// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/courier.h"

#include <algorithm>
#include <utility>

namespace rdmaready::hub {

Courier::Courier(std::string receiver, std::unique_ptr<NoticeSender> sender, CourierLimits limits,
                 EventSink events, CourierLeft left, Clock& clock)
    : receiver_(std::move(receiver)),
      sender_(std::move(sender)),
      limits_(limits),
      events_(std::move(events)),
      clock_(clock),
      queue_(std::move(left.queue)),
      done_(std::move(left.done)),
      counts_(std::move(left.counts)) {
  counts_.receiver = receiver_;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Courier::~Courier() = default;

void Courier::Stop() { thread_ = {}; }

CourierLeft Courier::TakeLeft() {
  const std::lock_guard lock(mutex_);
  return {.queue = std::exchange(queue_, {}), .done = std::exchange(done_, {}), .counts = counts_};
}

void Courier::Add(Parcel parcel) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= limits_.queue) {
      done_.push_back(std::move(queue_.front().key));
      queue_.pop_front();
      ++counts_.dropped;
    }
    queue_.push_back(std::move(parcel));
  }
  woken_.notify_one();
}

std::vector<std::string> Courier::TakeDone() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

CourierCounts Courier::Counts() const {
  const std::lock_guard lock(mutex_);
  CourierCounts counts = counts_;
  counts.waiting = queue_.size();
  return counts;
}

void Courier::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (woken_.wait(lock, stop, [&] { return !queue_.empty(); })) {
    const Parcel parcel = queue_.front();
    lock.unlock();
    const SendResult result = sender_->Send(parcel.notice, stop);
    if (stop.stop_requested() && result.kind == SendResult::Kind::kLater) return;
    Took(result, parcel);
    const std::chrono::milliseconds rest = RestAfter(result);
    lock.lock();
    if (rest.count() > 0) clock_.WaitUntil(woken_, lock, stop, clock_.Now() + rest, [] { return false; });
    if (stop.stop_requested()) return;
  }
}

void Courier::Took(const SendResult& result, const Parcel& parcel) {
  const bool taken = result.kind == SendResult::Kind::kTaken;
  {
    const std::lock_guard lock(mutex_);
    ++(taken ? counts_.sent : counts_.failed);
    if (result.kind != SendResult::Kind::kLater) {
      if (!taken) ++counts_.dropped;
      done_.push_back(parcel.key);
      // Meanwhile it may have been the oldest of a full queue.
      if (!queue_.empty() && queue_.front().key == parcel.key) queue_.pop_front();
    }
  }
  if (taken == told_away_ || result.kind == SendResult::Kind::kRefused) {
    const EventLevel level = taken ? EventLevel::kInfo : EventLevel::kWarning;
    Tell(events_, level, taken ? "notices-arrive" : "notices-fail",
         {{"receiver", receiver_}, {"reason", result.words}});
  }
  told_away_ = !taken;
}

std::chrono::milliseconds Courier::RestAfter(const SendResult& result) {
  if (result.kind != SendResult::Kind::kLater) {
    rest_ = {};
    return {};
  }
  rest_ = std::clamp(rest_ * 2, limits_.first_rest, limits_.longest_rest);
  // So that hubs that lost one receiver together do not come back together.
  const auto most = static_cast<double>(rest_.count());
  const std::chrono::milliseconds some(
      static_cast<std::int64_t>(std::uniform_real_distribution<double>(most / 2, most)(random_)));
  return std::max(some, std::chrono::duration_cast<std::chrono::milliseconds>(result.not_before));
}

}  // namespace rdmaready::hub
