// SPDX-License-Identifier: Apache-2.0
#include "cli/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/model/cases.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

std::string FirstStepText(const Explanation& entry) {
  if (entry.remedy.empty()) return "\nfix         " + entry.fix;
  const RemedyStep& step = entry.remedy.steps.front();
  return "\nfix         " + (step.command.empty() ? step.action : step.command);
}

TEST(Explanation, ShowsASentenceThatIsSaidOfAHost) {
  EXPECT_THAT(Explain("pfc.lossless-priority").front().example, ::testing::HasSubstr(", wanted on 3 only"));
  EXPECT_EQ(Explain("loopback.send-1k").front().example, "") << "a live test has none";
}

TEST(Explanation, HasExamplesOfMostChecks) {
  const std::vector<Explanation> all = Catalogue();
  const auto with = std::ranges::count_if(all, [](const Explanation& one) { return !one.example.empty(); });
  EXPECT_GE(with, 70);
}

TEST(Explanation, KnowsEveryIdOfTheCatalogue) {
  for (const Explanation& entry : Catalogue()) {
    ASSERT_EQ(Explain(entry.id).size(), 1U) << entry.id;
    EXPECT_EQ(Explain(entry.id).front().title, entry.title);
    EXPECT_FALSE(entry.title.empty()) << entry.id;
    EXPECT_FALSE(entry.why.empty()) << entry.id;
    EXPECT_FALSE(entry.fix.empty()) << entry.id;
    EXPECT_EQ((entry.title + entry.why + entry.fix).find_first_of("{}"), std::string::npos) << entry.fix;
    EXPECT_THAT(ExplainText({entry}, {}), ::testing::HasSubstr(entry.title));
    EXPECT_THAT(ExplainText({entry}, {}), ::testing::HasSubstr(FirstStepText(entry) + "\n"));
  }
}

TEST(Explanation, OfACaseIsThatOfEveryRung) {
  for (const TransferCase& test : CasesOn(Rung::kSmbDirect)) {
    const std::string name(test.name);
    const std::vector<Explanation> rungs = Explain(name);
    ASSERT_EQ(rungs.size(), 1U) << name;
    EXPECT_EQ(rungs[0].id, "smb-direct." + name);
  }
  for (const TransferCase& test : CasesOn(Rung::kPeer)) {
    const std::string name(test.name);
    const std::vector<Explanation> rungs = Explain(name);
    ASSERT_EQ(rungs.size(), 2U) << name;
    EXPECT_EQ(rungs[0].id, "loopback." + name);
    EXPECT_EQ(rungs[1].id, "peer." + name);
  }
  EXPECT_TRUE(Explain("").empty());
  EXPECT_TRUE(Explain("path").empty());
}

// What is typed stays on one line however narrow the terminal is.
TEST(Explanation, BreaksNoCommand) {
  const std::string text = ExplainText(Explain("gid.default-mode"), {.width = 80});
  EXPECT_THAT(text, ::testing::HasSubstr("mkdir -p /sys/kernel/config/rdma_cm/DEVICE && echo 'RoCE v2' > "
                                         "/sys/kernel/config/rdma_cm/DEVICE/ports/PORT/default_roce_mode\n"));
}

TEST(Explanation, SuggestsTheNearestId) {
  EXPECT_TRUE(Explain("pfc.losless-priority").empty());
  EXPECT_EQ(NearestId("pfc.losless-priority"), "pfc.lossless-priority");
  EXPECT_EQ(NearestId("lossless-priority"), "pfc.lossless-priority");
  EXPECT_EQ(NearestId("pfc.loss"), "pfc.lossless-priority");
  EXPECT_EQ(NearestId("write-512"), "write-512k");
  EXPECT_EQ(NearestId("peer.write-512"), "peer.write-512k");
  EXPECT_EQ(NearestId("completely-different-thing"), "");
  for (const char* unknown : {"nosuch.check", "nosuch.thing", "foo.bar", "switch.vlan-map", "kernel.version"})
    EXPECT_EQ(NearestId(unknown), "") << unknown;
  const std::vector<std::string> commands{"check", "test", "plan", "pki"};
  EXPECT_EQ(Nearest("tset", commands), "test");
  EXPECT_EQ(Nearest("tes", commands), "test");
  EXPECT_EQ(Nearest("chekc", commands), "check");
  EXPECT_EQ(Nearest("past", commands), "");  // half of it is test
  EXPECT_EQ(Nearest("pan", commands), "plan");
  EXPECT_EQ(Nearest("pin", commands), "");
}

TEST(Explanation, ListsTheWholeCatalogueAsMarkdown) {
  const std::string markdown = CatalogueMarkdown(Catalogue());
  for (const Explanation& entry : Catalogue())
    EXPECT_THAT(markdown, ::testing::HasSubstr("\n## " + entry.id + "\n"));
}

TEST(Explanation, TellsFamilySeverityAndWhatBlocks) {
  const std::string markdown = CatalogueMarkdown(Catalogue());
  const std::string table = CatalogueTable(Catalogue(), {});
  const std::string json = CatalogueJson(Catalogue());
  EXPECT_THAT(markdown, ::testing::HasSubstr(
                            "| [mtu.max](#mtumax) | mtu | blocking | under a profile that names an MTU |"));
  EXPECT_THAT(markdown, ::testing::HasSubstr("| [pcie.width](#pciewidth) | pcie | advice | no |"));
  EXPECT_THAT(table, ::testing::ContainsRegex("link.state +link +blocking +always"));
  EXPECT_THAT(table, ::testing::ContainsRegex("pcie.width +pcie +advice +no"));
  for (const Explanation& entry : Catalogue()) {
    EXPECT_FALSE(entry.family.empty()) << entry.id;
    EXPECT_THAT(markdown, ::testing::HasSubstr("| [" + entry.id + "]("));
    EXPECT_THAT(table, ::testing::HasSubstr(entry.id + " "));
    EXPECT_THAT(json, ::testing::HasSubstr("\"" + entry.id + "\""));
  }
}

TEST(Explanation, SaysOfACaseThatCheckDoesNotMakeThatItBlocksNothing) {
  const std::vector<Explanation> found = Explain("write-4k");
  ASSERT_FALSE(found.empty());
  for (const Explanation& entry : found) {
    EXPECT_EQ(BlocksText(entry), "no") << entry.id;
    EXPECT_THAT(entry.why, ::testing::HasSubstr("only `test` does")) << entry.id;
  }
  for (const Explanation& entry : Explain("write-8k")) EXPECT_TRUE(entry.blocking) << entry.id;
}

TEST(Explanation, ListsEveryCaseOnce) {
  const std::vector<std::string> names = CaseNames();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), std::size(kTransferCases));
  EXPECT_EQ(names.size(), std::size(kTransferCases));
}

}  // namespace
}  // namespace rdmaready
