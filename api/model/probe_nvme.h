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

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("nvme_host_nqn", self.nqn);
    visit("nvme_host_nqn_from", self.nqn_from);
  }
};

// A line of the discovery log.
struct NvmeSubsystem {
  std::optional<std::string> nqn{};
  std::optional<std::string> transport{};  // "rdma", "tcp"
  std::optional<std::string> address{};
  std::optional<std::string> service{};  // the port: "4420"

  bool operator==(const NvmeSubsystem&) const = default;

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("nqn", self.nqn);
    visit("transport", self.transport);
    visit("address", self.address);
    visit("service", self.service);
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

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("nvme_controller_queue", self.controller_queue);
    visit("nvme_controller_id", self.controller_id);
    visit("nvme_discovery_authentication", self.discovery_authentication);
    visit("nvme_version", self.version);
    visit("nvme_queue_entries", self.queue_entries);
    visit("nvme_ready_timeout_ms", self.ready_timeout_ms);
    visit("nvme_model", self.model);
    visit("nvme_firmware", self.firmware);
    visit("nvme_max_commands", self.max_commands);
    visit("nvme_subsystem", self.listed);
    visit("nvme_subsystems", self.subsystems);
    visit("nvme_rdma_subsystems", self.rdma_subsystems);
    visit("nvme_referrals", self.referrals);
    visit("nvme_records_not_read", self.records_not_read);
    visit("nvme_proof_subsystem", self.proof_subsystem);
    visit("nvme_already_connected", self.already_connected);
    visit("nvme_kernel_controller", self.kernel_controller);
    visit("nvme_kernel_transport", self.kernel_transport);
    visit("nvme_namespace_bytes", self.namespace_bytes);
    visit("nvme_namespace_block", self.namespace_block);
  }
};

}  // namespace rdmaready
