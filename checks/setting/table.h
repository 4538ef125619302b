// SPDX-License-Identifier: Apache-2.0
// The table of settings: of each kind how it is read out of the facts, which commands set it, what that
// disturbs, which right it takes, which checks it serves. The fixes of checks, plans, the applier and the switch
// side of profiles are made of these rows, so that they cannot disagree. The order of the rows is the order in
// which settings are written (what a later row needs, an earlier one has set).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready {

// What a write goes to. `netdev` is null where the object is none, or where the netdev is not known.
struct SettingPlace {
  const SettingObject& object;
  const Netdev* netdev = nullptr;
  const Port* port = nullptr;
};

struct SettingRow {
  SettingKind kind = SettingKind::kUnknown;
  std::string_view api{};    // "dcbnl IEEE PFC": what reads and writes it
  std::string_view right{};  // the feature in api/model/rights.h that writing takes
  std::vector<std::string_view> serves{};  // ids of the checks that it can mend
  // Every setting of this kind that the host has and whose value is known, sorted by object.
  std::vector<Setting> (*read)(const Facts& facts) = nullptr;
  // What a person types to come from one value to the other: dcb, ip, ethtool, sysctl, devlink, echo. Both are
  // canonical. Two `dcb` commands are two entries.
  std::vector<std::string> (*commands)(const SettingPlace& place, std::string_view from, std::string_view to) =
      nullptr;
  // By what the driver's source says; see checks/words/interruption.h.
  Disturbance (*disturbs)(const SettingPlace& place, std::string_view from, std::string_view to) = nullptr;
  // Why it could not be taken back; empty: it can. Null: it always can.
  std::string (*one_way)(const SettingPlace& place, std::string_view from, std::string_view to) = nullptr;
};

// A row for each of kSettingKinds, in the order of writing.
std::span<const SettingRow> SettingTable();

// The row of a kind that is known.
const SettingRow& RowOf(SettingKind kind);

// Everything that the host has and could be set, by row and object. What is not known is left out.
std::vector<Setting> SettingsOf(const Facts& facts);

// Of one object; empty where it is not known or not there.
std::string ValueOf(const Facts& facts, const SettingObject& object);

// As one line for a person, "; " between two, with a comment of what it costs: the fix of a finding.
std::string FixText(const SettingPlace& place, std::string_view from, std::string_view to);

}  // namespace rdmaready
