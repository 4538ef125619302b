// SPDX-License-Identifier: Apache-2.0
#include "checks/words.h"

#include <gtest/gtest.h>

#include "checks/placeholders.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

TEST(Words, WriteListsAsPeopleDo) {
  EXPECT_EQ(ListText({}), "");
  EXPECT_EQ(ListText(PrioritiesOf(0x08)), "3");
  EXPECT_EQ(ListText(PrioritiesOf(0x18)), "3 and 4");
  EXPECT_EQ(ListText(PrioritiesOf(0x19)), "0, 3 and 4");
}

TEST(Words, TurnBitmapsIntoPrioritiesAndBack) {
  for (unsigned bitmap = 0; bitmap < 256; ++bitmap) {
    EXPECT_EQ(BitmapOf(PrioritiesOf(static_cast<std::uint8_t>(bitmap))), bitmap);
  }
  EXPECT_EQ(BitmapOf(std::vector<std::uint8_t>{3, 9}), 0x08);
}

TEST(Words, ReadTheAddressOfAGid) {
  EXPECT_EQ(AddressOfGid({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}), "10.0.0.1");
  EXPECT_EQ(AddressOfGid({0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), "fd00::1");
  EXPECT_EQ(AddressOfGid({0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), "");
  EXPECT_EQ(AddressOfGid({}), "");
}

TEST(Words, QuoteWhatAShellWouldRun) {
  EXPECT_EQ(ShellWord("dcb0"), "dcb0");
  EXPECT_EQ(ShellWord("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(ShellWord("a'b"), "'a'\\''b'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(FillIn, NamesInCapitalsWhatItDoesNotKnow) {
  const Facts host = GoodHost();
  EXPECT_EQ(FillIn("{device} {port} {netdev} {priority} {dscp} {tos} {mtu} {speed} {pid} {transport} {memlock}",
                   host, &host.ports->front(), VirtualFabricProfile()),
            "rxe0 1 dcb0 3 26 106 9000 25000 4711 roce-v2 64 MiB");
  EXPECT_EQ(FillIn("{netdev} {tos} {pid}", Facts{}, nullptr, Profile{}), "NETDEV TOS PID");
  EXPECT_EQ(FillIn("{other} { {netdev", Facts{}, nullptr, Profile{}), "{other} { {netdev");
}

}  // namespace
}  // namespace rdmaready
