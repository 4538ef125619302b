// SPDX-License-Identifier: Apache-2.0
// Listening, at once, to all that is said of a host's links: LLDP on them, and the kernel about writes of DCB.
#pragma once

#include "collectors/host_reader.h"
#include "collectors/lldp/lldp.h"

namespace rdmaready {

struct Overheard {
  LldpByNetdev lldp{};
  Fact<DcbNotices> dcb{};  // kNotCollected: no port of the host has DCB, so nobody listened
};

// Takes the whole time where anything can be listened to; else it returns at once. `host` is asked by
// two threads.
Overheard Overhear(HostReader& host, const LldpWait& wait, const Facts& facts);

}  // namespace rdmaready
