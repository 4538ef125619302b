// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/release.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "hub/ingest/unpack.h"
#include "rdmaready/v1/facts.pb.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::sim {
namespace {

constexpr Release kOlder{0, 0, 9};
constexpr Release kNewer{9'999, 0, 0};

int FieldsOfLater(const report::HostState& state) {
  const auto plain = hub::Unpack(state.facts_zlib, state.facts_bytes);
  v1::Facts message;
  EXPECT_TRUE(plain.ok() && message.ParseFromString(*plain));
  return v1::Facts::GetReflection()->GetUnknownFields(message).field_count();
}

TEST(Release, IsThreeNumbersAndThoseAreInOrder) {
  EXPECT_EQ(ParseRelease("1.22.333"), (Release{1, 22, 333}));
  EXPECT_LT(*ParseRelease("0.9.9"), *ParseRelease("0.10.0"));
  EXPECT_LT(kOlder, ThisRelease());
  EXPECT_GT(kNewer, ThisRelease());
  for (const char* wrong : {"", "1", "1.2", "1.2.", "1.2.3.4", "v1.2.3", "1.2.4294967296"})
    EXPECT_EQ(ParseRelease(wrong), std::nullopt) << wrong;
}

TEST(Release, OfOneHostEachHasADigestOfItsOwn) {
  const auto older = *StateBy(kOlder, GoodHost()), own = *StateBy(ThisRelease(), GoodHost()),
             newer = *StateBy(kNewer, GoodHost());
  EXPECT_NE(older->digest, own->digest);
  EXPECT_NE(newer->digest, own->digest);
  EXPECT_NE(newer->digest, older->digest);
}

TEST(Release, OnlyALaterOneKnowsMoreOfTheHost) {
  EXPECT_EQ(FieldsOfLater(**StateBy(kOlder, GoodHost())), 0);
  EXPECT_EQ(FieldsOfLater(**StateBy(ThisRelease(), GoodHost())), 0);
  EXPECT_EQ(FieldsOfLater(**StateBy(kNewer, GoodHost())), 1);
  EXPECT_FALSE(v1::Facts::descriptor()->FindFieldByNumber(kFieldOfLater)) << "it is no later one then";
}

TEST(Release, AnOlderOneTellsNothingOfLiveTests) {
  EXPECT_FALSE(TellsPast(kOlder));
  EXPECT_TRUE(TellsPast(ThisRelease()));
  EXPECT_TRUE(TellsPast(kNewer));
}

}  // namespace
}  // namespace rdmaready::sim
