// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/tar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/unit/cli/bundle/made_tar.h"

namespace rdmaready::bundle {
namespace {

using testing::HasSubstr;

const Members kSome{{"a/b", "one"}, {"manifest.json", "{}\n"}, {"z", std::string(1000, 'x')}, {"empty", ""}};

std::string Written(const Members& members) {
  const absl::StatusOr<std::string> tar = WriteTar(members, "manifest.json");
  EXPECT_TRUE(tar.ok()) << tar.status();
  return tar.value_or("");
}

void ExpectRefused(const std::string& tar, const std::string& why) {
  const absl::StatusOr<Members> read = ReadTar(tar);
  ASSERT_FALSE(read.ok()) << why;
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(read.status()), HasSubstr(why));
  EXPECT_EQ(Message(read.status()).find('\n'), std::string::npos);
}

// A tar of one member whose header was changed, with a sum that is right.
std::string Changed(std::size_t at, std::string_view bytes) {
  std::string tar = Written({{"a", "one"}});
  Overwrite(tar, at, bytes);
  Sum(tar);
  return tar;
}

TEST(Tar, GivesBackWhatWasWritten) {
  const absl::StatusOr<Members> read = ReadTar(Written(kSome));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, kSome);
}

TEST(Tar, IsTheSameForTheSameMembers) {
  EXPECT_EQ(Written(kSome), Written(kSome));
  EXPECT_TRUE(Written(kSome).starts_with("manifest.json"));
  EXPECT_EQ(Written(kSome).size() % kTestBlock, 0U);
}

TEST(Tar, HoldsLongPathsAsFarAsAHeaderDoes) {
  const std::string path = std::string(120, 'a') + "/" + std::string(100, 'b');
  const absl::StatusOr<Members> read = ReadTar(Written({{path, "x"}}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->contains(path));
  const std::string longer = std::string(120, 'a') + "/" + std::string(101, 'b');
  EXPECT_FALSE(FitsHeader(longer));
  EXPECT_FALSE(WriteTar({{longer, "x"}}, "").ok());
}

TEST(Tar, RefusesEveryMemberThatIsNoPlainFile) {
  for (const char* type : {"1", "2"}) ExpectRefused(Changed(kTypeAt, type), "a: a link: refused");
  for (const char* type : {"3", "4", "6", "7", "S"})
    ExpectRefused(Changed(kTypeAt, type), "a: no plain file: refused");
  ExpectRefused(Changed(kTypeAt, "5"), "a: a folder: refused");
  for (const char* type : {"x", "g", "L", "K"})
    ExpectRefused(Changed(kTypeAt, type), "a: an extended header: refused");
  ExpectRefused(Changed(kLinkAt, "/etc/passwd"), "a: a link: refused");
}

TEST(Tar, RefusesPathsThatLeadElsewhere) {
  ExpectRefused(Changed(kNameAt, "/etc/passwd"), "/etc/passwd: an absolute path: refused");
  for (const char* path : {"../a", "a/../b", "a/..", "./a", "a//b", "a/", "a b", "a\nb", "a\x1b[2J", "a\xff"}) {
    ExpectRefused(Changed(kNameAt, path), "no path of a bundle: refused");
  }
  ExpectRefused(Changed(kNameAt, std::string("\0", 1)), "no path of a bundle: refused");
}

TEST(Tar, RefusesAPathThatComesTwice) {
  const std::string one = Written({{"a", "one"}});
  ExpectRefused(one.substr(0, 2 * kTestBlock) + one, "a: named twice");
}

TEST(Tar, RefusesDamage) {
  std::string tar = Written({{"a", "one"}});
  Overwrite(tar, kSizeAt, "00000000004");
  ExpectRefused(tar, "header at byte 0: damaged: its checksum differs");
  ExpectRefused(Changed(kSizeAt, "x"), "a: damaged: its size is no number");
  ExpectRefused(Changed(kSizeAt, "77777777777"), "a: ends too soon");
  ExpectRefused(Changed(257, "GNU"), "no tar of a bundle");
  ExpectRefused("", "ends too soon");
  ExpectRefused(Written(kSome).substr(0, kTestBlock + 100), "ends too soon");
  ExpectRefused(Written(kSome) + "more", "something stands behind its end");
}

TEST(Tar, RefusesMoreThanItsBounds) {
  std::string many;
  const std::string one = Written({{"m0000000", ""}}).substr(0, kTestBlock);
  for (std::size_t i = 0; i <= kMaxMembers; ++i) {
    std::string header = one;
    const std::string number = std::to_string(1'000'000 + i);
    Overwrite(header, 1, number);
    Sum(header);
    many += header;
  }
  ExpectRefused(many + std::string(kTarEndBytes, '\0'), "more than 60000 members");
  ExpectRefused(std::string(kMaxTarBytes + 1, '\0'), "more than 256 MiB unpacked");
}

TEST(Gzip, GivesBackWhatWasPackedAndIsTheSameEachTime) {
  const std::string tar = Written(kSome);
  const absl::StatusOr<std::string> packed = Gzip(tar);
  ASSERT_TRUE(packed.ok());
  EXPECT_TRUE(IsGzip(*packed));
  EXPECT_FALSE(IsGzip(tar));
  EXPECT_EQ(*packed, *Gzip(tar));
  EXPECT_EQ(packed->substr(4, 4), std::string(4, '\0'));  // no time
  EXPECT_EQ(Gunzip(*packed).value_or(""), tar);
}

TEST(Gzip, RefusesWhatIsDamagedOrUnpacksToTooMuch) {
  const std::string packed = *Gzip(std::string(1 << 20, 'x'));
  EXPECT_THAT(Message(Gunzip(packed, (1 << 20) - 1).status()), HasSubstr("more than"));
  EXPECT_TRUE(Gunzip(packed, 1 << 20).ok());
  EXPECT_THAT(Message(Gunzip(packed.substr(0, packed.size() - 1)).status()), HasSubstr("damaged"));
  EXPECT_THAT(Message(Gunzip(packed + "x").status()), HasSubstr("behind the end"));
  std::string changed = packed;
  changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] ^ 1);
  EXPECT_THAT(Message(Gunzip(changed).status()), HasSubstr("damaged"));
}

}  // namespace
}  // namespace rdmaready::bundle
