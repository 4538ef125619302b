// SPDX-License-Identifier: Apache-2.0
// HostCpu: how busy all CPUs of the host are over a live test, and over an idle time just before it.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/model/transfer.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The time of all CPUs together since the host was booted, in ticks of 1/100 s (USER_HZ of all but alpha).
struct CpuTicks {
  std::uint64_t all = 0;
  std::uint64_t idle = 0;    // and waiting for disks
  std::uint64_t stolen = 0;  // by the hypervisor: no work of this host
};

// The first line of /proc/stat. Absent: it cannot be read.
std::optional<CpuTicks> ReadCpuTicks(HostReader& host);

// One reading, and when it was made.
struct CpuReading {
  std::optional<CpuTicks> ticks{};
  Clock::TimePoint when{};
};

// Absent where a reading is, or the counts went back.
std::optional<HostCpu> CpuBetween(const CpuReading& idle, const CpuReading& before, const CpuReading& begun,
                                  const CpuReading& ended);

// Readings around one test.
//
// Threads: Begin() may be called from several at once, and never waits for the host; all else by one thread.
class CpuWatch {
 public:
  // Begins a reading, which may be refused. Empty: nothing is measured.
  using Reader = std::function<std::future<absl::StatusOr<CpuReading>>()>;

  explicit CpuWatch(Reader read) : read_(std::move(read)) {}

  bool wanted() const { return static_cast<bool>(read_); }
  // Around the idle time.
  void Idle() { idle_ = Read(); }
  void EndOfIdle() { before_ = Read(); }
  // The measured part begins. Only the first call counts.
  void Begin();
  // The test is over. Call it once.
  std::optional<HostCpu> End();

 private:
  CpuReading Read() const;

  const Reader read_;
  CpuReading idle_{};
  CpuReading before_{};
  std::mutex mutex_;
  std::future<absl::StatusOr<CpuReading>> begun_{};  // guarded by mutex_
};

}  // namespace rdmaready
