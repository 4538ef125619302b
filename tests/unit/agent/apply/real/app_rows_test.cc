// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/app_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "api/base/status.h"
#include "api/model/setting.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Rows = std::vector<AppEntry>;

Rows Table(std::string_view text) { return AppRowsOf(text).value(); }

// A driver of Linux 6.12, by its source: see agent/apply/real/app_rows.h.
enum class Driver { kByTheBook, kMlx5, kIce, kBnxt, kHns3 };

class AppDriver {
 public:
  AppDriver(Driver driver, Rows rows) : driver_(driver), rows_(std::move(rows)) {
    for (const AppEntry& row : rows_) nic_[row.protocol] = row.priority;
  }

  AppOrder order() const {
    if (driver_ == Driver::kBnxt) return AppOrder::kOldFirst;
    return driver_ == Driver::kHns3 ? AppOrder::kReplaces : AppOrder::kNewFirst;
  }

  absl::StatusOr<int> operator()(AppChange change, const AppEntry& row) {
    asked.push_back((change == AppChange::kAdd ? "add " : "delete ") + Text(Rows{row}));
    if (refused_left > 0 && --refused_left == 0) return refusal;
    const int error = change == AppChange::kAdd ? Add(row) : Delete(row);
    if (driver_ == Driver::kIce && rows_.empty()) left_dscp_mode = true;
    return error;
  }

  std::string Now() const { return Text(rows_); }

  // What bnxt's NIC does with each DSCP, which no table shows.
  const std::map<std::uint16_t, std::uint8_t>& nic() const { return nic_; }

  std::vector<std::string> asked{};
  bool left_dscp_mode = false;
  int refused_left = 0;  // 1: the next request is refused
  int refusal = 0;

 private:
  bool Has(const AppEntry& row) const { return std::ranges::find(rows_, row) != rows_.end(); }

  int Add(const AppEntry& row) {
    const auto mapped = [&](const AppEntry& one) {
      return one.selector == row.selector && one.protocol == row.protocol;
    };
    if ((driver_ == Driver::kMlx5 || driver_ == Driver::kIce) && row.selector != AppSelector::kDscp)
      return EINVAL;
    if (driver_ == Driver::kMlx5 || driver_ == Driver::kHns3) std::erase_if(rows_, mapped);
    if (Has(row)) return EEXIST;
    if (driver_ == Driver::kIce && std::ranges::any_of(rows_, mapped)) return EINVAL;
    rows_.push_back(row);
    nic_[row.protocol] = row.priority;
    return 0;
  }

  int Delete(const AppEntry& row) {
    if (std::erase(rows_, row) == 0) return driver_ == Driver::kHns3 ? EINVAL : ENOENT;
    nic_.erase(row.protocol);
    return 0;
  }

  Driver driver_;
  Rows rows_;
  std::map<std::uint16_t, std::uint8_t> nic_{};
};

absl::Status WriteRows(AppDriver& driver, std::string_view from, std::string_view to) {
  return ChangeAppRows(Table(from), Table(to), driver.order(), "dcb0",
                       [&](AppChange change, const AppEntry& row) { return driver(change, row); });
}

TEST(AppRows, NothingIsAskedWhereNothingDiffers) {
  AppDriver driver(Driver::kByTheBook, Table("dscp:26:3"));
  EXPECT_TRUE(WriteRows(driver, "dscp:26:3", "dscp:26:3").ok());
  EXPECT_THAT(driver.asked, IsEmpty());
}

TEST(AppRows, ByTheBookTheNewRowStandsBeforeTheOldOneGoes) {
  AppDriver driver(Driver::kByTheBook, Table("dgram:4791:3 dscp:26:5"));
  EXPECT_TRUE(WriteRows(driver, "dgram:4791:3 dscp:26:5", "dscp:26:3 dscp:48:6").ok());
  EXPECT_THAT(driver.asked,
              ElementsAre("add dscp:48:6", "add dscp:26:3", "delete dscp:26:5", "delete dgram:4791:3"));
  EXPECT_EQ(driver.Now(), "dscp:26:3 dscp:48:6");
}

TEST(AppRows, Mlx5ReplacesByItselfAndHasNothingLeftToDelete) {
  AppDriver driver(Driver::kMlx5, Table("dscp:26:5"));
  EXPECT_TRUE(WriteRows(driver, "dscp:26:5", "dscp:26:3").ok());
  EXPECT_EQ(driver.Now(), "dscp:26:3");
}

// hclge_ieee_delapp answers EINVAL for a row that another one replaced.
TEST(AppRows, Hns3IsNotAskedToDeleteTheRowThatItReplaced) {
  AppDriver driver(Driver::kHns3, Table("dscp:26:5 dscp:48:6"));
  EXPECT_TRUE(WriteRows(driver, "dscp:26:5 dscp:48:6", "dscp:26:3").ok());
  EXPECT_THAT(driver.asked, ElementsAre("add dscp:26:3", "delete dscp:48:6"));
  EXPECT_EQ(driver.Now(), "dscp:26:3");
}

TEST(AppRows, IceIsAskedToDeleteFirstOnceItHasRefused) {
  AppDriver driver(Driver::kIce, Table("dscp:26:5 dscp:48:6"));
  EXPECT_TRUE(WriteRows(driver, "dscp:26:5 dscp:48:6", "dscp:26:3 dscp:48:6").ok());
  EXPECT_THAT(driver.asked, ElementsAre("add dscp:26:3", "delete dscp:26:5", "add dscp:26:3"));
  EXPECT_EQ(driver.Now(), "dscp:26:3 dscp:48:6");
}

TEST(AppRows, IceKeepsItsModeWhenItsOnlyRowIsMappedAnew) {
  AppDriver driver(Driver::kIce, Table("dscp:26:5"));
  EXPECT_TRUE(WriteRows(driver, "dscp:26:5", "dscp:26:3").ok());
  EXPECT_THAT(driver.asked, ElementsAre("add dscp:26:3", "add dscp:9:1", "delete dscp:26:5", "add dscp:26:3",
                                        "delete dscp:9:1"));
  EXPECT_EQ(driver.Now(), "dscp:26:3");
  EXPECT_FALSE(driver.left_dscp_mode);
}

TEST(AppRows, TheRowThatStandsInIsNoneOfTheTables) {
  AppDriver driver(Driver::kIce, Table("dscp:9:5"));
  EXPECT_TRUE(WriteRows(driver, "dscp:9:5", "dscp:9:3").ok());
  EXPECT_THAT(driver.asked, testing::Contains("add dscp:18:2"));
  EXPECT_EQ(driver.Now(), "dscp:9:3");
  EXPECT_FALSE(driver.left_dscp_mode);
}

TEST(AppRows, BnxtForgetsADscpWithAnyRowOfItSoThatAllAreMadeAnew) {
  AppDriver driver(Driver::kBnxt, Table("dgram:4791:2 dscp:26:5"));
  EXPECT_TRUE(WriteRows(driver, "dgram:4791:2 dscp:26:5", "dgram:4791:3 dscp:26:3").ok());
  EXPECT_THAT(driver.asked,
              ElementsAre("add dgram:4791:3", "delete dgram:4791:2", "delete dscp:26:5", "add dscp:26:3"));
  AppDriver twice(Driver::kBnxt, Table("dscp:26:3 dscp:26:5"));
  EXPECT_TRUE(WriteRows(twice, "dscp:26:3 dscp:26:5", "dscp:26:3").ok());
  EXPECT_EQ(twice.Now(), "dscp:26:3");
  EXPECT_EQ(twice.nic().at(26), 3);
}

TEST(AppRows, ARowThatIsThereAlreadyOrGoneAlreadyIsWhatWasWanted) {
  AppDriver driver(Driver::kByTheBook, Table("dscp:26:3"));
  EXPECT_TRUE(WriteRows(driver, "dscp:10:1", "dscp:26:3").ok());
  EXPECT_EQ(driver.Now(), "dscp:26:3");
}

TEST(AppRows, ARefusalStopsAndSaysWhichRow) {
  AppDriver driver(Driver::kByTheBook, Table("dscp:26:3"));
  driver.refused_left = 2;
  driver.refusal = ENOMEM;
  EXPECT_EQ(Message(WriteRows(driver, "dscp:26:3", "dscp:10:1 dscp:12:1")),
            "add APP row dscp:12:1 on dcb0: Cannot allocate memory");
  EXPECT_EQ(driver.asked.size(), 2U);
}

TEST(AppRows, ADriverThatRefusesAllIsNotSaidToHaveRefusedTheRowThatWouldStandIn) {
  AppDriver driver(Driver::kIce, Table("dscp:26:5"));
  int asked = 0;
  const absl::Status refused = ChangeAppRows(Table("dscp:26:5"), Table("dscp:26:3"), AppOrder::kNewFirst,
                                             "dcb0", [&](AppChange, const AppEntry&) {
                                               ++asked;
                                               return absl::StatusOr<int>(EINVAL);
                                             });
  EXPECT_EQ(Message(refused), "add APP row dscp:26:3 on dcb0: Invalid argument");
  EXPECT_EQ(asked, 2);
}

TEST(AppRows, TheOldMappingComesBackWhenTheNewOneIsRefusedAfterIt) {
  AppDriver driver(Driver::kIce, Table("dscp:26:5 dscp:48:6"));
  driver.refused_left = 3;  // the row is added, refused as it must be; the old one deleted; then this one
  driver.refusal = EIO;
  EXPECT_EQ(Message(WriteRows(driver, "dscp:26:5 dscp:48:6", "dscp:26:3 dscp:48:6")),
            "add APP row dscp:26:3 on dcb0: Input/output error");
  EXPECT_EQ(driver.Now(), "dscp:26:5 dscp:48:6");
}

TEST(AppRows, WhatCouldNotBeAskedEndsItWithThatError) {
  int asked = 0;
  const absl::Status ended = ChangeAppRows(
      Table("dscp:26:5"), Table("dscp:26:3"), AppOrder::kNewFirst, "dcb0", [&](AppChange, const AppEntry&) {
        ++asked;
        return absl::StatusOr<int>(absl::DataLossError("the journal is full"));
      });
  EXPECT_EQ(Message(ended), "the journal is full");
  EXPECT_EQ(asked, 1);
}

// Any table of DSCP rows, one for a DSCP, to any other, on every driver.
TEST(AppRows, EveryDriverEndsWithTheTableThatWasWanted) {
  std::mt19937 random(1);
  const auto table = [&] {
    Rows rows;
    for (std::uint16_t dscp = 0; dscp < 64; ++dscp) {
      if (random() % 9 == 0)
        rows.push_back({AppSelector::kDscp, static_cast<std::uint8_t>(random() % 8), dscp});
    }
    return rows;
  };
  for (int i = 0; i < 2000; ++i) {
    const Rows from = table();
    const Rows to = table();
    for (const Driver which : {Driver::kByTheBook, Driver::kMlx5, Driver::kIce, Driver::kBnxt, Driver::kHns3}) {
      AppDriver driver(which, from);
      ASSERT_TRUE(WriteRows(driver, Text(from), Text(to)).ok()) << Text(from) << " to " << Text(to);
      ASSERT_EQ(driver.Now(), Text(to)) << "from " << Text(from);
      ASSERT_TRUE(from.empty() || to.empty() || !driver.left_dscp_mode) << Text(from) << " to " << Text(to);
      if (which != Driver::kBnxt) continue;
      for (const AppEntry& row : to) ASSERT_EQ(driver.nic().at(row.protocol), row.priority) << Text(from);
    }
  }
}

}  // namespace
}  // namespace rdmaready
