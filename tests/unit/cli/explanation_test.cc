// SPDX-License-Identifier: Apache-2.0
#include "cli/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/render_text.h"

namespace rdmaready {
namespace {

TEST(Explanation, KnowsEveryIdOfTheCatalogue) {
  for (const Explanation& entry : Catalogue()) {
    ASSERT_TRUE(Explain(entry.id).has_value()) << entry.id;
    EXPECT_FALSE(entry.title.empty()) << entry.id;
    EXPECT_FALSE(entry.why.empty()) << entry.id;
    EXPECT_FALSE(entry.fix.empty()) << entry.id;
    EXPECT_THAT(ExplainText(entry, {}), ::testing::HasSubstr(entry.title));
  }
}

TEST(Explanation, SuggestsTheNearestId) {
  EXPECT_FALSE(Explain("pfc.losless-priority").has_value());
  EXPECT_EQ(NearestId("pfc.losless-priority"), "pfc.lossless-priority");
  EXPECT_EQ(NearestId("lossless-priority"), "pfc.lossless-priority");
  EXPECT_EQ(NearestId("pfc.loss"), "pfc.lossless-priority");
  EXPECT_EQ(NearestId("write-512k"), "loopback.write-512k");
  EXPECT_EQ(NearestId("completely-different-thing"), "");
}

TEST(Explanation, ListsTheWholeCatalogueAsMarkdown) {
  const std::string markdown = CatalogueMarkdown(Catalogue());
  for (const Explanation& entry : Catalogue())
    EXPECT_THAT(markdown, ::testing::HasSubstr("\n## " + entry.id + "\n"));
}

TEST(Explanation, ListsEveryCaseOnce) {
  EXPECT_EQ(CaseNames(),
            (std::vector<std::string>{"send-1k", "write-8k", "read-8k", "write-512k", "read-512k"}));
}

}  // namespace
}  // namespace rdmaready
