// SPDX-License-Identifier: Apache-2.0
// Questions to Verbs, RDMA-CM and the management agents of InfiniBand. `port` counts from 1.
//
// Never ask Verbs before /sys/class/infiniband_verbs was seen: libibverbs would make the kernel load ib_uverbs.
// The running host refuses it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions/kind_list.h"

namespace rdmaready {

// ibv_query_port, numbers as they came.
struct VerbsPortAnswer {
  std::uint32_t state = 0;       // enum ibv_port_state
  std::uint32_t phys_state = 0;  // enum ib_port_phys_state; 5 is LinkUp
  std::uint32_t max_mtu = 0;     // enum ibv_mtu: 1 is 256 bytes, 5 is 4096; some iWARP drivers put bytes here
  std::uint32_t active_mtu = 0;
  std::uint32_t link_layer = 0;  // IBV_LINK_LAYER_*: 1 InfiniBand, 2 Ethernet

  bool operator==(const VerbsPortAnswer&) const = default;
  void Fields(auto& line) {
    line("state", state, "phys_state", phys_state, "max_mtu", max_mtu, "active_mtu", active_mtu, "link_layer",
         link_layer);
  }
};

struct VerbsPortQuestion {
  using Answer = VerbsPortAnswer;
  static constexpr const char* kFile = "verbs.jsonl";

  std::string device{};
  std::uint32_t port = 0;

  auto operator<=>(const VerbsPortQuestion&) const = default;
  void Fields(auto& line) { line("device", device, "port", port); }
  std::string What() const { return "query verbs port " + device + "/" + std::to_string(port); }
  absl::StatusOr<Answer> AskThisHost() const;
};

// One filled slot of ibv_query_gid_table.
struct VerbsGid {
  std::uint32_t port = 0;
  std::uint32_t index = 0;
  std::array<std::uint8_t, 16> raw{};
  std::uint32_t type = 0;     // enum ibv_gid_type: 0 InfiniBand (also iWARP), 1 RoCE v1, 2 RoCE v2
  std::uint32_t ifindex = 0;  // 0: none. Not translated to our network namespace

  bool operator==(const VerbsGid&) const = default;
  void Fields(auto& line) { line("port", port, "index", index, "raw", raw, "type", type, "ifindex", ifindex); }
};

// All filled slots of all ports of the device.
struct VerbsGidTableQuestion {
  using Answer = std::vector<VerbsGid>;
  static constexpr const char* kFile = "verbs.jsonl";

  std::string device{};

  auto operator<=>(const VerbsGidTableQuestion&) const = default;
  void Fields(auto& line) { line("device", device); }
  static void Answered(auto& line, Answer& answer) { line("gids", answer); }
  std::string What() const { return "query GID table of " + device; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// ibv_query_device, numbers as they came; max_sge is the smaller one of sending and receiving.
struct VerbsDeviceAnswer {
  std::uint32_t device_cap_flags = 0;  // enum ibv_device_cap_flags
  std::uint32_t max_qp = 0;
  std::uint32_t max_qp_wr = 0;
  std::uint32_t max_sge = 0;
  std::uint32_t max_sge_rd = 0;
  std::uint32_t max_cqe = 0;
  std::uint32_t max_mr = 0;
  std::uint32_t max_mw = 0;
  std::uint32_t max_qp_rd_atom = 0;
  std::uint32_t max_qp_init_rd_atom = 0;

  bool operator==(const VerbsDeviceAnswer&) const = default;
  void Fields(auto& line) {
    line("device_cap_flags", device_cap_flags, "max_qp", max_qp, "max_qp_wr", max_qp_wr, "max_sge", max_sge,
         "max_sge_rd", max_sge_rd, "max_cqe", max_cqe, "max_mr", max_mr, "max_mw", max_mw, "max_qp_rd_atom",
         max_qp_rd_atom, "max_qp_init_rd_atom", max_qp_init_rd_atom);
  }
};

struct VerbsDeviceQuestion {
  using Answer = VerbsDeviceAnswer;
  static constexpr const char* kFile = "devices.jsonl";

  std::string device{};

  auto operator<=>(const VerbsDeviceQuestion&) const = default;
  void Fields(auto& line) { line("device", device); }
  std::string What() const { return "query verbs device " + device; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// The text of the two files of Documentation/ABI/testing/configfs-rdma_cm, untrimmed.
struct RdmaCmAnswer {
  std::string default_roce_mode{};  // "RoCE v2\n"
  std::string default_roce_tos{};   // "0\n"

  bool operator==(const RdmaCmAnswer&) const = default;
  void Fields(auto& line) {
    line("default_roce_mode", default_roce_mode, "default_roce_tos", default_roce_tos);
  }
};

// RDMA-CM's defaults of a RoCE port. The kernel shows them only inside a configfs directory that somebody made
// with mkdir(2); see real/rdma_cm.h for what is done when there is none.
struct RdmaCmQuestion {
  using Answer = RdmaCmAnswer;
  static constexpr const char* kFile = "rdma_cm.jsonl";

  std::string device{};
  std::uint32_t port = 0;

  auto operator<=>(const RdmaCmQuestion&) const = default;
  void Fields(auto& line) { line("device", device, "port", port); }
  std::string What() const { return "read the RDMA-CM defaults of " + device + "/" + std::to_string(port); }
  absl::StatusOr<Answer> AskThisHost() const;
};

// One question to a management agent of an InfiniBand port of this host. `mad` is the whole datagram, 256 bytes
// (collectors/rdma/mad.h); its transaction is left to the reader. The answer is a whole datagram, its
// transaction 0. Datagrams that are no questions are refused. It blocks for at most two seconds. kUnimplemented
// when ib_umad is not loaded: nothing loads it.
struct MadRequest {
  using Answer = std::vector<std::byte>;
  static constexpr const char* kFile = "mads.jsonl";

  std::string device{};
  std::uint32_t port = 0;  // from 1
  std::uint16_t lid = 0;   // of the port itself; 0xffff by a directed route
  std::vector<std::byte> mad{};

  auto operator<=>(const MadRequest&) const = default;
  void Fields(auto& line) { line("device", device, "port", port, "lid", lid, "request", mad); }
  static void Answered(auto& line, Answer& answer) { line("answer", answer); }
  std::string What() const { return "ask the management agent of " + device + "/" + std::to_string(port); }
  absl::StatusOr<Answer> AskThisHost() const;
};

using RdmaQuestions =
    KindList<VerbsPortQuestion, VerbsGidTableQuestion, VerbsDeviceQuestion, RdmaCmQuestion, MadRequest>;

}  // namespace rdmaready
