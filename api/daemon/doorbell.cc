// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/doorbell.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace rdmaready {

Doorbell::Doorbell(Clock& clock) : clock_(clock), fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Doorbell::Ring() {
  {
    const std::scoped_lock lock(mutex_);
    ++rung_;
  }
  const std::uint64_t one = 1;
  static_cast<void>(::write(fd_.get(), &one, sizeof(one)));
}

void Doorbell::Heard() {
  std::uint64_t drained = 0;
  static_cast<void>(::read(fd_.get(), &drained, sizeof(drained)));
  {
    const std::scoped_lock lock(mutex_);
    heard_ = rung_;
  }
  changed_.notify_all();
}

bool Doorbell::IsHeard(std::chrono::milliseconds patience) {
  Ring();
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = rung_;  // or a later one, which is heard no sooner
  return clock_.WaitUntil(changed_, lock, std::stop_token(), clock_.Now() + patience,
                          [this, mine] { return heard_ >= mine; });
}

}  // namespace rdmaready
