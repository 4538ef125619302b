// SPDX-License-Identifier: Apache-2.0
// ForeignWatch: whether somebody else writes settings while a change is being written.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "agent/apply/host_writer.h"

namespace rdmaready {

// One thread at a time.
class ForeignWatch {
 public:
  virtual ~ForeignWatch() = default;

  // What was announced before is not told by Foreign().
  virtual void Begin() = 0;

  // Foreign() tells of these netdevs alone, also of what was announced since Begin(), which ends this.
  virtual void Only(std::set<std::string> netdevs) = 0;

  // A request of ours that is about to be sent: its notice is not foreign. Called before it is.
  virtual void Own(const OwnWrite& write) = 0;

  // Never blocks. The first notice since Begin() that is not ours, in words: "DCB settings of dcb0 were written
  // by somebody else". None: nothing foreign was announced so far. That notices were lost is told as one.
  virtual std::optional<std::string> Foreign() = 0;
};

}  // namespace rdmaready
