// SPDX-License-Identifier: Apache-2.0
#include "agent/port/pressure_meter.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/port/port_counters.h"
#include "api/base/number.h"
#include "checks/counted/error_counters.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

bool IsAnyOf(NicCounter counter, std::initializer_list<NicCounter> counters) {
  return std::ranges::find(counters, counter) != counters.end();
}

void AddNics(const Fact<std::vector<NicReading>>& nics, PressureReading& reading) {
  if (!nics) return;
  for (const NicReading& nic : *nics) {
    for (const NicStatistic& one : nic.statistics) {
      if (one.priority && IsAnyOf(one.counter, {NicCounter::kPauseReceived, NicCounter::kPauseSent}))
        reading.pauses += one.value;
      if (one.counter == NicCounter::kEcnMarked) reading.marks += one.value;
      if (IsAnyOf(one.counter, {NicCounter::kDropReceived, NicCounter::kDropSent})) reading.drops += one.value;
    }
  }
}

void AddRdma(const Fact<std::vector<Counter>>& counters, PressureReading& reading) {
  if (!counters) return;
  const auto is = [](const Counter& one, std::initializer_list<ErrorTopic> topics) {
    return std::ranges::any_of(
        topics, [&](ErrorTopic topic) { return IsAbout(one.name, CounterFamily::kHardware, topic); });
  };
  for (const Counter& one : *counters) {
    if (is(one, {ErrorTopic::kEcnMarked, ErrorTopic::kCnpHandled, ErrorTopic::kCnpSent}))
      reading.marks += one.value;
    if (is(one, {ErrorTopic::kSequence, ErrorTopic::kRetransmission})) reading.drops += one.value;
  }
}

// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (fs/proc/stat.c).
void AddCpus(HostReader& host, PressureReading& reading) {
  const absl::StatusOr<std::string> text = host.ReadFile("/proc/stat");
  if (!text.ok()) return;
  const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  const std::vector<std::string_view> words = WordsOf(line);
  constexpr std::size_t kIdle = 4;
  constexpr std::size_t kWaits = 5;
  constexpr std::size_t kSteal = 8;
  if (words.size() <= kSteal || words[0] != "cpu") return;
  for (std::size_t i = 1; i <= kSteal; ++i) {
    const std::optional<std::uint64_t> ticks = ParseNumber<std::uint64_t>(words[i]);
    if (!ticks) return;
    reading.cpu_ticks += *ticks;
    if (i == kIdle || i == kWaits) reading.idle_ticks += *ticks;
  }
}

std::uint64_t Grown(std::uint64_t before, std::uint64_t after) { return after > before ? after - before : 0; }

}  // namespace

PressureReading ReadPressure(HostReader& host, const Fact<std::vector<EthernetNic>>& nics,
                             const std::string& device, std::uint32_t port) {
  PressureReading reading;
  AddNics(ReadNics(host, nics), reading);
  AddRdma(ReadCounters(host, device, port, RealClock()).hw.counters, reading);
  AddCpus(host, reading);
  return reading;
}

PressureSample PressureBetween(const PressureReading& before, const PressureReading& after) {
  constexpr std::uint64_t kWholeTime = 1000;
  PressureSample sample{.pauses = Grown(before.pauses, after.pauses),
                        .marks = Grown(before.marks, after.marks),
                        .drops = Grown(before.drops, after.drops)};
  const std::uint64_t ticks = Grown(before.cpu_ticks, after.cpu_ticks);
  const std::uint64_t idle = std::min(Grown(before.idle_ticks, after.idle_ticks), ticks);
  if (ticks > 0) sample.idle_permille = static_cast<std::uint32_t>(idle * kWholeTime / ticks);
  return sample;
}

PressureMeter::PressureMeter(std::function<std::optional<PressureReading>()> read, Clock& clock)
    : read_(std::move(read)), clock_(clock) {}

void PressureMeter::Begin() {
  if (!read_) return;
  std::call_once(begun_,
                 [this] { thread_ = std::jthread([this](const std::stop_token& done) { Sample(done); }); });
}

std::vector<PressureSample> PressureMeter::Take() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  return std::move(samples_);
}

void PressureMeter::Sample(const std::stop_token& done) {
  std::optional<PressureReading> before = read_();
  Clock::TimePoint next = clock_.Now();
  while (samples_.size() < kMostSamples) {
    // After a reading that took longer the intervals begin anew: none is shorter.
    next = std::max(next, clock_.Now()) + std::chrono::milliseconds(kPressureIntervalMs);
    if (!clock_.SleepUntil(next, done)) return;
    const std::optional<PressureReading> after = read_();
    samples_.push_back(before && after ? PressureBetween(*before, *after) : PressureSample{});
    if (after) before = after;
  }
}

}  // namespace rdmaready
