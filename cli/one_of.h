// SPDX-License-Identifier: Apache-2.0
// OneOf: an option that takes one of some words. Its error names them, and what was perhaps meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Validator;
}

namespace rdmaready {

CLI::Validator OneOf(std::vector<std::string> words);

}  // namespace rdmaready
