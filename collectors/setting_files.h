// SPDX-License-Identifier: Apache-2.0
// The settings of interfaces that configuration files hold. No other text of a file is kept. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// Whether the file is of a kind that SettingsInFile reads: sysctl.d(5), systemd.link(5), systemd.network(5),
// systemd.netdev(5), a drop-in of these three ("20-a.link.d/rdma.conf"), netplan, or ifcfg of Red Hat and SUSE.
bool IsSettingFile(std::string_view path);

// Lines as SettingCommands (setting_commands.h) has them. The interface of a .link or .network file is "*", its
// name, a MAC address in lower case, "pci=0000:3b:00.0" or "driver=mlx5_core"; "match NETDEV" is said of each
// that the file matches.
std::vector<std::string> SettingsInFile(std::string_view path, std::string_view text);

// Of udev(7): ATTR{mtu}="9000" and SYSCTL{net/ipv4/conf/all/arp_ignore}="2" of one rule. "$name" and "%k" in
// the name of a variable are the interface that the rule names, or "*".
std::vector<std::string> SettingsInRule(std::string_view rule);

// The device that KERNEL== or NAME== of the rule names; empty: a pattern, or the rule has neither.
std::string NameOfRule(std::string_view rule);

}  // namespace rdmaready
