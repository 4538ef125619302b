// SPDX-License-Identifier: Apache-2.0
// The table of settings: of each kind how it is read out of the facts, which commands set it, what that
// disturbs, which right it takes, which checks it serves. The fixes of checks, plans, the applier and the
// switch side of profiles are made of these rows, so that they cannot disagree. The order of the rows is the
// order in which settings are written (what a later row needs, an earlier one has set).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready {

// What a write goes to. `netdev` is the one that the object names, or that its port has; null where that is
// none of an RDMA port (it stands on one: a VLAN; it is the host's: a sysctl), or is not known. `port` is the
// first RDMA port over that netdev, null likewise.
struct SettingPlace {
  const SettingObject& object;
  const Netdev* netdev = nullptr;
  const Port* port = nullptr;
};
// It refers to `facts` and `object`.
SettingPlace PlaceOf(const Facts& facts, const SettingObject& object);
SettingPlace PlaceOf(const Facts& facts, const SettingObject&& object) = delete;

struct SettingRow {
  SettingKind kind = SettingKind::kUnknown;
  std::string_view api{};                  // "dcbnl IEEE PFC": what reads and writes it
  std::string_view right{};                // the feature in api/model/rights.h that writing takes
  std::vector<std::string_view> serves{};  // ids of the checks that it can mend
  // Every setting of this kind that the host has and whose value is known, sorted by object.
  std::vector<Setting> (*read)(const Facts& facts) = nullptr;
  // What a person types to come from one value to the other: dcb, ip, ethtool, sysctl, devlink, echo. Both are
  // canonical. Two `dcb` commands are two entries.
  std::vector<std::string> (*commands)(const SettingPlace& place, std::string_view from,
                                       std::string_view to) = nullptr;
  // What who types them must know, as a comment: "needs iproute2 6.2 or newer". Null, or empty: nothing.
  std::string (*note)(const SettingPlace& place, std::string_view from, std::string_view to) = nullptr;
  // By what the driver's source says.
  Disturbance (*disturbs)(const SettingPlace& place, std::string_view from, std::string_view to) = nullptr;
  // Why it could not be taken back; empty: it can. Null: it always can.
  std::string (*one_way)(const SettingPlace& place, std::string_view from, std::string_view to) = nullptr;
};

// A row for each of kSettingKinds, in the order of writing.
std::span<const SettingRow> SettingTable();

// The row of a kind that is known.
const SettingRow& RowOf(SettingKind kind);

// Of data centre bridging: who has taken that over (firmware, lldpad), has them all.
bool IsDcbSetting(SettingKind kind);

// Everything that the host has and could be set, by row and object. What is not known is left out.
std::vector<Setting> SettingsOf(const Facts& facts);

// Of one object; empty where it is not known or not there.
std::string ValueOf(const Facts& facts, const SettingObject& object);

// Why a value that SettingsOf has says nothing of what the NIC does; empty: it says what the NIC does. That is
// bnxt_en's PFC and ETS (checks/words/driver_record.cc): zeros until dcbnl sets them, whatever NVM has set; and
// what was first read since the driver was loaded, where firmware runs DCBX. The value is here all the same,
// because dcbnl compares, writes and reads back this record and nothing else: a step has it as `from`, and a
// rollback writes it. But such a step is one-way, for nobody can write what NVM had set; and a value in doubt
// that is as wanted proves nothing: it is unknown, not done.
std::string DoubtOf(const SettingPlace& place);

// The commands with the row's note as a comment behind the last one: what a plan shows.
std::vector<std::string> CommandsOf(const SettingPlace& place, std::string_view from, std::string_view to);

// As one line for a person, "; " between two, with the row's note and what it costs as a comment: the fix of a
// finding. Empty where both values are the same.
std::string FixText(const SettingPlace& place, std::string_view from, std::string_view to);

}  // namespace rdmaready
