// SPDX-License-Identifier: Apache-2.0
#include "cli/style.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

StreamTraits Terminal() { return {.terminal = true, .columns = 100, .term = "xterm", .locale = "C.UTF-8"}; }

TEST(Style, HasColourOnATerminalOnly) {
  EXPECT_TRUE(ChooseStyle(ColorChoice::kAuto, Terminal()).color);
  StreamTraits pipe = Terminal();
  pipe.terminal = false;
  EXPECT_FALSE(ChooseStyle(ColorChoice::kAuto, pipe).color);
  EXPECT_TRUE(ChooseStyle(ColorChoice::kAlways, pipe).color);
}

TEST(Style, HonoursTheEnvironment) {
  StreamTraits traits = Terminal();
  traits.no_color = "1";
  EXPECT_FALSE(ChooseStyle(ColorChoice::kAuto, traits).color);
  EXPECT_TRUE(ChooseStyle(ColorChoice::kAlways, traits).color);
  traits = Terminal();
  traits.term = "dumb";
  EXPECT_FALSE(ChooseStyle(ColorChoice::kAuto, traits).color);
  traits.terminal = false;
  traits.force_color = "1";
  EXPECT_TRUE(ChooseStyle(ColorChoice::kAuto, traits).color);
  EXPECT_FALSE(ChooseStyle(ColorChoice::kNever, traits).color);
  traits.force_color = "0";
  EXPECT_FALSE(ChooseStyle(ColorChoice::kAuto, traits).color);
}

TEST(Style, WrapsOnATerminalOnly) {
  EXPECT_EQ(ChooseStyle(ColorChoice::kAuto, Terminal()).width, 100U);
  StreamTraits pipe = Terminal();
  pipe.terminal = false;
  EXPECT_EQ(ChooseStyle(ColorChoice::kAuto, pipe).width, 0U);
}

TEST(Style, IsAsciiUnlessTheLocaleIsUtf8) {
  EXPECT_EQ(ChooseStyle(ColorChoice::kAuto, Terminal()).Dot(), "\u00b7");
  StreamTraits traits = Terminal();
  traits.locale = "C";
  EXPECT_EQ(ChooseStyle(ColorChoice::kAuto, traits).Dot(), "-");
}

TEST(Style, PaintsNothingWithoutColour) {
  EXPECT_EQ(Style{}.Paint(Tone::kBad, "FAIL"), "FAIL");
  EXPECT_EQ((Style{.color = true}.Paint(Tone::kBad, "FAIL")), "\x1b[1;31mFAIL\x1b[0m");
}

}  // namespace
}  // namespace rdmaready
