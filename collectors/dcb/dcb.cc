// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb/dcb.h"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "api/base/status.h"
#include "api/model/fields.h"
#include "collectors/attributes.h"
#include "collectors/dcb/dcb_cee.h"

namespace rdmaready {
namespace {

// Newer than the headers of the oldest distribution we build on (linux/dcbnl.h of kernel 6.2).
constexpr int kAttrAppTrustTable = 11;      // DCB_ATTR_DCB_APP_TRUST_TABLE
constexpr int kAttrRewriteTable = 12;       // DCB_ATTR_DCB_REWR_TABLE of kernel 6.3
constexpr int kAttrAppIeee = 1;             // DCB_ATTR_IEEE_APP
constexpr int kAttrAppDcb = 2;              // DCB_ATTR_DCB_APP
constexpr std::uint8_t kSelectorPcp = 255;  // DCB_APP_SEL_PCP

// No interface can have this name: dev_valid_name in net/core/dev.c refuses a slash.
constexpr const char* kImpossibleName = "/";

static_assert(sizeof(ieee_ets) == 59 && sizeof(ieee_pfc) == 136 && sizeof(dcb_app) == 4 &&
              sizeof(dcbnl_buffer) == 44 && sizeof(ieee_maxrate) == 64);

template <class T>
absl::StatusOr<T> Exactly(std::span<const std::byte> bytes, std::string_view what) {
  if (bytes.size() != sizeof(T)) {
    return Malformed(what, fmt::format("{} bytes, not {}", bytes.size(), sizeof(T)));
  }
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::optional<Tsa> TsaOf(std::uint8_t number) {
  for (const Tsa tsa : {Tsa::kStrict, Tsa::kCbShaper, Tsa::kEts, Tsa::kVendor}) {
    if (static_cast<std::uint8_t>(tsa) == number) return tsa;
  }
  return std::nullopt;
}

std::optional<AppSelector> SelectorOf(int attribute, std::uint8_t number) {
  if (attribute == kAttrAppDcb && number == kSelectorPcp) return AppSelector::kPcp;
  if (attribute == kAttrAppIeee && number >= 1 && number <= 5) return static_cast<AppSelector>(number);
  return std::nullopt;
}

NetlinkRequest Request(const std::string& name) {
  dcbmsg header{};
  header.dcb_family = AF_UNSPEC;
  header.cmd = DCB_CMD_IEEE_GET;
  return {NETLINK_ROUTE, RTM_GETDCB, false, Payload::Of(header).Text(DCB_ATTR_IFNAME, name).bytes()};
}

template <class T>
Fact<T> FactFrom(const std::optional<std::span<const std::byte>>& bytes,
                 absl::StatusOr<T> (*decode)(std::span<const std::byte>), std::string_view absent) {
  if (!bytes) return Missing{Missing::Kind::kUnsupported, std::string(absent)};
  absl::StatusOr<T> value = decode(*bytes);
  if (!value.ok()) return MissingFrom(value.status());
  return *std::move(value);
}

Dcb AllMissing(const Missing& why) {
  Dcb dcb;
  SetAllMissing(dcb, why);
  return dcb;
}

// The kernel leaves out what the driver's function has no answer for, and what it has no function for.
DcbPeer DecodePeer(const Attributes& ieee, const Fact<Dcbx>& dcbx) {
  DcbPeer peer;
  peer.ets = FactFrom(ieee.Find(DCB_ATTR_IEEE_PEER_ETS), DecodeEts,
                      "driver does not tell the peer's ETS (ieee_peer_getets), or heard none");
  peer.pfc = FactFrom(ieee.Find(DCB_ATTR_IEEE_PEER_PFC), DecodePfc,
                      "driver does not tell the peer's PFC (ieee_peer_getpfc), or heard none");
  peer.app = FactFrom(ieee.Find(DCB_ATTR_IEEE_PEER_APP), DecodeAppTable,
                      "driver does not tell the peer's APP table (peer_getapptable), or heard none");
  // The driver has one function for both dialects, and CEE counts selectors and priorities in its own way.
  if (peer.app && dcbx && dcbx->cee && !dcbx->ieee) {
    peer.app = Missing{Missing::Kind::kUnsupported, "DCBX speaks CEE: the peer's APP table is not IEEE's"};
  }
  return peer;
}

}  // namespace

absl::StatusOr<Ets> DecodeEts(std::span<const std::byte> bytes) {
  RR_ASSIGN_OR_RETURN(const ieee_ets raw, Exactly<ieee_ets>(bytes, "ETS"));
  Ets ets{.willing = raw.willing != 0, .traffic_classes = raw.ets_cap};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const std::optional<Tsa> tsa = TsaOf(raw.tc_tsa[i]);
    if (!tsa)
      return Malformed("ETS", fmt::format("unknown transmission selection algorithm {}", raw.tc_tsa[i]));
    if (raw.prio_tc[i] >= kPriorities) {
      return Malformed("ETS", fmt::format("priority {} in traffic class {}", i, raw.prio_tc[i]));
    }
    ets.tx_percent[i] = raw.tc_tx_bw[i];
    ets.tsa[i] = *tsa;
    ets.prio_tc[i] = raw.prio_tc[i];
  }
  return ets;
}

absl::StatusOr<Pfc> DecodePfc(std::span<const std::byte> bytes) {
  RR_ASSIGN_OR_RETURN(const ieee_pfc raw, Exactly<ieee_pfc>(bytes, "PFC"));
  Pfc pfc{.capability = raw.pfc_cap, .enabled = raw.pfc_en, .delay = raw.delay};
  std::copy_n(&raw.requests[0], kPriorities, pfc.pauses_sent.begin());
  std::copy_n(&raw.indications[0], kPriorities, pfc.pauses_received.begin());
  return pfc;
}

absl::StatusOr<PortBuffer> DecodeBuffer(std::span<const std::byte> bytes) {
  RR_ASSIGN_OR_RETURN(const dcbnl_buffer raw, Exactly<dcbnl_buffer>(bytes, "port buffer"));
  PortBuffer buffer{.total_bytes = raw.total_size};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (raw.prio2buffer[i] >= DCBX_MAX_BUFFERS) {
      return Malformed("port buffer", fmt::format("priority {} in buffer {}", i, raw.prio2buffer[i]));
    }
    buffer.prio_buffer[i] = raw.prio2buffer[i];
    buffer.size_bytes[i] = raw.buffer_size[i];
  }
  return buffer;
}

absl::StatusOr<MaxRatesKbps> DecodeMaxRates(std::span<const std::byte> bytes) {
  RR_ASSIGN_OR_RETURN(const ieee_maxrate raw, Exactly<ieee_maxrate>(bytes, "maximum rates"));
  MaxRatesKbps rates{};
  std::copy_n(&raw.tc_maxrate[0], kPriorities, rates.begin());
  return rates;
}

absl::StatusOr<std::vector<AppEntry>> DecodeAppTable(std::span<const std::byte> nest) {
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(nest, "APP table"));
  std::vector<AppEntry> entries;
  for (const Attributes::Attribute& row : rows.all()) {
    RR_ASSIGN_OR_RETURN(const dcb_app raw, Exactly<dcb_app>(row.value, "APP table"));
    if (row.type == 0)
      continue;  // DCB_ATTR_IEEE_APP_UNSPEC: the kernel's mark for a selector that is not IEEE's
    const std::optional<AppSelector> selector = SelectorOf(row.type, raw.selector);
    if (!selector) return Malformed("APP table", fmt::format("unknown selector {}", raw.selector));
    if (raw.priority >= kPriorities) return Malformed("APP table", fmt::format("priority {}", raw.priority));
    entries.push_back({*selector, raw.priority, raw.protocol});
  }
  return entries;
}

absl::StatusOr<std::vector<AppSelector>> DecodeAppTrust(std::span<const std::byte> nest) {
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(nest, "APP trust"));
  std::vector<AppSelector> selectors;
  for (const Attributes::Attribute& row : rows.all()) {
    RR_ASSIGN_OR_RETURN(const std::uint8_t raw, Exactly<std::uint8_t>(row.value, "APP trust"));
    const std::optional<AppSelector> selector = SelectorOf(row.type, raw);
    if (!selector) return Malformed("APP trust", fmt::format("unknown selector {}", raw));
    selectors.push_back(*selector);
  }
  return selectors;
}

absl::StatusOr<Dcbx> DecodeDcbx(std::span<const std::byte> bytes) {
  RR_ASSIGN_OR_RETURN(const std::uint8_t raw, Exactly<std::uint8_t>(bytes, "DCBX mode"));
  return Dcbx{.host = (raw & DCB_CAP_DCBX_HOST) != 0,
              .lld_managed = (raw & DCB_CAP_DCBX_LLD_MANAGED) != 0,
              .cee = (raw & DCB_CAP_DCBX_VER_CEE) != 0,
              .ieee = (raw & DCB_CAP_DCBX_VER_IEEE) != 0,
              .static_mode = (raw & DCB_CAP_DCBX_STATIC) != 0};
}

absl::StatusOr<Dcb> DecodeDcb(std::span<const std::byte> payload, const std::string& name) {
  dcbmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes top, ParseMessage(payload, header, "DCB"));
  RR_ASSIGN_OR_RETURN(const std::string named, top.Text(DCB_ATTR_IFNAME));
  if (named != name) return Malformed("DCB", "the answer is about \"" + named + "\", not \"" + name + "\"");
  const auto nest = top.Find(DCB_ATTR_IEEE);
  if (!nest) return Malformed("DCB", "no IEEE part");
  RR_ASSIGN_OR_RETURN(const Attributes ieee, Attributes::Parse(*nest, "IEEE DCB"));

  Dcb dcb;
  dcb.ets = FactFrom(ieee.Find(DCB_ATTR_IEEE_ETS), DecodeEts, "driver does not report ETS (ieee_getets)");
  dcb.pfc = FactFrom(ieee.Find(DCB_ATTR_IEEE_PFC), DecodePfc, "driver does not report PFC (ieee_getpfc)");
  // The kernel keeps this table, not the driver: an absent nest is an empty table.
  dcb.app = FactFrom<std::vector<AppEntry>>(
      ieee.Find(DCB_ATTR_IEEE_APP_TABLE).value_or(std::span<const std::byte>()), DecodeAppTable, "");
  dcb.app_trust = FactFrom(ieee.Find(kAttrAppTrustTable), DecodeAppTrust,
                           "driver does not report APP trust (dcbnl_getapptrust, kernel 6.2)");
  dcb.buffer = FactFrom(ieee.Find(DCB_ATTR_DCB_BUFFER), DecodeBuffer,
                        "driver does not report port buffers (dcbnl_getbuffer)");
  dcb.max_rate_kbps = FactFrom(ieee.Find(DCB_ATTR_IEEE_MAXRATE), DecodeMaxRates,
                               "driver does not report maximum rates (ieee_getmaxrate)");
  dcb.dcbx = FactFrom(top.Find(DCB_ATTR_DCBX), DecodeDcbx, "driver does not report its DCBX mode (getdcbx)");
  // The kernel's own table is optional too, but it sends even an empty one.
  dcb.rewrite = FactFrom(ieee.Find(kAttrRewriteTable), DecodeAppTable,
                         "the kernel has no rewrite table (before Linux 6.3)");
  dcb.peer = DecodePeer(ieee, dcb.dcbx);
  return dcb;
}

Dcb ReadDcb(HostReader& host, const std::string& name) {
  const absl::StatusOr<NetlinkMessage> answer = AskForOne(host, Request(name), "DCB");
  if (answer.ok()) {
    absl::StatusOr<Dcb> dcb = DecodeDcb(answer->payload, name);
    if (!dcb.ok()) return AllMissing(MissingFrom(dcb.status()));
    dcb->cee = ReadCee(host, name, dcb->dcbx);
    return *std::move(dcb);
  }
  Missing why = MissingFrom(answer.status());
  if (why.kind == Missing::Kind::kUnsupported) {
    const absl::StatusCode nobody = host.Netlink(Request(kImpossibleName)).status().code();
    if (nobody == absl::StatusCode::kNotFound) why.detail = "driver has no DCB (no dcbnl_ops)";
    if (nobody == absl::StatusCode::kUnimplemented) why.detail = "kernel without CONFIG_DCB";
  }
  return AllMissing(why);
}

}  // namespace rdmaready
