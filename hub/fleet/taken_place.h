// SPDX-License-Identifier: Apache-2.0
// TakenPlace: one of the places for callers of one kind, for as long as it lives. Any thread.
#pragma once

#include <atomic>

namespace rdmaready::hub {

class TakenPlace {
 public:
  // `taken` outlives it: how many there are.
  TakenPlace(std::atomic<int>& taken, int most) : taken_(taken), has_one_(++taken <= most) {}
  ~TakenPlace() { --taken_; }
  TakenPlace(const TakenPlace&) = delete;
  TakenPlace& operator=(const TakenPlace&) = delete;
  // Else all are taken, and the caller is turned away.
  bool has_one() const { return has_one_; }

 private:
  std::atomic<int>& taken_;
  const bool has_one_;
};

}  // namespace rdmaready::hub
