// SPDX-License-Identifier: Apache-2.0
// What ethtool's netlink family tells of a netdev: one function an answer. All of it is asked for by ifindex,
// so a rename meanwhile does no harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/attributes.h"
#include "collectors/host_reader.h"

namespace rdmaready {

absl::StatusOr<LinkModes> DecodeLinkModes(const Attributes& answer);
absl::StatusOr<Fec> DecodeFec(const Attributes& answer);
Fact<PauseFrames> DecodePauseFrames(const Attributes& answer);
absl::StatusOr<Eee> DecodeEee(const Attributes& answer);
absl::StatusOr<Rings> DecodeRings(const Attributes& answer);
absl::StatusOr<Channels> DecodeChannels(const Attributes& answer);
absl::StatusOr<std::vector<PrivateFlag>> DecodePrivateFlags(const Attributes& answer);
Fact<DownReason> DecodeDownReason(const Attributes& answer);

struct StandardCounters {
  Fact<std::uint64_t> fcs_errors{};
  Fact<std::uint64_t> symbol_errors{};
};
StandardCounters DecodeStandardCounters(const Attributes& answer);

// `sysfs` is "/sys/class/net/X"; empty when that may be another interface: then no temperatures are read.
EthernetLink ReadEthernetLink(HostReader& host, const absl::StatusOr<std::uint16_t>& family,
                              std::uint32_t ifindex, const std::string& sysfs);

}  // namespace rdmaready
