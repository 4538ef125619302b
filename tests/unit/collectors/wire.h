// SPDX-License-Identifier: Apache-2.0
// Netlink bytes written by hand, independently of the code under test: what the kernel sends, what it is asked.
#pragma once

#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/fib_rules.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectors/host_reader.h"
#include "tests/support/lldp_wire.h"

// Names of rdmaready/v1/facts.proto, too.
#undef DUPLEX_FULL
#undef DUPLEX_HALF
#undef DUPLEX_UNKNOWN

namespace rdmaready::wire {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes Of(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

inline Bytes OfText(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
  return {bytes.begin(), bytes.end()};
}

using lldp_wire::operator+;  // one for all: tests compile in batches

inline Bytes Attr(int type, const Bytes& value) {
  Bytes bytes = Of(static_cast<std::uint16_t>(value.size() + 4)) + Of(static_cast<std::uint16_t>(type)) + value;
  while (bytes.size() % 4 != 0) bytes.push_back(std::byte{0});
  return bytes;
}
inline Bytes U8(int type, std::uint8_t value) { return Attr(type, Of(value)); }
inline Bytes U16(int type, std::uint16_t value) { return Attr(type, Of(value)); }
inline Bytes U32(int type, std::uint32_t value) { return Attr(type, Of(value)); }
inline Bytes U64(int type, std::uint64_t value) { return Attr(type, Of(value)); }
inline Bytes Text(int type, const std::string& value) { return Attr(type, OfText(value)); }
inline Bytes Nest(int type, const Bytes& inside) { return Attr(type | NLA_F_NESTED, inside); }

inline std::vector<NetlinkMessage> One(const Bytes& payload) { return {{0, payload}}; }
inline std::vector<NetlinkMessage> Each(const std::vector<Bytes>& payloads) {
  std::vector<NetlinkMessage> messages;
  for (const Bytes& payload : payloads) messages.push_back({0, payload});
  return messages;
}

// ---- requests ----

inline NetlinkRequest DevicesRequest() { return {NETLINK_RDMA, (5 << 10) | 1, true, {}}; }
inline NetlinkRequest DeviceRequest(std::uint32_t index) {
  return {NETLINK_RDMA, (5 << 10) | 1, false, U32(1, index)};
}
inline NetlinkRequest PortRequest(std::uint32_t index, std::uint32_t port) {
  return {NETLINK_RDMA, (5 << 10) | 5, false, U32(1, index) + U32(3, port)};
}
inline NetlinkRequest LinkRequest(std::uint32_t ifindex) {
  ifinfomsg header{};
  header.ifi_index = static_cast<int>(ifindex);
  return {NETLINK_ROUTE, RTM_GETLINK, false, Of(header) + U32(29, 8)};  // IFLA_EXT_MASK: no statistics
}
inline NetlinkRequest LinksRequest() {
  return {NETLINK_ROUTE, RTM_GETLINK, true, Of(ifinfomsg{}) + U32(29, 8)};
}
inline NetlinkRequest ResourcesRequest(std::uint32_t index) {
  return {NETLINK_RDMA, (5 << 10) | 9, false, U32(1, index)};
}
inline NetlinkRequest QueuePairsRequest(std::uint32_t index) {
  return {NETLINK_RDMA, (5 << 10) | 10, true, U32(1, index) + U8(97, 1)};  // with driver details
}
inline NetlinkRequest CmIdsRequest(std::uint32_t index) {
  return {NETLINK_RDMA, (5 << 10) | 11, true, U32(1, index)};
}
inline NetlinkRequest DomainsRequest(std::uint32_t index) {
  return {NETLINK_RDMA, (5 << 10) | 14, true, U32(1, index)};
}
inline NetlinkRequest SystemRequest() { return {NETLINK_RDMA, (5 << 10) | 6, false, {}}; }
inline NetlinkRequest AddressesRequest() { return {NETLINK_ROUTE, RTM_GETADDR, true, Of(ifaddrmsg{})}; }
inline NetlinkRequest DcbRequest(const std::string& name) {
  return {NETLINK_ROUTE, 78, false, Of(dcbmsg{AF_UNSPEC, 21, 0}) + Text(1, name)};
}

// ---- answers ----

inline Bytes Device(std::uint32_t index, const std::string& name, const std::string& protocol,
                    std::uint32_t ports = 1, const std::string& firmware = "") {
  Bytes bytes = U32(1, index) + Text(2, name) + U32(3, ports) + U64(4, 0) + U64(6, 0x505400fffe000001);
  if (!firmware.empty()) bytes = bytes + Text(5, firmware);
  if (!protocol.empty()) bytes = bytes + Text(RDMA_NLDEV_ATTR_DEV_PROTOCOL, protocol);
  return bytes;
}

inline Bytes Port(std::uint32_t index, const std::string& name, std::uint32_t port,
                  std::optional<std::uint32_t> ifindex, std::uint8_t state = 4, std::uint8_t phys_state = 5) {
  Bytes bytes = U32(1, index) + Text(2, name) + U32(3, port) + U8(RDMA_NLDEV_ATTR_PORT_STATE, state) +
                U8(RDMA_NLDEV_ATTR_PORT_PHYS_STATE, phys_state);
  if (ifindex) bytes = bytes + U32(RDMA_NLDEV_ATTR_NDEV_INDEX, *ifindex) + Text(RDMA_NLDEV_ATTR_NDEV_NAME, "x");
  return bytes;
}

inline Bytes LinkHeader(std::uint32_t ifindex, bool up = true, bool carrier = true) {
  ifinfomsg header{};
  header.ifi_index = static_cast<int>(ifindex);
  header.ifi_flags = (up ? 0x1U : 0U) | (carrier ? 0x10000U : 0U);
  return Of(header);
}

inline Bytes Link(std::uint32_t ifindex, const std::string& name, std::uint32_t mtu,
                  const std::string& kind = "") {
  Bytes bytes = LinkHeader(ifindex) + Text(IFLA_IFNAME, name) + U32(IFLA_MTU, mtu);
  if (!kind.empty()) bytes = bytes + Nest(IFLA_LINKINFO, Text(IFLA_INFO_KIND, kind));
  return bytes;
}

// What stands on others and what others stand on: a member of `master`, a child of `parent`.
inline Bytes Master(std::uint32_t ifindex) { return U32(IFLA_MASTER, ifindex); }
inline Bytes Parent(std::uint32_t ifindex) { return U32(IFLA_LINK, ifindex); }

inline Bytes VlanLink(std::uint32_t ifindex, const std::string& name, std::uint16_t vlan,
                      const Bytes& egress = {}) {
  Bytes data = U16(IFLA_VLAN_ID, vlan);
  if (!egress.empty()) data = data + Nest(IFLA_VLAN_EGRESS_QOS, egress);
  return LinkHeader(ifindex) + Text(IFLA_IFNAME, name) + U32(IFLA_MTU, 1500) +
         Nest(IFLA_LINKINFO, Text(IFLA_INFO_KIND, "vlan") + Nest(IFLA_INFO_DATA, data));
}
inline Bytes EgressRow(std::uint32_t from, std::uint32_t to) {
  return Attr(IFLA_VLAN_QOS_MAPPING, Of(from) + Of(to));
}

inline Bytes BondLink(std::uint32_t ifindex, const std::string& name, std::uint8_t mode) {
  return LinkHeader(ifindex) + Text(IFLA_IFNAME, name) + U32(IFLA_MTU, 1500) +
         Nest(IFLA_LINKINFO, Text(IFLA_INFO_KIND, "bond") + Nest(IFLA_INFO_DATA, U8(IFLA_BOND_MODE, mode)));
}

inline Bytes Address4(std::uint32_t ifindex, std::array<std::uint8_t, 4> address, std::uint8_t prefix) {
  return Of(ifaddrmsg{AF_INET, prefix, 0, 0, ifindex}) + Attr(IFA_ADDRESS, Of(address)) +
         Attr(IFA_LOCAL, Of(address));
}

inline NetlinkRequest RouteRequest(std::array<std::uint8_t, 4> from, std::array<std::uint8_t, 4> to) {
  rtmsg header{};
  header.rtm_family = AF_INET;
  header.rtm_src_len = header.rtm_dst_len = 32;
  return {NETLINK_ROUTE, RTM_GETROUTE, false, Of(header) + Attr(RTA_DST, Of(to)) + Attr(RTA_SRC, Of(from))};
}
inline Bytes Route(std::uint32_t ifindex, unsigned char type = RTN_UNICAST, const Bytes& more = {}) {
  rtmsg header{};
  header.rtm_family = AF_INET;
  header.rtm_type = type;
  return Of(header) + U32(RTA_OIF, ifindex) + more;
}

inline NetlinkRequest RulesRequest() { return {NETLINK_ROUTE, RTM_GETRULE, true, Of(fib_rule_hdr{})}; }
struct RuleHeader {  // fib_rule_hdr
  std::uint8_t family = AF_INET;
  std::uint8_t dst_len = 0;
  std::uint8_t src_len = 0;
  std::uint8_t tos = 0;
  std::uint8_t table = 0;
  std::uint8_t reserved[2]{};
  std::uint8_t action = FR_ACT_TO_TBL;
  std::uint32_t flags = 0;
};
inline Bytes Rule(std::uint32_t priority, const RuleHeader& header, const Bytes& conditions = {}) {
  static_assert(sizeof header == sizeof(fib_rule_hdr));
  return Of(header) + U32(FRA_PRIORITY, priority) + U32(FRA_SUPPRESS_PREFIXLEN, 0xffffffff) + conditions;
}

inline NetlinkRequest NeighboursRequest() { return {NETLINK_ROUTE, RTM_GETNEIGH, true, Of(ndmsg{})}; }
inline Bytes Neighbour(std::uint32_t ifindex, std::array<std::uint8_t, 4> address, std::uint16_t state,
                       const Bytes& more = {}) {
  ndmsg header{};
  header.ndm_family = AF_INET;
  header.ndm_ifindex = static_cast<int>(ifindex);
  header.ndm_state = state;
  return Of(header) + Attr(NDA_DST, Of(address)) + more;
}

// 59 bytes laid out by number: 8 classes, 50 % each to classes 0 and 3, priority 3 in class 3.
inline Bytes Ets() {
  std::array<std::uint8_t, 59> raw{};
  raw[0] = 1;
  raw[1] = 8;
  raw[3] = raw[6] = 50;                                     // tc_tx_bw
  for (std::size_t tc = 0; tc < 8; ++tc) raw[19 + tc] = 2;  // tc_tsa
  raw[27 + 3] = 3;                                          // prio_tc
  return Of(raw);
}

// 136 bytes: 8 classes may pause, priority 3 does, delay 0x1234, 7 sent and 9 received on priority 3.
inline Bytes Pfc() {
  std::array<std::uint8_t, 136> raw{};
  raw[0] = 8;
  raw[1] = 1 << 3;
  raw[4] = 0x34;
  raw[5] = 0x12;
  raw[8 + 3 * 8] = 7;
  raw[72 + 3 * 8] = 9;
  return Of(raw);
}

// 44 bytes: priority 3 in buffer 1, whose size is 0x20000; the total is 0x40000.
inline Bytes Buffer() {
  std::array<std::uint8_t, 44> raw{};
  raw[3] = 1;
  raw[8 + 4 + 2] = 2;
  raw[40 + 2] = 4;
  return Of(raw);
}

// 64 bytes: class 3 is limited to 1000000 kbit/s.
inline Bytes MaxRates() {
  std::array<std::uint64_t, 8> raw{};
  raw[3] = 1'000'000;
  return Of(raw);
}

inline Bytes App(std::uint8_t selector, std::uint8_t priority, std::uint16_t protocol) {
  return Of(selector) + Of(priority) + Of(protocol);
}

inline Bytes Dcb(const std::string& name, const Bytes& ieee, std::optional<std::uint8_t> dcbx) {
  Bytes bytes = Of(dcbmsg{AF_UNSPEC, 21, 0}) + Text(DCB_ATTR_IFNAME, name) + Attr(DCB_ATTR_IEEE, ieee);
  if (dcbx) bytes = bytes + U8(DCB_ATTR_DCBX, *dcbx);
  return bytes;
}

inline Bytes FullDcb(const std::string& name) {
  const Bytes table = Attr(1, App(5, 3, 26)) + Attr(1, App(1, 0, 0)) + Attr(2, App(255, 3, 3));
  const Bytes trust = U8(1, 5) + U8(2, 255);
  return Dcb(name,
             Attr(1, Ets()) + Attr(2, Pfc()) + Attr(3, table) + Attr(7, MaxRates()) + Attr(10, Buffer()) +
                 Nest(12, {}) + Nest(11, trust),
             0x09);
}

// What the firmware's DCBX heard: ETS, PFC, and that the peer has DSCP 26 at priority 3. A row rewrites too.
inline Bytes PeerDcb(const std::string& name, std::uint8_t dcbx = 0x0a) {
  return Dcb(name,
             Nest(12, Attr(2, App(255, 3, 3)) + Attr(1, App(5, 3, 26))) + Attr(4, Ets()) + Attr(5, Pfc()) +
                 Attr(6, Attr(1, App(5, 3, 26))),
             dcbx);
}

// The older dialect. `rows`: group, bitmap of priorities and percent of each class; PFC on priority 3.
inline NetlinkRequest CeeRequest(const std::string& name) {
  return {NETLINK_ROUTE, 78, false, Of(dcbmsg{AF_UNSPEC, 26, 0}) + Text(1, name)};
}
inline Bytes CeeGroupRow(std::uint8_t group, std::uint8_t priorities) {
  return U8(1, group) + U8(2, priorities) + U8(3, 0) + U8(4, 0);
}
inline Bytes CeeGroups(const std::array<std::array<std::uint8_t, 3>, 8>& rows) {
  Bytes bytes;
  for (int i = 0; i < 8; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    bytes = bytes + Attr(1 + i, CeeGroupRow(row[0], row[1]));
  }
  for (int i = 0; i < 8; ++i) bytes = bytes + U8(11 + i, rows[static_cast<std::size_t>(i)][2]);
  return bytes;
}
inline Bytes CeePfc() {
  Bytes bytes;
  for (int i = 0; i < 8; ++i) bytes = bytes + U8(1 + i, i == 3 ? 1 : 0);
  return bytes;
}
inline Bytes Cee(const std::string& name, const Bytes& parts) {
  return Of(dcbmsg{AF_UNSPEC, 26, 0}) + Text(DCB_ATTR_IFNAME, name) + Attr(DCB_ATTR_CEE, parts);
}
// Priority 3 in group 1 with half of the line, all others in group 0.
inline Bytes FullCee(const std::string& name) {
  return Cee(
      name,
      Attr(4,
           CeeGroups(
               {{{0, 0, 50}, {0, 0, 50}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}})) +
          Attr(6, CeePfc()));
}

inline Bytes ResourceRow(const std::string& name, std::uint64_t count) {
  return Nest(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, Text(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, name) +
                                                     U64(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count));
}
inline Bytes Resources(std::uint32_t index, const Bytes& rows) {
  return U32(1, index) + Text(2, "rxe0") + Nest(RDMA_NLDEV_ATTR_RES_SUMMARY, rows);
}
inline Bytes Resources(std::uint32_t index) {
  return Resources(index, ResourceRow("pd", 4) + ResourceRow("cq", 5) + ResourceRow("qp", 3) +
                              ResourceRow("cm_id", 2) + ResourceRow("mr", 1) + ResourceRow("ctx", 6) +
                              ResourceRow("srq", 7));
}

// An identifier of RDMA-CM: state 8 listens, port space 0x106 is TCP's.
inline Bytes CmId(std::uint16_t port, const Bytes& owner, std::uint8_t state = 8, std::uint32_t space = 0x106,
                  std::uint16_t family = AF_INET) {
  Bytes address = Of(family) + Bytes{std::byte(port >> 8U), std::byte(port & 0xffU)};
  address.resize(128);
  return Nest(RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, U32(3, 1) + U32(RDMA_NLDEV_ATTR_RES_PS, space) +
                                                   U8(RDMA_NLDEV_ATTR_RES_STATE, state) +
                                                   Attr(RDMA_NLDEV_ATTR_RES_SRC_ADDR, address) + owner);
}
inline Bytes OfKernel(const std::string& name) { return Text(RDMA_NLDEV_ATTR_RES_KERN_NAME, name); }
inline Bytes OfProcess(std::uint32_t pid) { return U32(RDMA_NLDEV_ATTR_RES_PID, pid); }
// An identifier that has a queue pair; state 5 is connected.
inline Bytes Connection(std::uint32_t queue_pair, const Bytes& owner, std::uint8_t state = 5,
                        const std::array<std::uint8_t, 4>& remote = {10, 0, 0, 2}) {
  Bytes address = Of(std::uint16_t{AF_INET}) + Of(std::uint16_t{0}) + Of(remote);
  address.resize(128);
  return Nest(RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY,
              U32(RDMA_NLDEV_ATTR_PORT_INDEX, 1) + U32(RDMA_NLDEV_ATTR_RES_LQPN, queue_pair) +
                  U32(RDMA_NLDEV_ATTR_RES_PS, 0x106) + U8(RDMA_NLDEV_ATTR_RES_STATE, state) +
                  Attr(RDMA_NLDEV_ATTR_RES_DST_ADDR, address) + owner);
}
// A queue pair: type 1 is GSI, 2 is RC, 4 is UD; state 3 is RTS.
inline Bytes QueuePair(std::uint32_t number, std::uint8_t type, const Bytes& owner, std::uint32_t port = 1) {
  return Nest(RDMA_NLDEV_ATTR_RES_QP_ENTRY, (port == 0 ? Bytes() : U32(RDMA_NLDEV_ATTR_PORT_INDEX, port)) +
                                                U32(RDMA_NLDEV_ATTR_RES_LQPN, number) +
                                                U8(RDMA_NLDEV_ATTR_RES_TYPE, type) +
                                                U8(RDMA_NLDEV_ATTR_RES_STATE, 3) + owner);
}
inline Bytes QueuePairs(std::uint32_t index, const Bytes& rows) {
  return U32(1, index) + Text(2, "rxe0") + Nest(RDMA_NLDEV_ATTR_RES_QP, rows);
}
inline Bytes CmIds(std::uint32_t index, const Bytes& rows) {
  return U32(1, index) + Text(2, "rxe0") + Nest(RDMA_NLDEV_ATTR_RES_CM_ID, rows);
}

inline Bytes Domain(const Bytes& owner) {
  return Nest(RDMA_NLDEV_ATTR_RES_PD_ENTRY, U32(RDMA_NLDEV_ATTR_RES_PDN, 1) + owner);
}
inline Bytes Domains(std::uint32_t index, const Bytes& rows) {
  return U32(1, index) + Text(2, "rxe0") + Nest(RDMA_NLDEV_ATTR_RES_PD, rows);
}

inline NetlinkRequest QdiscsRequest() { return {NETLINK_ROUTE, RTM_GETQDISC, true, Of(tcmsg{})}; }
inline Bytes Qdisc(std::uint32_t ifindex, const std::string& kind, const Bytes& options = {},
                   std::uint32_t parent = 0xffffffff) {
  tcmsg header{};
  header.tcm_ifindex = static_cast<int>(ifindex);
  header.tcm_parent = parent;
  return Of(header) + Text(TCA_KIND, kind) + Attr(TCA_OPTIONS, options);
}
// 82 bytes: 4 classes, priorities 3 and 4 in classes 1 and 2; an attribute behind.
inline Bytes MqprioOptions(std::uint8_t hardware) {
  std::array<std::uint8_t, 84> raw{};
  raw[0] = 4;
  raw[1 + 3] = 1;
  raw[1 + 4] = 2;
  raw[17] = hardware;
  return Of(raw) + U16(1, 1);
}

// ---- ethtool ----

inline Bytes Padded(std::string text, std::size_t bytes) {
  text.resize(bytes, '\0');
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}
inline Bytes DriverInfo(const std::string& driver, const std::string& firmware,
                        const std::string& version = "6.12") {
  return Of(std::uint32_t{ETHTOOL_GDRVINFO}) + Padded(driver, 32) + Padded(version, 32) + Padded(firmware, 32) +
         Padded("0000:3b:00.0", 32) + Padded("", 32 + 12 + 5 * 4);
}
inline Bytes PauseParameters(bool rx, bool tx) {
  return Of(std::uint32_t{ETHTOOL_GPAUSEPARAM}) + Of(std::uint32_t{0}) + Of(std::uint32_t{rx ? 1U : 0U}) +
         Of(std::uint32_t{tx ? 1U : 0U});
}
inline Bytes StatisticsCount(std::uint32_t count) {
  return Of(std::uint32_t{ETHTOOL_GSSET_INFO}) + Of(std::uint32_t{0}) + Of(std::uint64_t{2}) + Of(count);
}
inline Bytes StatisticNames(const std::vector<std::string>& names) {
  Bytes bytes =
      Of(std::uint32_t{ETHTOOL_GSTRINGS}) + Of(std::uint32_t{1}) + Of(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) bytes = bytes + Padded(name, 32);
  return bytes;
}
inline Bytes StatisticValues(const std::vector<std::uint64_t>& values) {
  Bytes bytes = Of(std::uint32_t{ETHTOOL_GSTATS}) + Of(static_cast<std::uint32_t>(values.size()));
  for (const std::uint64_t value : values) bytes = bytes + Of(value);
  return bytes;
}
inline Bytes StormTimeout(std::uint16_t timeout_ms) {
  return Of(std::uint32_t{ETHTOOL_GTUNABLE}) + Of(std::uint32_t{3}) + Of(std::uint32_t{2}) +
         Of(std::uint32_t{2}) + Of(timeout_ms);
}

}  // namespace rdmaready::wire
