// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "api/base/status.h"

namespace rdmaready::bundle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BundleFileTest : public testing::Test {
 protected:
  BundleFileTest() {
    std::string pattern = (fs::temp_directory_path() / "rdmaready bundle XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    place_ = directory_ + "/b.tar";
  }
  ~BundleFileTest() override { fs::remove_all(directory_); }

  std::size_t Entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  std::string directory_;
  std::string place_;
};

TEST_F(BundleFileTest, IsThereWhenItIsWholeAndForItsOwnerAlone) {
  BundleFile file(place_, false);
  ASSERT_TRUE(file.Prepare().ok());
  EXPECT_FALSE(fs::exists(place_));
  ASSERT_TRUE(file.Write("bytes").ok());
  EXPECT_EQ(ReadBundleFile(place_).value_or(""), "bytes");
  EXPECT_EQ(fs::status(place_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(BundleFileTest, DoesNotReplaceAFileUnlessItIsToldTo) {
  std::ofstream(place_) << "old";
  const absl::Status refused = BundleFile(place_, false).Prepare();
  EXPECT_EQ(refused.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(Message(refused), HasSubstr("--force"));
  BundleFile file(place_, true);
  ASSERT_TRUE(file.Prepare().ok());
  ASSERT_TRUE(file.Write("new").ok());
  EXPECT_EQ(ReadBundleFile(place_).value_or(""), "new");
}

TEST_F(BundleFileTest, DoesNotReplaceAFileThatCameMeanwhile) {
  BundleFile file(place_, false);
  ASSERT_TRUE(file.Prepare().ok());
  std::ofstream(place_) << "other";
  EXPECT_EQ(file.Write("bytes").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ReadBundleFile(place_).value_or(""), "other");
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(BundleFileTest, LeavesNothingWhenItIsAbandoned) {
  {
    BundleFile file(place_, false);
    ASSERT_TRUE(file.Prepare().ok());
    EXPECT_EQ(Entries(), 1U);
    file.Abandon();
    EXPECT_EQ(Entries(), 0U);
    EXPECT_FALSE(file.Write("bytes").ok());
  }
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(BundleFileTest, LeavesNothingOnAFullDisk) {
  const rlimit before = [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    return limit;
  }();
  std::signal(SIGXFSZ, SIG_IGN);
  BundleFile file(place_, false);
  ASSERT_TRUE(file.Prepare().ok());
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status full = file.Write(std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(full.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Message(full), HasSubstr(place_));
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(BundleFileTest, SaysWhyNothingCanBeWrittenThere) {
  EXPECT_EQ(BundleFile(directory_ + "/none/b.tar", false).Prepare().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(BundleFile(directory_, true).Prepare().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_EQ(::mkfifo(place_.c_str(), 0600), 0);
  EXPECT_THAT(Message(BundleFile(place_, true).Prepare()), HasSubstr("no plain file is there"));
}

TEST_F(BundleFileTest, ReadsNothingButAPlainFile) {
  EXPECT_THAT(Message(ReadBundleFile(directory_).status()), HasSubstr("not a plain file"));
  ASSERT_EQ(::mkfifo(place_.c_str(), 0600), 0);
  EXPECT_THAT(Message(ReadBundleFile(place_).status()),
              HasSubstr("not a plain file"));  // and does not wait for a writer
  EXPECT_THAT(Message(ReadBundleFile(directory_ + "/none").status()),
              HasSubstr("read bundle " + directory_ + "/none: No such file"));
}

}  // namespace
}  // namespace rdmaready::bundle
