// SPDX-License-Identifier: Apache-2.0
// --connect: how the queue pairs of live tests come to know each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/transfer.h"

namespace CLI {
class App;
}

namespace rdmaready {

// `value` is "cm", "verbs" or "both", and begins as "cm".
void AddConnect(CLI::App& app, std::string& value);

// The kinds in the order in which they are tried. AddConnect() took `value`.
std::vector<ConnectionKind> ConnectionsOf(std::string_view value);

}  // namespace rdmaready
