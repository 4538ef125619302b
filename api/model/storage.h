// SPDX-License-Identifier: Apache-2.0
// What a host tells of storage protocols over RDMA: the kernel's modules for them, who listens, what the
// kernel's SMB server was told, and what an RDMA device can hold.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// Of a module of the running kernel.
enum class ModuleState {
  kUnknown,
  kAbsent,     // neither installed nor built in
  kInstalled,  // modprobe would find it; not loaded
  kBuiltIn,
  kLoaded,
};

// The modules that storage over RDMA needs, and the software RDMA devices.
inline constexpr std::array<std::string_view, 11> kStorageModules{
    "cifs",     "ksmbd",   "smbdirect", "nvme_rdma", "nvmet_rdma", "ib_iser",
    "ib_isert", "rpcrdma", "nfsd",      "siw",       "rdma_rxe"};

struct KernelModule {
  std::string name{};  // "ksmbd", as lsmod has it
  Fact<ModuleState> state{};
  Fact<bool>
      uses_rdma{};  // it needs rdma_cm: cifs and ksmbd do when they were built with SMB Direct, and only then
  // An installed module is the kernel's own, and the RDMA core that it would use is a vendor's. The
  // kernel refuses to load it.
  Fact<bool> foreign_core{};

  void Fields(auto& list) {
    list.Setting("name", name, "uses_rdma", uses_rdma, "foreign_core", foreign_core);
    list.State("state", state);
  }

  bool operator==(const KernelModule&) const = default;
};

struct KernelOption {
  std::string name{};   // "CONFIG_SMB_SERVER"
  std::string value{};  // "y", "m", or "n" where it is not set

  void Fields(auto& list) { list.Setting("name", name, "value", value); }

  bool operator==(const KernelOption&) const = default;
};

// An RDMA-CM identifier that waits for connections.
struct RdmaListener {
  std::uint16_t port = 0;     // of RDMA-CM's port space, like a TCP port
  std::string kernel_name{};  // the module of the kernel's that listens: "ksmbd"; empty: a process
  std::int64_t pid = 0;       // the process; 0: none, or not told

  void Fields(auto& list) {
    list.State("port", port, "kernel_name", kernel_name);
    list.Passing("pid", pid);
  }

  auto operator<=>(const RdmaListener&) const = default;
};

// What bears on RDMA of the configuration of ksmbd, the kernel's SMB server. What is not set there is
// ksmbd's default.
struct KsmbdConfig {
  std::string path{};
  std::optional<bool> multichannel{};     // "server multi channel support"
  std::vector<std::string> interfaces{};  // "interfaces", which count with "bind interfaces only"; empty: all
  std::string signing{};                  // "server signing": "mandatory"; empty: not set
  std::string encryption{};               // "smb3 encryption"; the same

  void Fields(auto& list) {
    list.Setting("path", path, "multichannel", multichannel, "interfaces", interfaces, "signing", signing,
                 "encryption", encryption);
  }

  bool operator==(const KsmbdConfig&) const = default;
};

// ibv_query_device.
struct DeviceLimits {
  std::uint32_t max_qp_wr = 0;            // work requests on one queue
  std::uint32_t max_cqe = 0;              // entries of one completion queue
  std::uint32_t max_sge = 0;              // of one work request
  std::uint32_t max_sge_rd = 0;           // of one RDMA read
  std::uint32_t max_qp_rd_atom = 0;       // RDMA reads of a peer's that one QP answers at once
  std::uint32_t max_qp_init_rd_atom = 0;  // RDMA reads that one QP has under way
  std::uint32_t max_qp = 0;
  std::uint32_t max_mr = 0;
  std::uint32_t max_mw = 0;
  bool fast_registration = false;  // IBV_DEVICE_MEM_MGT_EXTENSIONS: memory is registered by a work request
  bool mw_type_2a = false;
  bool mw_type_2b = false;

  void Fields(auto& list) {
    list.Setting("max_qp_wr", max_qp_wr, "max_cqe", max_cqe, "max_sge", max_sge, "max_sge_rd", max_sge_rd,
                 "max_qp_rd_atom", max_qp_rd_atom, "max_qp_init_rd_atom", max_qp_init_rd_atom, "max_qp", max_qp,
                 "max_mr", max_mr, "max_mw", max_mw, "fast_registration", fast_registration, "mw_type_2a",
                 mw_type_2a, "mw_type_2b", mw_type_2b);
  }

  bool operator==(const DeviceLimits&) const = default;
};

}  // namespace rdmaready
