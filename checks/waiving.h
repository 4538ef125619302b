// SPDX-License-Identifier: Apache-2.0
// Waiving: what a site accepts for now is said of a finding, and taken out of the verdict. Its outcome stays.
// Pure: the time is handed in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/model/profile.h"
#include "api/model/report.h"

namespace rdmaready {

inline constexpr std::string_view kWaiversId = "host.waivers";  // checks/host/waivers.cc

// Fails, warns or is not known, and nobody has waived it.
bool CallsForAttention(const Finding& finding);

// Names are also taken by the part before their first dot; a waiver without a host is for every host.
bool IsForHost(const Waiver& waiver, std::string_view host);

// A day that cannot be read is over.
bool HasEnded(const Waiver& waiver, std::int64_t now_unix_ns);

// Of findings that fail, warn or are not known, about a host of these names, or about a pair: then they are the name
// of its first host and that of its second, and host and port of a waiver are those of one end. Those that every
// profile waives which they are findings of (Finding::profile; empty: all of them), by waivers that have not run
// out; the first one that fits is told. host.waivers itself cannot be waived. A finding that is waived already
// stays as it is.
void Waive(std::span<const Profile> profiles, std::span<const std::string> hosts, std::int64_t now_unix_ns,
           std::span<Finding> findings);

// How many are waived.
std::size_t WaivedOf(std::span<const Finding> findings);
std::size_t WaivedOf(const Report& report);

}  // namespace rdmaready
