// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/ethtool_write.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <span>

#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/net/generic_families.h"
#include "collectors/nic/ethtool_family.h"

namespace rdmaready {
namespace {

NetlinkRequest EthtoolRequest(std::uint16_t family, std::uint8_t command, int header_attribute,
                              const std::string& netdev, std::uint32_t ifindex, const Payload& more) {
  const genlmsghdr header{.cmd = command, .version = ETHTOOL_GENL_VERSION, .reserved = 0};
  Payload about;
  about.U32(ETHTOOL_A_HEADER_DEV_INDEX, ifindex).Text(ETHTOOL_A_HEADER_DEV_NAME, netdev);
  Payload payload = Payload::Of(header);
  payload.Nest(header_attribute, about).Join(more);
  return {NETLINK_GENERIC, family, false, payload.bytes()};
}

void AddIfDifferent(int attribute, bool from, bool to, Payload& payload) {
  const std::uint8_t octet = to ? 1 : 0;
  if (from != to) payload.Bytes(attribute, std::as_bytes(std::span(&octet, 1)));
}

}  // namespace

NetlinkRequest SetPause(std::uint16_t family, const std::string& netdev, std::uint32_t ifindex,
                        const Pause& from, const Pause& to) {
  Payload changes;
  AddIfDifferent(ETHTOOL_A_PAUSE_AUTONEG, from.autoneg, to.autoneg, changes);
  AddIfDifferent(ETHTOOL_A_PAUSE_RX, from.rx, to.rx, changes);
  AddIfDifferent(ETHTOOL_A_PAUSE_TX, from.tx, to.tx, changes);
  return EthtoolRequest(family, ETHTOOL_MSG_PAUSE_SET, ETHTOOL_A_PAUSE_HEADER, netdev, ifindex, changes);
}

NetlinkRequest SetPrivateFlag(std::uint16_t family, const std::string& netdev, std::uint32_t ifindex,
                              const std::string& flag, bool on) {
  // A bit that is listed is changed, to set with a value and to clear without; others stay.
  Payload bit;
  bit.Text(ETHTOOL_A_BITSET_BIT_NAME, flag);
  if (on) bit.Bytes(ETHTOOL_A_BITSET_BIT_VALUE, {});
  Payload bits;
  bits.Nest(ETHTOOL_A_BITSET_BITS_BIT, bit);
  Payload set;
  set.Nest(ETHTOOL_A_BITSET_BITS, bits);
  Payload flags;
  flags.Nest(ETHTOOL_A_PRIVFLAGS_FLAGS, set);
  return EthtoolRequest(family, ETHTOOL_MSG_PRIVFLAGS_SET, ETHTOOL_A_PRIVFLAGS_HEADER, netdev, ifindex, flags);
}

absl::Status WriteEthtool(HostReader& host, KernelDoor& door, const SettingObject& object,
                          std::string_view from, std::string_view to) {
  RR_ASSIGN_OR_RETURN(const std::uint16_t family, FindEthtoolFamily(ReadGenericFamilies(host)));
  return WithNetdev(door, object.where, [&](std::uint32_t ifindex) {
    if (object.kind == SettingKind::kPause) {
      return Order(door, SetPause(family, object.where, ifindex, *PauseOf(from), *PauseOf(to)),
                   "set pause on " + object.where);
    }
    return Order(door, SetPrivateFlag(family, object.where, ifindex, object.name, to == "on"),
                 "set private flag " + object.name + " on " + object.where);
  });
}

}  // namespace rdmaready
