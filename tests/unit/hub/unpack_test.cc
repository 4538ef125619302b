// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/unpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <string>
#include <vector>

#include "agent/report/pack_state.h"
#include "api/base/status.h"
#include "api/convert/digest.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::hub {
namespace {

using testing::HasSubstr;

std::string Packed(const std::string& plain) {
  ::uLongf size = ::compressBound(plain.size());
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
             plain.size());
  packed.resize(size);
  return packed;
}

TEST(Unpack, WhatAnAgentPacksIsReadAsItWas) {
  const Facts facts = GoodHost();
  const auto state = report::PackState(facts, std::string(64, 'a'), 1);
  ASSERT_TRUE(state.ok()) << state.status();
  const auto read = ReadFacts((*state)->facts_zlib, (*state)->facts_bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(DigestedText(*read), DigestedText(facts));
}

TEST(Unpack, ABombIsRefusedBeforeItIsUnpacked) {
  // 4 GiB of zeros take 4 MB of zlib; what travels is bounded, and what is announced, and what comes out.
  EXPECT_THAT(std::string(Unpack(std::string(kMostPackedBytes + 1, 'x'), 100).status().message()),
              HasSubstr("are taken"));
  EXPECT_THAT(std::string(Unpack("x", std::uint64_t{4} << 30).status().message()), HasSubstr("unpacked"));
  const std::string bomb = Packed(std::string(std::size_t{64} << 20, '\0'));
  ASSERT_LT(bomb.size(), kMostPackedBytes);
  for (const std::uint64_t announced : {std::uint64_t{1}, std::uint64_t{kMostPlainBytes}})
    EXPECT_THAT(std::string(Unpack(bomb, announced).status().message()), HasSubstr("do not unpack"))
        << announced;
}

TEST(Unpack, TellsWhatIsCutOrHasMoreBehindIt) {
  const std::string packed = Packed("some facts");
  EXPECT_EQ(*Unpack(packed, 10), "some facts");
  EXPECT_FALSE(Unpack(packed, 9).ok());
  EXPECT_FALSE(Unpack(packed, 11).ok());
  EXPECT_FALSE(Unpack(packed.substr(0, packed.size() - 1), 10).ok());
  EXPECT_FALSE(Unpack(packed + "more", 10).ok());
  EXPECT_FALSE(Unpack("", 1).ok());
  EXPECT_FALSE(Unpack(packed, 0).ok());
}

TEST(Unpack, WhatIsNoMessageIsNoFacts) {
  const std::string plain(100, '\xff');
  EXPECT_FALSE(ReadFacts(Packed(plain), plain.size()).ok());
}

// The error of facts whose first port is changed so.
std::string WhyNotRead(const std::function<void(Port&)>& change) {
  Facts facts = GoodHost();
  std::vector<Port> ports = *facts.ports;
  change(ports.front());
  facts.ports = ports;
  const auto state = report::PackState(facts, std::string(64, 'a'), 1);
  EXPECT_TRUE(state.ok()) << state.status();
  const auto read = ReadFacts((*state)->facts_zlib, (*state)->facts_bytes);
  return read.ok() ? "" : Message(read.status());
}

TEST(Unpack, NamesThatNoKernelGivesAreNotTaken) {
  const std::string longest(kMostDeviceNameBytes, 'x');
  const std::string longer = longest + "x";
  constexpr const char* kTooLong = "facts of a port with a name of 256 bytes, 255 are taken";
  const auto netdev = [](Port& port, auto change) {
    Netdev named = *port.netdev;
    change(named);
    port.netdev = named;
  };
  const auto lower = [](Port& port, const std::string& name) {
    std::vector<Netdev> lowers(2);
    lowers.back().name = name;
    port.lowers = lowers;
  };
  EXPECT_EQ(WhyNotRead([&](Port& port) { port.device = longer; }), kTooLong);
  EXPECT_EQ(WhyNotRead([&](Port& port) { netdev(port, [&](Netdev& named) { named.name = longer; }); }),
            kTooLong);
  EXPECT_EQ(WhyNotRead([&](Port& port) { netdev(port, [&](Netdev& named) { named.master = longer; }); }),
            kTooLong);
  EXPECT_EQ(WhyNotRead([&](Port& port) { lower(port, longer); }), kTooLong);
  EXPECT_EQ(WhyNotRead([&](Port& port) {
              port.device = longest;
              netdev(port, [&](Netdev& named) { named.name = named.master = longest; });
              lower(port, longest);
            }),
            "");
}

}  // namespace
}  // namespace rdmaready::hub
