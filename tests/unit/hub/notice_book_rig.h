// SPDX-License-Identifier: Apache-2.0
// A book of notices that is shown hosts, and asked minute by minute what is to be told of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hub/notice/notice_book.h"

namespace rdmaready::hub {

inline FleetFinding Blocking(const std::string& check, const std::string& subject = "mlx5_0/1") {
  return {.check = check, .subject = subject, .outcome = Outcome::kFail, .blocking = true, .observed = "off"};
}

inline WatchedHost Host(const std::string& name, HostCondition condition,
                        std::vector<FleetFinding> findings = {}) {
  return {.host = {.host_id = "id-" + name, .name = name, .group = "storage", .condition = condition},
          .findings = std::move(findings)};
}
inline WatchedHost Ready(const std::string& name) { return Host(name, HostCondition::kReady); }
inline WatchedHost NotReady(const std::string& name, std::vector<FleetFinding> findings = {Blocking("pfc.a")}) {
  return Host(name, HostCondition::kNotReady, std::move(findings));
}
inline WatchedHost Silent(const std::string& name) { return Host(name, HostCondition::kSilent); }

class NoticeBookRig : public testing::Test {
 protected:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr std::int64_t kMinute = 60 * kSecond;

  void See(const WatchedHost& host) { book_.See(host, now_); }
  std::vector<v1::Notice> After(std::int64_t ns) {
    now_ += ns;
    const bool due = book_.HasDue(now_);
    std::vector<v1::Notice> notices = book_.Due(now_);
    EXPECT_EQ(due, !notices.empty());
    return notices;
  }
  // Told, and so long ago that the next one need not wait.
  v1::Notice Told(const WatchedHost& host) {
    See(host);
    const std::vector<v1::Notice> notices = After(10 * kSecond);
    EXPECT_THAT(notices, testing::SizeIs(1));
    now_ += kMinute;
    return notices.empty() ? v1::Notice() : notices.front();
  }

  std::int64_t now_ = 1'000 * kMinute;
  NoticeBook book_{{.gather = 10 * kSecond, .apart = kMinute, .repeat = 60 * kMinute}, "hub1"};
};

}  // namespace rdmaready::hub
