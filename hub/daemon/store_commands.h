// SPDX-License-Identifier: Apache-2.0
// What rdmaready-hub does with a store besides keeping it: `backup`, `restore`, `export`.
#pragma once

#include <optional>

namespace rdmaready::hub {

// The exit status of the command that the first argument names; nothing: it names none.
std::optional<int> RunStoreCommand(int argc, const char* const* argv);

}  // namespace rdmaready::hub
