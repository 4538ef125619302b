// SPDX-License-Identifier: Apache-2.0
// CallWriter: what a caller is told, written by a thread of its own. Whoever reads slowly keeps himself
// waiting, and not the port that his test holds, nor what others wait for.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "agent/server/call_watch.h"

namespace rdmaready {

// Of one call, whose only writer it is. Threads: Send may be called from any thread.
template <class Message>
class CallWriter {
 public:
  // A write that takes longer than `stalled` ends the call, and so does a caller who leaves too much unread.
  // All given outlive this.
  CallWriter(const grpc::ServerContext& context, CallWatch& watch,
             grpc::internal::WriterInterface<Message>& writer, std::chrono::milliseconds stalled)
      : context_(context), watch_(watch), writer_(writer), stalled_(stalled), thread_([this] { WriteAll(); }) {}
  CallWriter(const CallWriter&) = delete;
  CallWriter& operator=(const CallWriter&) = delete;
  // Waits until all is written, or the call has ended.
  ~CallWriter() {
    {
      const std::lock_guard lock(mutex_);
      last_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Never waits. False: nobody hears it any more.
  bool Send(Message message, grpc::WriteOptions how = {}) {
    const std::lock_guard lock(mutex_);
    if (gone_) return false;
    bytes_ += message.ByteSizeLong();
    queue_.emplace_back(std::move(message), how);
    if (bytes_ > kMostBytes || queue_.size() > kMostMessages) {
      gone_ = true;
      context_.TryCancel();
    }
    changed_.notify_all();
    return !gone_;
  }

 private:
  // More than any check, test or probe has to say.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostMessages = 100'000;

  void WriteAll() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return last_ || gone_ || !queue_.empty(); });
      if (gone_ || queue_.empty()) return;
      const auto [message, how] = std::move(queue_.front());
      queue_.pop_front();
      bytes_ -= message.ByteSizeLong();
      lock.unlock();
      const bool written = watch_.Within(stalled_, [&] { return writer_.Write(message, how); });
      lock.lock();
      gone_ = gone_ || !written;
    }
  }

  const grpc::ServerContext& context_;
  CallWatch& watch_;
  grpc::internal::WriterInterface<Message>& writer_;
  const std::chrono::milliseconds stalled_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::pair<Message, grpc::WriteOptions>> queue_;
  std::size_t bytes_ = 0;
  bool last_ = false;
  bool gone_ = false;
  std::thread thread_;
};

}  // namespace rdmaready
