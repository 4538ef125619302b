// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/dcb_cee.h"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "api/base/status.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kNoLimit = 15;  // the group without a share of its own
constexpr std::uint8_t kMostPercent = 100;
constexpr int kIndexes = static_cast<int>(kPriorities);

struct Row {
  std::uint8_t group = DCB_ATTR_VALUE_UNDEFINED;
  std::uint8_t priorities = 0;  // a bitmap
};

absl::StatusOr<Row> DecodeRow(std::span<const std::byte> nest) {
  RR_ASSIGN_OR_RETURN(const Attributes row, Attributes::Parse(nest, "CEE"));
  RR_ASSIGN_OR_RETURN(const std::uint8_t group, row.U8(DCB_TC_ATTR_PARAM_PGID));
  RR_ASSIGN_OR_RETURN(const std::uint8_t bitmap, row.U8(DCB_TC_ATTR_PARAM_UP_MAPPING));
  if (group >= kPriorities && group != kNoLimit && group != DCB_ATTR_VALUE_UNDEFINED)
    return Malformed("CEE", fmt::format("group {}", group));
  return Row{group, bitmap == DCB_ATTR_VALUE_UNDEFINED ? std::uint8_t{0} : bitmap};
}

// Rows of some drivers are traffic classes, with a bitmap of priorities; those of drivers that leave all
// bitmaps empty are priorities (the callers of getpgtccfgtx in net/dcb/dcbnl.c; ixgbe, and mlx5).
void PutGroups(const std::array<Row, kPriorities>& rows, CeeSettings& cee) {
  const bool bitmaps = std::ranges::any_of(rows, [](const Row& row) { return row.priorities != 0; });
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (rows[index].group == DCB_ATTR_VALUE_UNDEFINED) continue;
    const unsigned priorities = bitmaps ? rows[index].priorities : 1U << index;
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      if (((priorities >> priority) & 1U) != 0) cee.prio_group[priority] = rows[index].group;
    }
  }
}

absl::Status DecodeGroups(std::span<const std::byte> nest, CeeSettings& cee) {
  RR_ASSIGN_OR_RETURN(const Attributes groups, Attributes::Parse(nest, "CEE"));
  std::array<Row, kPriorities> rows{};
  for (int i = 0; i < kIndexes; ++i) {
    const auto nested = groups.Find(DCB_PG_ATTR_TC_0 + i);
    if (!nested) return Malformed("CEE", fmt::format("no row {}", i));
    RR_ASSIGN_OR_RETURN(rows[static_cast<std::size_t>(i)], DecodeRow(*nested));
    RR_ASSIGN_OR_RETURN(const std::uint8_t percent, groups.U8(DCB_PG_ATTR_BW_ID_0 + i));
    if (percent == DCB_ATTR_VALUE_UNDEFINED) continue;
    if (percent > kMostPercent) return Malformed("CEE", fmt::format("{} percent", percent));
    cee.group_percent[static_cast<std::size_t>(i)] = percent;
  }
  PutGroups(rows, cee);
  return absl::OkStatus();
}

absl::Status DecodeCeePfc(std::span<const std::byte> nest, CeeSettings& cee) {
  RR_ASSIGN_OR_RETURN(const Attributes pfc, Attributes::Parse(nest, "CEE PFC"));
  for (int i = 0; i < kIndexes; ++i) {
    RR_ASSIGN_OR_RETURN(const std::uint8_t on, pfc.U8(DCB_PFC_UP_ATTR_0 + i));
    if (on != 0) cee.pfc_enabled = static_cast<std::uint8_t>(cee.pfc_enabled | (1U << i));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CeeSettings> DecodeCee(std::span<const std::byte> payload, const std::string& name) {
  dcbmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes top, ParseMessage(payload, header, "CEE"));
  RR_ASSIGN_OR_RETURN(const std::string named, top.Text(DCB_ATTR_IFNAME));
  if (named != name) return Malformed("CEE", "the answer is about \"" + named + "\", not \"" + name + "\"");
  const auto nest = top.Find(DCB_ATTR_CEE);
  if (!nest) return Malformed("CEE", "no CEE part");
  RR_ASSIGN_OR_RETURN(const Attributes parts, Attributes::Parse(*nest, "CEE"));
  const auto sending = parts.Find(DCB_ATTR_CEE_TX_PG);
  const auto groups = sending ? sending : parts.Find(DCB_ATTR_CEE_RX_PG);
  if (!groups) return absl::UnimplementedError("driver does not report CEE groups (getpgtccfgtx)");
  const auto pfc = parts.Find(DCB_ATTR_CEE_PFC);
  if (!pfc) return absl::UnimplementedError("driver does not report PFC of CEE (getpfccfg)");
  CeeSettings cee;
  RR_RETURN_IF_ERROR(DecodeGroups(*groups, cee));
  RR_RETURN_IF_ERROR(DecodeCeePfc(*pfc, cee));
  return cee;
}

Fact<CeeSettings> ReadCee(HostReader& host, const std::string& name, const Fact<Dcbx>& dcbx) {
  if (!dcbx) return dcbx.missing();
  if (!dcbx->cee) return Missing{Missing::Kind::kUnsupported, "driver does not speak CEE"};
  dcbmsg header{};
  header.dcb_family = AF_UNSPEC;
  header.cmd = DCB_CMD_CEE_GET;
  const NetlinkRequest request{NETLINK_ROUTE, RTM_GETDCB, false,
                               Payload::Of(header).Text(DCB_ATTR_IFNAME, name).bytes()};
  const absl::StatusOr<NetlinkMessage> answer = AskForOne(host, request, "CEE");
  if (!answer.ok()) return MissingFrom(answer.status());
  const absl::StatusOr<CeeSettings> cee = DecodeCee(answer->payload, name);
  if (!cee.ok()) return MissingFrom(cee.status());
  return *cee;
}

}  // namespace rdmaready
