// SPDX-License-Identifier: Apache-2.0
// NvmeKernel: a connection of this host's own NVMe initiator to one subsystem, as long as the object lives. The
// kernel (and what listens to its events: udev) sees a new block device meanwhile.
//
// Never touches a connection that was there before. The kernel itself refuses a second one only when every
// address of it is the same; any other becomes one more path to the same block device, and the workload's I/O
// may go by it. So where this host is connected to the subsystem already, by whatever way, nothing is made; and
// what turns out to share its block device after all is taken down at once. Only what this object made is
// taken down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "agent/probe/nvme/nvme_identity.h"
#include "api/base/clock.h"
#include "api/model/transfer.h"

namespace rdmaready::nvme {

// The text that /dev/nvme-fabrics takes. One I/O queue, and no reconnecting: a lost connection ends. `mark` is
// that of nvme_leftovers.h.
std::string KernelOptions(const Endpoint& target, const std::string& local_address, const Identity& identity,
                          const std::string& subsystem_name, int mark);

// "nvme0c1n2" (one path of several) has the block device "nvme0n2", "nvme0n2" has itself. Empty for any other.
std::string BlockDeviceOf(const std::string& name);

// What the kernel answers: "nvme3" of "instance=3,cntlid=1". Empty for any other text.
std::string ControllerIn(std::string_view answer);

// OK when `paths`, those of the controller's subsystem, are the controller alone.
absl::Status IsAlone(const std::string& controller, const std::vector<std::string>& paths);

struct NamespaceDevice {
  std::string name{};  // "nvme0n1"
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;
};

class Kernel {
 public:
  // `options` are KernelOptions for that subsystem. kSetup when this host has no initiator, may not use it or
  // is connected to the subsystem already; kRejected when the target refuses.
  static absl::StatusOr<Kernel> Connect(const std::string& options, const std::string& subsystem_name,
                                        Clock& clock);
  Kernel(Kernel&& other) noexcept;
  Kernel& operator=(Kernel&&) = delete;
  ~Kernel();

  // The first one that has blocks; waits for it.
  absl::StatusOr<NamespaceDevice> FindNamespace(const Patience& patience) const;
  // "nvme0"; empty once gone
  const std::string& controller() const { return controller_; }
  // "rdma"
  std::string Transport() const;
  // Disconnects and waits until the controller is gone. May be called again when it failed.
  absl::Status Disconnect(const Patience& patience);

 private:
  Kernel(std::string controller, std::string subsystem_name, Clock& clock)
      : controller_(std::move(controller)), subsystem_name_(std::move(subsystem_name)), clock_(clock) {}
  std::string Folder() const;
  // Once ours is gone, its name may be another's.
  bool IsThere() const;

  std::string controller_;
  std::string subsystem_name_;
  Clock& clock_;
};

// Reads the start of the device past the page cache, each part twice, and compares.
absl::Status ReadNamespace(const NamespaceDevice& device, TransferResult& result, const Patience& patience);

}  // namespace rdmaready::nvme
