// SPDX-License-Identifier: Apache-2.0
// HostAttempt: one attempt at a reading: the host as the reading sees it, and what its keeper sees of the
// reading.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "agent/worker/host_lanes.h"
#include "api/base/clock.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct SaidOfHost {
  Question question{};
  Answer answer;
};

// To whom waits for a reading when the agent ends: kUnavailable.
absl::Status AgentEnds();

// Threads: one reads, which is to say calls Do and by it Ask; any may call the rest.
class HostAttempt final : public HostReader {
 public:
  enum class End { kDone, kStuck, kStopped };
  // Reads, and returns what gives the result to who asked for it.
  using Reading = std::function<std::function<void()>(HostReader&)>;

  // `said`: what earlier attempts at the same reading were told, in its order.
  HostAttempt(std::shared_ptr<HostReader> host, std::shared_ptr<StuckLanes> lanes, std::vector<SaidOfHost> said,
              Clock& clock);

  using HostReader::Ask;
  Answer Ask(const Question& question) override;

  void Do(const Reading& reading);

  // Until the reading is done, or has asked one question for `patience`, or is stopped: then it is left behind,
  // and every question of it from then on is answered with AgentEnds(). Time in which this process stood still
  // does not count: a virtual machine that got no processor says nothing of its NIC.
  End Watch(std::chrono::milliseconds patience);
  void Stop();

  std::vector<SaidOfHost> TakeSaid();  // after kStuck: what the next attempt need not ask
  void Give() { give_(); }             // after kDone

 private:
  Clock& clock_;
  const std::shared_ptr<HostReader> host_;
  const std::shared_ptr<StuckLanes> lanes_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::vector<SaidOfHost> said_;
  std::size_t known_;  // the first of said_, from earlier attempts
  std::size_t at_ = 0;
  const Question* asked_ = nullptr;  // while the host is asked it
  std::uint64_t asked_number_ = 0;   // of that question, counted from 1
  std::uint64_t closed_ = 0;
  bool left_behind_ = false;
  bool done_ = false;
  bool stopped_ = false;
  std::function<void()> give_{};
};

}  // namespace rdmaready
