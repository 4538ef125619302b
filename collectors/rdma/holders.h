// SPDX-License-Identifier: Apache-2.0
// Holders of an RDMA device: the queue pairs and RDMA-CM identifiers that exist on it now, with their owners.
// RDMA netlink lists them (RDMA_NLDEV_CMD_RES_QP_GET and RES_CM_ID_GET, from Linux 4.17 on) to every user.
// Where the driver lets a process move data by objects that the kernel does not list (unlisted.h), what shows
// such a process is listed too: its protection domains, or the contexts that it opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

// One object and its owner. Without a kernel name and a pid the owner is not known: it is in another PID
// namespace, or the thread that made the object has ended (task_pid_vnr in fill_res_name_pid, nldev.c). Kernels
// before 5.5 do not list an object whose thread has ended.
struct RdmaHolder {
  enum class Object {
    kQueuePair,
    kConnection,  // an RDMA-CM identifier
    kDomain,      // a protection domain of a process, on a device with objects that the kernel does not list
    kContexts,    // all contexts of PSM on the device, where at least one is open; their owners are not known
  };

  Object object = Object::kQueuePair;
  std::uint32_t port = 0;        // from 1; 0: of no port yet
  std::uint32_t queue_pair = 0;  // its number; of an identifier 0: it has none
  std::uint8_t type = 0;         // of a queue pair: enum ib_qp_type
  std::uint8_t state = 0;        // enum ib_qp_state; of an identifier: enum rdma_cm_state
  std::string kernel_name{};     // the kernel module that made it; empty: a process did
  std::int64_t thread = 0;       // which made it, in the reader's PID namespace; 0: not known
  std::int64_t process = 0;      // of the thread; 0: not known
  std::string command{};         // of the process, as /proc/PID/comm has it; empty: not known
  std::string remote{};          // IP address of an identifier's other end, and of its queue pair; empty: none

  bool operator==(const RdmaHolder&) const = default;
};

// One message of a dump. Processes are not looked up. An error when the answer is about another device, or an
// entry lacks its type, its state, or (a queue pair) its number. Domains of the kernel are left out.
absl::StatusOr<std::vector<RdmaHolder>> DecodeQueuePairs(std::span<const std::byte> payload,
                                                         const RdmaDevice& device);
absl::StatusOr<std::vector<RdmaHolder>> DecodeConnections(std::span<const std::byte> payload,
                                                          const RdmaDevice& device);
absl::StatusOr<std::vector<RdmaHolder>> DecodeDomains(std::span<const std::byte> payload,
                                                      const RdmaDevice& device);

// All of the device of that name. Missing when it is gone, when the kernel lists no objects or may hide some
// (unlisted.h), or when they could not be read: then nothing is known of who uses the device. A queue pair that
// the kernel made through RDMA-CM has the name of the identifier's module: "nvme_rdma", not "rdma_cm".
Fact<std::vector<RdmaHolder>> ReadHolders(HostReader& host, const std::string& device);

}  // namespace rdmaready
