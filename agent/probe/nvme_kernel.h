// SPDX-License-Identifier: Apache-2.0
// NvmeKernel: a connection of this host's own NVMe initiator to one subsystem, as long as the object lives. The
// kernel (and whoever listens to its events: udev) sees a new block device meanwhile.
//
// Never touches a connection that was there before: the kernel refuses a second one to the same subsystem
// (EALREADY), and only what this object made is taken down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "agent/probe/nvme_identity.h"
#include "api/model/transfer.h"

namespace rdmaready::nvme {

// The text that /dev/nvme-fabrics takes. One I/O queue, and no reconnecting: a lost connection ends.
std::string KernelOptions(const Endpoint& target, const std::string& local_address, const Identity& identity,
                          const std::string& subsystem_name);

// "nvme0c1n2" (one path of several) has the block device "nvme0n2", "nvme0n2" has itself. Empty for any other.
std::string BlockDeviceOf(const std::string& name);

struct NamespaceDevice {
  std::string name{};  // "nvme0n1"
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;
};

class Kernel {
 public:
  // kSetup when this host has no initiator or may not use it, kRejected when the target refuses.
  static absl::StatusOr<Kernel> Connect(const std::string& options);
  Kernel(Kernel&& other) noexcept;
  Kernel& operator=(Kernel&&) = delete;
  ~Kernel();

  // The first one that has blocks; waits for it.
  absl::StatusOr<NamespaceDevice> FindNamespace(const Patience& patience) const;
  // "rdma"
  std::string Transport() const;
  // Disconnects and waits until the controller is gone.
  absl::Status Disconnect(const Patience& patience);

 private:
  explicit Kernel(std::string controller) : controller_(std::move(controller)) {}
  std::string Folder() const;

  std::string controller_;  // "nvme0"; empty once gone
};

// Reads the start of the device past the page cache, each part twice, and compares.
absl::Status ReadNamespace(const NamespaceDevice& device, TransferResult& result, const Patience& patience);

}  // namespace rdmaready::nvme
