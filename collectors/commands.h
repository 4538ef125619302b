// SPDX-License-Identifier: Apache-2.0
// The commands of a file that runs at boot which matter for NICs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// "#!" first where the text is a script; then each command in one line of words. The commands mlnx_qos, dcb,
// cma_roce_tos and "devlink dev param set" are kept as they are. "run PATH ARGUMENT..." starts a script, or
// each that a path with '*' fits. "tos OBJECT NUMBER" writes RDMA-CM's default ToS of a port ("mlx5_0/1"),
// of an RDMA device, or of "*"; the number is "*" where it is not known. A script that names the file of that
// ToS, and writes it in no form that is known here, has "tos * *". "mtu", "pause" and "sysctl" are
// setting_commands.h's, "match" setting_files.h's; files of such settings have these lines alone. "blacklist
// MODULE", "install MODULE COMMAND" and "options MODULE port_type_array=LIST" are of modprobe.d(5). A variable
// that is set once has its value; one of a loop over words has each of them. The arguments of the script are
// "$1" and "$2"; any other variable is "*". No other word of the file is kept. The last line is kCutLine where
// there may be more commands: of more than 256 lines; of a line of more than 2 KiB, a path of more than 256
// bytes, a command of more than 256 words or a shell in a shell four deep, which are left out; and where
// `is_cut` says that `text` is the beginning of a longer file.
std::vector<std::string> CommandsToKeep(std::string_view path, std::string_view text, bool is_cut = false);

inline constexpr std::string_view kCutLine = "cut";

}  // namespace rdmaready
