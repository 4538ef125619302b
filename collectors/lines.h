// SPDX-License-Identifier: Apache-2.0
// Lines of a text file that matter, and nothing of the rest. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// The lines, without their ends, that hold one of `words`, whatever the case of ASCII letters. Nothing and
// what goes over a line's end are words of no line.
std::vector<std::string> LinesWith(std::string_view text, std::span<const std::string> words);

// Takes the first line off `text`, without its end.
std::string_view TakeLine(std::string_view& text);

// The words of a line, apart by blanks or tabs.
std::vector<std::string_view> WordsOf(std::string_view line);

}  // namespace rdmaready
