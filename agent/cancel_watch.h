// SPDX-License-Identifier: Apache-2.0
// CancelWatch: a caller who went away, as a stop_token.
#pragma once

#include <grpcpp/server_context.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace rdmaready {

// gRPC's synchronous server tells of a cancelled call only when asked, so somebody has to ask.
class CancelWatch {
 public:
  explicit CancelWatch(const grpc::ServerContext& context)
      : watcher_([this, &context](const std::stop_token& done) {
          constexpr auto kInterval = std::chrono::milliseconds(100);
          std::mutex mutex;
          std::condition_variable_any wake;
          std::unique_lock lock(mutex);
          while (!done.stop_requested()) {
            if (context.IsCancelled()) source_.request_stop();
            wake.wait_for(lock, done, kInterval, [] { return false; });
          }
        }) {}

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace rdmaready
