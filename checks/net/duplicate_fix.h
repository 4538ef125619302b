// SPDX-License-Identifier: Apache-2.0
// The repair of an address that two interfaces of one host have.
#pragma once

#include <string>

#include "api/model/facts.h"
#include "checks/words/addresses.h"
#include "checks/words/fix.h"

namespace rdmaready {

// `placed` is an address of an RDMA port, and `other` the second interface that has it. A storage port never
// loses its address by a command. A person decides where both interfaces carry RDMA, where that is not known,
// and where routing may have put the address on both on purpose.
Fix DuplicateFix(const Facts& host, const PlacedAddress& placed, const std::string& other, bool by_routing);

}  // namespace rdmaready
