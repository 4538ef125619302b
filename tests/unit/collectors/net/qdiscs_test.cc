// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/qdiscs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Qdisc, MqprioMapsPrioritiesToClasses) {
  const auto qdisc = DecodeQdisc(wire::Qdisc(7, "mqprio", wire::MqprioOptions(1)));
  ASSERT_TRUE(qdisc.ok()) << qdisc.status();
  EXPECT_EQ(qdisc->ifindex, 7U);
  EXPECT_TRUE(qdisc->root);
  ASSERT_TRUE(qdisc->mqprio);
  EXPECT_EQ(qdisc->mqprio->traffic_classes, 4);
  EXPECT_THAT(qdisc->mqprio->priority_class, ElementsAre(0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_TRUE(qdisc->mqprio->offloaded);
  EXPECT_FALSE(DecodeQdisc(wire::Qdisc(7, "mqprio", wire::MqprioOptions(0)))->mqprio->offloaded);
}

TEST(Qdisc, MqprioWithoutItsOptionsOrWithImpossibleOnesIsAnError) {
  wire::Bytes options = wire::MqprioOptions(1);
  options.resize(81);
  EXPECT_THAT(Message(DecodeQdisc(wire::Qdisc(7, "mqprio", options)).status()), HasSubstr("shorter"));
  EXPECT_FALSE(DecodeQdisc(wire::Qdisc(7, "mqprio")).ok());
  options = wire::MqprioOptions(1);
  options[1] = std::byte{16};
  EXPECT_EQ(Message(DecodeQdisc(wire::Qdisc(7, "mqprio", options)).status()),
            "decode mqprio: a priority in class 16");
  options[0] = std::byte{17};
  EXPECT_EQ(Message(DecodeQdisc(wire::Qdisc(7, "mqprio", options)).status()), "decode mqprio: 17 classes");
}

TEST(RootQdiscs, AreFoundAmongAllByOneQuestion) {
  FakeHost host;
  host.Answer(wire::QdiscsRequest(),
              wire::Each({wire::Qdisc(1, "noqueue"), wire::Qdisc(7, "mqprio", wire::MqprioOptions(1)),
                          wire::Qdisc(7, "fq_codel", {}, 0x80010001), wire::Qdisc(8, "mq"),
                          wire::Qdisc(8, "ingress", {}, 0xfffffff1)}));
  const Fact<RootQdiscs> qdiscs = ReadRootQdiscs(host);
  ASSERT_TRUE(qdiscs) << qdiscs.missing().detail;
  EXPECT_EQ(host.asked.size(), 1U);
  EXPECT_EQ(MqprioOf(qdiscs, 7)->traffic_classes, 4);
  EXPECT_EQ(MqprioOf(qdiscs, 8).missing(),
            (Missing{Missing::Kind::kUnsupported, "the queueing discipline is mq"}));
  EXPECT_EQ(MqprioOf(qdiscs, 9).missing(), (Missing{Missing::Kind::kUnsupported, "no queueing discipline"}));
}

TEST(RootQdiscs, ThatCannotBeReadLeaveMqprioUnknown) {
  FakeHost host;
  host.Answer(wire::QdiscsRequest(), ErrnoStatus(EPERM, "list"));
  EXPECT_EQ(MqprioOf(ReadRootQdiscs(host), 7).missing().kind, Missing::Kind::kDenied);
  host.Answer(wire::QdiscsRequest(), wire::One(wire::Bytes(3)));
  EXPECT_EQ(MqprioOf(ReadRootQdiscs(host), 7).missing().kind, Missing::Kind::kFailed);
}

}  // namespace
}  // namespace rdmaready
