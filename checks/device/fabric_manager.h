// SPDX-License-Identifier: Apache-2.0
// Why no manager of the fabric has configured a port, by what this host has installed and configured.
#pragma once

#include <optional>
#include <string>

#include "checks/check.h"

namespace rdmaready {

// The remedy for a port of InfiniBand or Omni-Path that no manager has configured. Empty: this host says
// nothing about it.
Fix FabricManagerFix(const PortView& view);

// The line that gives opensm of this host the port, and the file that it belongs into.
struct OpensmLine {
  std::string path{};
  std::string text{};
  std::string unit{};  // of opensm, which reads it when it starts
};

// Nothing unless opensm starts here, no manager has configured the port, and opensm manages another one.
std::optional<OpensmLine> MissingOpensmLine(const PortView& view);

}  // namespace rdmaready
