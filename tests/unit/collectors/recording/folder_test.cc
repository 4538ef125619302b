// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "collectors/recording/recorded_host.h"
#include "tests/unit/collectors/hardware_fake_host.h"
#include "tests/unit/collectors/recording/sealed.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RecordingFolder : public testing::Test {
 protected:
  RecordingFolder() {
    std::string pattern = (fs::temp_directory_path() / "rdmaready recording XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~RecordingFolder() override { fs::remove_all(directory_); }

  std::string Save(const std::string& host) {
    const absl::StatusOr<std::string> place = RecordingSaver(directory_).Save(GoodFiles(), host);
    EXPECT_TRUE(place.ok()) << Message(place.status());
    return place.value_or("");
  }
  std::string LoadError(const std::string& directory) {
    const absl::StatusOr<std::vector<SavedRecording>> loaded = LoadRecordings(directory);
    if (loaded.ok()) return "";
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Message(loaded.status()).find('\n'), std::string::npos);
    return Message(loaded.status());
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  static void Put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  std::string directory_;
};

TEST_F(RecordingFolder, ComesBackAsItWasSaved) {
  const std::string place = Save("node1");
  EXPECT_EQ(place, directory_ + "/node1");
  const absl::StatusOr<std::vector<SavedRecording>> loaded = LoadRecordings(place);
  ASSERT_TRUE(loaded.ok()) << Message(loaded.status());
  ASSERT_EQ(loaded->size(), 1U);
  EXPECT_EQ(loaded->front().folder, place);
  EXPECT_EQ(*EncodeRecording(*loaded->front().recording), GoodFiles());
}

TEST_F(RecordingFolder, IsItsOwnersAlone) {
  const ::mode_t before = ::umask(0);
  const std::string parent = directory_ + "/new";
  RecordingSaver saver(parent);
  ASSERT_TRUE(saver.Prepare().ok());
  RecordingFiles files = GoodFiles();
  const absl::StatusOr<std::string> place = saver.Save(files, "node1");
  ::umask(before);
  ASSERT_TRUE(place.ok()) << Message(place.status());
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(parent)) {
    const fs::perms wanted =
        entry.is_directory() ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write;
    EXPECT_EQ(entry.status().permissions(), wanted) << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 3);
  EXPECT_EQ(fs::status(parent).permissions(), fs::perms::owner_all);
}

// A configuration space is no text: NULs, bytes that are no UTF-8, and no newline at its end.
TEST_F(RecordingFolder, AFileThatIsNoTextComesBackByteForByte) {
  FakeHost host = HardwareFakeHost();
  const absl::StatusOr<RecordingFiles> files = EncodeRecording(RecordFacts(host));
  ASSERT_TRUE(files.ok()) << Message(files.status());
  const absl::StatusOr<std::string> place = RecordingSaver(directory_).Save(*files, "node1");
  ASSERT_TRUE(place.ok()) << Message(place.status());
  const absl::StatusOr<std::vector<SavedRecording>> loaded = LoadRecordings(*place);
  ASSERT_TRUE(loaded.ok() && loaded->front().recording.ok());
  const std::string config = "/sys/bus/pci/devices/" + std::string(kNicAddress) + "/config";
  EXPECT_EQ(RecordedHost(*loaded->front().recording).ReadFile(config).value(), host.files[config].value());
  RecordedHost again(*loaded->front().recording);
  EXPECT_EQ(CollectFacts(again), CollectFacts(host));
}

TEST_F(RecordingFolder, HoldsSeveralHostsInTheOrderOfTheirNames) {
  for (const char* host : {"node10", "node2", "a:7471"}) Save(host);
  Put(directory_ + "/notes.txt", "seen on Tuesday");
  const absl::StatusOr<std::vector<SavedRecording>> loaded = LoadRecordings(directory_ + "/");
  ASSERT_TRUE(loaded.ok()) << Message(loaded.status());
  std::vector<std::string> folders;
  for (const SavedRecording& one : *loaded) folders.push_back(one.folder);
  EXPECT_THAT(folders, ElementsAre(directory_ + "/a_7471", directory_ + "/node2", directory_ + "/node10"));
}

TEST_F(RecordingFolder, HostsMayBeSavedAtOnce) {
  RecordingSaver saver(directory_);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] { EXPECT_TRUE(saver.Save(GoodFiles(), "node" + std::to_string(i)).ok()); });
    }
  }
  EXPECT_EQ(LoadRecordings(directory_).value().size(), 8U);
}

TEST_F(RecordingFolder, IsNeverWrittenOver) {
  RecordingSaver saver(directory_);
  EXPECT_TRUE(saver.CheckFree("node1").ok());
  for (const char* kind : {"a recording", "an empty folder", "a broken link"}) {
    fs::remove_all(directory_ + "/node1");
    if (*kind == 'a' && kind[2] == 'r') Save("node1");
    if (std::string(kind) == "an empty folder") fs::create_directory(directory_ + "/node1");
    if (std::string(kind) == "a broken link") fs::create_symlink("/nowhere", directory_ + "/node1");
    for (const absl::Status& status : {saver.CheckFree("node1"), saver.Save(GoodFiles(), "node1").status()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << kind;
      EXPECT_EQ(Message(status), "save " + directory_ + "/node1: exists already");
    }
    EXPECT_THAT(Names(), ElementsAre("node1"));
  }
}

TEST_F(RecordingFolder, IsNotThereWhenTheDiskIsFull) {
  // As on a full disk, writing fails half-way: no file may grow beyond 100 bytes.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100;
  std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = RecordingSaver(directory_).Save(GoodFiles(), "node1").status();
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Message(status), HasSubstr(directory_));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(RecordingFolder, AnUnfinishedSaveLeavesNothing) {
  {
    RecordingFiles files = GoodFiles();
    files["../outside"] = "x";
    RecordingSaver saver(directory_);
    EXPECT_FALSE(saver.Save(files, "node1").ok());
  }
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(RecordingFolder, SaysWhereItCannotBeMade) {
  EXPECT_EQ(Message(RecordingSaver("/proc/nowhere").Prepare()),
            "save /proc/nowhere: No such file or directory");
  EXPECT_EQ(RecordingSaver("/nowhere/below").Prepare().code(), absl::StatusCode::kFailedPrecondition);
  Put(directory_ + "/file", "");
  EXPECT_EQ(RecordingSaver(directory_ + "/file").Prepare().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(RecordingSaver(directory_ + "/new").Prepare().ok());
  EXPECT_TRUE(fs::is_directory(directory_ + "/new"));
}

TEST_F(RecordingFolder, WhatIsNoRecordingIsSaidSo) {
  EXPECT_EQ(LoadError("/nowhere"), "read recording /nowhere: No such file or directory");
  EXPECT_THAT(LoadError(directory_), HasSubstr(directory_ + ": no recording is in it"));
  Put(directory_ + "/file", "");
  EXPECT_EQ(LoadError(directory_ + "/file"), "read recording " + directory_ + "/file: Not a directory");
  fs::create_directory(directory_ + "/foreign");
  EXPECT_THAT(LoadError(directory_), HasSubstr("/foreign: no recording: it has no recording.json"));
  Put(directory_ + "/foreign/recording.json", "{\"schema\": \"somebody.else\"}");
  EXPECT_THAT(LoadError(directory_), HasSubstr("/foreign/recording.json: not the recording of a host"));
}

TEST_F(RecordingFolder, OneDamagedHostIsNamedAmongSeveral) {
  const std::string good = Save("node1");
  const std::string place = Save("node2");
  const auto errors = [this] {
    const std::vector<SavedRecording> loaded = LoadRecordings(directory_).value();
    EXPECT_EQ(loaded.size(), 2U);
    EXPECT_TRUE(loaded[0].recording.ok());
    EXPECT_EQ(loaded[1].recording.status().code(), absl::StatusCode::kInvalidArgument);
    return Message(loaded[1].recording.status());
  };
  fs::resize_file(place + "/netlink.jsonl", 100);
  EXPECT_EQ(errors(),
            "read recording " + place + "/netlink.jsonl: truncated or changed: not what " + "SHA256SUMS says");
  fs::remove(place + "/netlink.jsonl");
  EXPECT_EQ(errors(), "read recording " + place + "/netlink.jsonl: No such file or directory");
  fs::remove_all(place);
  fs::create_directory_symlink(good, place);
  EXPECT_EQ(errors(), "read recording " + place + ": a symbolic link: refused");
  fs::remove_all(good);
  EXPECT_EQ(LoadError(directory_), "read recording " + place + ": a symbolic link: refused");
}

TEST_F(RecordingFolder, AreReadUpToABudgetAndThoseBeyondItAreNamed) {
  for (const char* host : {"node1", "node2", "node3"}) Save(host);
  std::size_t one = 0;
  for (const auto& [path, text] : GoodFiles()) one += text.size();
  const std::vector<SavedRecording> loaded = LoadRecordings(directory_, 2 * one).value();
  EXPECT_TRUE(loaded[0].recording.ok());
  EXPECT_TRUE(loaded[1].recording.ok());
  EXPECT_THAT(Message(loaded[2].recording.status()), HasSubstr("/node3/"));
  EXPECT_THAT(Message(loaded[2].recording.status()), HasSubstr("too large for a recording"));
}

TEST_F(RecordingFolder, LinksAndSpecialFilesAreRefused) {
  const std::string place = Save("node1");
  const std::string speed = place + "/files/sys/class/net/dcb0/speed";
  fs::rename(speed, directory_ + "/.kept");
  fs::create_symlink(directory_ + "/.kept", speed);
  EXPECT_EQ(LoadError(place), "read recording " + speed + ": a symbolic link: refused");
  fs::remove(speed);
  ASSERT_EQ(::mkfifo(speed.c_str(), 0600), 0);
  EXPECT_EQ(LoadError(place), "read recording " + speed + ": not a plain file");
  fs::remove(speed);
  fs::rename(directory_ + "/.kept", speed);
  EXPECT_EQ(LoadError(place), "");

  const std::string sys = place + "/files/sys";
  fs::rename(sys, directory_ + "/.sys");
  fs::create_directory_symlink(directory_ + "/.sys", sys);
  EXPECT_EQ(LoadError(place), "read recording " + sys + ": a symbolic link: refused");
  fs::remove(sys);
  fs::create_directory_symlink(".", sys);  // a cycle
  EXPECT_EQ(LoadError(place), "read recording " + sys + ": a symbolic link: refused");

  fs::create_directory_symlink(place, directory_ + "/node2");
  EXPECT_THAT(LoadError(directory_), HasSubstr("symbolic link: refused"));  // node1 has one, node2 is one
}

TEST_F(RecordingFolder, AFileBeyondAllBoundsIsNotReadToItsEnd) {
  const std::string place = Save("node1");
  fs::resize_file(place + "/recording.json", std::uintmax_t{1} << 40);  // sparse
  EXPECT_EQ(LoadError(place), "read recording " + place + "/recording.json: too large for a recording");
}

}  // namespace
}  // namespace rdmaready
