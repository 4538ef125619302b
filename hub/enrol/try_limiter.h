// SPDX-License-Identifier: Apache-2.0
// TryLimiter: who guesses tokens gets slower with each. A token has 256 random bits, so nobody guesses one;
// this keeps him from costing the hub anything. Pure but for its mutex; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "api/base/clock.h"

namespace rdmaready::hub {

class TryLimiter {
 public:
  using Time = Clock::TimePoint;

  static constexpr int kFreeTries = 5;           // wrong ones of an address before it has to wait
  static constexpr int kMostWrongAMinute = 600;  // of all addresses together
  static constexpr auto kLongestWait = std::chrono::seconds(60);
  static constexpr auto kForgotten = std::chrono::minutes(10);

  // How long the address has to wait before it may try; zero: it may.
  std::chrono::milliseconds Wait(const std::string& address, Time now);
  void Wrong(const std::string& address, Time now);
  void Right(const std::string& address);

  std::uint64_t wrong() const;

 private:
  struct Tries {
    int wrong = 0;  // in a row
    Time last{};
  };

  mutable std::mutex mutex_;
  std::map<std::string, Tries> addresses_{};
  Time minute_{};  // when this one began
  int in_minute_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace rdmaready::hub
