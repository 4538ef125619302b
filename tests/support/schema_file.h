// SPDX-License-Identifier: Apache-2.0
// The schema of a document beside the file that is shipped for it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "api/convert/document.h"
#include "tests/support/source_tree.h"

namespace rdmaready::test {

// UPDATE_GOLDEN=1 writes the file first.
inline void ExpectShippedSchema(const convert::Document& document) {
  const std::string now = SchemaText(document);
  const std::string path = SourceTree() + "/packaging/schemas/" + std::string(document.name) + ".json";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << now;
  std::ifstream file(path, std::ios::binary);
  const std::string shipped{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(shipped, now) << document.name << ": UPDATE_GOLDEN=1 writes its file";
}

}  // namespace rdmaready::test
