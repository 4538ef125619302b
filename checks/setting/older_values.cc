// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/older_values.h"

#include <string_view>
#include <vector>

#include "api/model/split.h"

namespace rdmaready {

std::string TodaysValue(SettingKind kind, std::string value) {
  if (kind != SettingKind::kEts || IsCanonical(kind, value)) return value;
  // "willing off tsa ets,strict,... tx 50,100,... prio 0,0,..."
  const std::vector<std::string_view> words = Split(value, ' ');
  if (words.size() != 8) return value;
  const std::vector<std::string_view> kinds = Split(words[3], ',');
  std::vector<std::string_view> shares = Split(words[5], ',');
  if (kinds.size() != shares.size()) return value;
  std::string today;
  for (std::size_t word = 0; word < words.size(); ++word) {
    if (word > 0) today += ' ';
    if (word != 5) {
      today += words[word];
      continue;
    }
    for (std::size_t tc = 0; tc < shares.size(); ++tc) {
      if (tc > 0) today += ',';
      today += kinds[tc] == "ets" ? shares[tc] : "0";
    }
  }
  return IsCanonical(kind, today) ? today : value;
}

}  // namespace rdmaready
