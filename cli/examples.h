// SPDX-License-Identifier: Apache-2.0
// An example of each check that has one: what was seen of a recorded host, and wanted of it.
#pragma once

#include <string_view>

namespace rdmaready {

// "PFC off, wanted on 3 only". Empty: no recorded host fails this check.
std::string_view ExampleOf(std::string_view check);

}  // namespace rdmaready
