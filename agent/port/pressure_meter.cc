// SPDX-License-Identifier: Apache-2.0
#include "agent/port/pressure_meter.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <utility>

#include "agent/port/host_cpu.h"
#include "checks/counted/error_counters.h"
#include "collectors/rdma/counters.h"

namespace rdmaready {
namespace {

bool IsAnyOf(NicCounter counter, std::initializer_list<NicCounter> counters) {
  return std::ranges::find(counters, counter) != counters.end();
}

void AddTo(std::optional<std::uint64_t>& sum, std::uint64_t value) { sum = sum.value_or(0) + value; }

void AddNic(const NicReading& nic, std::optional<std::uint32_t> priority, PressureReading& reading) {
  for (const NicStatistic& one : nic.statistics) {
    const bool wanted = !priority || one.priority == priority;
    if (IsAnyOf(one.counter, {NicCounter::kPauseReceived, NicCounter::kPauseSent}) && one.priority && wanted)
      AddTo(reading.pauses, one.value);
    if (one.counter == NicCounter::kEcnMarked) AddTo(reading.marks, one.value);
    if (IsAnyOf(one.counter, {NicCounter::kDropReceived, NicCounter::kDropSent}) && (wanted || !one.priority))
      AddTo(reading.drops, one.value);
  }
}

void AddRdma(const std::vector<Counter>& counters, PressureReading& reading) {
  for (const Counter& one : counters) {
    const bool marks = std::ranges::any_of(
        std::array{ErrorTopic::kEcnMarked, ErrorTopic::kCnpHandled, ErrorTopic::kCnpSent},
        [&one](ErrorTopic topic) { return IsAbout(one.name, CounterFamily::kHardware, topic); });
    if (marks) AddTo(reading.marks, one.value);
  }
}

std::optional<std::uint64_t> Grown(std::optional<std::uint64_t> before, std::optional<std::uint64_t> after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

// The time of waiting for disks may go back by some ticks (proc_stat(5)): then nothing was idle.
std::optional<std::uint32_t> IdlePermille(const PressureReading& before, const PressureReading& after) {
  constexpr std::uint64_t kWholeTime = 1000;
  const std::optional<std::uint64_t> ticks = Grown(before.cpu_ticks, after.cpu_ticks);
  if (!ticks || *ticks == 0 || !before.idle_ticks || !after.idle_ticks) return std::nullopt;
  const std::uint64_t idle = std::min(Grown(before.idle_ticks, after.idle_ticks).value_or(0), *ticks);
  return static_cast<std::uint32_t>(idle * kWholeTime / *ticks);
}

std::uint32_t Milliseconds(Clock::TimePoint::duration time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

template <class T>
bool Failed(const Fact<T>& read) {
  return !read && read.missing().kind != Missing::Kind::kUnsupported;
}

}  // namespace

PressureReading ReadPressure(HostReader& host, const Fact<std::vector<EthernetNic>>& nics,
                             const std::string& device, std::uint32_t port,
                             std::optional<std::uint32_t> priority) {
  PressureReading reading;
  const Fact<std::vector<NicReading>> ethernet = ReadNics(host, nics);
  if (ethernet) {
    for (const NicReading& nic : *ethernet) AddNic(nic, priority, reading);
  }
  const Fact<std::vector<Counter>> rdma = ReadHwCounters(host, {.name = device}, port).counters;
  if (rdma) AddRdma(*rdma, reading);
  // Both count marks, and a part of them is not their number.
  if ((nics && Failed(ethernet)) || Failed(rdma)) reading.marks.reset();
  if (const std::optional<CpuTicks> ticks = ReadCpuTicks(host)) {
    reading.cpu_ticks = ticks->all;
    reading.idle_ticks = ticks->idle;
  }
  return reading;
}

PressureSample PressureBetween(const PressureReading& before, const PressureReading& after) {
  return {.pauses = Grown(before.pauses, after.pauses),
          .marks = Grown(before.marks, after.marks),
          .drops = Grown(before.drops, after.drops),
          .idle_permille = IdlePermille(before, after)};
}

PressureMeter::PressureMeter(std::function<std::optional<PressureReading>()> read, Clock& clock)
    : read_(std::move(read)), clock_(clock) {}

Clock::TimePoint PressureMeter::Begin() {
  const Clock::TimePoint now = clock_.Now();
  std::call_once(begun_,
                 [this] { thread_ = std::jthread([this](const std::stop_token& done) { Sample(done); }); });
  return now;
}

std::vector<PressureSample> PressureMeter::Since(Clock::TimePoint begun) const {
  std::vector<PressureSample> samples;
  const std::lock_guard lock(mutex_);
  for (const Interval& interval : intervals_) {
    if (interval.begin < begun) continue;
    samples.push_back(interval.sample);
    samples.back().begin_ms = Milliseconds(interval.begin - begun);
  }
  return samples;
}

PressureMeter::Moment PressureMeter::Read() {
  const Clock::TimePoint now = clock_.Now();
  return {.when = now, .reading = read_()};
}

void PressureMeter::Sample(const std::stop_token& done) {
  Moment before = Read();
  Clock::TimePoint last = before.when;
  for (std::size_t taken = 0; taken < kMostSamples; ++taken) {
    if (!clock_.SleepUntil(last + std::chrono::milliseconds(kPressureIntervalMs), done)) return;
    const Moment after = Read();
    last = after.when;
    if (!after.reading) continue;  // the next one ends the interval
    if (before.reading) {
      PressureSample sample = PressureBetween(*before.reading, *after.reading);
      sample.length_ms = Milliseconds(after.when - before.when);
      const std::lock_guard lock(mutex_);
      intervals_.push_back({before.when, sample});
    }
    before = after;
  }
}

void PressureWatch::Begin() {
  if (meter_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (!begun_) begun_ = meter_->Begin();
}

std::vector<PressureSample> PressureWatch::Take() const {
  const std::lock_guard lock(mutex_);
  return begun_ ? meter_->Since(*begun_) : std::vector<PressureSample>();
}

}  // namespace rdmaready
