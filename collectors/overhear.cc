// SPDX-License-Identifier: Apache-2.0
#include "collectors/overhear.h"

#include <thread>

#include "collectors/dcb/dcb_writes.h"

namespace rdmaready {

Overheard Overhear(HostReader& host, const LldpWait& wait, const Facts& facts) {
  Overheard heard;
  {
    std::jthread to_dcb;
    if (AnyDcb(facts)) {
      to_dcb = std::jthread([&host, &wait, &heard] { heard.dcb = ListenForDcbWrites(host, wait); });
    }
    heard.lldp = ListenOnPorts(host, wait, facts);
  }
  return heard;
}

}  // namespace rdmaready
