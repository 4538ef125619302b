// SPDX-License-Identifier: Apache-2.0
// Words in capitals that stand for a value which no fact of the host holds: ADDRESS, NETDEV, HOST-A.
#pragma once

#include <string_view>

#include "api/model/remedy.h"

namespace rdmaready {

// Whether the text has such a word. Text inside single quotes is a name of the host and is not looked at.
bool HasOpenWord(std::string_view text);

// A command with such a word cannot be typed: the step becomes an action, "fill in and run: COMMAND", and the
// command that shows the success becomes the last action.
Remedy WithoutOpenCommands(Remedy remedy);

}  // namespace rdmaready
