// SPDX-License-Identifier: Apache-2.0
// Caretaker: the applier's resident thread. It hears the kernel, and has kept settings restored when a device
// was made anew, and put back where root's file allows that. While nothing is announced it sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "agent/apply/applier.h"
#include "api/base/clock.h"
#include "collectors/net/notices.h"
#include "collectors/real/host_notices.h"

namespace rdmaready::helper {

// What of notices is a reason to look at what is kept. Pure; one thread.
class NoticeReader {
 public:
  struct Reasons {
    bool appeared = false;  // a device was made anew, or may have been
    bool changed = false;   // a setting may have been changed
  };
  Reasons Read(const HeardNotices& heard);

 private:
  std::map<std::uint32_t, std::string> netdevs_{};  // known, by ifindex: the name
};

// When kept settings are looked at after a device appeared: once its notices are over, and once more. A device
// that comes before a look does not move it, so a stream of new netdevs delays no restore. Pure; one thread.
class DeviceLooks {
 public:
  using Time = std::chrono::steady_clock::time_point;

  DeviceLooks(std::chrono::milliseconds settle, std::chrono::milliseconds look_again)
      : settle_(settle), look_again_(look_again) {}

  void Appeared(Time now);
  // Whether a look is due now; it is not due any more then.
  bool TakeDue(Time now);
  std::optional<Time> Next() const;

 private:
  const std::chrono::milliseconds settle_;
  const std::chrono::milliseconds look_again_;
  std::optional<Time> first_{};
  std::optional<Time> again_{};
  std::optional<Time> later_{};  // for those that came after `again_` was set
};

struct CaretakerOptions {
  // A device comes in several notices, and is renamed: it is looked at when they are over, and once more,
  // because before Linux 6.12 no RDMA device is announced.
  std::chrono::milliseconds settle = std::chrono::milliseconds(300);
  std::chrono::milliseconds look_again = std::chrono::seconds(5);
  // Drivers that announce nothing are looked at as often as this, where something may be put back.
  std::chrono::milliseconds put_back_every = std::chrono::seconds(60);
  std::chrono::milliseconds least_between_put_backs = std::chrono::seconds(1);
  Clock* clock = &RealClock();  // the notices' too
};

class Caretaker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `restore` is the engine's (any thread); its errors are the engine's to tell. `puts_back`: whether anything
  // may be put back now.
  Caretaker(std::unique_ptr<HostNotices> notices, std::function<void(RestoreCause)> restore,
            std::function<bool()> puts_back, CaretakerOptions options = {});
  ~Caretaker();

 private:
  void Run();
  void Note(const NoticeReader::Reasons& reasons, Time now);
  void DoDue(Time now);
  std::optional<Time> Next() const;

  const std::unique_ptr<HostNotices> notices_;
  const std::function<void(RestoreCause)> restore_;
  const std::function<bool()> puts_back_;
  const CaretakerOptions options_;
  NoticeReader reader_{};
  DeviceLooks looks_;
  std::optional<Time> put_back_due_{};
  Time last_put_back_{};
  std::atomic<bool> ending_ = false;
  std::thread thread_{};
};

}  // namespace rdmaready::helper
