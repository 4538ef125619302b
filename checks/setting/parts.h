// SPDX-License-Identifier: Apache-2.0
// Parts that the rows of several families share.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/setting/table.h"

namespace rdmaready {

using Commands = std::vector<std::string>;

// A value that its text cannot hold is not known: TSA 7, a map that names a priority twice.
inline void AddSetting(std::vector<Setting>& settings, SettingObject object, std::string value) {
  if (IsCanonical(object.kind, value)) settings.push_back({std::move(object), std::move(value)});
}

inline std::vector<Setting> SortedByObject(std::vector<Setting> settings) {
  std::ranges::sort(settings, {}, &Setting::object);
  return settings;
}

// Whether there is something to write: the values are canonical and differ.
inline bool IsChange(const SettingPlace& place, std::string_view from, std::string_view to) {
  return from != to && IsCanonical(place.object.kind, from) && IsCanonical(place.object.kind, to);
}

}  // namespace rdmaready
