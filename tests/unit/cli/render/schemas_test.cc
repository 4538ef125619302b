// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "cli/render/documents.h"
#include "tests/support/schema_file.h"

namespace rdmaready {
namespace {

TEST(Schemas, MatchTheFieldsThatArePrinted) {
  for (const convert::Document& document : AllDocuments()) test::ExpectShippedSchema(document);
}

TEST(Schemas, HaveOneDocumentEach) {
  std::set<std::string_view> names;
  for (const convert::Document& document : AllDocuments())
    EXPECT_TRUE(names.insert(document.name).second) << document.name;
}

}  // namespace
}  // namespace rdmaready
