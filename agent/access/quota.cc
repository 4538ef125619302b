// SPDX-License-Identifier: Apache-2.0
#include "agent/access/quota.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/text.h"

namespace rdmaready::access {
namespace {

// A stranger with many addresses must not fill our memory: beyond this, who was here longest ago is forgotten.
constexpr std::size_t kMaxAccounts = 1024;

std::int64_t MinuteOf(QuotaBook::TimePoint now) {
  return std::chrono::duration_cast<std::chrono::minutes>(now.time_since_epoch()).count();
}

}  // namespace

QuotaBook::Account& QuotaBook::AccountOf(const std::string& who, TimePoint now) {
  if (accounts_.size() >= kMaxAccounts && !accounts_.contains(who)) {
    auto oldest = accounts_.end();
    for (auto at = accounts_.begin(); at != accounts_.end(); ++at) {
      if (at->second.calls > 0) continue;
      if (oldest == accounts_.end() || at->second.used < oldest->second.used) oldest = at;
    }
    if (oldest != accounts_.end()) accounts_.erase(oldest);
  }
  Account& account = accounts_[who];
  account.used = std::max(account.used, now);
  return account;
}

absl::StatusOr<QuotaBook::Place> QuotaBook::Enter(const std::string& who, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Account& account = AccountOf(who, now);
  if (limits_.calls > 0 && account.calls >= limits_.calls) {
    return absl::ResourceExhaustedError(fmt::format(
        "{} has {} calls here already, which is the most for one caller (--caller-max-calls); wait until "
        "one of them has ended",
        who, account.calls));
  }
  ++account.calls;
  return Place(this, who);
}

void QuotaBook::Leave(const std::string& who) {
  const std::lock_guard lock(mutex_);
  const auto account = accounts_.find(who);
  if (account != accounts_.end()) --account->second.calls;
}

absl::Status QuotaBook::MayTest(const std::string& who, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::int64_t minute = MinuteOf(now);
  std::chrono::nanoseconds time{};
  std::uint64_t bytes = 0;
  for (const Minute& past : AccountOf(who, now).minutes) {
    if (past.number <= minute - static_cast<std::int64_t>(kMinutes)) continue;
    time += past.time;
    bytes += past.bytes;
  }
  if (limits_.test_time.count() > 0 && time >= limits_.test_time) {
    return absl::ResourceExhaustedError(fmt::format(
        "{} tested for {} within an hour, of {} s for one caller (--caller-max-test-time); wait, or ask the "
        "agent's administrator for more",
        who, DurationText(time.count()), limits_.test_time.count()));
  }
  if (limits_.test_bytes > 0 && bytes >= limits_.test_bytes) {
    return absl::ResourceExhaustedError(fmt::format(
        "{} moved {} within an hour, of {} for one caller (--caller-max-test-bytes); wait, or ask the agent's "
        "administrator for more",
        who, BytesText(bytes), BytesText(limits_.test_bytes)));
  }
  return absl::OkStatus();
}

void QuotaBook::Tested(const std::string& who, std::chrono::nanoseconds time, std::uint64_t bytes,
                       TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::int64_t number = MinuteOf(now);
  Minute& minute = AccountOf(who, now).minutes[static_cast<std::size_t>(number) % kMinutes];
  if (minute.number != number) minute = {.number = number};
  minute.time += time;
  minute.bytes += bytes;
}

}  // namespace rdmaready::access
