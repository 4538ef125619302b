// SPDX-License-Identifier: Apache-2.0
// Folding: what several ports of a host have in common is said once.
#pragma once

#include <string>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

// Findings that say the same but for the names of their ports; the first one, and how many more.
struct Folded {
  const Finding* finding = nullptr;
  std::vector<std::string> ports{};  // "mlx5_0/1", in the order of the findings

  std::size_t size() const { return ports.size(); }
  // "mlx5_[0-7]/1".
  std::string PortsText() const;
};

// In the order of their first ones. The findings outlive the result.
std::vector<Folded> FoldPorts(const std::vector<const Finding*>& findings);

}  // namespace rdmaready
