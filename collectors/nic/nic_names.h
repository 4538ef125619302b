// SPDX-License-Identifier: Apache-2.0
// What the names of a driver's statistics stand for: one table a driver (nic_name_tables.cc). Only what means
// the same everywhere is in them; what is not there means nothing to us. Rows overlap (drops of a priority are
// drops of the port too): they are never to be added up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/model/nic_statistics.h"

namespace rdmaready {

struct NicNameRow {
  std::string_view pattern{};  // '#' is the digit of a priority, '?' that of a class of the NIC's own
  NicCounter counter = NicCounter::kUnknown;
};

struct NicNameTable {
  std::array<std::string_view, 2> drivers{};  // by ethtool and in sysfs, where they differ
  std::span<const NicNameRow> rows{};
};

std::span<const NicNameTable> NicNameTables();

struct NicMeaning {
  NicCounter counter = NicCounter::kUnknown;
  std::optional<std::uint8_t> priority{};

  bool operator==(const NicMeaning&) const = default;
};

// Every name that the table's patterns stand for.
using NicNames = std::map<std::string, NicMeaning, std::less<>>;

// Of the driver; nullptr when it is not in any table. Lives for ever.
const NicNames* NamesOfDriver(std::string_view driver);

}  // namespace rdmaready
