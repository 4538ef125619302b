// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/mesh_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Finding Live(Outcome outcome, const std::string& observed = "61 MB/s") {
  return {.id = "peer.send-1k",
          .scope = Scope::kPair,
          .rung = Rung::kPeer,
          .subject = "rxe0/1 -> rxe1/1",
          .outcome = outcome,
          .observed = observed};
}

Report Tested(const std::string& host, const std::vector<Finding>& findings) {
  return {.run_id = "r",
          .hosts = {{.host = host}, {.host = "b"}},
          .pairs = {{.from = host, .to = "b", .findings = findings}}};
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(MeshPicture, ShowsTheWorstTestBetweenTwoPorts) {
  const std::string picture = MeshPicture(
      Tested("a", {Live(Outcome::kPass), Live(Outcome::kFail, "wrong bytes"), Live(Outcome::kWarn)}));
  EXPECT_THAT(picture, HasSubstr("a rxe0/1 -&gt; b rxe1/1: failed, peer.send-1k: wrong bytes"));
  EXPECT_THAT(picture, HasSubstr("b rxe1/1 -&gt; a rxe0/1: not tested"));
  EXPECT_EQ(Count(picture, "class=\"self\""), 2U);
  EXPECT_EQ(Count(picture, "class=\"fail\""), 2U) << "the cell and the legend";
  EXPECT_EQ(Count(picture, "class=\"pass\""), 1U) << "the legend";
}

TEST(MeshPicture, ShowsATestBehindAFailureAsFailed) {
  Finding hidden = Live(Outcome::kNotApplicable, "not judged: peer.outlier fails on a");
  hidden.hidden_by = "peer.outlier";
  const std::string picture = MeshPicture(Tested("a", {Live(Outcome::kPass), hidden}));
  EXPECT_THAT(picture, HasSubstr("failed, peer.send-1k: not judged: peer.outlier fails on a"));
}

TEST(MeshPicture, EscapesAHostThatIsMarkup) {
  const std::string picture = MeshPicture(Tested("<script>alert(1)</script>", {Live(Outcome::kPass)}));
  EXPECT_THAT(picture, Not(HasSubstr("<script")));
  EXPECT_THAT(picture, HasSubstr("&lt;script&gt;"));
}

TEST(MeshPicture, LeavesOutSettingsThatWereComparedWithoutATest) {
  Finding settings = Live(Outcome::kFail);
  settings.rung = Rung::kHost;
  EXPECT_EQ(Count(MeshPicture(Tested("a", {settings, Live(Outcome::kPass)})), "class=\"fail\""), 1U);
}

TEST(MeshPicture, IsADocumentAlsoWithoutATest) {
  EXPECT_THAT(MeshPicture({.run_id = "r"}), HasSubstr("RDMA between 0 ports"));
}

TEST(MeshPicture, LeavesOutTheNamesOfPortsThatAreTooMany) {
  Report report{.run_id = "r"};
  for (int i = 0; i < 70; ++i)
    report.pairs.push_back({.from = "host" + std::to_string(i), .to = "b", .findings = {Live(Outcome::kPass)}});
  const std::string picture = MeshPicture(report);
  EXPECT_EQ(Count(picture, "class=\"port\""), 0U);
  EXPECT_THAT(picture, HasSubstr("host69 rxe0/1 -&gt; b rxe1/1: passed"))
      << "a pointer that rests still names them";
}

}  // namespace
}  // namespace rdmaready
