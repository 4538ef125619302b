// SPDX-License-Identifier: Apache-2.0
// Beats: callers that say they are still there. A caller whose machine or network is gone sends nothing that
// ends its call, and TCP notices after minutes; a caller that beats is missed within a second.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace rdmaready {

// Threads: all methods may be called from any thread. Outlives the calls.
class Beats {
 public:
  // A call has begun whose caller beats by this word, which it chose at random. Several calls may have one
  // word, and one beat is of all of them. Returns a function that says whether the caller was heard since the
  // last question; the call ends when the function is destroyed. The function is empty where the word is, or is
  // longer than 64 octets: the caller does not beat.
  std::function<bool()> Begin(const std::string& beat);

  // The caller of these calls is there; nothing happens where no such call runs.
  void Heard(const std::string& beat);

 private:
  std::mutex mutex_;  // guards what follows
  std::multimap<std::string, std::shared_ptr<std::atomic<bool>>> calls_{};
};

}  // namespace rdmaready
