// SPDX-License-Identifier: Apache-2.0
#include "api/base/build_id.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace rdmaready {
namespace {

using Bytes = std::vector<std::byte>;

Bytes Note(std::uint32_t type, std::string owner, std::uint32_t size, const std::string& content) {
  const Elf64_Nhdr head{.n_namesz = static_cast<std::uint32_t>(owner.size()), .n_descsz = size, .n_type = type};
  owner.resize((owner.size() + 3) / 4 * 4);
  const std::string rest = owner + content;
  Bytes bytes(sizeof(head) + rest.size());
  std::memcpy(bytes.data(), &head, sizeof(head));
  std::memcpy(bytes.data() + sizeof(head), rest.data(), rest.size());
  return bytes;
}

const std::string kGnu("GNU\0", 4);

TEST(BuildIdOf, FindsTheNoteOfTheLinker) {
  Bytes notes = Note(NT_GNU_ABI_TAG, kGnu, 4, "abcd");
  const Bytes id = Note(NT_GNU_BUILD_ID, kGnu, 2, "\x1f\xa0");
  notes.insert(notes.end(), id.begin(), id.end());
  EXPECT_EQ(BuildIdOf(notes), "1fa0");
}

TEST(BuildIdOf, IsEmptyWithoutTheNote) {
  EXPECT_EQ(BuildIdOf({}), "");
  EXPECT_EQ(BuildIdOf(Note(NT_GNU_BUILD_ID, "Go", 2, "ab")), "");
  EXPECT_EQ(BuildIdOf(Note(NT_GNU_ABI_TAG, kGnu, 4, "abcd")), "");
}

TEST(BuildIdOf, RefusesSizesBeyondTheSegment) {
  EXPECT_EQ(BuildIdOf(Note(NT_GNU_BUILD_ID, kGnu, 0xffff'ffff, "ab")), "");
  Bytes long_name = Note(NT_GNU_BUILD_ID, kGnu, 2, "ab");
  const std::uint32_t most = 0xffff'ffff;
  std::memcpy(long_name.data(), &most, sizeof(most));
  EXPECT_EQ(BuildIdOf(long_name), "");
}

TEST(BuildId, IsThatOfThisProgram) { EXPECT_THAT(BuildId(), testing::MatchesRegex("[0-9a-f]{16,}")); }

}  // namespace
}  // namespace rdmaready
