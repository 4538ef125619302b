// SPDX-License-Identifier: Apache-2.0
// Who writes DCB settings behind the host's back: what the kernel announced of it, and what differs between two
// readings of the host. Pure; nothing beyond a message's end is read.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Is there a netdev in the facts whose DCB settings could be written?
bool AnyDcb(const Facts& facts);

// By what differs: "PFC 3 -> 4", "ETS", "APP". What only one of them knows is left out, and so is what counts.
std::vector<std::string> DcbDifferences(const Dcb& before, const Dcb& after);

// The writes to the netdev `name`, whose settings were `before`. Becomes the settings after the last one.
DcbWrites DecodeDcbWrites(const DcbNotices& notices, const std::string& name, Dcb& settings);

// Fills Netdev::dcb_writes where the ports' links are. `before` was read when listening began, `after` when it
// had ended.
void KeepDcbWrites(const Fact<DcbNotices>& heard, const Facts& before, Facts& after);

// Whether it writes DCB settings for as long as it runs.
bool IsDcbDaemon(const ProcessName& process);

// Asks, and waits.
Fact<DcbNotices> ListenForDcbWrites(HostReader& host, const LldpWait& wait);

// KeepDcbWrites with one reading only, that of `facts`: listens, and fills Netdev::dcb_writes.
void ReadDcbWrites(HostReader& host, const LldpWait& wait, Facts& facts);

}  // namespace rdmaready
