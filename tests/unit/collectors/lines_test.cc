// SPDX-License-Identifier: Apache-2.0
#include "collectors/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "collectors/kernel_modules.h"
#include "collectors/storage.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Lines, WithAWordAreKeptWhateverTheCase) {
  const std::vector<std::string> words{"Interfaces", "x="};
  EXPECT_THAT(LinesWith("a\n\tINTERFACES = eth0\nX=1\n\ny", words), ElementsAre("\tINTERFACES = eth0", "X=1"));
  EXPECT_THAT(LinesWith("last line without an end: x=", words), ElementsAre("last line without an end: x="));
  EXPECT_THAT(LinesWith("", words), IsEmpty());
  EXPECT_THAT(LinesWith("a\nb\n", {}), IsEmpty());
}

TEST(Lines, AreTakenOneByOne) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(TakeLine(text), "a");
  EXPECT_EQ(TakeLine(text), "");
  EXPECT_EQ(TakeLine(text), "b");
  EXPECT_TRUE(text.empty());
}

TEST(Lines, FallApartIntoWords) {
  EXPECT_THAT(WordsOf("  a\tbc  d\r"), ElementsAre("a", "bc", "d"));
  EXPECT_THAT(WordsOf(" \t"), IsEmpty());
}

// Whatever the text is, the readers of text neither crash nor invent what is not there.
TEST(Lines, OfNoiseAreReadWithoutHarm) {
  const std::vector<std::string> good{
      "kernel/drivers/nvme/host/nvme-rdma.ko.xz: kernel/drivers/infiniband/core/rdma_cm.ko.xz a.ko",
      "# CONFIG_CIFS_SMB_DIRECT is not set",
      "CONFIG_SMB_SERVER=m",
      "  server multi channel support = yes ; x",
      "interfaces = eth0, eth1",
      "   0: 00000000000000000000000000000000:01BD 0000:0000 0A 0:0"};
  std::mt19937 random(20261121);
  for (int round = 0; round < 20'000; ++round) {
    std::string line = good[random() % good.size()];
    for (int change = 0; change < 4; ++change)
      line[random() % line.size()] = static_cast<char>(random() & 0xffU);
    line.resize(random() % (line.size() + 4));
    const std::vector<std::string> lines{line};
    for (const ModuleLine& module : DecodeModuleLines(lines)) {
      EXPECT_FALSE(module.name.empty());
      EXPECT_EQ(module.name.find('/'), std::string::npos);
    }
    for (const KernelOption& option : DecodeOptions(lines)) {
      EXPECT_TRUE(option.value == "y" || option.value == "m" || option.value == "n");
    }
    EXPECT_LE(DecodeTcpListeners(lines).size(), 1U);
    static_cast<void>(DecodeKsmbd(lines));
  }
}

}  // namespace
}  // namespace rdmaready
