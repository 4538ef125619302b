// SPDX-License-Identifier: Apache-2.0
// Share names: what may stand for one share of a server, wherever it was typed.
#pragma once

#include <string_view>

namespace rdmaready {

// One share: 1 to 80 bytes, no path below it, no option of mount(8) smuggled in, nothing that Windows forbids.
bool IsShareName(std::string_view name);

}  // namespace rdmaready
