// SPDX-License-Identifier: Apache-2.0
// OneOf: an option that takes one of some words. Its error names them, and what was perhaps meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rdmaready {

CLI::Validator OneOf(std::vector<std::string> words);

}  // namespace rdmaready
