// SPDX-License-Identifier: Apache-2.0
// Layout: columns and wrapped lines of the text output. All pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/report.h"
#include "cli/style.h"

namespace rdmaready {

// Padded with blanks on the right; always ends in at least one.
std::string Column(std::string_view text, std::size_t width);

// Breaks at blanks so that no line is longer than `width` (a longer word stays whole); one line when `width`
// is 0.
std::vector<std::string> Wrap(std::string_view text, std::size_t width);

// "  dcb       FAIL  pfc.lossless-priority  PFC on 4, wanted on 3 only", wrapped under its last column.
std::string Row(const Style& style, std::string_view group, Outcome outcome, std::string_view id,
                std::string_view text);

// "                  why  RoCE loses frames ...", wrapped under the text.
std::string Note(const Style& style, std::string_view label, std::string_view text);

// As Note, but in one line: the user types it.
std::string CommandNote(const Style& style, std::string_view label, std::string_view command);

// "label   text", wrapped under the text, which begins at `column`.
std::string Labelled(const Style& style, Tone tone, std::string_view label, std::size_t column,
                     std::string_view text);

// What a person types, on one line; a trailing comment follows on lines of its own where it does not fit.
// `column` is where the text begins.
std::string Typed(const Style& style, std::size_t column, std::string_view command);

// Columns of equal width from the rows; numbers are the caller's to align. Two blanks between columns.
std::string Table(const Style& style, const std::vector<std::vector<std::string>>& rows, std::size_t indent);

}  // namespace rdmaready
