// SPDX-License-Identifier: Apache-2.0
// KernelDoor: by which requests that change something go to the kernel. What is only read goes by HostReader.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/host_writer.h"
#include "agent/apply/real/netlink_answer.h"
#include "collectors/questions/netlink.h"

namespace rdmaready {

using WillWrite = std::function<absl::Status(const OwnWrite&)>;

// One thread.
class KernelDoor {
 public:
  virtual ~KernelDoor() = default;

  // Sends the request, with a number of its own, and returns all that came for it. Not OK: it was not sent, or
  // no whole answer came. What the kernel refused is in the answer's error_number.
  virtual absl::StatusOr<NetlinkAnswer> Send(const NetlinkRequest& request, std::string_view what) = 0;

  // Of the netdev that has this name now; an error when none has.
  virtual absl::StatusOr<std::uint32_t> IndexOf(const std::string& netdev) = 0;
};

// The running host's. Each request has a socket of its own, whose port id the kernel gave, so that nothing left
// over can be taken for its answer. The numbers begin at one drawn at random and none comes twice: a notice of
// dcbnl carries the number alone, and other programs count from 0, 1 or the time. The kernel carries a request
// out while it is being sent, so this blocks for as long as the driver does.
class RealKernelDoor final : public KernelDoor {
 public:
  // `will_write` is called before each request; it must outlive this.
  RealKernelDoor(const WillWrite& will_write, std::uint32_t& next_sequence)
      : will_write_(will_write), next_sequence_(next_sequence) {}

  absl::StatusOr<NetlinkAnswer> Send(const NetlinkRequest& request, std::string_view what) override;
  absl::StatusOr<std::uint32_t> IndexOf(const std::string& netdev) override;

 private:
  const WillWrite& will_write_;
  std::uint32_t& next_sequence_;
};

// Where the numbers begin.
std::uint32_t FirstSequence();

// Sends what has no answer but yes or no: OK, or the kernel's error as "<what>: <its words>", with what it
// adds.
absl::Status Order(KernelDoor& door, const NetlinkRequest& request, std::string_view what);

// The error of an answer: OK when there is none.
absl::Status StatusOf(const NetlinkAnswer& answer, std::string_view what);

// `write` for the netdev that has the name now, with its index; an error when another one has the name
// afterwards: then nobody knows which of the two was written.
absl::Status WithNetdev(KernelDoor& door, const std::string& netdev,
                        const std::function<absl::Status(std::uint32_t ifindex)>& write);

}  // namespace rdmaready
