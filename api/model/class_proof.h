// SPDX-License-Identifier: Apache-2.0
// ClassProof: the share of a live transfer's packets that the NICs of both ends counted in the class of RDMA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/transfer.h"

namespace rdmaready {

// One counter of one end. Packets of others are estimated by the idle measurement and left out.
struct ClassShare {
  std::string host{};          // as the caller named it
  std::string counter{};       // "sent", "received", "sent back", "received back"
  std::uint32_t priority = 0;  // of RDMA
  std::uint64_t packets = 0;   // in that priority
  std::uint64_t all = 0;       // in every priority
  std::uint64_t expected = 0;  // the transfer needs at least so many
  std::uint32_t permille = 0;  // `packets` of `all`, rounded down; 0 where nothing was counted
  // Packets of others, of all that were counted. Absent: the end did not measure them.
  std::optional<std::uint32_t> foreign_permille{};
  ConnectionKind connection = ConnectionKind::kUnknown;  // of the transfer

  bool operator==(const ClassShare&) const = default;
  void Fields(auto& list) const {
    list("host", host, "counter", counter, "priority", priority, "packets", packets, "all", all, "expected",
         expected, "permille", permille, "foreign_permille", foreign_permille, "connection", connection);
  }
};

struct ClassProof {
  std::vector<ClassShare> shares{};  // in the order of the way; a counter that was not read has none

  bool operator==(const ClassProof&) const = default;
  void Fields(auto& list) const { list("shares", shares); }
};

}  // namespace rdmaready
