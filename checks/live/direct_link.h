// SPDX-License-Identifier: Apache-2.0
// DirectLink: whether one cable joins two ports, as their LLDP shows. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/model/facts.h"

namespace rdmaready {

struct LinkEnd {
  std::string_view host{};
  const Netdev* netdev = nullptr;  // the Ethernet port; never null
};

struct LinkProof {
  bool direct = false;
  std::string text{};  // how it is known, or why it is not; printable
};

// Each end hears one LLDP neighbour alone, and that one announces the other end's port. Its ids are those that
// the other host's own LLDP agent announces, or its port id is the other port's hardware address. A switch
// announces ids of its own. An end that hears several neighbours has something between. The neighbour has
// to speak to 01:80:c2:00:00:0e, since a bridge may pass on the other groups of LLDP. Our listener has to hear
// it, where it listened, since the host's own agent remembers for some time.
LinkProof FindDirectLink(const LinkEnd& one, const LinkEnd& other);

}  // namespace rdmaready
