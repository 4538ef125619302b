// SPDX-License-Identifier: Apache-2.0
// Golden outputs: files under golden/. To accept what is printed now: UPDATE_GOLDEN=1 cli_test, then read the
// diff.
#pragma once

#include <string>

namespace rdmaready {

// The accepted text; the text itself, after writing it, when UPDATE_GOLDEN is set.
std::string Golden(const std::string& name, const std::string& now);

}  // namespace rdmaready
