// SPDX-License-Identifier: Apache-2.0
// The parameters of devlink that switch an adapter's protocols.
#pragma once

#include <string_view>
#include <vector>

#include "api/model/profile.h"

namespace rdmaready {

// How a parameter has to stand (Documentation/networking/devlink/devlink-params.rst).
struct ProtocolSwitch {
  std::string_view name{};
  bool on = false;
};

// In the order in which they can be set: what excludes another goes off before that goes on. None where the
// profile names neither RoCE nor iWARP.
std::vector<ProtocolSwitch> SwitchesFor(Profile::Transport transport);

}  // namespace rdmaready
