// SPDX-License-Identifier: Apache-2.0
#include "agent/port/host_cpu.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/number.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kTickNs = 10'000'000;

std::int64_t Between(Clock::TimePoint from, Clock::TimePoint to) {
  return std::chrono::nanoseconds(to - from).count();
}

// The time of waiting for disks may go back by some ticks (proc_stat(5)).
std::optional<std::int64_t> BusyNs(const CpuReading& from, const CpuReading& to) {
  if (!from.ticks || !to.ticks) return std::nullopt;
  const auto busy = [](const CpuTicks& ticks) {
    return static_cast<std::int64_t>(ticks.all - ticks.idle - ticks.stolen);
  };
  const std::int64_t grown = busy(*to.ticks) - busy(*from.ticks);
  return to.ticks->all < from.ticks->all ? std::nullopt
                                         : std::optional(std::max<std::int64_t>(grown, 0) * kTickNs);
}

}  // namespace

// user, nice, system, idle, iowait, irq, softirq, steal (fs/proc/stat.c). The time of guests is a part of user.
std::optional<CpuTicks> ReadCpuTicks(HostReader& host) {
  const absl::StatusOr<std::string> text = host.ReadFile("/proc/stat");
  if (!text.ok()) return std::nullopt;
  const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  const std::vector<std::string_view> words = WordsOf(line);
  constexpr std::size_t kIdle = 4;
  constexpr std::size_t kWaits = 5;
  constexpr std::size_t kStolen = 8;
  if (words.size() <= kStolen || words[0] != "cpu") return std::nullopt;
  CpuTicks ticks;
  for (std::size_t i = 1; i <= kStolen; ++i) {
    const std::optional<std::uint64_t> count = ParseNumber<std::uint64_t>(words[i]);
    if (!count) return std::nullopt;
    ticks.all += *count;
    if (i == kIdle || i == kWaits) ticks.idle += *count;
    if (i == kStolen) ticks.stolen = *count;
  }
  return ticks;
}

std::optional<HostCpu> CpuBetween(const CpuReading& idle, const CpuReading& before, const CpuReading& begun,
                                  const CpuReading& ended) {
  const std::optional<std::int64_t> idle_busy = BusyNs(idle, before);
  const std::optional<std::int64_t> busy = BusyNs(begun, ended);
  if (!idle_busy || !busy) return std::nullopt;
  return HostCpu{.busy_ns = *busy,
                 .measured_ns = Between(begun.when, ended.when),
                 .idle_busy_ns = *idle_busy,
                 .idle_ns = Between(idle.when, before.when)};
}

CpuReading CpuWatch::Read() const { return read_ ? read_().get().value_or(CpuReading()) : CpuReading(); }

void CpuWatch::Begin() {
  const std::lock_guard lock(mutex_);
  if (read_ && !begun_.valid()) begun_ = read_();
}

std::optional<HostCpu> CpuWatch::End() {
  std::future<absl::StatusOr<CpuReading>> begun;
  {
    const std::lock_guard lock(mutex_);
    begun = std::move(begun_);
  }
  if (!begun.valid()) return std::nullopt;
  return CpuBetween(idle_, before_, begun.get().value_or(CpuReading()), Read());
}

}  // namespace rdmaready
