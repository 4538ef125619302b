// SPDX-License-Identifier: Apache-2.0
// Style: what the reader's terminal can show. Renderers are given one, so that they stay pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/model/report.h"

namespace rdmaready {

enum class ColorChoice { kAuto, kAlways, kNever };

// What the environment says about an output stream.
struct StreamTraits {
  bool terminal = false;
  std::size_t columns = 0;    // 0: not known
  std::string term{};         // $TERM
  std::string no_color{};     // $NO_COLOR; any text means no colour
  std::string force_color{};  // $CLICOLOR_FORCE; any text but "0" means colour
  std::string locale{};       // the first of $LC_ALL, $LC_CTYPE, $LANG that is set
};

enum class Tone { kPlain, kGood, kWarning, kBad, kFaint, kStrong };

struct Style {
  bool color = false;
  bool unicode = false;   // else ASCII only
  std::size_t width = 0;  // columns to wrap at; 0: never wrap (a pipe, a file)

  std::string Paint(Tone tone, std::string_view text) const;
  std::string_view Dot() const { return unicode ? "\u00b7" : "-"; }
};

// The command line's word wins, then NO_COLOR, then CLICOLOR_FORCE, then whether it is a terminal that can.
Style ChooseStyle(ColorChoice choice, const StreamTraits& traits);

// What a person reads for an outcome: "ok", "warn", "FAIL", "??", "n/a". Never told by colour alone.
std::string_view Symbol(Outcome outcome);
Tone ToneOf(Outcome outcome);

}  // namespace rdmaready
