// SPDX-License-Identifier: Apache-2.0
// NVMe leftovers: a controller that a proof connected outlives the process when that is ended by force
// (SIGKILL), and holds a block device that nobody asked for. The next probe takes it down.
//
// How ours are known: the host's name and id are those of the administrator's own connections, and the kernel
// refuses another id for the same name. But a controller that never reconnects (ctrl_loss_tmo 0) has no use for
// its reconnect_delay, so that of ours carries a mark and the id of the process it belongs to; the kernel tells
// both in /sys.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace rdmaready::nvme {

// The reconnect_delay of a proof's controller that belongs to the process.
int MarkOf(pid_t process);

struct Leftover {
  std::string controller{};      // "nvme3"
  std::string subsystem_name{};  // NQN
  absl::Status removed{};        // of RemoveLeftovers: whether it is gone
};

enum class Moment {
  kStart,  // this process has not connected any: one that has its id is of an earlier process
  kLater,  // those of this process are alive
};

// The marked controllers whose process is gone. Alive is a process of that id that is called rdmaready...: the
// mark of a container with process ids of its own may be taken for one of the dead.
std::vector<Leftover> FindLeftovers(Moment moment, const std::string& sys = "/sys",
                                    const std::string& proc = "/proc");

// Takes those down, and no other; tells what became of each. Blocks as long as the kernel takes to disconnect.
std::vector<Leftover> RemoveLeftovers(std::vector<Leftover> leftovers, const std::string& sys = "/sys");

}  // namespace rdmaready::nvme
