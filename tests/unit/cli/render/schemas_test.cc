// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "cli/render/documents.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

std::string SchemaFile(std::string_view name) {
  return test::SourceTree() + "/packaging/schemas/" + std::string(name) + ".json";
}

// UPDATE_GOLDEN=1 writes the files, as it does those of golden.h.
std::string CommittedSchema(const convert::Document& document, const std::string& now) {
  const std::string path = SchemaFile(document.name);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << now;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Schemas, MatchTheFieldsThatArePrinted) {
  for (const convert::Document& document : AllDocuments()) {
    const std::string now = SchemaText(document);
    EXPECT_EQ(CommittedSchema(document, now), now)
        << document.name << ": UPDATE_GOLDEN=1 cli_test --gtest_filter='Schemas.*' writes its file";
  }
}

TEST(Schemas, HaveOneDocumentEach) {
  std::set<std::string_view> names;
  for (const convert::Document& document : AllDocuments())
    EXPECT_TRUE(names.insert(document.name).second) << document.name;
}

}  // namespace
}  // namespace rdmaready
