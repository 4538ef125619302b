// SPDX-License-Identifier: Apache-2.0
#include "cli/style.h"

namespace rdmaready {
namespace {

std::string_view Escape(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarning:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[1;31m";
    case Tone::kFaint:
      return "\x1b[2m";
    case Tone::kStrong:
      return "\x1b[1m";
  }
  return "";
}

bool WantsColor(ColorChoice choice, const StreamTraits& traits) {
  switch (choice) {
    case ColorChoice::kAlways:
      return true;
    case ColorChoice::kNever:
      return false;
    case ColorChoice::kAuto:
      break;
  }
  if (!traits.no_color.empty()) return false;
  if (!traits.force_color.empty() && traits.force_color != "0") return true;
  return traits.terminal && !traits.term.empty() && traits.term != "dumb";
}

bool IsUtf8(std::string_view locale) {
  return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos ||
         locale.find("UTF8") != std::string_view::npos || locale.find("utf-8") != std::string_view::npos;
}

}  // namespace

std::string Style::Paint(Tone tone, std::string_view text) const {
  if (!color || tone == Tone::kPlain || text.empty()) return std::string(text);
  return std::string(Escape(tone)) + std::string(text) + "\x1b[0m";
}

Style ChooseStyle(ColorChoice choice, const StreamTraits& traits) {
  Style style;
  style.color = WantsColor(choice, traits);
  style.unicode = IsUtf8(traits.locale);
  // Narrower than this the columns have no room left, and wrapping makes it worse.
  constexpr std::size_t kNarrowest = 60;
  if (traits.terminal && traits.columns >= kNarrowest) style.width = traits.columns;
  return style;
}

std::string_view Symbol(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnknown:
      return "??";
    case Outcome::kPass:
      return "ok";
    case Outcome::kWarn:
      return "warn";
    case Outcome::kFail:
      return "FAIL";
    case Outcome::kNotApplicable:
      return "n/a";
  }
  return "??";
}

Tone ToneOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnknown:
    case Outcome::kWarn:
      return Tone::kWarning;
    case Outcome::kPass:
      return Tone::kGood;
    case Outcome::kFail:
      return Tone::kBad;
    case Outcome::kNotApplicable:
      return Tone::kFaint;
  }
  return Tone::kPlain;
}

}  // namespace rdmaready
