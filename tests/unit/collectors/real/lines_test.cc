// SPDX-License-Identifier: Apache-2.0
// On files of a real filesystem: what is kept must never be what is no longer there.
#include "collectors/real/lines.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using Lines = std::vector<std::string>;

class LineFinderTest : public testing::Test {
 protected:
  LineFinderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lines-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/config";
    clock_.SetWall(RealClock().Wall());
  }
  ~LineFinderTest() override { std::filesystem::remove_all(folder_); }

  // `line` and so much after it that the file is large.
  void Write(const std::string& line) const {
    std::ofstream(path_) << line << '\n' << std::string(std::size_t{100} << 10U, '#') << '\n';
  }
  // From now on what was written before has settled.
  void Settle() { clock_.SetWall(RealClock().Wall() + kSettled + std::chrono::milliseconds(50)); }

  Lines Find(const std::string& word) { return *finder_.Find(path_, {word}); }

  static constexpr std::chrono::milliseconds kSettled{200};
  FakeClock clock_;
  LineFinder finder_{kSettled, clock_};
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

TEST_F(LineFinderTest, OpensAFileOnceWhileItStaysAsItIs) {
  Write("CONFIG_A=y");
  const Opens opens(path_);
  LineFinder patient(std::chrono::hours(1), clock_);
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

TEST_F(LineFinderTest, OpensAFileOnceForEachOfSeveralQuestions) {
  std::ofstream(path_) << "CONFIG_A=y\nCONFIG_B=m\n";
  Settle();
  const Opens opens(path_);
  for (const int expected : {1, 0, 0}) {
    EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=y"});
    EXPECT_EQ(opens.Take(), expected);
    EXPECT_EQ(Find("CONFIG_B"), Lines{"CONFIG_B=m"});
    EXPECT_EQ(opens.Take(), expected);
  }
}

TEST_F(LineFinderTest, ReadsAFileAgainThatAnotherTookThePlaceOf) {
  Write("CONFIG_A=y");
  Settle();
  Find("CONFIG_A");
  const std::string other = folder_ + "/other";
  std::ofstream(other) << "CONFIG_A=m\n";
  std::filesystem::rename(other, path_);
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=m"});
}

TEST_F(LineFinderTest, ReadsAFileAgainThatMayNotBeReadAnyMore) {
  Write("CONFIG_A=y");
  Settle();
  Find("CONFIG_A");
  std::filesystem::permissions(path_, std::filesystem::perms::none);
  const Opens opens(path_);
  static_cast<void>(finder_.Find(path_, {"CONFIG_A"}));
  EXPECT_EQ(opens.Take(), ::geteuid() == 0 ? 1 : 0) << "root may open it all the same";
  EXPECT_EQ(finder_.Find(path_, {"CONFIG_A"}).ok(), ::geteuid() == 0);
}

TEST_F(LineFinderTest, SaysWhatIsNotThereInTheKernelsWords) {
  EXPECT_EQ(finder_.Find(path_, {"CONFIG_A"}).status(), ErrnoStatus(ENOENT, "open " + path_));
  EXPECT_EQ(finder_.List(path_).status(), ErrnoStatus(ENOENT, "list " + path_));
  std::ofstream(path_) << "CONFIG_A=y\n";
  EXPECT_EQ(Find("CONFIG_A"), Lines{"CONFIG_A=y"});
  EXPECT_EQ(finder_.List(path_).status(), ErrnoStatus(ENOTDIR, "list " + path_));
  EXPECT_EQ(finder_.Find(folder_, {"CONFIG_A"}).status(), ErrnoStatus(EISDIR, "read " + folder_));
}

TEST_F(LineFinderTest, ListsAFolderOnceWhileItStaysAsItIs) {
  Write("CONFIG_A=y");
  Settle();
  const Opens opens(folder_);
  EXPECT_EQ(*finder_.List(folder_), Lines{"config"});
  EXPECT_EQ(opens.Take(), 1);
  EXPECT_EQ(*finder_.List(folder_), Lines{"config"});
  EXPECT_EQ(opens.Take(), 0);
  std::ofstream(folder_ + "/b") << "b\n";
  EXPECT_EQ(*finder_.List(folder_), (Lines{"b", "config"}));
  std::filesystem::rename(folder_ + "/b", folder_ + "/a");
  EXPECT_EQ(*finder_.List(folder_), (Lines{"a", "config"}));
  std::filesystem::remove(path_);
  EXPECT_EQ(*finder_.List(folder_), Lines{"a"});
}

// A socket that listens on loopback, and its local port as /proc/net/tcp writes it.
std::pair<UniqueFd, std::string> Listen() {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(fd.get(), 1), 0);
  EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  return {std::move(fd), fmt::format(":{:04X} ", ntohs(address.sin_port))};
}

TEST_F(LineFinderTest, FindsEachListeningSocketOnAnyNumberOfPages) {
  std::vector<std::pair<UniqueFd, std::string>> sockets;
  while (sockets.size() < 90) {  // 27 rows fill a page
    sockets.push_back(Listen());
    const absl::StatusOr<std::vector<std::string>> lines = finder_.Find("/proc/net/tcp", {" 0A "});
    ASSERT_TRUE(lines.ok()) << lines.status();
    std::string text;
    for (const std::string& line : *lines) text += line + "\n";
    for (const auto& [fd, port] : sockets) EXPECT_NE(text.find(port), std::string::npos) << sockets.size();
  }
}

}  // namespace
}  // namespace rdmaready
