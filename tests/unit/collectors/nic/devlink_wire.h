// SPDX-License-Identifier: Apache-2.0
// Messages of devlink written by hand.
#pragma once

#include <linux/devlink.h>
#include <linux/genetlink.h>

#include <utility>

#include "tests/unit/collectors/wire.h"

namespace rdmaready::wire {

inline constexpr std::uint16_t kDevlinkFamily = 23;

inline Bytes DevlinkHeader(std::uint8_t command) { return Of(genlmsghdr{command, 1, 0}); }
inline Bytes DevlinkHandle(const std::string& address) {
  return Text(DEVLINK_ATTR_BUS_NAME, "pci") + Text(DEVLINK_ATTR_DEV_NAME, address);
}
inline NetlinkRequest DevlinkList(std::uint8_t command) {
  return {NETLINK_GENERIC, kDevlinkFamily, true, DevlinkHeader(command)};
}
inline NetlinkRequest DevlinkEswitchRequest(const std::string& address) {
  return {NETLINK_GENERIC, kDevlinkFamily, false,
          DevlinkHeader(DEVLINK_CMD_ESWITCH_GET) + DevlinkHandle(address)};
}

inline Bytes DevlinkVersion(int type, const std::string& name, const std::string& value) {
  return Attr(type, Text(DEVLINK_ATTR_INFO_VERSION_NAME, name) + Text(DEVLINK_ATTR_INFO_VERSION_VALUE, value));
}
inline Bytes DevlinkInfo(const std::string& address) {
  return DevlinkHeader(DEVLINK_CMD_INFO_GET) + DevlinkHandle(address) +
         Text(DEVLINK_ATTR_INFO_DRIVER_NAME, "mlx5_core") +
         DevlinkVersion(DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_0000000012") +
         DevlinkVersion(DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "16.35.3006") +
         DevlinkVersion(DEVLINK_ATTR_INFO_VERSION_STORED, "fw", "16.35.4030");
}

// `values`: modes (0 runtime, 1 driverinit, 2 permanent) and the attribute that each has.
inline Bytes DevlinkParam(const std::string& address, const std::string& name, std::uint8_t type,
                          const std::vector<std::pair<std::uint8_t, Bytes>>& values) {
  Bytes list;
  for (const auto& [mode, data] : values)
    list = list + Attr(DEVLINK_ATTR_PARAM_VALUE, U8(DEVLINK_ATTR_PARAM_VALUE_CMODE, mode) + data);
  return DevlinkHeader(DEVLINK_CMD_PARAM_GET) + DevlinkHandle(address) +
         Attr(DEVLINK_ATTR_PARAM, Text(DEVLINK_ATTR_PARAM_NAME, name) + U8(DEVLINK_ATTR_PARAM_TYPE, type) +
                                      Attr(DEVLINK_ATTR_PARAM_VALUES_LIST, list));
}
// A switch, set by the driver's start: type 6 is a flag, which is there or not.
inline Bytes DevlinkFlag(const std::string& address, const std::string& name, bool on) {
  return DevlinkParam(address, name, 6, {{1, on ? Attr(DEVLINK_ATTR_PARAM_VALUE_DATA, {}) : Bytes{}}});
}

inline Bytes DevlinkHealth(const std::string& address, const std::string& name, std::uint8_t state,
                           std::uint64_t errors) {
  return DevlinkHeader(DEVLINK_CMD_HEALTH_REPORTER_GET) + DevlinkHandle(address) +
         Attr(DEVLINK_ATTR_HEALTH_REPORTER,
              Text(DEVLINK_ATTR_HEALTH_REPORTER_NAME, name) + U8(DEVLINK_ATTR_HEALTH_REPORTER_STATE, state) +
                  U64(DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, errors) +
                  U64(DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT, errors > 0 ? errors - 1 : 0));
}

inline Bytes DevlinkEswitch(const std::string& address, std::uint16_t mode) {
  return DevlinkHeader(DEVLINK_CMD_ESWITCH_GET) + DevlinkHandle(address) + U16(DEVLINK_ATTR_ESWITCH_MODE, mode);
}

}  // namespace rdmaready::wire
