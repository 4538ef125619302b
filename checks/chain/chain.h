// SPDX-License-Identifier: Apache-2.0
// The chain: what becomes of the packets of one consumer of RDMA, from its mark to the switch.
//
// mark -> priority (by DSCP, by the tag of a VLAN, or by a row of the driver) -> traffic class -> PFC -> ECN ->
// the wire, and what
// the switch announces. One broken link makes the others useless.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/report.h"
#include "checks/check.h"

namespace rdmaready {

enum class ChainConsumer {
  kRdmaCm,  // all that asks RDMA-CM and says nothing itself
  kVerbs,   // all there is, where the vendor's driver forces a traffic class
  kSmb,     // SMB Direct of the kernel: marks as RDMA-CM does
  kNvme,    // NVMe over Fabrics, with a ToS of its own
  kNccl,    // and NCCL
};

struct ChainStep {
  Outcome outcome = Outcome::kPass;  // pass, fail or unknown
  std::string text{};                // "priority 3"; of a broken one what is wrong
  std::string expected{};            // of a broken or unknown one
};

// The steps in their order, up to the first that is broken or not known: never empty. A switch that was not
// heard is said, and breaks nothing.
using Chain = std::vector<ChainStep>;

// Only where the profile names an RDMA priority and the port may be RoCE.
Chain WalkChain(const EthernetView& view, const Fact<std::uint8_t>& tos);

// "ToS 106 -> DSCP 26 -> priority 3 -> TC 3 (50 %) -> PFC on -> the wire; switch not heard".
std::string ChainText(const Chain& chain);

// The ToS that the consumer's packets have; missing where that is not known.
Fact<std::uint8_t> ToSOf(const EthernetView& view, ChainConsumer consumer);

// Why there is no such consumer here, or none with a mark of its own; empty when there is, and missing where
// that is not known.
Fact<std::string> NoConsumer(const EthernetView& view, ChainConsumer consumer);

}  // namespace rdmaready
