// SPDX-License-Identifier: Apache-2.0
// `dcb app`, typed into drivers as those of Linux 6.12 behave: whatever the tables, the result is what was
// asked for, and no command is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using Rows = std::vector<AppEntry>;

bool HasRow(const Rows& rows, const AppEntry& row) { return std::ranges::find(rows, row) != rows.end(); }
bool OfOneProtocol(const AppEntry& a, const AppEntry& b) {
  return a.selector == b.selector && a.protocol == b.protocol;
}
bool OfDscp(const AppEntry& row) { return row.selector == AppSelector::kDscp; }

// What dcbnl tells, and what the NIC makes of DSCPs.
class TypedDriver {
 public:
  TypedDriver(std::string_view name, const Rows& rows) : name_(name) {
    for (const AppEntry& row : rows) EXPECT_TRUE(Add(row));
    left_dscp_mode = false;
  }

  bool Add(const AppEntry& row) {
    const auto same = [&row](const AppEntry& one) { return OfOneProtocol(one, row); };
    if (HasRow(rows_, row)) return false;  // EEXIST
    if (name_ == "ice" && std::ranges::any_of(rows_, same)) return false;
    if (name_ == "mlx5_core") std::erase_if(rows_, same);
    rows_.push_back(row);
    if (OfDscp(row)) nic_[row.protocol] = row.priority;
    return true;
  }

  bool Delete(const AppEntry& row) {
    if (!HasRow(rows_, row)) return false;  // ENOENT
    std::erase(rows_, row);
    if (OfDscp(row)) nic_.erase(row.protocol);  // of bnxt also where another row stands
    if (OfDscp(row) && std::ranges::none_of(rows_, OfDscp)) left_dscp_mode = true;
    return true;
  }

  const Rows& rows() const { return rows_; }
  // By the book the last row that was added counts; nothing where rows contradict one another.
  bool NicAgrees() const {
    return std::ranges::all_of(rows_, [this](const AppEntry& row) {
      return !OfDscp(row) ||
             std::ranges::count_if(rows_, [&](const AppEntry& one) { return OfOneProtocol(one, row); }) > 1 ||
             (nic_.contains(row.protocol) && nic_.at(row.protocol) == row.priority);
    });
  }
  bool left_dscp_mode = false;

 private:
  std::string_view name_;
  Rows rows_{};
  std::map<std::uint16_t, std::uint8_t> nic_{};
};

AppSelector SelectorOf(std::string_view keyword) {
  constexpr std::array<std::pair<std::string_view, AppSelector>, 7> kKeywords{
      {{"default-prio", AppSelector::kEthertype},
       {"ethtype-prio", AppSelector::kEthertype},
       {"stream-port-prio", AppSelector::kStream},
       {"dgram-port-prio", AppSelector::kDgram},
       {"port-prio", AppSelector::kAny},
       {"dscp-prio", AppSelector::kDscp},
       {"pcp-prio", AppSelector::kPcp}}};
  const auto* const found =
      std::ranges::find(kKeywords, keyword, &std::pair<std::string_view, AppSelector>::first);
  return found == kKeywords.end() ? AppSelector::kNone : found->second;
}

// As iproute2 6.1 reads a command: a default priority takes all that follows.
Rows WordsToRows(std::istringstream& words, bool& is_default) {
  Rows rows;
  AppSelector selector = AppSelector::kNone;
  is_default = false;
  for (std::string word; words >> word && word != "#";) {
    if (!is_default && SelectorOf(word) != AppSelector::kNone) {
      selector = SelectorOf(word);
      is_default = word == "default-prio";
      continue;
    }
    const std::size_t colon = word.find(':');
    EXPECT_EQ(colon == std::string::npos, is_default) << word;
    const int protocol = is_default ? 0 : std::stoi(word.substr(0, colon), nullptr, 0);
    const int priority = std::stoi(is_default ? word : word.substr(colon + 1));
    rows.push_back({selector, static_cast<std::uint8_t>(priority), static_cast<std::uint16_t>(protocol)});
  }
  return rows;
}

// False when the driver refuses a part of it.
bool TypeInto(const std::string& command, TypedDriver& driver) {
  std::istringstream words(command);
  std::string dcb, app, verb, dev, netdev;
  words >> dcb >> app >> verb >> dev >> netdev;
  EXPECT_EQ(dcb + app + dev + netdev, "dcbappdevdcb0") << command;
  if (verb == "flush") {
    const Rows all = driver.rows();
    return std::ranges::all_of(all, [&](const AppEntry& row) { return !OfDscp(row) || driver.Delete(row); });
  }
  bool is_default = false;
  const Rows rows = WordsToRows(words, is_default);
  const Rows before = driver.rows();
  bool done = true;
  for (const AppEntry& row : rows) done = (verb == "del" ? driver.Delete(row) : driver.Add(row)) && done;
  if (verb != "replace") return done;
  for (const AppEntry& old : before) {
    const bool replaced =
        std::ranges::any_of(rows, [&](const AppEntry& row) { return OfOneProtocol(row, old); });
    if (replaced && !HasRow(rows, old)) done = driver.Delete(old) && done;
  }
  return done;
}

Rows AnyTable(std::string_view driver, std::mt19937& dice) {
  constexpr std::array<AppSelector, 6> kAll{AppSelector::kDscp,   AppSelector::kDgram, AppSelector::kEthertype,
                                            AppSelector::kStream, AppSelector::kAny,   AppSelector::kPcp};
  const bool dscp_only = driver == "ice" || driver == "mlx5_core";
  Rows rows;
  for (std::uint64_t i = dice() % 5; i > 0; --i) {
    const AppSelector selector = dscp_only ? AppSelector::kDscp : kAll[dice() % kAll.size()];
    const std::uint16_t protocol = selector == AppSelector::kEthertype
                                       ? (dice() % 2 == 0 ? 0 : 0x8915)
                                       : static_cast<std::uint16_t>(1 + dice() % 3);
    const AppEntry row{selector, static_cast<std::uint8_t>(dice() % 8), protocol};
    const bool taken = std::ranges::any_of(rows, [&](const AppEntry& one) { return OfOneProtocol(one, row); });
    if (!taken || (!dscp_only && dice() % 4 == 0 && !HasRow(rows, row))) rows.push_back(row);
  }
  return rows;
}

TEST(AppCommands, MakeOneTableOfAnotherWithEveryDriver) {
  std::mt19937 dice(16);
  for (const std::string_view name : {"dcbnic", "mlx5_core", "ice", "bnxt_en"}) {
    const Facts host = OfDriver(name);
    const SettingObject object = OfDcb0(SettingKind::kApp);
    for (unsigned i = 0; i < 4000; ++i) {
      const Rows from = AnyTable(name, dice);
      const Rows to = AnyTable(name, dice);
      TypedDriver driver(name, from);
      std::string typed;
      for (const std::string& command : CommandsOf(PlaceOf(host, object), Text(from), Text(to))) {
        typed += command + "\n";
        ASSERT_TRUE(TypeInto(command, driver)) << name << ": " << Text(from) << " -> " << Text(to) << "\n"
                                               << typed;
      }
      ASSERT_EQ(Text(driver.rows()), Text(to)) << name << ": " << Text(from) << "\n" << typed;
      ASSERT_TRUE(name != "bnxt_en" || driver.NicAgrees()) << Text(from) << " -> " << Text(to) << "\n" << typed;
      const bool keeps_dscp = std::ranges::any_of(from, OfDscp) && std::ranges::any_of(to, OfDscp);
      ASSERT_FALSE(name == "ice" && keeps_dscp && driver.left_dscp_mode) << typed;
    }
  }
}

std::vector<std::string> TypedRows(std::string_view driver, std::string_view from, std::string_view to) {
  const Facts host = OfDriver(driver);
  const SettingObject object = OfDcb0(SettingKind::kApp);
  return CommandsOf(PlaceOf(host, object), from, to);
}

TEST(AppCommands, AreReplaceWhereTheDriverTakesIt) {
  EXPECT_THAT(TypedRows("mlx5_core", "empty", "dscp:26:3 dscp:48:6"),
              ElementsAre("dcb app replace dev dcb0 dscp-prio 26:3 48:6"));
  EXPECT_THAT(TypedRows("dcbnic", "dscp:26:4", "dscp:26:3"),
              ElementsAre("dcb app replace dev dcb0 dscp-prio 26:3"));
  EXPECT_THAT(TypedRows("mlx5_core", "dscp:26:4", "dscp:26:3"),
              ElementsAre("dcb app add dev dcb0 dscp-prio 26:3"));
}

TEST(AppCommands, AreDeleteAndAddWhereADscpIsNotMappedTwice) {
  EXPECT_THAT(TypedRows("bnxt_en", "dscp:26:4", "dscp:26:3"),
              ElementsAre("dcb app del dev dcb0 dscp-prio 26:4", "dcb app add dev dcb0 dscp-prio 26:3"));
  EXPECT_THAT(TypedRows("ice", "dscp:26:4 dscp:48:6", "dscp:26:3 dscp:48:6"),
              ElementsAre("dcb app del dev dcb0 dscp-prio 26:4", "dcb app add dev dcb0 dscp-prio 26:3"));
  // The only row: another one stands in, so that ETS and PFC stay.
  EXPECT_THAT(TypedRows("ice", "dscp:26:4", "dscp:26:3"),
              ElementsAre("dcb app add dev dcb0 dscp-prio 9:1", "dcb app del dev dcb0 dscp-prio 26:4",
                          "dcb app add dev dcb0 dscp-prio 26:3", "dcb app del dev dcb0 dscp-prio 9:1"));
}

// The virtual fabric's NIC as ice.
TEST(AppCommands, AreThoseOfIceWhereTheNicHasItsFlag) {
  const Facts host = OfDriver("dcbnic", [](Netdev& netdev) {
    netdev.link.private_flags = std::vector<PrivateFlag>{{"fw-lldp-agent", false}};
  });
  const SettingObject object = OfDcb0(SettingKind::kApp);
  EXPECT_EQ(CommandsOf(PlaceOf(host, object), "dscp:26:4", "dscp:26:3").size(), 4U);
}

TEST(AppCommands, NameEachKindOfRow) {
  EXPECT_THAT(
      TypedRows("dcbnic", "empty", "ethertype:0:0 ethertype:35093:3 stream:445:3 dgram:4791:3 any:5445:3"),
      ElementsAre("dcb app replace dev dcb0 ethtype-prio 0x8915:3 stream-port-prio 445:3 dgram-port-prio "
                  "4791:3 port-prio 5445:3",
                  "dcb app replace dev dcb0 default-prio 0"));
  EXPECT_THAT(TypedRows("dcbnic", "empty", "pcp:3:3"),
              ElementsAre("dcb app replace dev dcb0 pcp-prio 3:3  # needs iproute2 6.2 or newer"));
}

TEST(AppCommands, FlushWhenNoDscpIsLeft) {
  EXPECT_THAT(TypedRows("mlx5_core", "dscp:26:3 dscp:48:6", "empty"),
              ElementsAre("dcb app flush dev dcb0 dscp-prio"));
  EXPECT_THAT(TypedRows("dcbnic", "dgram:4791:3 dscp:26:3", "empty"),
              ElementsAre("dcb app del dev dcb0 dgram-port-prio 4791:3", "dcb app flush dev dcb0 dscp-prio"));
}

}  // namespace
}  // namespace rdmaready
