// SPDX-License-Identifier: Apache-2.0
#include "api/model/fact.h"

#include <gtest/gtest.h>

#include <memory>
#include <variant>

namespace rdmaready {
namespace {

const Missing kDenied{.kind = Missing::Kind::kDenied,
                      .detail = "Operation not permitted, by a policy of the host"};

// Counts how many of it live.
struct Counted {
  explicit Counted(int* counter) : living(counter) { ++*living; }
  Counted(const Counted& other) : living(other.living) { ++*living; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --*living; }

  int* living;
};

TEST(Fact, HoldsItsValue) {
  const Fact<std::string> fact(std::string("a value that is too long for the string itself"));
  ASSERT_TRUE(fact);
  EXPECT_EQ(*fact, "a value that is too long for the string itself");
  EXPECT_EQ(fact->size(), 46U);
  EXPECT_THROW(static_cast<void>(fact.missing()), std::bad_variant_access);
}

TEST(Fact, HoldsTheReasonOfAGap) {
  const Fact<std::string> fact(kDenied);
  ASSERT_FALSE(fact);
  EXPECT_EQ(fact.missing(), kDenied);
  EXPECT_THROW(static_cast<void>(*fact), std::bad_variant_access);
  EXPECT_THROW(static_cast<void>(fact->size()), std::bad_variant_access);
}

TEST(Fact, AssignsEachOfValueAndGapOverEach) {
  const Fact<std::string> one(std::string("the first value, which is long enough"));
  const Fact<std::string> two(std::string("the second value, which is long enough"));
  for (const Fact<std::string>& before : {one, Fact<std::string>(kDenied)}) {
    for (const Fact<std::string>& after : {two, Fact<std::string>(Missing{})}) {
      Fact<std::string> copied = before;
      copied = after;
      EXPECT_EQ(copied, after);
      Fact<std::string> moved = before;
      Fact<std::string> from = after;
      moved = std::move(from);
      EXPECT_EQ(moved, after);
      EXPECT_EQ(static_cast<bool>(from), static_cast<bool>(after));
    }
  }
}

TEST(Fact, KeepsItsValueWhenItIsAssignedToItself) {
  Fact<std::string> fact(std::string("a value that is too long for the string itself"));
  const Fact<std::string>& same = fact;
  fact = same;
  EXPECT_EQ(*fact, "a value that is too long for the string itself");
}

TEST(Fact, ComparesValuesAndReasons) {
  EXPECT_EQ(Fact<int>(1), Fact<int>(1));
  EXPECT_NE(Fact<int>(1), Fact<int>(2));
  EXPECT_NE(Fact<int>(0), Fact<int>());
  EXPECT_EQ(Fact<int>(kDenied), Fact<int>(kDenied));
  EXPECT_NE(Fact<int>(kDenied), Fact<int>());
}

TEST(Fact, EmplacesADefaultValue) {
  Fact<std::vector<int>> fact(kDenied);
  fact.Emplace().push_back(7);
  EXPECT_EQ(*fact, std::vector<int>{7});
  EXPECT_TRUE(fact.Emplace().empty());
}

TEST(Fact, DestroysEachValueOnce) {
  int living = 0;
  {
    Fact<Counted> fact{Counted(&living)};
    Fact<Counted> copy = fact;
    EXPECT_EQ(living, 2);
    copy = fact;
    EXPECT_EQ(living, 2);
    copy = Missing{};
    EXPECT_EQ(living, 1);
    const Fact<Counted> moved = std::move(fact);
    EXPECT_EQ(living, 2);  // a copy: Counted does not move
  }
  EXPECT_EQ(living, 0);
}

TEST(Fact, KeepsItsValueWhenACopyThrows) {
  struct Thrower {
    Thrower() = default;
    Thrower(const Thrower&) { throw 1; }
    Thrower(Thrower&&) noexcept = default;
    Thrower& operator=(const Thrower&) = default;
    Thrower& operator=(Thrower&&) noexcept = default;
  };
  const Fact<Thrower> thrower{Thrower{}};
  Fact<Thrower> fact(kDenied);
  EXPECT_THROW(fact = thrower, int);
  EXPECT_EQ(fact.missing(), kDenied);
}

}  // namespace
}  // namespace rdmaready
