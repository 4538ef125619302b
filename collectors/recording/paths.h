// SPDX-License-Identifier: Apache-2.0
// Paths inside of a recording. A path is data of a host, or of the author of the recording: it never leads out
// of the folder, and needs no quoting anywhere. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rdmaready::recording {

// Relative, of parts that are neither empty nor "." nor "..", of letters, digits and . _ - + : , @ = only; not
// too long and not too deep.
bool IsSafePath(std::string_view path);

// Where the contents of a file of the host lie: "files/sys/class/net/eth0/mtu". Empty when its path is not
// absolute, or would not be safe.
std::string TreePath(std::string_view absolute_path);

// A name of one part for the folder of a host: what is not safe becomes '_'. Never empty, never hidden.
std::string FolderName(std::string_view host);

}  // namespace rdmaready::recording
