// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/nic_names.h"

#include <algorithm>
#include <vector>

namespace rdmaready {
namespace {

constexpr std::uint8_t kDigits = 8;  // priorities; no NIC has more classes in its names

void AddNames(const NicNameRow& row, NicNames& names) {
  const std::size_t digit = row.pattern.find_first_of("#?");
  if (digit == std::string_view::npos) {
    names.emplace(row.pattern, NicMeaning{row.counter, std::nullopt});
    return;
  }
  for (std::uint8_t number = 0; number < kDigits; ++number) {
    std::string name(row.pattern);
    name[digit] = static_cast<char>('0' + number);
    NicMeaning meaning{.counter = row.counter};
    if (row.pattern[digit] == '#') meaning.priority = number;
    names.emplace(std::move(name), meaning);
  }
}

struct Known {
  const NicNameTable* table;
  NicNames names;
};

const std::vector<Known>& AllNames() {
  static const auto* const kAll = [] {
    auto* known = new std::vector<Known>();
    for (const NicNameTable* table : NicNameTables()) {
      Known& one = known->emplace_back(Known{table, {}});
      for (const NicNameRow& row : table->rows) AddNames(row, one.names);
    }
    return known;
  }();
  return *kAll;
}

}  // namespace

std::span<const NicNameTable* const> NicNameTables() {
  static constexpr std::array<const NicNameTable*, 7> kTables{&kMlx5Names, &kMlx4Names, &kBnxtNames, &kIceNames,
                                                              &kI40eNames, &kQedeNames, &kCxgb4Names};
  return kTables;
}

const NicNames* NamesOfDriver(std::string_view driver) {
  if (driver.empty()) return nullptr;
  for (const Known& known : AllNames()) {
    if (std::ranges::find(known.table->drivers, driver) != known.table->drivers.end()) return &known.names;
  }
  return nullptr;
}

}  // namespace rdmaready
