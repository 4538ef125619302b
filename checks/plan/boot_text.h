// SPDX-License-Identifier: Apache-2.0
// A parser of this program's own for the files of boot_files.h: a text that the reader of a file would refuse,
// or read otherwise, is not written. Pure; the text may be anything.
#pragma once

#include <string>
#include <string_view>

namespace rdmaready {

// Why the text is not one for the file: "line 3: not a setting". Empty: it is. The form follows from the path:
// INI for systemd and NetworkManager, "NAME = VALUE" for sysctl.d, the one form of MTU for netplan, one rule
// for udev.
std::string WhyNotBootText(std::string_view path, std::string_view content);

}  // namespace rdmaready
