// SPDX-License-Identifier: Apache-2.0
#include "cli/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rdmaready {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CredentialsFile : public testing::Test {
 protected:
  CredentialsFile() {
    std::string pattern = std::filesystem::temp_directory_path() / "rdmaready credentials XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "a b";
  }
  ~CredentialsFile() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<Credentials> Read(const std::string& text, unsigned mode = 0600) {
    std::ofstream(path_, std::ios::binary) << text;
    std::filesystem::permissions(path_, static_cast<std::filesystem::perms>(mode));
    return ReadCredentials(path_);
  }
  std::string Refused(const std::string& text, unsigned mode = 0600) {
    const absl::StatusOr<Credentials> read = Read(text, mode);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << text;
    return std::string(read.status().message());
  }

  std::filesystem::path folder_{};
  std::filesystem::path path_{};
};

TEST_F(CredentialsFile, IsReadAsMountCifsDoes) {
  const auto read = Read("# who\r\n  username=tester\r\npassword= a=b, c# \r\n\ndomain=D");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->user_name, "tester");
  EXPECT_EQ(read->password, " a=b, c# ");
  EXPECT_EQ(read->domain, "D");
  EXPECT_TRUE(Read("user=u\npass=\n").ok());
}

TEST_F(CredentialsFile, IsRefusedWhenOthersMayReadIt) {
  for (const unsigned mode : {0644U, 0640U, 0602U})
    EXPECT_THAT(Refused("username=u\n", mode), HasSubstr("chmod 600"));
}

TEST_F(CredentialsFile, NamesTheWrongLineAndNeverWhatStandsThere) {
  EXPECT_THAT(Refused("username=u\nsecret-word\n"), AllOf(HasSubstr("line 2"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Refused("username=u\npasword=secret\n"), AllOf(HasSubstr("line 2"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Refused("password=x\n"), HasSubstr("no username="));
  EXPECT_THAT(Refused("username=" + std::string(5000, 'x')), HasSubstr("4 KiB"));
}

TEST_F(CredentialsFile, MustBeAFile) {
  EXPECT_THAT(std::string(ReadCredentials(folder_).status().message()), HasSubstr("not a file"));
  EXPECT_THAT(std::string(ReadCredentials(folder_ / "none").status().message()), HasSubstr("No such file"));
}

TEST(ShareName, IsServerAndShareInEitherSpelling) {
  for (const char* text : {"//files.example/data", "\\\\files.example\\data"}) {
    const auto name = ParseShare(text);
    ASSERT_TRUE(name.ok()) << text;
    EXPECT_EQ(name->server, "files.example");
    EXPECT_EQ(name->share, "data");
  }
  EXPECT_EQ(ParseShare("//[fe80::1]/data")->server, "fe80::1");
  for (const char* text : {"//a/b,c", "//a/b:c", "//a/b\n", "", "/", "//", "///", "//a", "//a/", "a/b", "///b",
                           "//a/b/c", "//a/b/"}) {
    EXPECT_FALSE(ParseShare(text).ok()) << text;
  }
}

}  // namespace
}  // namespace rdmaready
