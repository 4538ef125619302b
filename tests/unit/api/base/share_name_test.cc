// SPDX-License-Identifier: Apache-2.0
#include "api/base/share_name.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmaready {
namespace {

TEST(ShareName, IsOneNameWithoutAPathOrAnOption) {
  for (const char* name : {"data", "C$", "my share", "d\xc3\xa4ta"}) EXPECT_TRUE(IsShareName(name)) << name;
  for (const char* name :
       {"", "a/b", "a\\b", "a,user=root", "a\n", "a\x7f", "a:b", "a*", "a?", "<a", "a>", "a|b", "\"a"})
    EXPECT_FALSE(IsShareName(name)) << name;
  EXPECT_TRUE(IsShareName(std::string(80, 'a')));
  EXPECT_FALSE(IsShareName(std::string(81, 'a')));
}

}  // namespace
}  // namespace rdmaready
