// SPDX-License-Identifier: Apache-2.0
// What lets an RDMA NIC read and write the memory of GPUs.
#pragma once

#include <string>
#include <vector>

#include "api/model/fact.h"
#include "api/model/storage.h"

namespace rdmaready {

// /proc/driver/nvidia/version. The modules of open source export GPU memory as dma-buf, the others do not.
struct NvidiaDriver {
  std::string version{};  // "560.35.03"
  bool open = false;

  void Fields(auto& list) { list.Setting("version", version, "open", open); }

  bool operator==(const NvidiaDriver&) const = default;
};

struct GpuSupport {
  Fact<std::vector<std::string>> modules{};  // loaded ones of GPUs: "amdgpu", "nvidia", "nvidia_peermem"
  Fact<std::vector<KernelOption>>
      options{};                // CONFIG_PCI_P2PDMA, CONFIG_DMABUF_MOVE_NOTIFY, CONFIG_HSA_AMD_P2P
  Fact<NvidiaDriver> nvidia{};  // kUnsupported: it is not loaded

  void Fields(auto& list) {
    list.Setting("options", options, "nvidia", nvidia);
    list.State("modules", modules);
  }

  bool operator==(const GpuSupport&) const = default;
};

}  // namespace rdmaready
