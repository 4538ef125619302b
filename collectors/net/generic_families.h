// SPDX-License-Identifier: Apache-2.0
// The families of generic netlink that the kernel has now, listed once.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"

namespace rdmaready {

using GenericFamilies = std::map<std::string, std::uint16_t>;  // number by name

// A listing of all families: asking for one by name would make a kernel that has not got it look for a module.
absl::StatusOr<GenericFamilies> ReadGenericFamilies(HostReader& host);

// kUnimplemented with `absent` when the kernel has no such family.
absl::StatusOr<std::uint16_t> FamilyNamed(const absl::StatusOr<GenericFamilies>& families,
                                          const std::string& name, const char* absent);

// A family's multicast group, with the number of both.
struct GenericGroup {
  std::uint16_t family = 0;
  std::uint32_t group = 0;
};
// By a listing, too. kUnimplemented: there is no such family, or group of it.
absl::StatusOr<GenericGroup> FindGenericGroup(HostReader& host, const std::string& family,
                                              const std::string& group);

}  // namespace rdmaready
