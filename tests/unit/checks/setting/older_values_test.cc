// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/older_values.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(OlderValues, LoseTheSharesOfClassesThatAreNotEts) {
  EXPECT_EQ(TodaysValue(SettingKind::kEts,
                        "willing off tsa ets,vendor,strict,ets,strict,strict,strict,strict tx "
                        "40,100,100,60,0,0,0,100 prio 0,0,0,3,0,0,0,0"),
            "willing off tsa ets,vendor,strict,ets,strict,strict,strict,strict tx 40,0,0,60,0,0,0,0 prio "
            "0,0,0,3,0,0,0,0");
}

TEST(OlderValues, StayWhereTheyAreCanonicalOrNoValueAtAll) {
  const std::string today =
      "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 40,0,0,60,0,0,0,0 prio "
      "0,0,0,3,0,0,0,0";
  EXPECT_EQ(TodaysValue(SettingKind::kEts, today), today);
  EXPECT_EQ(TodaysValue(SettingKind::kEts, "willing off"), "willing off");
  EXPECT_EQ(TodaysValue(SettingKind::kEts, "a b c d,d e f,f,f g h"), "a b c d,d e f,f,f g h");
  EXPECT_EQ(TodaysValue(SettingKind::kPfc, "on 3 delay 0"), "on 3 delay 0");
}

}  // namespace
}  // namespace rdmaready
