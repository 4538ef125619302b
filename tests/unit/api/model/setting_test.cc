// SPDX-License-Identifier: Apache-2.0
// A value and its text are the same thing: each reader takes what its writer makes, and nothing else.
#include "api/model/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

namespace rdmaready {
namespace {

constexpr unsigned kValues = 3000;
constexpr unsigned kMutations = 40;  // of each value

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::uint64_t Below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(engine_);
  }
  bool Flip() { return Below(2) == 0; }
  // Small numbers, powers of two and anything.
  template <class Number>
  Number Any() {
    const std::uint64_t all = engine_();
    return static_cast<Number>(Flip() ? all % 10 : Flip() ? all : std::uint64_t{1} << all % 64);
  }

 private:
  std::mt19937_64 engine_;
};

template <class Value>
std::array<Value, kPriorities> EightOf(const std::function<Value()>& make) {
  std::array<Value, kPriorities> values{};
  for (Value& value : values) value = make();
  return values;
}

Dcbx AnyDcbx(Dice& dice) {
  return {.host = dice.Flip(),
          .lld_managed = dice.Flip(),
          .cee = dice.Flip(),
          .ieee = dice.Flip(),
          .static_mode = dice.Flip()};
}

EtsSetting AnyEts(Dice& dice) {
  constexpr std::array<Tsa, 4> kAll{Tsa::kStrict, Tsa::kCbShaper, Tsa::kEts, Tsa::kVendor};
  EtsSetting ets{.willing = dice.Flip(),
                 .tsa = EightOf<Tsa>([&] { return kAll[dice.Below(4)]; }),
                 .tx_percent = EightOf<std::uint8_t>([&] { return dice.Any<std::uint8_t>(); }),
                 .prio_tc = EightOf<std::uint8_t>([&] { return static_cast<std::uint8_t>(dice.Below(8)); })};
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (ets.tsa[tc] != Tsa::kEts) ets.tx_percent[tc] = 0;
  }
  return ets;
}

PfcSetting AnyPfc(Dice& dice) {
  return {.enabled = dice.Any<std::uint8_t>(), .delay = dice.Any<std::uint16_t>()};
}

BufferSetting AnyBuffer(Dice& dice) {
  return {.prio_buffer = EightOf<std::uint8_t>([&] { return static_cast<std::uint8_t>(dice.Below(8)); }),
          .size_bytes = EightOf<std::uint32_t>([&] { return dice.Any<std::uint32_t>(); })};
}

MaxRatesKbps AnyRates(Dice& dice) {
  return EightOf<std::uint64_t>([&] { return dice.Any<std::uint64_t>(); });
}

constexpr std::array<AppSelector, 6> kSelectors{AppSelector::kEthertype, AppSelector::kStream,
                                                AppSelector::kDgram,     AppSelector::kAny,
                                                AppSelector::kDscp,      AppSelector::kPcp};

// In any order, some of them twice.
std::vector<AppEntry> AnyRows(Dice& dice) {
  std::vector<AppEntry> rows(dice.Below(9));
  for (AppEntry& row : rows) {
    row = {kSelectors[dice.Below(6)], static_cast<std::uint8_t>(dice.Below(8)), dice.Any<std::uint16_t>()};
  }
  if (rows.size() > 2 && dice.Flip()) rows.back() = rows.front();
  return rows;
}

std::vector<AppSelector> AnyOrder(Dice& dice) {
  std::vector<AppSelector> order;
  for (std::uint64_t i = dice.Below(7); i > 0; --i) {
    const AppSelector one = kSelectors[dice.Below(6)];
    if (std::ranges::find(order, one) == order.end()) order.push_back(one);
  }
  return order;
}

Pause AnyPause(Dice& dice) { return {.autoneg = dice.Flip(), .rx = dice.Flip(), .tx = dice.Flip()}; }

// Each priority once.
std::vector<VlanPriority> AnyEgress(Dice& dice) {
  std::vector<VlanPriority> map;
  for (std::uint64_t i = dice.Below(9); i > 0; --i) {
    const auto from = dice.Any<std::uint32_t>();
    if (std::ranges::find(map, from, &VlanPriority::from) == map.end())
      map.push_back({from, static_cast<std::uint8_t>(dice.Below(8))});
  }
  return map;
}

// One octet is another one, is gone, or is there besides; or two words changed places.
std::string Mutated(std::string text, Dice& dice) {
  constexpr std::string_view kOctets = "0123456789 ,:onfdelay-+empty\n\0x";
  const char octet = kOctets[dice.Below(kOctets.size())];
  const std::size_t at = dice.Below(text.size());
  switch (dice.Below(4)) {
    case 0:
      text[at] = octet;
      break;
    case 1:
      text.erase(at, 1);
      break;
    case 2:
      text.insert(at, 1, octet);
      break;
    default:
      std::swap(text[at], text[dice.Below(text.size())]);
  }
  return text;
}

// `normal` is the value that the text of `value` stands for: sorted, each row once.
template <class Value, class Make, class Read, class Normal>
void ExpectRoundTrips(SettingKind kind, Make make, Read read, Normal normal) {
  Dice dice(static_cast<unsigned>(kind));
  std::set<std::string> texts;
  for (unsigned i = 0; i < kValues; ++i) {
    const Value value = make(dice);
    const std::string text = Text(value);
    ASSERT_TRUE(IsCanonical(kind, text)) << text;
    ASSERT_EQ(read(text), std::optional<Value>(normal(value))) << text;
    texts.insert(text);
    for (unsigned k = 0; k < kMutations; ++k) {
      const std::string other = Mutated(text, dice);
      const std::optional<Value> meant = read(other);
      ASSERT_EQ(meant.has_value(), IsCanonical(kind, other)) << other;
      // What is taken at all is the only text of what it means.
      if (meant) {
        ASSERT_EQ(Text(*meant), other);
      }
    }
  }
  EXPECT_GT(texts.size(), 7U);
}

template <class Value, class Make, class Read>
void ExpectRoundTrips(SettingKind kind, Make make, Read read) {
  ExpectRoundTrips<Value>(kind, make, read, [](const Value& value) { return value; });
}

TEST(SettingText, OfDcbx) { ExpectRoundTrips<Dcbx>(SettingKind::kDcbx, AnyDcbx, DcbxOf); }
TEST(SettingText, OfEts) { ExpectRoundTrips<EtsSetting>(SettingKind::kEts, AnyEts, EtsSettingOf); }
TEST(SettingText, OfPfc) { ExpectRoundTrips<PfcSetting>(SettingKind::kPfc, AnyPfc, PfcSettingOf); }
TEST(SettingText, OfBuffers) {
  ExpectRoundTrips<BufferSetting>(SettingKind::kBuffer, AnyBuffer, BufferSettingOf);
}
TEST(SettingText, OfRates) { ExpectRoundTrips<MaxRatesKbps>(SettingKind::kMaxRate, AnyRates, MaxRatesOf); }
TEST(SettingText, OfPause) { ExpectRoundTrips<Pause>(SettingKind::kPause, AnyPause, PauseOf); }
TEST(SettingText, OfTheTrustOrder) {
  ExpectRoundTrips<std::vector<AppSelector>>(SettingKind::kTrust, AnyOrder, TrustOrderOf);
}

TEST(SettingText, OfAppRowsIsSortedAndHasEachOnce) {
  ExpectRoundTrips<std::vector<AppEntry>>(SettingKind::kApp, AnyRows, AppRowsOf,
                                          [](std::vector<AppEntry> rows) {
                                            const auto key = [](const AppEntry& row) {
                                              return std::tuple(row.selector, row.protocol, row.priority);
                                            };
                                            std::ranges::sort(rows, {}, key);
                                            rows.erase(std::ranges::unique(rows).begin(), rows.end());
                                            return rows;
                                          });
}

TEST(SettingText, OfAnEgressMapLeavesOutWhatSaysNothing) {
  ExpectRoundTrips<std::vector<VlanPriority>>(
      SettingKind::kVlanEgress, AnyEgress, VlanEgressOf, [](std::vector<VlanPriority> map) {
        std::erase_if(map, [](const VlanPriority& pair) { return pair.pcp == 0; });
        std::ranges::sort(map, {}, &VlanPriority::from);
        return map;
      });
}

TEST(SettingText, OfTheCmMode) {
  EXPECT_EQ(CmModeOf(Text(GidType::kRoceV2)), GidType::kRoceV2);
  EXPECT_EQ(CmModeOf(Text(GidType::kRoceV1)), GidType::kRoceV1);
  EXPECT_EQ(Text(GidType::kIb), Text(GidType::kRoceV1));
  EXPECT_FALSE(CmModeOf(Text(GidType::kUnknown)));
  for (const std::string_view other : {"", "RoCE v1", "roce v2", "RoCE v2\n"})
    EXPECT_FALSE(CmModeOf(other)) << other;
}

// mlx5 shows 100 for a class that is not ETS, whatever was written.
TEST(SettingText, LeavesOutTheSharesOfClassesThatAreNotEts) {
  EtsSetting ets;
  ets.tsa = {Tsa::kEts, Tsa::kVendor, Tsa::kStrict, Tsa::kEts, Tsa::kCbShaper};
  ets.tx_percent = {40, 100, 100, 60, 100, 100, 100, 100};
  const std::string text = Text(ets);
  EXPECT_NE(text.find(" tx 40,0,0,60,0,0,0,0 "), std::string::npos) << text;
  EXPECT_TRUE(IsCanonical(SettingKind::kEts, text));
  EXPECT_FALSE(IsCanonical(SettingKind::kEts,
                           "willing off tsa ets,vendor,strict,ets,strict,strict,strict,strict tx "
                           "40,100,0,60,0,0,0,0 prio 0,0,0,3,0,0,0,0"));
}

TEST(SettingText, OfWhatIsNoValueIsNotCanonical) {
  EtsSetting ets;
  ets.tsa[1] = static_cast<Tsa>(7);
  EXPECT_FALSE(IsCanonical(SettingKind::kEts, Text(ets)));
  EXPECT_FALSE(IsCanonical(SettingKind::kApp, Text(std::vector<AppEntry>{{AppSelector::kNone, 3, 26}})));
  EXPECT_FALSE(IsCanonical(SettingKind::kApp, Text(std::vector<AppEntry>{{AppSelector::kDscp, 8, 26}})));
  EXPECT_FALSE(IsCanonical(SettingKind::kVlanEgress, Text(std::vector<VlanPriority>{{2, 3}, {2, 4}})));
  EXPECT_FALSE(IsCanonical(SettingKind::kTrust, "dscp dscp"));
  EXPECT_FALSE(IsCanonical(SettingKind::kUnknown, "0"));
}

TEST(SettingText, OfANumberHasNoOtherForm) {
  for (const SettingKind kind :
       {SettingKind::kMtu, SettingKind::kSysctl, SettingKind::kCmTos, SettingKind::kDevlinkParameter}) {
    EXPECT_TRUE(IsCanonical(kind, "0"));
    EXPECT_TRUE(IsCanonical(kind, "106"));
    for (const std::string_view other : {"", " 1", "1 ", "01", "+1", "-1", "0x1", "1e3", "4294967296", "1\n"})
      EXPECT_FALSE(IsCanonical(kind, other)) << NameOf(kind) << ": " << other;
  }
  EXPECT_TRUE(IsCanonical(SettingKind::kMtu, "4294967295"));
  EXPECT_FALSE(IsCanonical(SettingKind::kCmTos, "256"));
  EXPECT_TRUE(IsCanonical(SettingKind::kDevlinkParameter, "false"));
  EXPECT_FALSE(IsCanonical(SettingKind::kDevlinkParameter, "on"));
  EXPECT_TRUE(IsCanonical(SettingKind::kPrivateFlag, "off"));
  EXPECT_FALSE(IsCanonical(SettingKind::kPrivateFlag, "true"));
}

TEST(SettingKinds, HaveNamesThatLeadBack) {
  std::set<std::string_view> names;
  for (const SettingKind kind : kSettingKinds) {
    EXPECT_EQ(SettingKindNamed(NameOf(kind)), kind);
    names.insert(NameOf(kind));
  }
  EXPECT_EQ(names.size(), kSettingKinds.size());
  EXPECT_EQ(SettingKindNamed("unknown"), SettingKind::kUnknown);
  EXPECT_EQ(SettingKindNamed("PFC"), SettingKind::kUnknown);
}

TEST(SettingObjects, AreNamedAsAPersonWould) {
  EXPECT_EQ(TextOf(SettingObject{SettingKind::kPfc, "dcb0", ""}), "pfc of dcb0");
  EXPECT_EQ(TextOf(SettingObject{SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"}),
            "sysctl net.ipv4.conf.all.arp_ignore");
  EXPECT_EQ(TextOf(SettingObject{SettingKind::kPrivateFlag, "ens1f0", "fw-lldp-agent"}),
            "private-flag fw-lldp-agent of ens1f0");
}

}  // namespace
}  // namespace rdmaready
