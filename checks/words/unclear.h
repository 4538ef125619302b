// SPDX-License-Identifier: Apache-2.0
// An answer that cannot be judged.
#pragma once

#include <string>
#include <string_view>

#include "api/model/report.h"
#include "checks/check.h"

namespace rdmaready {

// It contradicts itself, or names what nobody knows: unknown. The check's own fix says what to do.
Verdict Unclear(std::string observed, std::string expected, std::string_view source);

}  // namespace rdmaready
