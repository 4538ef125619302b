// SPDX-License-Identifier: Apache-2.0
// PressureMeter: samples what holds a stress test back at this end, and how busy the host is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
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

// Threads: Begin() from any thread; Take() from the one that made it.
class PressureMeter {
 public:
  // `read` is called on the meter's thread and gives nothing where the host did not answer; empty: nothing is
  // sampled. `clock` outlives this.
  PressureMeter(std::function<std::optional<PressureReading>()> read, Clock& clock);
  PressureMeter(const PressureMeter&) = delete;
  PressureMeter& operator=(const PressureMeter&) = delete;
  ~PressureMeter() = default;

  // The first call begins to sample, each kPressureIntervalMs.
  void Begin();

  // Ends it: the samples of whole intervals. One of which a reading failed is empty.
  std::vector<PressureSample> Take();

 private:
  static constexpr std::size_t kMostSamples = 2400;  // ten minutes

  void Sample(const std::stop_token& done);

  const std::function<std::optional<PressureReading>()> read_;
  Clock& clock_;
  std::once_flag begun_;
  std::vector<PressureSample> samples_{};  // of the thread, until it has ended
  std::jthread thread_{};
};

}  // namespace rdmaready
