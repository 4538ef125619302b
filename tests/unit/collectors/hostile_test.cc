// SPDX-License-Identifier: Apache-2.0
// Every decoder against cut, stretched and flipped bytes: an error or a sane value, never a crash. The
// sanitizers see what a plain run does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "collectors/dcb/dcb.h"
#include "collectors/dcb/dcb_cee.h"
#include "collectors/lldp/lldp.h"
#include "collectors/net/addresses.h"
#include "collectors/net/links.h"
#include "collectors/net/neighbours.h"
#include "collectors/net/qdiscs.h"
#include "collectors/net/routing_rules.h"
#include "collectors/net/subnets.h"
#include "collectors/nic/devlink.h"
#include "collectors/nic/ethtool.h"
#include "collectors/nic/nic_statistics.h"
#include "collectors/rdma/holders.h"
#include "collectors/rdma/rdma_devices.h"
#include "collectors/rdma/resources.h"
#include "collectors/system/storage.h"
#include "tests/support/lldp_wire.h"
#include "tests/unit/collectors/nic/devlink_wire.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using wire::operator+;

struct Decoder {
  const char* name;
  wire::Bytes good;
  bool (*decode)(
      std::span<const std::byte>);  // true when it gave a value; fails the test when that is not sane
};

void ExpectSane(const Dcb& dcb) {
  if (dcb.ets) {
    for (const std::uint8_t tc : dcb.ets->prio_tc) EXPECT_LT(tc, kPriorities);
  }
  if (dcb.app) {
    for (const AppEntry& entry : *dcb.app) EXPECT_LT(entry.priority, kPriorities);
  }
}

const std::vector<Decoder>& Decoders() {
  using Span = std::span<const std::byte>;
  static const std::vector<Decoder> decoders = {
      {"ets", wire::Ets(), [](Span bytes) { return DecodeEts(bytes).ok(); }},
      {"pfc", wire::Pfc(), [](Span bytes) { return DecodePfc(bytes).ok(); }},
      {"app", wire::Attr(1, wire::App(5, 3, 26)), [](Span bytes) { return DecodeAppTable(bytes).ok(); }},
      {"trust", wire::U8(1, 5), [](Span bytes) { return DecodeAppTrust(bytes).ok(); }},
      {"dcbx", wire::Of(std::uint8_t{9}), [](Span bytes) { return DecodeDcbx(bytes).ok(); }},
      {"lldp", lldp_wire::FullFrame(), [](Span bytes) { return DecodeLldpFrame(bytes).ok(); }},
      {"dcb", wire::FullDcb("dcb0"),
       [](Span bytes) {
         const auto dcb = DecodeDcb(bytes, "dcb0");
         if (dcb.ok()) ExpectSane(*dcb);
         return dcb.ok();
       }},
      {"rule", wire::Rule(100, {.src_len = 32}, wire::Attr(FRA_SRC, wire::Of(std::uint32_t{7}))),
       [](Span bytes) { return DecodeRule(bytes).ok(); }},
      {"peer", wire::PeerDcb("dcb0"),
       [](Span bytes) {
         const auto dcb = DecodeDcb(bytes, "dcb0");
         return dcb.ok() && dcb->rewrite && dcb->peer.ets && dcb->peer.pfc && dcb->peer.app;
       }},
      {"cee", wire::FullCee("dcb0"),
       [](Span bytes) {
         const auto cee = DecodeCee(bytes, "dcb0");
         if (cee.ok()) {
           for (const std::uint8_t group : cee->prio_group) EXPECT_LE(group, 15);
           for (const std::uint8_t percent : cee->group_percent) EXPECT_LE(percent, 100);
         }
         return cee.ok();
       }},
      {"route", wire::Route(7), [](Span bytes) { return DecodeRoute(bytes).ok(); }},
      {"neighbour", wire::Neighbour(7, {10, 0, 0, 2}, NUD_STALE),
       [](Span bytes) { return DecodeNeighbour(bytes).ok(); }},
      {"device", wire::Device(3, "rxe0", "roce", 1, "1.2"),
       [](Span bytes) {
         const auto device = DecodeRdmaDevice(bytes);
         if (device.ok()) {
           EXPECT_EQ(device->name.find('/'), std::string::npos);
           EXPECT_LE(device->port_count, 255U);
         }
         return device.ok();
       }},
      {"port", wire::Port(3, "rxe0", 1, 7), [](Span bytes) { return DecodeRdmaPort(bytes).ok(); }},
      {"link",
       wire::VlanLink(8, "eth0.711", 711, wire::EgressRow(4, 3)) + wire::Parent(7) +
           wire::Attr(IFLA_ADDRESS, wire::Bytes(6)) + wire::U32(IFLA_LINK_NETNSID, 0),
       [](Span bytes) {
         const auto link = DecodeLink(bytes);
         if (link.ok()) {
           EXPECT_EQ(link->name.find('/'), std::string::npos);
           for (const VlanPriority& row : link->vlan_egress) EXPECT_LT(row.pcp, kPriorities);
         }
         return link.ok();
       }},
      {"bond", wire::BondLink(9, "bond0", 4), [](Span bytes) { return DecodeLink(bytes).ok(); }},
      {"buffer", wire::Buffer(),
       [](Span bytes) {
         const auto buffer = DecodeBuffer(bytes);
         if (buffer.ok()) {
           for (const std::uint8_t index : buffer->prio_buffer) EXPECT_LT(index, kPriorities);
         }
         return buffer.ok();
       }},
      {"maxrate", wire::MaxRates(), [](Span bytes) { return DecodeMaxRates(bytes).ok(); }},
      {"driver", wire::DriverInfo("mlx5_core", "16.35"),
       [](Span bytes) { return DecodeDriverInfo(bytes).ok(); }},
      {"pause", wire::PauseParameters(true, true), [](Span bytes) { return DecodePause(bytes).ok(); }},
      {"storm", wire::StormTimeout(100), [](Span bytes) { return DecodePfcStormTimeout(bytes).ok(); }},
      {"statistics", wire::StatisticsCount(2),
       [](Span bytes) {
         const auto count = DecodeStatisticsCount(bytes);
         if (count.ok()) {
           EXPECT_LE(*count, 65536U);
         }
         return count.ok();
       }},
      {"statistic names", wire::StatisticNames({"rx_prio3_pause", std::string(32, 'x')}),
       [](Span bytes) {
         const auto names = DecodeStatisticNames(bytes, 2);
         if (names.ok()) {
           EXPECT_EQ(names->size(), 2U);
           for (const std::string& name : *names) EXPECT_LE(name.size(), 32U);
         }
         return names.ok();
       }},
      {"statistic values", wire::StatisticValues({1, 2}),
       [](Span bytes) { return DecodeStatisticValues(bytes, 2).ok(); }},
      {"qdisc", wire::Qdisc(7, "mqprio", wire::MqprioOptions(1)),
       [](Span bytes) {
         const auto qdisc = DecodeQdisc(bytes);
         if (qdisc.ok() && qdisc->mqprio) {
           for (const std::uint8_t one : qdisc->mqprio->priority_class) EXPECT_LT(one, 16);
         }
         return qdisc.ok();
       }},
      {"devlink info", wire::DevlinkInfo("0000:3b:00.0"),
       [](Span bytes) { return DecodeDevlinkInfo(bytes).ok(); }},
      {"devlink parameter", wire::DevlinkFlag("0000:3b:00.0", "enable_roce", true),
       [](Span bytes) { return DecodeDevlinkParameter(bytes).ok(); }},
      {"devlink health", wire::DevlinkHealth("0000:3b:00.0", "fw", 1, 3),
       [](Span bytes) { return DecodeHealthReporter(bytes).ok(); }},
      {"eswitch", wire::DevlinkEswitch("0000:3b:00.0", 0),
       [](Span bytes) { return DecodeEswitchMode(bytes).ok(); }},
      {"resources", wire::Resources(3),
       [](Span bytes) { return DecodeResources(bytes, {.index = 3, .name = "rxe0"}).ok(); }},
      {"listeners",
       wire::CmIds(3, wire::CmId(445, wire::OfKernel("ksmbd")) + wire::CmId(7471, wire::OfProcess(42))),
       [](Span bytes) { return DecodeListeners(bytes, {.index = 3, .name = "rxe0"}).ok(); }},
      {"queue pairs",
       wire::QueuePairs(3, wire::QueuePair(1, 1, wire::OfKernel("ib_core")) +
                               wire::QueuePair(17, 2, wire::OfProcess(42))),
       [](Span bytes) { return DecodeQueuePairs(bytes, {.index = 3, .name = "rxe0"}).ok(); }},
      {"connections", wire::CmIds(3, wire::Connection(17, wire::OfKernel("nvme_rdma"))),
       [](Span bytes) { return DecodeConnections(bytes, {.index = 3, .name = "rxe0"}).ok(); }},
      {"protection domains", wire::Domains(3, wire::Domain(wire::OfProcess(42)) + wire::Domain({})),
       [](Span bytes) { return DecodeDomains(bytes, {.index = 3, .name = "rxe0"}).ok(); }},
      {"system", wire::U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1),
       [](Span bytes) { return DecodeNetnsShared(bytes).ok(); }},
      {"address", wire::Address4(7, {10, 0, 0, 1}, 24), [](Span bytes) { return DecodeAddress(bytes).ok(); }},
  };
  return decoders;
}

// In an allocation of exactly this size, so that the address sanitizer sees a read past the end.
bool DecodeExactly(const Decoder& decoder, std::span<const std::byte> bytes) {
  const auto copy = std::make_unique<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return decoder.decode({copy.get(), bytes.size()});
}

TEST(Hostile, TheGoodBytesAreGood) {
  for (const Decoder& decoder : Decoders()) EXPECT_TRUE(DecodeExactly(decoder, decoder.good)) << decoder.name;
}

TEST(Hostile, EveryPrefixIsAnErrorOrAWholeListOfAttributes) {
  for (const Decoder& decoder : Decoders()) {
    SCOPED_TRACE(decoder.name);
    for (std::size_t size = 0; size < decoder.good.size(); ++size) {
      DecodeExactly(decoder, std::span(decoder.good).first(size));
    }
  }
}

TEST(Hostile, ACutInsideAnAttributeIsAlwaysAnError) {
  const wire::Bytes good = wire::FullDcb("dcb0");
  const std::size_t ieee_begin = 4 + 12;         // dcbmsg, IFNAME
  const std::size_t ieee_end = good.size() - 8;  // DCBX
  for (std::size_t size = ieee_begin + 1; size < ieee_end; ++size) {
    EXPECT_FALSE(DecodeDcb(std::span(good).first(size), "dcb0").ok()) << size;
  }
}

TEST(Hostile, TrailingBytesDoNotCrash) {
  for (const Decoder& decoder : Decoders()) {
    SCOPED_TRACE(decoder.name);
    for (std::size_t extra = 1; extra < 9; ++extra) {
      for (const std::byte fill : {std::byte{0}, std::byte{0xff}}) {
        wire::Bytes bytes = decoder.good;
        bytes.resize(bytes.size() + extra, fill);
        DecodeExactly(decoder, bytes);
      }
    }
  }
}

TEST(Hostile, EveryByteFlippedToEveryValueDoesNotCrash) {
  for (const Decoder& decoder : Decoders()) {
    SCOPED_TRACE(decoder.name);
    wire::Bytes bytes = decoder.good;
    for (std::byte& byte : bytes) {
      const std::byte kept = byte;
      for (unsigned value = 0; value < 256; ++value) {
        byte = static_cast<std::byte>(value);
        DecodeExactly(decoder, bytes);
      }
      byte = kept;
    }
  }
}

TEST(Hostile, NoiseDoesNotCrash) {
  std::mt19937 random(20240601);
  for (const Decoder& decoder : Decoders()) {
    SCOPED_TRACE(decoder.name);
    for (int round = 0; round < 3000; ++round) {
      wire::Bytes bytes = decoder.good;
      for (int change = 0; change < 6 && !bytes.empty(); ++change) {
        bytes[random() % bytes.size()] = static_cast<std::byte>(random() & 0xffU);
      }
      bytes.resize(random() % (bytes.size() + 16));
      DecodeExactly(decoder, bytes);
    }
  }
}

}  // namespace
}  // namespace rdmaready
