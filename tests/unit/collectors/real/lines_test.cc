// SPDX-License-Identifier: Apache-2.0
// On files of a real filesystem: what is kept must never be what is no longer there.
#include "collectors/real/lines.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "api/base/handle.h"

namespace rdmaready {
namespace {

using Lines = std::vector<std::string>;

class LineFinderTest : public testing::Test {
 protected:
  LineFinderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lines-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/config";
  }
  ~LineFinderTest() override { std::filesystem::remove_all(folder_); }

  // `line` and so much after it that the file is large.
  void Write(const std::string& line) const {
    std::ofstream(path_) << line << '\n' << std::string(std::size_t{100} << 10U, '#') << '\n';
  }
  static void Settle() { std::this_thread::sleep_for(kSettled + std::chrono::milliseconds(50)); }

  Lines Find(const std::string& word) { return *finder_.Find(path_, {word}); }

  static constexpr std::chrono::milliseconds kSettled{200};
  LineFinder finder_{kSettled};
  std::string folder_;
  std::string path_;
};

// How often a file was opened since.
class Opens {
 public:
  explicit Opens(const std::string& path) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(events_.get(), path.c_str(), IN_OPEN), 0);
  }
  int Take() const {
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(events_.get(), buffer.data(), buffer.size());
    return count < 0 ? 0 : static_cast<int>(static_cast<std::size_t>(count) / sizeof(inotify_event));
  }

 private:
  UniqueFd events_;
};

TEST_F(LineFinderTest, SaysWhatIsThereNowWhateverWasThereBefore) {
  Write("CONFIG_A=y");
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=y"});
  Write("CONFIG_A=m");  // of the same size, perhaps within the same tick
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=m"});
  Settle();
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=m"});
  EXPECT_EQ(Find("CONFIG_B"), Lines{});
  Write("CONFIG_A=n");
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=n"});
  std::filesystem::remove(path_);
  EXPECT_FALSE(finder_.Find(path_, {"CONFIG_A"}).ok());
}

TEST_F(LineFinderTest, OpensALargeFileOnceWhileItStaysAsItIs) {
  Write("CONFIG_A=y");
  const Opens opens(path_);
  LineFinder patient(std::chrono::hours(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(patient.Find(path_, {"CONFIG_A"}).ok());
    EXPECT_EQ(opens.Take(), 1) << "not left alone for long enough";
  }
  Settle();
  Find("CONFIG_A");
  EXPECT_EQ(opens.Take(), 1);
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=y"});
  EXPECT_EQ(opens.Take(), 0);
  Find("CONFIG_B");  // other words are not what was found
  EXPECT_EQ(opens.Take(), 1);
}

TEST_F(LineFinderTest, OpensASmallFileEachTime) {
  std::ofstream(path_) << "CONFIG_A=y\n";
  Settle();
  const Opens opens(path_);
  Find("CONFIG_A");
  EXPECT_EQ(opens.Take(), 1);
  Find("CONFIG_A");
  EXPECT_EQ(opens.Take(), 1);
}

}  // namespace
}  // namespace rdmaready
