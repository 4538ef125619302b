// SPDX-License-Identifier: Apache-2.0
// The remedy of a finding by the wishes for its place. A remedy and a step of the plan have the same commands
// for the same object and the same value.
#pragma once

#include <string_view>

#include "api/model/remedy.h"
#include "checks/check.h"

namespace rdmaready {

// `own` where it has the same commands, or where no setting that serves the check has to change; else the
// commands of those settings. The cautions are those of the settings. Only of a check that fails or warns
// there.
Remedy RemedyOf(std::string_view check, const EthernetView& view, const Remedy& own);
Remedy RemedyOf(std::string_view check, const PortView& view, const Remedy& own);

}  // namespace rdmaready
