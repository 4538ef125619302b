// SPDX-License-Identifier: Apache-2.0
#include "api/client/caller_judge.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "api/base/small_file.h"
#include "tests/support/made_pki.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string TextOf(const std::string& path) { return *ReadSmallFile(path, 1 << 20); }

TEST(CallerJudge, GoesByTheCaThatItsFileHoldsNow) {
  MadePki first("first");
  MadePki second("second");
  const std::string of_first = TextOf(first.Identity("anna", {}).certificate);
  const std::string of_second = TextOf(second.Identity("berta", {}).certificate);
  const std::string file = first.Path("trusted.pem");
  first.Write("trusted.pem", TextOf(first.Path("ca.pem")));
  CallerJudge judge({.ca = file}, {}, {});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(judge.WhyRefused(of_first, ""), IsEmpty());
    EXPECT_THAT(judge.WhyRefused(of_second, ""), HasSubstr("is not signed by a CA that is trusted here"));
  }
  first.Write("trusted.pem", TextOf(second.Path("ca.pem")));
  EXPECT_THAT(judge.WhyRefused(of_second, ""), IsEmpty());
  EXPECT_THAT(judge.WhyRefused(of_first, ""), HasSubstr("is not signed by a CA that is trusted here"));
  first.Write("trusted.pem", "no certificate at all");
  EXPECT_THAT(judge.WhyRefused(of_second, ""), StartsWith("--tls-ca " + file));
  std::filesystem::remove(file);
  EXPECT_THAT(judge.WhyRefused(of_second, ""), HasSubstr("trusted.pem"));
  first.Write("trusted.pem", TextOf(second.Path("ca.pem")));
  EXPECT_THAT(judge.WhyRefused(of_second, ""), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
