// SPDX-License-Identifier: Apache-2.0
#include "api/base/status.h"

#include <gtest/gtest.h>

#include <variant>

namespace rdmaready {
namespace {

TEST(Status, SaysActionObjectAndTheKernelsWordsOnce) {
  EXPECT_EQ(Message(ErrnoStatus(EOPNOTSUPP, "set PFC on ens1f0")),
            "set PFC on ens1f0: Operation not supported");
}

TEST(Status, MakesTheGapThatAnErrorMeans) {
  EXPECT_EQ(MissingFrom(ErrnoStatus(EACCES, "x")).kind, Missing::Kind::kDenied);
  EXPECT_EQ(MissingFrom(ErrnoStatus(EOPNOTSUPP, "x")).kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(MissingFrom(ErrnoStatus(EIO, "x")).kind, Missing::Kind::kFailed);
  EXPECT_EQ(MissingFrom(NotCollected("x")), (Missing{Missing::Kind::kNotCollected, "x"}));
}

TEST(Status, NoErrorOfTheKernelLooksLikeAQuestionThatNobodyAsked) {
  for (int number = 1; number < 200; ++number) {
    EXPECT_NE(MissingFrom(ErrnoStatus(number, "x")).kind, Missing::Kind::kNotCollected) << number;
  }
}

TEST(Fact, IsUnknownUntilItIsTold) {
  const Fact<int> fact;
  EXPECT_FALSE(fact);
  EXPECT_EQ(fact.missing().kind, Missing::Kind::kNotCollected);
  EXPECT_THROW(static_cast<void>(*fact), std::bad_variant_access);
}

}  // namespace
}  // namespace rdmaready
