// SPDX-License-Identifier: Apache-2.0
#include "agent/share/file_shapes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/base/handle.h"

namespace rdmaready {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class FileShapes : public testing::Test {
 protected:
  FileShapes() {
    std::string pattern = std::filesystem::temp_directory_path() / "rdmaready shapes XXXXXX";
    path_ = ::mkdtemp(pattern.data());
    directory_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY));
  }
  ~FileShapes() override { std::filesystem::remove_all(path_); }

  bool Empty() const { return std::filesystem::is_empty(path_); }
  std::filesystem::path OnlyFile() const { return *std::filesystem::directory_iterator(path_); }

  absl::StatusOr<ShapeRun> Run(std::function<absl::Status()> interrupted = {}) {
    return RunFileShapes(directory_.get(),
                         {.nonce = {1, 2, 3}, .duration = 5ms, .direct = false, .interrupted = interrupted});
  }

  std::filesystem::path path_{};
  UniqueFd directory_{};
};

TEST_F(FileShapes, AreAllRunWithEveryByteReadCompared) {
  const auto results = Run();
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->left_behind, "");
  ASSERT_EQ(results->results.size(), AllFileShapes().size());
  for (std::size_t i = 0; i < results->results.size(); ++i) {
    const TransferResult& result = results->results[i];
    EXPECT_EQ(result.case_name, AllFileShapes()[i].name);
    EXPECT_EQ(result.failure, Failure{}) << result.case_name;
    EXPECT_GT(result.messages, 0U);
    EXPECT_EQ(result.bytes, result.messages * result.message_bytes);
    EXPECT_EQ(result.bytes_verified, result.operation == Operation::kRead ? result.bytes : 0U);
    EXPECT_EQ(result.bytes_wrong, 0U);
    EXPECT_GT(result.latency.p50_ns, 0);
  }
}

TEST_F(FileShapes, LeaveNoFileBehindHoweverTheyEnd) {
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(Empty());
  int asked = 0;
  const auto results =
      Run([&asked] { return ++asked > 3 ? absl::CancelledError("enough") : absl::OkStatus(); });
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->results.back().failure.kind, FailureKind::kCancelled);
  EXPECT_TRUE(Empty());
}

TEST_F(FileShapes, NoticeAByteThatChangedOnTheWay) {
  int spoilt = -1;  // the byte as it was left
  const auto results = Run([&] {
    // Behind the first write, of 512 KiB at the beginning of the file; and again when it was written over.
    const std::filesystem::path file = OnlyFile();
    if (std::filesystem::file_size(file) >= 1024) {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(777);
      const int was = stream.get();
      if (was == spoilt) return absl::OkStatus();
      spoilt = was ^ 1;
      stream.seekp(777);
      stream.put(static_cast<char>(spoilt));
      stream.flush();
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(results.ok());
  const TransferResult& read = results->results[1];
  EXPECT_GT(read.bytes_wrong, 0U);
  EXPECT_EQ(*read.first_wrong_offset % read.message_bytes, 777U);
}

TEST_F(FileShapes, RemoveWhatAnInterruptedRunLeftButNothingElse) {
  const std::filesystem::path old = path_ / (".rdmaready-" + std::string(32, 'a') + ".tmp");
  const std::filesystem::path fresh = path_ / (".rdmaready-" + std::string(32, 'b') + ".tmp");
  const std::filesystem::path other = path_ / ".rdmaready-notes.tmp";
  for (const auto& file : {old, fresh, other}) std::ofstream(file) << "x";
  const timespec ages[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
  for (const auto& file : {old, other}) ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), ages, 0), 0);
  ASSERT_TRUE(Run().ok());
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(FileShapes, SayWhyNoFileCouldBeMade) {
  const UniqueFd gone(::open(path_.c_str(), O_RDONLY | O_DIRECTORY));
  std::filesystem::remove_all(path_);
  const auto results = RunFileShapes(gone.get(), {.nonce = {1}, .duration = 1ms, .direct = false});
  ASSERT_FALSE(results.ok());
  EXPECT_THAT(std::string(results.status().message()), HasSubstr("on the share: No such file"));
}

}  // namespace
}  // namespace rdmaready
