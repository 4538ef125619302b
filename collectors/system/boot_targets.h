// SPDX-License-Identifier: Apache-2.0
// The disks of the network that the firmware booted from, as it left them in ACPI tables: iBFT of iSCSI, which
// the kernel's iscsi_ibft decodes into sysfs, and NBFT of NVMe (NVM Express Boot Specification 1.0), which
// nobody does.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The targets of a whole NBFT, one for each of the ports that lead there. An error when its length, its
// checksum or an offset in it is wrong, or its version is another one.
absl::StatusOr<std::vector<BootTarget>> DecodeNbft(std::span<const std::byte> table);

// Root only: kDenied without. Also missing where there is an iBFT and iscsi_ibft is not loaded.
Fact<std::vector<BootTarget>> ReadBootTargets(HostReader& host);

}  // namespace rdmaready
