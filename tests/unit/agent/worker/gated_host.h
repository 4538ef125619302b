// SPDX-License-Identifier: Apache-2.0
// GatedHost: a fake host, one question of which sleeps until it is released, as a NIC with dead firmware does.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "agent/worker/host_lanes.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {

class GatedHost final : public HostReader {
 public:
  // Questions whose words begin so sleep: WhatIsAsked, "read /proc/...". "ask dcbnl" are those to dcbnl.
  void Hold(const std::string& words) {
    const std::lock_guard lock(mutex_);
    words_ = words;
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    words_.clear();
    changed_.notify_all();
  }

  int held() {
    const std::lock_guard lock(mutex_);
    return held_;
  }
  // How often it was asked that.
  int times(const std::string& words) {
    const std::lock_guard lock(mutex_);
    return times_[words];
  }

  using HostReader::Ask;
  rdmaready::Answer Ask(const Question& question) override {
    std::unique_lock lock(mutex_);
    const std::string words = WordsOfQuestion(question);
    ++times_[words];
    if (!words_.empty() && words.starts_with(words_)) {
      ++held_;
      changed_.wait(lock, [this] { return words_.empty(); });
      --held_;
    }
    return fake.Ask(question);
  }

  FakeHost fake = GoodFakeHost();

 private:
  static std::string WordsOfQuestion(const Question& question) {
    const auto* netlink = std::get_if<NetlinkRequest>(&question);
    const bool dcb = netlink != nullptr && netlink->protocol == NETLINK_ROUTE && netlink->type == RTM_GETDCB;
    return dcb ? "ask dcbnl" : WhatIsAsked(question);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string words_;
  int held_ = 0;
  std::map<std::string, int> times_;
};

}  // namespace rdmaready
