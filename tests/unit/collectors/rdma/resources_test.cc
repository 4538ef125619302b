// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using wire::operator+;

const RdmaDevice kResourcesDevice{.index = 3, .name = "rxe0"};

wire::Bytes Rows(std::vector<const char*> names) {
  wire::Bytes rows;
  for (const char* name : names) rows = rows + wire::ResourceRow(name, 1);
  return rows;
}

TEST(Resources, AreCountedByKind) {
  const auto resources = DecodeResources(wire::Resources(3), kResourcesDevice);
  ASSERT_TRUE(resources.ok()) << resources.status();
  EXPECT_EQ(*resources, (RdmaResources{.qp = 3, .cq = 5, .mr = 1, .pd = 4, .cm_id = 2, .ctx = 6}));
}

TEST(Resources, OldKernelsDoNotCountContexts) {
  EXPECT_TRUE(
      DecodeResources(wire::Resources(3, Rows({"pd", "cq", "qp", "cm_id", "mr"})), kResourcesDevice).ok());
}

TEST(Resources, AKindThatIsNotToldIsNoZero) {
  EXPECT_THAT(
      Message(
          DecodeResources(wire::Resources(3, Rows({"pd", "cq", "cm_id", "mr"})), kResourcesDevice).status()),
      HasSubstr("no number of qp"));
}

TEST(Resources, OfAnotherDeviceAreAnError) {
  EXPECT_FALSE(DecodeResources(wire::Resources(4), kResourcesDevice).ok());
  EXPECT_FALSE(DecodeResources(wire::U32(1, 3), kResourcesDevice).ok());
}

TEST(Resources, ThatTheKernelDoesNotTellAreAGapWithItsWords) {
  FakeHost host;
  host.Answer(wire::ResourcesRequest(3), ErrnoStatus(EOPNOTSUPP, "ask RDMA netlink command 9"));
  EXPECT_EQ(ReadResources(host, kResourcesDevice).missing(),
            (Missing{Missing::Kind::kUnsupported, "ask RDMA netlink command 9: Operation not supported"}));
  host.Answer(wire::ResourcesRequest(3), wire::One(wire::Resources(3)));
  EXPECT_EQ(ReadResources(host, kResourcesDevice)->qp, 3U);
}

TEST(Namespaces, AreSharedOrNot) {
  EXPECT_TRUE(*DecodeNetnsShared(wire::U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1)));
  EXPECT_FALSE(*DecodeNetnsShared(wire::U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 0)));
  EXPECT_FALSE(DecodeNetnsShared(wire::U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 2)).ok());
  EXPECT_FALSE(DecodeNetnsShared({}).ok());
}

TEST(Namespaces, OnAKernelThatDoesNotKnowTheQuestionAreAGap) {
  FakeHost host;
  host.Answer(wire::SystemRequest(), ErrnoStatus(EOPNOTSUPP, "ask RDMA netlink command 6"));
  EXPECT_EQ(ReadNetnsShared(host).missing().kind, Missing::Kind::kUnsupported);
}

}  // namespace
}  // namespace rdmaready
