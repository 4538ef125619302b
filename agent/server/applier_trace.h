// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rdmaready {

// Whether this host has an applier, or had one: its socket is in that folder of the helpers' (empty: the usual
// one), or there is what it keeps between its lives. Who may not look does not know that there is none.
bool ApplierTrace(const std::string& helpers_directory);

}  // namespace rdmaready
