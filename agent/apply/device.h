// SPDX-License-Identifier: Apache-2.0
// Whether the device that has a setting is there, and whether it is still the same one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/setting.h"

namespace rdmaready {

// Of this host, by sysfs: the ifindex of a netdev, the inode of an RDMA device's or a PCI function's folder,
// which the kernel numbers anew for each; 1 for what belongs to the kernel itself. kNotFound: there is none.
absl::StatusOr<std::uint64_t> DeviceOf(const SettingObject& object);

// "net.ipv4.conf.dcb0.100.arp_ignore" -> "dcb0.100"; empty: it is for every interface, or for none.
std::string InterfaceOfSysctl(std::string_view variable);

}  // namespace rdmaready
