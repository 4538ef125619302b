// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/os_release.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

constexpr std::string_view kRocky =
    "NAME=\"Rocky Linux\"\nVERSION=\"9.4 (Blue Onyx)\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"
    "VERSION_ID=\"9.4\"\nPRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n";

TEST(OsRelease, NamesTheDistributionAndWhatItIsLike) {
  EXPECT_EQ(*DecodeOsRelease(kRocky),
            (Distribution{.id = "rocky", .like = {"rhel", "centos", "fedora"}, .version = "9.4"}));
  EXPECT_EQ(*DecodeOsRelease("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n"),
            (Distribution{.id = "debian", .version = "12"}));
  EXPECT_EQ(*DecodeOsRelease("ID=arch"), (Distribution{.id = "arch"})) << "a rolling one, and no end of line";
}

TEST(OsRelease, IsReadAsAShellReadsIt) {
  const auto id = [](const std::string& value) {
    const Fact<Distribution> read = DecodeOsRelease("ID=" + value + "\n");
    return read ? read->id : std::string("none");
  };
  EXPECT_EQ(id("'opensuse-leap'"), "opensuse-leap");
  EXPECT_EQ(id("\"ol\"  # no more of it"), "ol");
  EXPECT_EQ(id("deb\\ian"), "debian");
  EXPECT_EQ(id("\"a\\\"b\""), "none") << "no character of a name";
  for (const char* nonsense : {"", "\"", "'debian", "\"debian", "Debian", " debian", "$(reboot)", "d\033[2J"}) {
    EXPECT_EQ(id(nonsense), "none") << nonsense;
  }
  EXPECT_EQ(id(std::string(65, 'a')), "none");
  EXPECT_EQ(DecodeOsRelease("ID=a\nID_LIKE='b C $(d) e'\n")->like, (std::vector<std::string>{"b", "e"}));
}

TEST(OsRelease, TakesTheLastOfAKeyAndNoComment) {
  EXPECT_EQ(DecodeOsRelease("ID=one\n#ID=three\nID=two\nXID=four\n")->id, "two");
  EXPECT_EQ(DecodeOsRelease("# ID=one\n\nNAME=x\n").missing(),
            (Missing{Missing::Kind::kUnsupported, "os-release names no distribution"}));
}

TEST(OsRelease, IsThatOfEtcBeforeThatOfUsr) {
  FakeHost host;
  EXPECT_EQ(ReadDistribution(host).missing(), (Missing{Missing::Kind::kUnsupported, "there is no os-release"}));
  host.files["/usr/lib/os-release"] = "ID=fedora\n";
  EXPECT_EQ(ReadDistribution(host)->id, "fedora");
  host.files["/etc/os-release"] = std::string(kRocky);
  EXPECT_EQ(ReadDistribution(host)->id, "rocky");
  host.files["/etc/os-release"] = ErrnoStatus(EACCES, "open /etc/os-release");
  EXPECT_EQ(ReadDistribution(host).missing().kind, Missing::Kind::kDenied);
  host.files["/etc/os-release"] = NotCollected("not in the recording");
  EXPECT_EQ(ReadDistribution(host).missing().kind, Missing::Kind::kNotCollected);
}

}  // namespace
}  // namespace rdmaready
