// SPDX-License-Identifier: Apache-2.0
// The ids that findings can have: checks of settings, live tests, probes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/waiver.h"

namespace rdmaready {

// All of them, in the order of the catalogue.
const std::vector<std::string>& KnownIds();

// "no check has the id `pfc.losless` (did you mean `pfc.lossless-priority`?)": why no finding can ever have the
// id that the waiver names, or one of its pattern; empty where one can. A guess is at most two typing mistakes
// away, or the part of the id behind its dot.
std::string WhyForNoCheck(const Waiver& waiver);

}  // namespace rdmaready
