// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/abandoned_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "api/base/handle.h"

namespace rdmaready {
namespace {

constexpr ProofFileNames kNames{.digits = 16};
constexpr std::time_t kNow = 1'000'000;

class AbandonedFiles : public testing::Test {
 protected:
  AbandonedFiles() {
    std::string pattern = testing::TempDir() + "rdmaready abandoned XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~AbandonedFiles() override { std::filesystem::remove_all(folder_); }

  void Put(const std::string& name, std::time_t age_seconds) {
    std::ofstream(folder_ / name) << "x";
    const timespec time{.tv_sec = kNow - age_seconds, .tv_nsec = 0};
    const timespec both[2] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ / name).c_str(), both, 0), 0);
  }

  std::set<std::string> Left() {
    const UniqueFd directory(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY));
    RemoveAbandoned(directory.get(), kNames, kNow);
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.insert(entry.path().filename());
    return names;
  }

  std::filesystem::path folder_{};
};

TEST_F(AbandonedFiles, AreOfOurExactPatternAndOlderThanAnyProof) {
  Put(".rdmaready-0123456789abcdef", 601);
  Put(".rdmaready-fedcba9876543210", 599);
  Put(".rdmaready-aaaaaaaaaaaaaaaa", -3600);
  EXPECT_EQ(Left(), (std::set<std::string>{".rdmaready-fedcba9876543210", ".rdmaready-aaaaaaaaaaaaaaaa"}));
}

TEST_F(AbandonedFiles, AreNotWhatIsCalledAlmostSo) {
  const std::set<std::string> others{".rdmaready-0123456789abcde",   ".rdmaready-0123456789abcdef0",
                                     ".rdmaready-0123456789ABCDEF",  "rdmaready-0123456789abcdef0",
                                     ".rdmaready-0123456789abcdef~", ".rdmaready-notes-of-mine-x"};
  for (const std::string& name : others) Put(name, 100'000);
  EXPECT_EQ(Left(), others);
}

TEST_F(AbandonedFiles, AreNeitherFoldersNorLinks) {
  std::filesystem::create_directory(folder_ / ".rdmaready-0123456789abcdef");
  Put("mine", 100'000);
  std::filesystem::create_symlink("mine", folder_ / ".rdmaready-fedcba9876543210");
  EXPECT_EQ(Left().size(), 3U);
}

TEST_F(AbandonedFiles, AreRemovedToABound) {
  constexpr unsigned kFiles = 130;
  for (unsigned i = 0; i < kFiles; ++i) Put(kNames.Make("0000000000000" + std::to_string(100 + i)), 100'000);
  EXPECT_EQ(Left().size(), kFiles - 100);
  EXPECT_TRUE(Left().empty());
}

}  // namespace
}  // namespace rdmaready
