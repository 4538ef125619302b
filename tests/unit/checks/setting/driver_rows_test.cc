// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/setting/driver_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "checks/setting/table.h"
#include "tests/support/source_tree.h"
#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream all(text);
  for (std::string part; std::getline(all, part, separator);) parts.push_back(part);
  return parts;
}

Setting SettingIn(const std::string& text) {
  const std::size_t at = text.find('=');
  return {OfDcb0(SettingKindNamed(text.substr(0, at))), text.substr(at + 1)};
}

const Missing kNotOffered{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

// ETS with the shares that are given, those of classes that are not ETS too.
void SetEts(Netdev& netdev, const std::string& value) {
  const std::vector<std::string> words = Split(value, ' ');
  const std::vector<std::string> names = Split(words.at(3), ',');
  const std::vector<std::string> shares = Split(words.at(5), ',');
  const std::vector<std::string> classes = Split(words.at(7), ',');
  Ets ets = netdev.dcb.ets ? *netdev.dcb.ets : Ets{.traffic_classes = 8};
  ets.willing = words.at(1) == "on";
  for (std::size_t i = 0; i < kPriorities; ++i) {
    ets.tsa[i] = names.at(i) == "ets"      ? Tsa::kEts
                 : names.at(i) == "vendor" ? Tsa::kVendor
                 : names.at(i) == "cbs"    ? Tsa::kCbShaper
                                           : Tsa::kStrict;
    ets.tx_percent[i] = static_cast<std::uint8_t>(std::stoi(shares.at(i)));
    ets.prio_tc[i] = static_cast<std::uint8_t>(std::stoi(classes.at(i)));
  }
  netdev.dcb.ets = ets;
}

void SetPfc(Netdev& netdev, const std::string& value) {
  const PfcSetting setting = *PfcSettingOf(value);
  Pfc pfc = *netdev.dcb.pfc;
  pfc.enabled = setting.enabled;
  pfc.delay = setting.delay;
  netdev.dcb.pfc = pfc;
}

void SetBuffer(Netdev& netdev, const std::string& value) {
  const BufferSetting setting = *BufferSettingOf(value);
  PortBuffer buffer{.prio_buffer = setting.prio_buffer, .size_bytes = setting.size_bytes, .total_bytes = 0};
  for (const std::uint32_t size : setting.size_bytes) buffer.total_bytes += size;
  netdev.dcb.buffer = buffer;
}

void SetFlag(Netdev& netdev, const std::string& value) {
  netdev.link.private_flags = std::vector<PrivateFlag>{{.name = "fw-lldp-agent", .on = value == "on"}};
}

void SetBegin(Netdev& netdev, const std::string& kind, const std::string& value) {
  const bool missing = value == "?";
  if (kind == "ets" && missing) netdev.dcb.ets = kNotOffered;
  if (kind == "ets" && !missing) SetEts(netdev, value);
  if (kind == "pfc" && missing) netdev.dcb.pfc = kNotOffered;
  if (kind == "pfc" && !missing) SetPfc(netdev, value);
  if (kind == "buffer" && missing) netdev.dcb.buffer = kNotOffered;
  if (kind == "buffer" && !missing) SetBuffer(netdev, value);
  if (kind == "app") netdev.dcb.app = *AppRowsOf(value);
  if (kind == "dcbx") netdev.dcb.dcbx = *DcbxOf(value);
  if (kind == "pause") netdev.pause = *PauseOf(value);
  if (kind == "maxrate") netdev.dcb.max_rate_kbps = *MaxRatesOf(value);
  if (kind == "trust") netdev.dcb.app_trust = kNotOffered;
  if (kind == "private-flag") SetFlag(netdev, value);
  if (kind == "classes") {
    Ets ets = *netdev.dcb.ets;
    ets.traffic_classes = static_cast<std::uint8_t>(std::stoi(value));
    netdev.dcb.ets = ets;
  }
  if (kind == "total") {
    PortBuffer buffer = *netdev.dcb.buffer;
    buffer.total_bytes = static_cast<std::uint32_t>(std::stoul(value));
    netdev.dcb.buffer = buffer;
  }
  if (kind == "queues") {
    Pfc pfc = *netdev.dcb.pfc;
    pfc.capability = static_cast<std::uint8_t>(std::stoi(value));
    netdev.dcb.pfc = pfc;
  }
  if (kind == "master") netdev.master = value;
}

Facts HostOf(const DriverRow& row) {
  Facts host = OfDriver(row.driver, [&row](Netdev& netdev) {
    for (const std::string& begin : Split(row.begins, '|')) {
      const std::size_t at = begin.find('=');
      SetBegin(netdev, begin.substr(0, at), begin.substr(at + 1));
    }
  });
  std::vector<Port> ports = *host.ports;
  if (!ports.front().netdev->master.empty())
    ports.front().uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond"}};
  host.ports = ports;
  return host;
}

SettingObject ObjectOf(const Setting& setting) {
  SettingObject object = setting.object;
  if (object.kind == SettingKind::kPrivateFlag) object.name = "fw-lldp-agent";
  return object;
}

void ExpectReads(const Facts& host, const std::string& reads) {
  for (const std::string& text : Split(reads, '|')) {
    const Setting setting = SettingIn(text);
    const std::string expected = setting.value == "?" ? "" : setting.value;
    EXPECT_EQ(ValueOf(host, ObjectOf(setting)), expected) << text;
  }
}

std::vector<DriverRow> AllRows() {
  std::vector<DriverRow> all;
  for (const auto& of_driver : {KernelRows(), Mlx5Rows(), BnxtRows(), IceRows(), Mlx4Rows(), OtherRows()})
    all.insert(all.end(), of_driver.begin(), of_driver.end());
  return all;
}

TEST(DriverRows, MatchTheModel) {
  for (const DriverRow& row : AllRows()) {
    SCOPED_TRACE(row.id + ": " + row.write);
    Facts host = HostOf(row);
    const Setting write = SettingIn(row.write);
    ASSERT_TRUE(IsCanonical(write.object.kind, write.value));
    const std::string why = WriteSetting(host, ObjectOf(write), write.value);
    if (row.refused.empty()) {
      EXPECT_EQ(why, "");
    } else {
      EXPECT_NE(why.find(row.refused), std::string::npos)
          << "\"" << why << "\" lacks \"" << row.refused << "\"";
    }
    ExpectReads(host, row.reads);
  }
}

// The ids of the table's rows that say "model" in their last column.
std::set<std::string> RowsOfTheTable() {
  std::ifstream file(test::SourceTree() + "/checks/setting/DRIVERS.md");
  std::set<std::string> ids;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> columns = Split(line, '|');
    if (columns.back().find("model") == std::string::npos) continue;
    ids.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return ids;
}

TEST(DriverRows, CoverEachRowOfTheTable) {
  const std::set<std::string> table = RowsOfTheTable();
  ASSERT_GT(table.size(), 80U);
  std::set<std::string> played;
  for (const DriverRow& row : AllRows()) played.insert(row.id);
  for (const std::string& id : table) EXPECT_TRUE(played.contains(id)) << id << " is not played on the model";
  for (const std::string& id : played) EXPECT_TRUE(table.contains(id)) << id << " has no row in DRIVERS.md";
}

}  // namespace

std::string EtsText(std::string_view algorithms, std::string_view shares, std::string_view classes,
                    bool willing) {
  std::string tsa;
  std::string prio;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const char letter = algorithms.at(i);
    tsa += std::string(i == 0 ? "" : ",") + (letter == 'e'   ? "ets"
                                             : letter == 'v' ? "vendor"
                                             : letter == 'c' ? "cbs"
                                                             : "strict");
    prio += std::string(i == 0 ? "" : ",") + classes.at(i);
  }
  return std::string("willing ") + (willing ? "on" : "off") + " tsa " + tsa + " tx " + std::string(shares) +
         " prio " + prio;
}

}  // namespace rdmaready
