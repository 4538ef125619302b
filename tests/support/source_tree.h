// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rdmaready::test {

// Where the files of this checkout are, an absolute path without a slash at its end. Only one small unit of the build knows it: what
// every other unit compiles to is the same in each clone, and is found in the compiler's cache.
std::string SourceTree();

}  // namespace rdmaready::test
