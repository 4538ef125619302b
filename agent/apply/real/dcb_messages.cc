// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/dcb_messages.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "api/base/status.h"
#include "checks/setting/driver_rules.h"

namespace rdmaready {
namespace {

// Newer than the headers of the oldest distribution we build on (linux/dcbnl.h of kernel 6.2).
constexpr int kTrustTable = 11;  // DCB_ATTR_DCB_APP_TRUST_TABLE
constexpr int kRowIeee = 1;      // DCB_ATTR_IEEE_APP
constexpr int kRowDcb = 2;       // DCB_ATTR_DCB_APP: of selectors that are Linux's own

static_assert(sizeof(ieee_ets) == 59 && sizeof(ieee_pfc) == 136 && sizeof(dcb_app) == 4 &&
              sizeof(dcbnl_buffer) == 44 && sizeof(ieee_maxrate) == 64);

NetlinkRequest DcbRequest(std::uint16_t type, std::uint8_t command, const std::string& netdev,
                          const Payload& more) {
  dcbmsg header{};
  header.dcb_family = AF_UNSPEC;
  header.cmd = command;
  Payload payload = Payload::Of(header);
  payload.Text(DCB_ATTR_IFNAME, netdev).Join(more);
  return {NETLINK_ROUTE, type, false, payload.bytes()};
}

template <class T>
Payload WholeStruct(int attribute, const T& value) {
  Payload payload;
  payload.Bytes(attribute, std::as_bytes(std::span(&value, 1)));
  return payload;
}

Payload InIeee(const Payload& attribute) {
  Payload payload;
  payload.Nest(DCB_ATTR_IEEE, attribute);
  return payload;
}

// linux/dcbnl.h: dcbnl_app_attr_type_get of the kernel.
int RowAttribute(AppSelector selector) { return selector == AppSelector::kPcp ? kRowDcb : kRowIeee; }

absl::StatusOr<Attributes> AnsweredBy(const std::vector<NetlinkMessage>& answer, std::string_view what) {
  for (const NetlinkMessage& message : answer) {
    dcbmsg header{};
    if (message.type == RTM_GETDCB || message.type == RTM_SETDCB)
      return ParseMessage(message.payload, header, what);
  }
  return Malformed(what, "no answer of dcbnl");
}

template <class T>
absl::StatusOr<T> StructIn(const std::vector<NetlinkMessage>& answer, int attribute, std::string_view what) {
  RR_ASSIGN_OR_RETURN(const Attributes whole, AnsweredBy(answer, what));
  const auto nest = whole.Find(DCB_ATTR_IEEE);
  if (!nest) return ErrnoStatus(EOPNOTSUPP, what);
  RR_ASSIGN_OR_RETURN(const Attributes ieee, Attributes::Parse(*nest, what));
  const auto bytes = ieee.Find(attribute);
  if (!bytes) return ErrnoStatus(EOPNOTSUPP, what);
  if (bytes->size() != sizeof(T))
    return Malformed(what, fmt::format("{} bytes, not {}", bytes->size(), sizeof(T)));
  T value{};
  std::memcpy(&value, bytes->data(), sizeof(T));
  return value;
}

}  // namespace

NetlinkRequest GetIeee(const std::string& netdev) {
  return DcbRequest(RTM_GETDCB, DCB_CMD_IEEE_GET, netdev, {});
}

NetlinkRequest GetDcbxMode(const std::string& netdev) {
  return DcbRequest(RTM_GETDCB, DCB_CMD_GDCBX, netdev, {});
}

NetlinkRequest SetDcbxMode(const std::string& netdev, std::uint8_t mode) {
  return DcbRequest(RTM_SETDCB, DCB_CMD_SDCBX, netdev, WholeStruct(DCB_ATTR_DCBX, mode));
}

NetlinkRequest SetIeee(const std::string& netdev, const Payload& attribute) {
  return DcbRequest(RTM_SETDCB, DCB_CMD_IEEE_SET, netdev, InIeee(attribute));
}

NetlinkRequest DeleteIeee(const std::string& netdev, const Payload& attribute) {
  return DcbRequest(RTM_SETDCB, DCB_CMD_IEEE_DEL, netdev, InIeee(attribute));
}

Payload EtsAttribute(const ieee_ets& ets) { return WholeStruct(DCB_ATTR_IEEE_ETS, ets); }
Payload PfcAttribute(const ieee_pfc& pfc) { return WholeStruct(DCB_ATTR_IEEE_PFC, pfc); }
Payload BufferAttribute(const dcbnl_buffer& buffer) { return WholeStruct(DCB_ATTR_DCB_BUFFER, buffer); }

Payload MaxRateAttribute(const MaxRatesKbps& rates) {
  ieee_maxrate raw{};
  std::ranges::copy(rates, &raw.tc_maxrate[0]);
  return WholeStruct(DCB_ATTR_IEEE_MAXRATE, raw);
}

Payload AppAttribute(const AppEntry& row) {
  dcb_app raw{};
  raw.selector = static_cast<std::uint8_t>(row.selector);
  raw.priority = row.priority;
  raw.protocol = row.protocol;
  Payload table;
  table.Nest(DCB_ATTR_IEEE_APP_TABLE, WholeStruct(RowAttribute(row.selector), raw));
  return table;
}

Payload TrustAttribute(const std::vector<AppSelector>& order) {
  Payload selectors;
  for (const AppSelector selector : order)
    selectors.Join(WholeStruct(RowAttribute(selector), static_cast<std::uint8_t>(selector)));
  Payload table;
  table.Nest(kTrustTable, selectors);
  return table;
}

ieee_ets Changed(ieee_ets now, const EtsSetting& to) {
  const std::array<std::uint8_t, kPriorities> shares = SharesToWrite(to);
  now.willing = to.willing ? 1 : 0;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    now.tc_tsa[i] = static_cast<std::uint8_t>(to.tsa[i]);
    now.tc_tx_bw[i] = shares[i];
    now.prio_tc[i] = to.prio_tc[i];
  }
  return now;
}

ieee_pfc Changed(const ieee_pfc& now, const PfcSetting& to) {
  ieee_pfc changed;
  std::memset(&changed, 0, sizeof changed);  // padding, too: it goes to the kernel
  changed.pfc_cap = now.pfc_cap;
  changed.pfc_en = to.enabled;
  changed.mbc = now.mbc;
  changed.delay = to.delay;
  return changed;
}

dcbnl_buffer Changed(dcbnl_buffer now, const BufferSetting& to) {
  std::ranges::copy(to.prio_buffer, &now.prio2buffer[0]);
  std::ranges::copy(to.size_bytes, &now.buffer_size[0]);
  return now;
}

std::uint8_t ModeOf(const Dcbx& mode) {
  unsigned bits = 0;
  if (mode.host) bits |= DCB_CAP_DCBX_HOST;
  if (mode.lld_managed) bits |= DCB_CAP_DCBX_LLD_MANAGED;
  if (mode.cee) bits |= DCB_CAP_DCBX_VER_CEE;
  if (mode.ieee) bits |= DCB_CAP_DCBX_VER_IEEE;
  if (mode.static_mode) bits |= DCB_CAP_DCBX_STATIC;
  return static_cast<std::uint8_t>(bits);
}

absl::StatusOr<ieee_ets> EtsIn(const std::vector<NetlinkMessage>& answer, std::string_view what) {
  return StructIn<ieee_ets>(answer, DCB_ATTR_IEEE_ETS, what);
}

absl::StatusOr<ieee_pfc> PfcIn(const std::vector<NetlinkMessage>& answer, std::string_view what) {
  return StructIn<ieee_pfc>(answer, DCB_ATTR_IEEE_PFC, what);
}

absl::StatusOr<dcbnl_buffer> BufferIn(const std::vector<NetlinkMessage>& answer, std::string_view what) {
  return StructIn<dcbnl_buffer>(answer, DCB_ATTR_DCB_BUFFER, what);
}

absl::StatusOr<ieee_maxrate> MaxRateIn(const std::vector<NetlinkMessage>& answer, std::string_view what) {
  return StructIn<ieee_maxrate>(answer, DCB_ATTR_IEEE_MAXRATE, what);
}

absl::StatusOr<std::int8_t> OctetIn(const std::vector<NetlinkMessage>& answer, int attribute,
                                    std::string_view what) {
  RR_ASSIGN_OR_RETURN(const Attributes whole, AnsweredBy(answer, what));
  RR_ASSIGN_OR_RETURN(const std::uint8_t octet, whole.U8(attribute));
  return static_cast<std::int8_t>(octet);
}

absl::StatusOr<std::uint8_t> ModeIn(const std::vector<NetlinkMessage>& answer, std::string_view what) {
  RR_ASSIGN_OR_RETURN(const Attributes whole, AnsweredBy(answer, what));
  return whole.U8(DCB_ATTR_DCBX);
}

}  // namespace rdmaready
