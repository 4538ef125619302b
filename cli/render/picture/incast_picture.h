// SPDX-License-Identifier: Apache-2.0
// An incast over its time: the goodput of each sender and of the victim, and what held them back. Pure.
#pragma once

#include <string>

#include "api/model/incast.h"
#include "checks/live/incast.h"

namespace rdmaready {

// An SVG document.
std::string IncastPicture(const IncastRun& run, const IncastJudgement& judged);

}  // namespace rdmaready
