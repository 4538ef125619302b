// SPDX-License-Identifier: Apache-2.0
// The table of settings. A row owns its kind: its place, reading, writer, commands, cost, effect and right, and
// the checks that it serves. The fixes of checks, plans, the applier and the switch side of profiles use these
// rows, so that they cannot disagree. The rows have the order of kSettingKinds, in which settings are written.
// README.md in checks/ says how to add a kind.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "api/model/remedy.h"
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

// The place of a setting. It says how its device is found and known again (agent/apply/device.h).
enum class SettingHome : std::uint8_t {
  kNone = 0,  // of a kind that is not known
  kNetdev,    // SettingObject::where is a netdev
  kRdmaPort,  // "rxe0/1"
  kDevlink,   // "pci/0000:3b:00.0": the handle says which hardware it is
  kVariable,  // of the kernel: SettingObject::name may have an interface in it, "net.ipv4.conf.dcb0.rp_filter"
};

// A family of requests to the kernel. Each has one function in agent/apply/real.
enum class SettingWriter : std::uint8_t {
  kNone = 0,
  kDcbnl,
  kEthtool,
  kRtnetlink,
  kDevlink,
  kProcSys,
  kRdmaCm
};

// The file of a kind, for a writer whose kinds differ in nothing else.
struct SettingFile {
  std::string_view name{};   // "default_roce_tos"
  std::string_view words{};  // "type of service"
};

// The name and the form of the values are the model's (kSettingKindRows in api/model/setting.h), for the wire
// and journals need no checks.
struct SettingRow {
  SettingKind kind = SettingKind::kUnknown;
  std::string_view words{};  // "receive buffers": for a person
  bool has_name = false;     // SettingObject::name says which one it is; it is shown behind the words
  SettingHome home = SettingHome::kNone;
  SettingWriter writer = SettingWriter::kNone;
  SettingFile file{};
  std::string_view api{};                  // "dcbnl IEEE PFC": what reads and writes it
  std::string_view right{};                // the feature in api/model/rights.h that writing takes
  std::vector<std::string_view> serves{};  // ids of the checks that it can mend
  bool opens_others = false;               // whether others can be written or not depends on it
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
  // See DoubtOf. Null: the value says what the NIC does.
  std::string (*doubt)(const Netdev& netdev) = nullptr;
  // WriteSetting for this kind.
  std::string (*effect)(Facts& facts, const SettingObject& object, std::string_view to) = nullptr;
};

// A row for each of kSettingKinds, in the order of writing.
std::span<const SettingRow> SettingTable();

// Null for a kind that is not known.
const SettingRow* FindRow(SettingKind kind);
// The row of a kind that is known.
const SettingRow& RowOf(SettingKind kind);

// kNone for one that is not known.
SettingHome HomeOf(SettingKind kind);

// Where the setting is: SettingObject::where, or the interface that a variable's name has in it. Empty: it is
// for every interface, or for none.
std::string WhereOf(const SettingObject& object);

// Whether a change of the setting is felt on the port: the port has it, or stands on or under the netdev that
// has it. Never of a variable: new connections take it up, those that are there go on.
bool IsSettingOf(const Port& port, const SettingObject& object);

// SettingRow::opens_others.
bool OpensOthers(SettingKind kind);

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

// Makes `facts` those of the host after the write. It is a pure model of what the drivers of Linux 6.12 do, as
// far as it bears on settings. Plans use it, because one write may change what another begins from. The result
// is empty, or says why the kernel or the driver refuses, or would change the value; `facts` are then as they
// were. `to` is canonical.
std::string WriteSetting(Facts& facts, const SettingObject& object, std::string_view to);

// The commands with the row's note as a comment behind the last one: what a plan shows.
std::vector<std::string> CommandsOf(const SettingPlace& place, std::string_view from, std::string_view to);

// For a finding: the commands, with the row's note and what the write costs as cautions. Empty where both
// values are the same.
Remedy RemedyFor(const SettingPlace& place, std::string_view from, std::string_view to);

}  // namespace rdmaready
