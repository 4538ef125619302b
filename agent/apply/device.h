// SPDX-License-Identifier: Apache-2.0
// Whether the device that has a setting is there, and whether it is still the same one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/setting.h"

namespace rdmaready {

// Of this host, by sysfs: the ifindex of a netdev, the inode of an RDMA device's or a PCI function's folder,
// which the kernel numbers anew for each; 1 for what belongs to the kernel itself. kNotFound: there is none.
absl::StatusOr<std::uint64_t> DeviceOf(const SettingObject& object);

// Which hardware stands behind the name: where it is, and its own address, "0000:3b:00.0/0 b8:59:9f:00:00:01"
// ("-" for one that it does not have). Of a netdev the place and port of its device and its permanent MAC
// address, of an RDMA device its place and node GUID. Empty: the name says it already, or it is software.
std::string IdentityOf(const SettingObject& object);

// The netdevs at the bottom of this one, by sysfs: the members of a bond, also under a VLAN; the name itself
// where nothing is below it, or where it is not a netdev.
std::vector<std::string> NetdevsBelow(const std::string& netdev);

// Not when both are known, and neither the place nor the address is the same: a NIC keeps its address in
// another slot, and one that takes its place there takes its part, too. A virtual function may get an address
// at random.
bool MayBeSame(std::string_view identity, std::string_view other);

}  // namespace rdmaready
