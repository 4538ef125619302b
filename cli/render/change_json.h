// SPDX-License-Identifier: Apache-2.0
// Plans and changes as JSON objects (packaging/schemas). Pure.
#pragma once

#include <string>

#include "cli/fleet/change_run.h"

namespace rdmaready {

std::string PlanJson(const PlanRun& run);
std::string ApplyJson(const ChangeRun& run);
std::string ApplierJson(const ApplierRun& run);
std::string ProfileDigestJson(const std::string& profile, const std::string& sha256);

}  // namespace rdmaready
