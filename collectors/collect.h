// SPDX-License-Identifier: Apache-2.0
// CollectFacts: the whole picture of one host, as far as it answers.
#pragma once

#include "api/base/clock.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Never fails as a whole: every gap is a Missing with the kernel's words. Looking changes nothing and loads no
// module. A host without an RDMA stack, or with one and no devices, has an empty list of ports.
Facts CollectFacts(HostReader& host, Clock& clock = RealClock());

}  // namespace rdmaready
