// SPDX-License-Identifier: Apache-2.0
// Congestion control of RoCE v2 in the NIC (DCQCN): who marks, who answers, and with what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rdmaready {

// A value of the driver's own, by its own name: "rp_ai_rate".
struct CongestionParameter {
  std::string name{};
  std::uint64_t value = 0;

  void Fields(auto& list) { list.Setting("name", name, "value", value); }

  bool operator==(const CongestionParameter&) const = default;
};

// Drivers tell different parts of it; what one does not tell is absent.
struct CongestionControl {
  std::string source{};                        // the directory it was read from
  std::optional<std::uint8_t> notifies{};      // priorities whose marks are answered by a CNP, a bitmap (NP)
  std::optional<std::uint8_t> slows_down{};    // priorities that slow down for a CNP, a bitmap (RP)
  std::optional<std::uint8_t> cnp_dscp{};      // 0..63
  std::optional<std::uint8_t> cnp_priority{};  // 0..7
  std::vector<CongestionParameter> parameters{};

  void Fields(auto& list) {
    list.Setting("source", source, "notifies", notifies, "slows_down", slows_down, "cnp_dscp", cnp_dscp,
                 "cnp_priority", cnp_priority, "parameters", parameters);
  }

  bool operator==(const CongestionControl&) const = default;
};

// Software that marks its RDMA itself, whatever RDMA-CM's default is, as its configuration says.
enum class MarkingConsumer : std::uint8_t { kUnknown, kNvme, kNccl };

struct ConsumerMarking {
  MarkingConsumer consumer = MarkingConsumer::kUnknown;
  std::string source{};                      // "/etc/nccl.conf"
  std::optional<std::uint8_t> tos{};         // traffic class; 0 is an answer too
  std::optional<std::uint32_t> gid_index{};  // NCCL_IB_GID_INDEX

  void Fields(auto& list) {
    list.Setting("consumer", consumer, "source", source, "tos", tos, "gid_index", gid_index);
  }

  bool operator==(const ConsumerMarking&) const = default;
};

}  // namespace rdmaready
