// SPDX-License-Identifier: Apache-2.0
// Recordings that older versions wrote: read, and written down again, they are what they were, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/base/status.h"
#include "collectors/recording/folder.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

std::string TextOfFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(RecordedFixtures, AreWrittenAsTheyWereRead) {
  std::size_t compared = 0;
  for (const auto& fixture : std::filesystem::directory_iterator(test::SourceTree() + "/tests/fixtures/hosts")) {
    if (!std::filesystem::exists(fixture.path() / "saved")) continue;  // described, not recorded
    const auto saved = LoadRecordings((fixture.path() / "saved").string());
    ASSERT_TRUE(saved.ok()) << Message(saved.status());
    for (const SavedRecording& one : *saved) {
      ASSERT_TRUE(one.recording.ok()) << Message(one.recording.status());
      const absl::StatusOr<RecordingFiles> files = EncodeRecording(*one.recording);
      ASSERT_TRUE(files.ok()) << Message(files.status());
      for (const auto& [path, text] : *files) {
        if (path == kManifestFile || path == kDigestsFile) continue;  // newer ones name files that were not yet
        const std::filesystem::path file = std::filesystem::path(one.folder) / path;
        EXPECT_EQ(text, std::filesystem::exists(file) ? TextOfFile(file) : "") << file;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500U);
}

}  // namespace
}  // namespace rdmaready
