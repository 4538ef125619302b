// SPDX-License-Identifier: Apache-2.0
// Which distribution it is, by os-release(5).
#pragma once

#include <string_view>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Of a whole file. What stands there that no shell would take for one word is passed over; kUnsupported where
// the file names no distribution.
Fact<Distribution> DecodeOsRelease(std::string_view text);

// /etc/os-release, else /usr/lib/os-release. kUnsupported where there is neither.
Fact<Distribution> ReadDistribution(HostReader& host);

}  // namespace rdmaready
