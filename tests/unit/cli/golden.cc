// SPDX-License-Identifier: Apache-2.0
#include "tests/support/source_tree.h"
#include "tests/unit/cli/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace rdmaready {

std::string Golden(const std::string& name, const std::string& now) {
  const std::string path = test::SourceTree() + "/tests/unit/cli/golden/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return now;
  }
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

}  // namespace rdmaready
