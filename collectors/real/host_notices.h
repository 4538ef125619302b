// SPDX-License-Identifier: Apache-2.0
// HostNotices: hears what the kernel announces of changes on this host: DCB, links, addresses, some sysctls,
// ethtool's settings, RDMA devices. It takes no privilege, sends nothing but one question for the number of a
// group, loads no module, and costs nothing while nothing is announced: it waits without a timeout.
//
// Each kind has a socket of its own, so that a flood of one does not lose the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/handle.h"
#include "collectors/net/notices.h"

namespace rdmaready {

// One thread hears, always the same; Wake() is for any.
class HostNotices {
 public:
  // Hears of this network namespace from now on. Of the kinds in `kinds`, what this kernel does not announce is
  // named by deaf(). The error (ErrnoStatus) is of the first kind that there is in every kernel and that could
  // not be listened for.
  static absl::StatusOr<std::unique_ptr<HostNotices>> Open(
      std::vector<NoticeKind> kinds = {kNoticeKinds.begin(), kNoticeKinds.end()}, Clock& clock = RealClock());

  HostNotices(const HostNotices&) = delete;
  HostNotices& operator=(const HostNotices&) = delete;
  ~HostNotices();

  // Blocks until something is announced, Wake() was called, or `until`; none: without any timeout. What is
  // waiting is taken, coalesced; empty: nothing was announced.
  HeardNotices Wait(std::optional<Clock::TimePoint> until = std::nullopt);
  // The same without waiting.
  HeardNotices Take();
  // For a poll() of the caller's own: readable while something is waiting, or after Wake().
  int fd() const { return epoll_.get(); }

  // Ends one Wait(), that runs or comes.
  void Wake();

  // Kinds that were asked for and are not heard. kRdma is among them until /sys/class/infiniband is there: to
  // open that socket before would load ib_core. It is looked for whenever something was heard, and by Retry.
  std::vector<NoticeKind> deaf() const;
  void Retry();

 private:
  struct Ear {
    NoticeKind kind = NoticeKind::kLink;
    UniqueFd socket{};
    std::uint16_t family = 0;  // of generic netlink
  };

  explicit HostNotices(Clock& clock) : clock_(clock) {}
  absl::Status Listen(NoticeKind kind);
  void Drain(Ear& ear, NoticeTable& table);

  Clock& clock_;
  UniqueFd epoll_{};
  UniqueFd wake_{};
  std::vector<NoticeKind> kinds_{};
  std::vector<Ear> ears_{};
  std::vector<std::byte> buffer_{};
  bool early_ = false;  // the thread that waits has asked to be woken before others
};

}  // namespace rdmaready
