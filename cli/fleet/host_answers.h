// SPDX-License-Identifier: Apache-2.0
// HostAnswers: what the hosts of a command answer, each as it comes in: what is there can be shown at any time.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "cli/exit_status.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/host_clients.h"

namespace rdmaready {

// Answer has `host`, `error` and `failure`.
template <typename Answer>
class HostAnswers {
 public:
  // A host that has not answered says so.
  explicit HostAnswers(const std::vector<HostClient>& hosts) {
    for (const HostClient& host : hosts) {
      answers_.push_back({.host = host.name,
                          .error = "host " + host.name + ": interrupted before it answered",
                          .failure = ExitStatus::kOwnFailure});
    }
  }

  // Connects every host and asks it, each without waiting for the others. Returns when all have answered.
  void AskAll(std::vector<HostClient>& hosts, const std::function<Answer(const HostClient&)>& ask) {
    FanOut(hosts.size(), [&](std::size_t i) {
      hosts[i].Open();
      Answer answer = ask(hosts[i]);
      const std::lock_guard lock(mutex_);
      answers_[i] = std::move(answer);
    });
  }

  // From any thread, at any time.
  std::vector<Answer> All() const {
    const std::lock_guard lock(mutex_);
    return answers_;
  }
  bool HasAny() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(answers_, [](const Answer& answer) { return answer.error.empty(); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Answer> answers_{};
};

}  // namespace rdmaready
