// SPDX-License-Identifier: Apache-2.0
// A host whose root is seen in a folder: its links lead to its own files, never to those of who looks.
#include "collectors/real/host_root.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace rdmaready {
namespace {

class HostRootTest : public testing::Test {
 protected:
  HostRootTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "root-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ + "/etc");
    std::filesystem::create_directories(folder_ + "/usr/lib");
    std::ofstream(folder_ + "/usr/lib/os-release") << "ID=the-host's\n";
  }
  ~HostRootTest() override { std::filesystem::remove_all(folder_); }

  std::string Read(const std::string& path) const {
    const UniqueFd file = host().Open(path, O_RDONLY | O_CLOEXEC);
    std::array<char, 64> text{};
    const ssize_t size = ::read(file.get(), text.data(), text.size());
    return size < 0 ? "none" : std::string(text.data(), static_cast<std::size_t>(size));
  }
  HostRoot host() const { return HostRoot(folder_); }

  std::string folder_;
};

TEST_F(HostRootTest, FollowsLinksInsideOfTheHostWhetherAbsoluteOrClimbingOut) {
  for (const char* target :
       {"/usr/lib/os-release", "../usr/lib/os-release", "../../../../usr/lib/os-release"}) {
    std::filesystem::remove(folder_ + "/etc/os-release");
    std::filesystem::create_symlink(target, folder_ + "/etc/os-release");
    EXPECT_EQ(Read("/etc/os-release"), "ID=the-host's\n") << target;
    struct stat file {};
    EXPECT_TRUE(host().Stat("/etc/os-release", file)) << target;
    EXPECT_EQ(file.st_size, 14) << target;
    std::array<char, 64> text{};
    ASSERT_GT(host().ReadLink("/etc/os-release", text), 0);
    EXPECT_STREQ(text.data(), target);
  }
}

TEST_F(HostRootTest, HasNoFileThatOnlyWhoLooksHas) {
  EXPECT_EQ(Read("/etc/passwd"), "none");
  EXPECT_FALSE(host().Open("/etc/passwd", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(host().OpenDirectory("/tmp"), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(HostRootTest, ListsTheHostsFolders) {
  const Handle<DIR, ::closedir> directory = host().OpenDirectory("/usr");
  ASSERT_NE(directory, nullptr);
  bool found = false;
  while (const dirent* entry = ::readdir(directory.get())) found |= std::string(&entry->d_name[0]) == "lib";
  EXPECT_TRUE(found);
}

TEST_F(HostRootTest, AsksTheKernelWhereItAnswers) {
  EXPECT_NE(Read("/proc/self/status"), "none");
  struct stat file {};
  EXPECT_TRUE(host().Stat("/sys", file));
  EXPECT_FALSE(host().Stat("/system", file));
}

TEST(NoHostRoot, IsThisProcesssOwn) {
  const HostRoot host("");
  struct stat file {};
  EXPECT_TRUE(host.Stat("/etc/passwd", file));
  EXPECT_TRUE(host.Open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

}  // namespace
}  // namespace rdmaready
