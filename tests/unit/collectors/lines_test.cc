// SPDX-License-Identifier: Apache-2.0
#include "collectors/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "collectors/system/kernel_modules.h"
#include "collectors/system/storage.h"

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

TEST(Lines, HoldWordsThatOverlapOrBeginAlike) {
  const std::vector<std::string> words{"CONFIG_CIFS=", "CONFIG_CIFS_SMB_DIRECT is not set", "ab", "aab"};
  EXPECT_THAT(LinesWith("CONFIG_CIFS=m\n# config_cifs_smb_direct is not set\nCONFIG_CIFS_X=y", words),
              ElementsAre("CONFIG_CIFS=m", "# config_cifs_smb_direct is not set"));
  EXPECT_THAT(LinesWith("aaab\nba\na\nb", words), ElementsAre("aaab"));
}

TEST(Lines, HoldNeitherNothingNorAnotherLine) {
  const std::vector<std::string> words{"", "a\nb"};
  EXPECT_THAT(LinesWith("a\nb\n", words), IsEmpty());
}

// What the search skips holds no word: the same lines as by looking for each word at each place.
TEST(Lines, AreTheSameAsByLookingEverywhere) {
  std::mt19937 random(20261122);
  const auto some = [&random](std::size_t least, std::size_t most) {
    std::string text(least + random() % (most - least + 1), ' ');
    for (char& c : text) c = "abAB\n"[random() % 5];
    return text;
  };
  std::size_t held = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = some(0, 40);
    std::vector<std::string> words;
    for (unsigned count = random() % 4; count > 0; --count) words.push_back(some(1, 5));
    std::vector<std::string> expected;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string line(TakeLine(rest));
      const auto holds = [&line](const std::string& word) {
        const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
        return !std::ranges::search(line, word, same).empty();
      };
      if (std::ranges::any_of(words, holds)) expected.push_back(line);
    }
    ASSERT_EQ(LinesWith(text, words), expected) << text;
    held += expected.size();
  }
  EXPECT_GT(held, 10'000U);
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

TEST(LinesToKeep, AreWholeInTheKernelsOwnFiles) {
  const std::vector<std::string> words{"x="};
  EXPECT_THAT(LinesToKeep("/proc/net/unix", "a b x=1 c\n", words), ElementsAre("a b x=1 c"));
  EXPECT_THAT(LinesToKeep("/lib/modules/1/modules.dep", "a b x=1 c\n", words), ElementsAre("a b x=1 c"));
}

TEST(LinesToKeep, HaveWhatWasLookedForAndItsPlainValue) {
  struct Line {
    const char* path;
    std::vector<std::string> words;
    const char* line;
    const char* kept;
  };
  for (const Line& one : std::vector<Line>{
           {"/etc/nvme/discovery.conf",
            {"--tos", "-T "},
            "-t rdma --tos=106 --dhchap-secret=S",
            "-t  --tos=106"},
           {"/etc/nvme/discovery.conf", {"--tos", "-T "}, "--hostnqn=S -T 104 -a 1.2.3.4", "-T 104"},
           {"/etc/nvme/discovery.conf", {"--tos", "-T "}, "# --tos=106 S", "#--tos"},
           {"/etc/nvme/config.json",
            {"\"tos\""},
            "{\"k\":\"S\",\"tos\":106,\"k\":\"S\",\"tos\": 7}",
            "\"tos\":106 \"tos\": 7"},
           {"/etc/nccl.conf", {"NCCL_IB_TC"}, "  NCCL_IB_TC=106 TOKEN=S", "NCCL_IB_TC=106"},
           {"/etc/profile.d/n.sh", {"NCCL_IB_TC"}, "export NCCL_IB_TC='106' T=S", "NCCL_IB_TC='106"},
           {"/etc/nccl.conf",
            {"NCCL_IB_HCA"},
            "NCCL_IB_HCA=^=mlx5_1:1,mlx5_4 S",
            "NCCL_IB_HCA=^=mlx5_1:1,mlx5_4"},
           {"/etc/systemd/system/a.service",
            {"NCCL_IB_HCA"},
            "Environment=TOKEN=S \"NCCL_IB_HCA=mlx5_1:1\" KEY=S",
            "NCCL_IB_HCA=mlx5_1:1"},
           {"/etc/profile.d/n.sh", {"NCCL_IB_HCA"}, "export MY_NCCL_IB_HCA=S", "NCCL_IB_HCA"},
           {"/etc/rdma/opensm.conf",
            {"guid", "GUIDS"},
            "guid 0xb83fd20300c21a40 S # S",
            "guid 0xb83fd20300c21a40"},
           {"/etc/rdma/opensm.conf", {"guid", "GUIDS"}, "guid_file S", ""},
           {"/etc/rdma/opensm.conf", {"guid", "GUIDS"}, "m_key S guid", ""},
           {"/etc/sysconfig/opensm", {"guid", "GUIDS"}, "GUIDS=\"0x1 0x2\"", "GUIDS 0x1 0x2"},
           {"/etc/default/opensm", {"PORTS"}, "PORTS=ALL SECRET=ALLS 0x12345678123456789 12", "PORTS ALL"},
           {"/etc/rc.local", {"traffic_class"}, "curl -u a:S; echo 106 > /x/traffic_class", "traffic_class"},
           {"/etc/rc.local", {"traffic_class"}, "traffic_class Secret1", "traffic_class"},
           {"/etc/rc.local", {"traffic_class"}, "x traffic_class=1Secret", "traffic_class"},
           {"/etc/ksmbd/ksmbd.conf", {"interfaces"}, "\tinterfaces = eth0 eth1 ; S", "interfaces = eth0 eth1 "},
           {"/etc/systemd/system.conf",
            {"DefaultLimitMEMLOCK"},
            "#DefaultLimitMEMLOCK=8M S",
            "#DefaultLimitMEMLOCK=8M"},
           {"/etc/security/limits.conf",
            {"memlock"},
            "@rdma - memlock unlimited # S",
            "@rdma - memlock unlimited "},
           {"/etc/security/limits.conf", {"memlock"}, "--secret=S memlock 64", "memlock 64"}}) {
    EXPECT_THAT(LinesToKeep(one.path, one.line, one.words), ElementsAre(one.kept)) << one.line;
  }
}

}  // namespace
}  // namespace rdmaready
