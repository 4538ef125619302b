// SPDX-License-Identifier: Apache-2.0
// NvmeQueue: the admin queue of an NVMe controller over RDMA: one command at a time, each within a patience.
// One thread. A controller reads or writes memory of ours only while the command is under way that names it.
//
// Failures are those of MessageLink; kRejected with the controller's own words when it refuses a command,
// kCorrupt when its answer is none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/probe/message_link.h"
#include "agent/probe/nvme/nvme_identity.h"
#include "agent/probe/nvme/nvme_wire.h"

namespace rdmaready::nvme {

class Queue {
 public:
  explicit Queue(const LinkMaker& make_link);

  absl::Status Connect(const Endpoint& to, const std::string& local_address, const Patience& patience);
  // Fabrics Connect to any controller of that subsystem: its result.
  absl::StatusOr<std::uint64_t> ConnectController(const Identity& identity, std::string_view subsystem_name,
                                                  const Patience& patience);
  absl::StatusOr<std::uint64_t> Property(std::uint32_t property, const Patience& patience);
  absl::Status SetProperty(std::uint32_t property, std::uint64_t value, const Patience& patience);
  // Enables the controller and waits until it is ready.
  absl::Status Enable(const Patience& patience);
  // Asks for a normal shutdown, without waiting for more than the answer.
  void Shutdown(const Patience& patience);

  absl::StatusOr<IdentifyController> Identify(const Patience& patience);
  // `length_bytes` of the discovery log from there on.
  absl::StatusOr<std::vector<std::byte>> DiscoveryLog(std::uint64_t offset_bytes, std::uint32_t length_bytes,
                                                      const Patience& patience);

  const MessageLink& link() const { return link_; }

 private:
  absl::StatusOr<Completion> Run(const Command& command, std::uint16_t id, const std::string& what,
                                 const Patience& patience);
  absl::StatusOr<std::vector<std::byte>> Fetch(
      std::uint32_t length_bytes, const std::string& what,
      const std::function<Command(std::uint16_t, const KeyedBuffer&)>& encode, const Patience& patience);

  MessageLink link_;
  std::uint16_t next_id_ = 1;
};

}  // namespace rdmaready::nvme
