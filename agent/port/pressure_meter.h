// SPDX-License-Identifier: Apache-2.0
// PressureMeter: samples what holds a stress test back at this end, and how busy the host is. PressureWatch: of
// that what one of its transfers saw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/port/priority_packets.h"
#include "api/base/clock.h"
#include "api/model/counter_change.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Since the drivers were loaded, and since the host was booted. A number is absent where nothing counts it, and
// where one of its counters could not be read.
struct PressureReading {
  std::optional<std::uint64_t> pauses{};
  std::optional<std::uint64_t> marks{};
  std::optional<std::uint64_t> drops{};
  std::optional<std::uint64_t> cpu_ticks{};  // of all CPUs together
  std::optional<std::uint64_t> idle_ticks{};
};

// Reads the Ethernet ports, the RDMA port's hw_counters and the CPUs. Pauses count where they are of `priority`
// (absent: of any), and so do drops, or where they have no priority. Marks count whatever their priority.
PressureReading ReadPressure(HostReader& host, const Fact<std::vector<EthernetNic>>& nics,
                             const std::string& device, std::uint32_t port,
                             std::optional<std::uint32_t> priority = std::nullopt);

// Each number is absent unless both readings have it. So is one that was set back.
PressureSample PressureBetween(const PressureReading& before, const PressureReading& after);

// Samples one port for all transfers of a run.
//
// Threads: all methods may be called from any thread. No lock is held while the host is read.
class PressureMeter {
 public:
  // `read` is called on the meter's thread until the destructor has returned, and gives nothing where the host
  // did not answer. `clock` outlives this.
  PressureMeter(std::function<std::optional<PressureReading>()> read, Clock& clock);
  PressureMeter(const PressureMeter&) = delete;
  PressureMeter& operator=(const PressureMeter&) = delete;
  // Waits for a reading that is under way: never called with a lock held, nor by a test that holds its port.
  ~PressureMeter() = default;

  // Returns the time. The first call begins to sample. A reading begins kPressureIntervalMs after the one
  // before it began, or when that one ends, whichever is later.
  Clock::TimePoint Begin();

  // The intervals until now that began at `begun` or later. Their times count from `begun`, and are those at
  // which the two readings began. An interval goes on where a reading failed. Does not wait for a reading.
  std::vector<PressureSample> Since(Clock::TimePoint begun) const;

 private:
  static constexpr std::size_t kMostSamples = 2400;  // ten minutes

  struct Moment {
    Clock::TimePoint when{};
    std::optional<PressureReading> reading{};  // nothing where the host did not answer
  };
  struct Interval {
    Clock::TimePoint begin{};
    PressureSample sample{};  // without begin_ms
  };

  Moment Read();
  void Sample(const std::stop_token& done);

  const std::function<std::optional<PressureReading>()> read_;
  Clock& clock_;
  std::once_flag begun_;
  mutable std::mutex mutex_;  // guards intervals_
  std::vector<Interval> intervals_{};
  std::jthread thread_{};
};

// The samples of one transfer. Threads: all methods may be called from any thread.
class PressureWatch {
 public:
  // Null: nothing is sampled.
  explicit PressureWatch(std::shared_ptr<PressureMeter> meter) : meter_(std::move(meter)) {}

  // The measured part of the transfer begins. Later calls change nothing.
  void Begin();

  // The samples since Begin(), so far. Does not wait for a reading.
  std::vector<PressureSample> Take() const;

 private:
  const std::shared_ptr<PressureMeter> meter_;
  mutable std::mutex mutex_;  // guards begun_
  std::optional<Clock::TimePoint> begun_{};
};

}  // namespace rdmaready
