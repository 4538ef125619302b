// SPDX-License-Identifier: Apache-2.0
// The second function of a Socket Direct board: one cable, and a PCI function at each of two processors.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// The interface that a port without one may share with another function of its board. Empty: it shares none;
// missing: that is not known. Since Linux 6.9 mlx5 makes one interface for both functions, and the RDMA device
// of the second stays down without one (Documentation/networking/multi-pf-netdev.rst). A port whose interface
// is in another network namespace and has no cable looks the same, so the name is a possibility.
Fact<std::string> PerhapsInterfaceOfBoth(const Facts& host, const Port& port);

// Whether there is such an interface.
bool IsPerhapsSecondFunction(const Facts& host, const Port& port);

}  // namespace rdmaready
