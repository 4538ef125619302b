// SPDX-License-Identifier: Apache-2.0
// Finds faults of a command that a remedy prints.
#pragma once

#include <string>
#include <string_view>

namespace rdmaready {

// Empty when the command is one line that a shell parses, begins with a program, has no comment, and no word in
// capitals for a value that is to be filled in.
std::string FaultOfCommand(const std::string& command);

// Whether each place of `word` in the command is inside single quotes, where a shell takes it as it is.
bool IsQuotedIn(std::string_view command, std::string_view word);

}  // namespace rdmaready
