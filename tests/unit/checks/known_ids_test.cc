// SPDX-License-Identifier: Apache-2.0
#include "checks/known_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rdmaready {
namespace {

using testing::Contains;

std::string Why(const std::string& check) { return WhyForNoCheck({.check = check}); }

TEST(KnownIds, HoldEachIdOnce) {
  const std::vector<std::string>& ids = KnownIds();
  for (const char* id :
       {"pfc.lossless-priority", "agree.mtu", "host.waivers", "peer.write-512k", "server.smbd-minimum"})
    EXPECT_THAT(ids, Contains(id));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(WhyForNoCheck, IsEmptyForAnIdOrAPatternOfTheCatalogue) {
  for (const char* check :
       {"pfc.lossless-priority", "pfc.*", "*", "peer.*", "server.smbd-minimum", "loopback.send-1?"})
    EXPECT_EQ(Why(check), "") << check;
}

TEST(WhyForNoCheck, NamesTheIdThatIsNear) {
  EXPECT_EQ(Why("pfc.losless-priority"),
            "no check has the id `pfc.losless-priority` (did you mean `pfc.lossless-priority`?)");
  EXPECT_EQ(Why("lossless-priority"),
            "no check has the id `lossless-priority` (did you mean `pfc.lossless-priority`?)");
}

TEST(WhyForNoCheck, GuessesNothingThatIsFar) {
  EXPECT_EQ(Why("zebra.stripes"), "no check has the id `zebra.stripes`");
  EXPECT_EQ(Why(std::string(256, 'x')), "no check has the id `" + std::string(256, 'x') + "`");
  EXPECT_EQ(Why("zebra.*"), "no check has an id like `zebra.*`");
}

}  // namespace
}  // namespace rdmaready
