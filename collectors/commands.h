// SPDX-License-Identifier: Apache-2.0
// The commands of a file that runs at boot which matter for NICs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// First "#!" where the text is a script. Then, each in one line of words:
//   run PATH ARGUMENT...    it starts a script, or all that a path with '*' fits
//   tos OBJECT NUMBER       it writes RDMA-CM's default ToS; of an RDMA device, or "*"
//   mlnx_qos ..., dcb ..., cma_roce_tos ..., devlink dev param set ...    as they are
//   blacklist MODULE, install MODULE COMMAND                             of modprobe.d(5)
// A variable that is set once has its value, of a loop over words each of them; the arguments of the script are
// "$1",
// "$2"; all else that is not known is "*". No other word of the file is kept.
std::vector<std::string> CommandsToKeep(std::string_view path, std::string_view text);

}  // namespace rdmaready
