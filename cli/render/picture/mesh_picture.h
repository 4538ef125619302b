// SPDX-License-Identifier: Apache-2.0
// The tests between hosts as a matrix: a row for each port that sent, a column for each that received. Pure.
#pragma once

#include <string>

#include "api/model/report.h"

namespace rdmaready {

// An SVG document. A cell shows the worst result of the tests between its two ports by colour and sign, and
// names it where a pointer rests. Ports that fail with every partner are marked.
std::string MeshPicture(const Report& report);

}  // namespace rdmaready
