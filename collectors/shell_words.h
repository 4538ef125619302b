// SPDX-License-Identifier: Apache-2.0
// The simple commands of a shell script, as far as reading alone can tell them: no control flow is followed.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// The words of one command, without quotes. Text in single quotes stays as it is; variables are still there. A
// redirection is a word ">" and its file.
using CommandWords = std::vector<std::string>;

// In their order. Keywords such as "do" and "then" are taken off, comments and empty commands are left out.
std::vector<CommandWords> CommandsOf(std::string_view script);

}  // namespace rdmaready
