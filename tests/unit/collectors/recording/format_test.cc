// SPDX-License-Identifier: Apache-2.0
// Recordings that are not what they should be: one clear error that names the file, and nothing worse.
#include "collectors/recording/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "collectors/recording/paths.h"
#include "tests/unit/collectors/recording/sealed.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

std::string ErrorOf(const RecordingFiles& files) {
  const absl::StatusOr<Recording> recording = DecodeRecording(files);
  if (recording.ok()) return "";
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(recording.status()).find('\n'), std::string::npos);
  return Message(recording.status());
}

std::string ErrorAfter(const std::string& file, const std::string& from, const std::string& to) {
  RecordingFiles files = GoodFiles();
  Edit(files, file, from, to);
  Seal(files);
  return ErrorOf(files);
}

TEST(RecordingFormat, IsTheSameAfterARoundTrip) {
  const RecordingFiles files = GoodFiles();
  const absl::StatusOr<Recording> recording = DecodeRecording(files);
  ASSERT_TRUE(recording.ok()) << Message(recording.status());
  EXPECT_EQ(*EncodeRecording(*recording), files);
}

TEST(RecordingFormat, KeepsByWhatTheHostWasJudged) {
  Recording recording = *DecodeRecording(GoodFiles());
  EXPECT_EQ(recording.judged_by, "") << "older recordings keep nothing";
  recording.judged_by = "{\"profiles\": []}";
  const RecordingFiles files = *EncodeRecording(recording);
  EXPECT_EQ(files.at("judged_by.json"), recording.judged_by);
  EXPECT_EQ(DecodeRecording(files)->judged_by, recording.judged_by);
  recording.judged_by = std::string(kMaxJudgedByText + 1, ' ');
  EXPECT_EQ(Message(DecodeRecording(*EncodeRecording(recording)).status()),
            "judged_by.json: too large for a recording");
}

TEST(RecordingFormat, IsReadableWhereTheHostSpeaksText) {
  const RecordingFiles files = GoodFiles();
  EXPECT_EQ(files.at("files/sys/class/net/dcb0/speed"), "25000\n");
  EXPECT_THAT(
      files.at("files.jsonl"),
      HasSubstr("{\"read\":\"/sys/class/net/dcb0/speed\",\"in\":\"files/sys/class/net/dcb0/speed\"}\n"));
  EXPECT_THAT(files.at("files.jsonl"),
              HasSubstr("{\"list\":\"/sys/class/infiniband\",\"names\":[\"rxe0\"]}\n"));
  EXPECT_THAT(files.at("netlink.jsonl"), HasSubstr("\"what\":\"dcbnl\""));
  EXPECT_THAT(files.at("netlink.jsonl"), HasSubstr("\"shows\":[\"dcb0\"]"));
  EXPECT_THAT(files.at("recording.json"), HasSubstr("\"recorded\": \"2023-11-14 22:13:20 UTC\""));
}

TEST(RecordingFormat, EveryFileThatIsCutOrChangedIsNamed) {
  for (const auto& [path, text] : GoodFiles()) {
    if (text.empty()) continue;
    RecordingFiles cut = GoodFiles();
    cut[path].pop_back();
    EXPECT_THAT(ErrorOf(cut), HasSubstr(path == kManifestFile || path == kDigestsFile ? ":" : path));
    RecordingFiles changed = GoodFiles();
    changed[path][text.size() / 2] ^= 1;
    EXPECT_NE(ErrorOf(changed), "") << path;
    RecordingFiles gone = GoodFiles();
    gone.erase(path);
    EXPECT_THAT(ErrorOf(gone), HasSubstr(path)) << path;
  }
}

TEST(RecordingFormat, DigestsThatLostLinesAreNotBelieved) {
  RecordingFiles files = GoodFiles();
  std::string& digests = files[std::string(kDigestsFile)];
  digests.resize(digests.rfind('\n', digests.size() - 2) + 1);
  EXPECT_THAT(ErrorOf(files), HasSubstr("SHA256SUMS: truncated"));
}

TEST(RecordingFormat, AFileThatTheDigestsDoNotNameIsNotUsed) {
  RecordingFiles files = GoodFiles();
  files["files/etc/shadow"] = "x";
  EXPECT_THAT(ErrorOf(files), HasSubstr("does not name every file"));
}

TEST(RecordingFormat, ANewerFormatSaysWhatToDo) {
  EXPECT_EQ(ErrorAfter("recording.json", "\"format\": 1", "\"format\": 2"),
            "recording.json: recording format 2, this program knows 1: use a newer rdmaready");
}

TEST(RecordingFormat, ForeignManifestsAreRefused) {
  for (const char* text : {"", "x", "[]", "{}", "{\"schema\": 7}", "{\"schema\": \"rdmaready.v1.Facts\"}",
                           "{\"schema\": \"rdmaready.v1.Recording\"}",
                           "{\"schema\": \"rdmaready.v1.Recording\", \"format\": -1}"}) {
    RecordingFiles files = GoodFiles();
    files[std::string(kManifestFile)] = text;
    EXPECT_THAT(ErrorOf(files), HasSubstr("recording.json: ")) << text;
    EXPECT_FALSE(CheckManifest(text).ok());
  }
}

TEST(RecordingFormat, WhatMakesNoSenseIsNamedWithItsLine) {
  EXPECT_EQ(ErrorAfter("netlink.jsonl", "\"dump\":", "\"pump\":"), "netlink.jsonl:1: no \"dump\"");
  EXPECT_THAT(ErrorAfter("netlink.jsonl", "\"protocol\":0", "\"protocol\":-1"),
              HasSubstr("no number \"protocol\""));
  EXPECT_THAT(ErrorAfter("netlink.jsonl", "\"type\":18", "\"type\":65536"), HasSubstr("no number \"type\""));
  EXPECT_THAT(ErrorAfter("netlink.jsonl", "\"payload\":\"0", "\"payload\":\""),
              HasSubstr("no hexadecimal bytes"));
  EXPECT_THAT(ErrorAfter("netlink.jsonl", "\"messages\":[", "\"messages\":[7,"), HasSubstr("something else"));
  EXPECT_THAT(ErrorAfter("netlink.jsonl", "{", "["), HasSubstr("netlink.jsonl:1: not JSON"));
  EXPECT_THAT(ErrorAfter("netlink.jsonl", "{", "{\"later\":1,"), HasSubstr("unknown member \"later\""));
  EXPECT_THAT(ErrorAfter("verbs.jsonl", "\"raw\":\"00", "\"raw\":\""),
              HasSubstr("\"raw\" of 15 bytes instead of 16"));
  EXPECT_THAT(ErrorAfter("limits.jsonl", "\"memlock\"", "\"nofile\""), HasSubstr("another limit"));
  EXPECT_THAT(ErrorAfter("limits.jsonl", "true", "1"), HasSubstr("no true or false"));
  EXPECT_THAT(ErrorAfter("files.jsonl", "\"code\":\"not-found\"", "\"code\":\"healthy\""),
              HasSubstr("healthy"));
  EXPECT_THAT(ErrorAfter("files.jsonl", "\"names\":[", "\"names\":[[],"), HasSubstr("no list of texts"));
}

TEST(RecordingFormat, HasTheAppliersWordOrWhyThereIsNone) {
  FakeHost host = GoodFakeHost();
  Recording recording = RecordFacts(host);
  recording.apply_state = Missing{Missing::Kind::kFailed, "connect: refused"};
  const absl::StatusOr<Recording> again = DecodeRecording(*EncodeRecording(recording));
  ASSERT_TRUE(again.ok()) << Message(again.status());
  EXPECT_EQ(again->apply_state, recording.apply_state);
}

TEST(RecordingFormat, OfAnOlderVersionHasNoWordOfTheApplier) {
  FakeHost host = GoodFakeHost();
  Recording recording = RecordFacts(host);
  recording.apply_state = {};
  const RecordingFiles files = *EncodeRecording(recording);
  EXPECT_FALSE(files.contains("applier.json"));
  const absl::StatusOr<Recording> again = DecodeRecording(files);
  ASSERT_TRUE(again.ok()) << Message(again.status());
  EXPECT_EQ(again->apply_state,
            Fact<ApplyState>(Missing{Missing::Kind::kNotCollected, "not in the recording"}));
}

TEST(RecordingFormat, AStateOfANewerVersionIsUnknown) {
  RecordingFiles files = GoodFiles();
  Edit(files, "applier.json", "awaiting-confirm", "half-way");
  Seal(files);
  const absl::StatusOr<Recording> recording = DecodeRecording(files);
  ASSERT_TRUE(recording.ok()) << Message(recording.status());
  EXPECT_EQ(recording->apply_state->changes.front().state, ChangeState::kUnknown);
}

TEST(RecordingFormat, AnAppliersWordOfNoSenseIsNamed) {
  EXPECT_EQ(ErrorAfter("applier.json", "\"settings\": 5", "\"settings\": -5"),
            "applier.json: no number \"settings\", or too large a one");
  EXPECT_EQ(ErrorAfter("applier.json", "\"notices\"", "\"missing\": \"failed\", \"notices\""),
            "applier.json: no \"detail\"");
  EXPECT_EQ(ErrorAfter("applier.json", "{", "["), "applier.json: not JSON");
}

TEST(RecordingFormat, ALineLeadsToItsOwnFileOnly) {
  const std::string in = "\"in\":\"files/sys/class/net/dcb0/speed\"";
  for (const char* to :
       {"\"in\":\"files/../recording.json\"", "\"in\":\"recording.json\"", "\"in\":\"/etc/passwd\"",
        "\"in\":\"\"", "\"in\":\"files/sys/class/net/dcb0/ifindex\""}) {
    EXPECT_THAT(ErrorAfter("files.jsonl", in, to), HasSubstr("is not where the file was put")) << to;
  }
}

TEST(RecordingFormat, FewBytesCannotStandForMany) {
  RecordingFiles files = GoodFiles();
  std::string& lines = files["files.jsonl"];
  const std::string line = "{\"read\":\"/etc/machine-id\",\"in\":\"files/etc/machine-id\"}\n";
  ASSERT_THAT(lines, HasSubstr(line));
  lines += "{\"read\":\"/etc/machine-id\",\"text\":\"\"}\n" + line;
  Seal(files);
  EXPECT_THAT(ErrorOf(files), HasSubstr("is used twice"));

  EXPECT_THAT(ErrorAfter("limits.jsonl", "}", ",\"times\":0}"), HasSubstr("no times"));
  EXPECT_EQ(ErrorAfter("limits.jsonl", "}", ",\"times\":4294967295}"), "");
  EXPECT_THAT(ErrorAfter("limits.jsonl", "}", ",\"times\":4294967296}"), HasSubstr("\"times\""));

  files = GoodFiles();
  files["limits.jsonl"].clear();
  for (std::size_t i = 0; i <= kMaxRecordedAnswers; ++i) files["limits.jsonl"] += "{}\n";
  files["limits.jsonl"].insert(0, "{\"limit\":\"memlock\",\"error\":{\"code\":\"unknown\",\"text\":\"\"}}\n");
  Seal(files);
  EXPECT_NE(ErrorOf(files), "");
}

TEST(RecordingFormat, DeepAndEndlessLinesAreRefused) {
  RecordingFiles files = GoodFiles();
  files["limits.jsonl"] = "{\"limit\":" + std::string(200'000, '[') + "\n";
  Seal(files);
  EXPECT_THAT(ErrorOf(files), HasSubstr("limits.jsonl:1: too deep"));
  files["limits.jsonl"] = "{\"limit\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n";
  Seal(files);
  EXPECT_THAT(ErrorOf(files), HasSubstr("limits.jsonl:1: "));
  files["limits.jsonl"] = "{\"limit\":\"" + std::string(std::size_t{17} << 20, 'x') + "\"}\n";
  Seal(files);
  EXPECT_THAT(ErrorOf(files), HasSubstr("too long a line"));
}

// Where the names of members are compared with each other, a megabyte of them would take minutes; also in a
// member that nobody reads.
TEST(RecordingFormat, WideLinesAreRefused) {
  std::string members = "\"k\":0";
  for (int i = 0; i < 200'000; ++i) members += ",\"k" + std::to_string(i) + "\":0";
  RecordingFiles files = GoodFiles();
  files["limits.jsonl"] = "{" + members + "}\n";
  Seal(files);
  EXPECT_THAT(ErrorOf(files), HasSubstr("limits.jsonl:1: too deep, or of too many elements"));
  files["limits.jsonl"].clear();
  files["netlink.jsonl"] = "{\"shows\":[{" + members + "}]}\n";
  Seal(files);
  EXPECT_THAT(ErrorOf(files), HasSubstr("netlink.jsonl:1: too deep, or of too many elements"));
}

// Objects beside each other are as wide as each of them.
TEST(RecordingFormat, ManyNarrowObjectsAreRead) {
  RecordingFiles files = GoodFiles();
  std::string gids;
  for (int i = 0; i < 1000; ++i) {
    gids += std::string(i == 0 ? "" : ",") + "{\"port\":1,\"index\":" + std::to_string(i) + ",\"raw\":\"" +
            std::string(32, '0') + "\",\"type\":1,\"ifindex\":2}";
  }
  files["verbs.jsonl"] = "{\"device\":\"rxe0\",\"gids\":[" + gids + "]}\n";
  Seal(files);
  absl::StatusOr<Recording> recording = DecodeRecording(files);
  ASSERT_TRUE(recording.ok()) << recording.status();
  const Answer* answer = recording->answers.Next(VerbsGidTableQuestion{"rxe0"});
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(AnswerTo<VerbsGidTableQuestion>(*answer)->size(), 1000U);
}

TEST(RecordingFormat, DigestsNameNoFileOutside) {
  const std::string digest(64, 'a');
  for (const std::string& path :
       {std::string("../x"), std::string("/etc/passwd"), std::string("a/../b"), std::string("a//b"),
        std::string("."), std::string("a b"), std::string("a\0b", 3), std::string(), std::string("a/"),
        std::string(2000, 'x')}) {
    EXPECT_FALSE(ListedFiles(digest + "  " + path + "\n").ok()) << path;
  }
  EXPECT_FALSE(ListedFiles(digest + "  a\n" + digest + "  a\n").ok());
  EXPECT_FALSE(ListedFiles(digest + "  a").ok());
  EXPECT_FALSE(ListedFiles(digest.substr(1) + "   a\n").ok());
  std::string many;
  for (std::size_t i = 0; i <= kMaxRecordingFiles; ++i) many += digest + "  " + std::to_string(i) + "\n";
  EXPECT_THAT(Message(ListedFiles(many).status()), HasSubstr("too many files"));
  EXPECT_THAT(*ListedFiles(digest + "  files/a:b/c.d\n"), testing::ElementsAre("files/a:b/c.d"));
}

// Sealed again after each change, so that the lines themselves are reached.
TEST(RecordingFormat, NoChangeOfAnyByteDoesWorseThanAnError) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same cases in every run
  const RecordingFiles good = GoodFiles();
  std::size_t accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    RecordingFiles files = good;
    for (const char* name : {"files.jsonl", "netlink.jsonl", "verbs.jsonl", "rdma_cm.jsonl", "limits.jsonl"}) {
      std::string& text = files[name];
      if (text.empty() || random() % 2 == 0) continue;
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.resize(at);
          break;
        case 2:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
    }
    Seal(files);
    if (ErrorOf(files).empty()) ++accepted;
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_LT(accepted, 3000U);
}

TEST(RecordingPaths, FoldersAreNamedAfterHostsAndNothingElse) {
  EXPECT_EQ(recording::FolderName("node1.example.com"), "node1.example.com");
  EXPECT_EQ(recording::FolderName("127.0.0.1:7471"), "127.0.0.1_7471");
  EXPECT_EQ(recording::FolderName("../../etc"), "_._.._etc");
  EXPECT_EQ(recording::FolderName(".."), "_.");
  EXPECT_EQ(recording::FolderName("-rf"), "_rf");
  EXPECT_EQ(recording::FolderName(""), "host");
  EXPECT_EQ(recording::FolderName("a\nb\0c"), "a_b");
  EXPECT_THAT(recording::FolderName(std::string(1000, 'x')), MatchesRegex("x{128}"));
}

}  // namespace
}  // namespace rdmaready
