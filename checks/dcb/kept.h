// SPDX-License-Identifier: Apache-2.0
// Files and pods that set a port's data centre bridging at boot, compared with the values of now.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/fact.h"
#include "checks/check.h"

namespace rdmaready {

enum class Kept : std::uint8_t {
  kUnknown,    // `gap` says why
  kNothing,    // no file here sets it
  kByCluster,  // no file here, but a pod of the cluster sets it: `text` names the pod
  kHere,       // `file` sets it, as far as its commands can be read to the same values
  kOtherwise,  // `file` sets PFC on other priorities: `text` says which
  kElsewhere,  // `file` sets other interfaces alone: `text` names them
};

struct KeptDcb {
  Kept kept = Kept::kUnknown;
  std::string file{};
  std::string text{};
  Missing gap{};
  bool several = false;  // files that set it
  bool pfc = false;      // kHere: it names this interface and sets PFC as it is now
  bool gone = false;     // kElsewhere: no RDMA port of this host has one of those interfaces
};

// The netdev of the view is known.
KeptDcb KeptDcbOf(const EthernetView& view);

// The file that starts another one's commands: "/etc/systemd/system/qos.service"; the same where nothing does.
std::string StarterOf(const Facts& host, const std::string& file);

// "/usr/local/sbin/qos.sh (by /etc/systemd/system/qos.service)": the file of a command, and what starts it.
std::string FileText(const Facts& host, const std::string& file);

}  // namespace rdmaready
