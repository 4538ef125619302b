// SPDX-License-Identifier: Apache-2.0
// The outcome of one transfer of a live run: it came to its end, it shows a fault, or it was given up. Pure.
#pragma once

#include <string>

#include "api/model/stress_flow.h"

namespace rdmaready {

// All of it arrived intact, and it was not nothing.
bool Came(const StressFlow& flow);

// It failed. One that was given up shows nothing of the path.
bool ShowsAFault(const StressFlow& flow);

// Why it did not come to its end, printable and not empty; empty where Came().
std::string WhyFailed(const StressFlow& flow);

}  // namespace rdmaready
