// SPDX-License-Identifier: Apache-2.0
// CauseText: one cause for a person who has to act. It says what is wrong, the likely cause, and what is ruled
// out. Then come the cautions, the steps, and the command that shows that they worked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/render/report/causes.h"
#include "cli/style.h"

namespace rdmaready {

// "WRONG     text", wrapped under the text.
std::string LabelledLine(const Style& style, Tone tone, std::string_view label, std::string_view text);

// In full. `on`: the hosts, where they are several; empty: they are named already.
std::string CauseText(const Style& style, const Cause& cause, const std::string& on = {});

// Says what was seen, without a repair: nobody has to act on it.
std::string CauseInALine(const Style& style, const Cause& cause, const std::string& on = {});

// In two lines: what is wrong, and the first step with what to know before it.
std::string CauseInBrief(const Style& style, const Cause& cause, const std::string& on = {});

}  // namespace rdmaready
