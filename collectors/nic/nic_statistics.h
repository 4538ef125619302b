// SPDX-License-Identifier: Apache-2.0
// A driver's private statistics by ethtool's ioctl (ethtool -S): how many, their names, their values; then what
// is known of them in the words of api/model/nic_statistics.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/nic/nic_names.h"

namespace rdmaready {

// Of which driver's table the names are: what the driver calls itself, else what sysfs calls it. The virtual
// fabric's NIC, dcbnic, behaves as another driver, which it names. nullptr: not known.
const NicNames* NamesFor(const std::string& driver, const Fact<DriverInfo>& info);

// The structs as the kernel left them, their data behind. The number of statistics may be 0. Names without
// their filling blanks, each of its own field, with or without NUL. kUnavailable when there are more or fewer
// by now than were asked for.
absl::StatusOr<std::uint32_t> DecodeStatisticsCount(std::span<const std::byte> answer);
absl::StatusOr<std::vector<std::string>> DecodeStatisticNames(std::span<const std::byte> answer,
                                                              std::uint32_t count);
absl::StatusOr<std::vector<std::uint64_t>> DecodeStatisticValues(std::span<const std::byte> answer,
                                                                 std::uint32_t count);

// Those that the table knows, in the driver's order. Nothing is asked of a driver that is in no table.
Fact<std::vector<NicStatistic>> ReadNicStatistics(HostReader& host, const std::string& netdev,
                                                  const std::string& driver, const Fact<DriverInfo>& info);

}  // namespace rdmaready
