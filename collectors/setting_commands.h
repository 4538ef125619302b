// SPDX-License-Identifier: Apache-2.0
// The commands of a script that give an interface its MTU or link-level pause, a sysctl its value, or a NIC the
// DSCP of congestion notifications. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// `command` begins with its program: ip, ifconfig, ethtool, sysctl, or whatever writes to /sys and
// /proc/sys. Variables have their values. One line for each setting: "mtu NETDEV BYTES",
// "pause NETDEV autoneg off rx on tx on", "sysctl NAME VALUE", "cnp NETDEV DSCP"; "*" stands for a word that is
// not known. Empty: the command sets none of them.
std::vector<std::string> SettingCommands(std::span<const std::string> command);

// "sysctl NAME VALUE" of one line of sysctl.d(5), or of an argument of sysctl(8):
// "net/ipv4/conf/a.b/rp_filter=1" is "net.ipv4.conf.a/b.rp_filter". A line "-NAME" has no value. Empty: a
// variable of another kind, or none.
std::string SysctlLine(std::string_view assignment);

}  // namespace rdmaready
