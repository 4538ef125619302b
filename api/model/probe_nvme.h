// SPDX-License-Identifier: Apache-2.0
// NvmeHost, NvmeAnswers: the name that this host gave to an NVMe-oF target, and what the target answered. The
// contract is that of api/model/probe_rdma.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rdmaready {

struct NvmeHost {
  std::optional<std::string> nqn{};
  std::optional<std::string> nqn_from{};  // "/etc/nvme/hostnqn"; "made for this probe"

  bool operator==(const NvmeHost&) const = default;

  void Fields(auto& list) const { list("nvme_host_nqn", nqn, "nvme_host_nqn_from", nqn_from); }
};

// A line of the discovery log.
struct NvmeSubsystem {
  std::optional<std::string> nqn{};
  std::optional<std::string> transport{};  // "rdma", "tcp"
  std::optional<std::string> address{};
  std::optional<std::string> service{};  // the port: "4420"

  bool operator==(const NvmeSubsystem&) const = default;

  void Fields(auto& list) const {
    list("nqn", nqn, "transport", transport, "address", address, "service", service);
  }
};

struct NvmeAnswers {
  // The discovery controller.
  std::optional<std::uint64_t> controller_queue{};
  std::optional<std::uint64_t> controller_id{};
  std::optional<bool> discovery_authentication{};
  std::optional<std::string> version{};  // "1.3"
  std::optional<std::uint64_t> queue_entries{};
  std::optional<std::uint64_t> ready_timeout_ms{};
  std::optional<std::string> model{};
  std::optional<std::string> firmware{};
  std::optional<std::uint64_t> max_commands{};
  // Its log.
  std::vector<NvmeSubsystem> listed{};  // the first of those that it lists
  std::optional<std::uint64_t> subsystems{};
  std::optional<std::uint64_t> rdma_subsystems{};
  std::optional<std::uint64_t> referrals{};
  std::optional<std::uint64_t> records_not_read{};
  // The proof.
  std::optional<std::string> proof_subsystem{};
  std::optional<std::string> already_connected{};  // this host's controllers of it: "nvme0 nvme4"
  std::optional<std::string> kernel_controller{};  // that of the proof
  std::optional<std::string> kernel_transport{};
  std::optional<std::uint64_t> namespace_bytes{};
  std::optional<std::uint64_t> namespace_block{};

  bool operator==(const NvmeAnswers&) const = default;

  void Fields(auto& list) const {
    list("nvme_controller_queue", controller_queue, "nvme_controller_id", controller_id,
         "nvme_discovery_authentication", discovery_authentication, "nvme_version", version,
         "nvme_queue_entries", queue_entries, "nvme_ready_timeout_ms", ready_timeout_ms, "nvme_model", model,
         "nvme_firmware", firmware, "nvme_max_commands", max_commands, "nvme_subsystem", listed,
         "nvme_subsystems", subsystems, "nvme_rdma_subsystems", rdma_subsystems, "nvme_referrals", referrals,
         "nvme_records_not_read", records_not_read, "nvme_proof_subsystem", proof_subsystem,
         "nvme_already_connected", already_connected, "nvme_kernel_controller", kernel_controller,
         "nvme_kernel_transport", kernel_transport, "nvme_namespace_bytes", namespace_bytes,
         "nvme_namespace_block", namespace_block);
  }
};

}  // namespace rdmaready
