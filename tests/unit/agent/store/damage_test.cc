// SPDX-License-Identifier: Apache-2.0
// A damaged store is set aside, never deleted, and said so; what is not damage is not taken for it.
#include <sys/stat.h>

#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class DamageTest : public StoreTest {
 protected:
  // A store of `runs` runs, closed.
  void Fill(int runs) {
    const auto store = Open();
    for (int i = 0; i < runs; ++i) ASSERT_TRUE(store->PutRun(MakeRun("run-" + std::to_string(i), i)).ok());
  }

  // Set aside as it was, said in the log, in the next report, and in the fresh file.
  void ExpectSetAside(SqliteStore& store, const std::string& bytes) {
    ASSERT_THAT(SetAside(), SizeIs(1));
    const std::string name = SetAside()[0];
    EXPECT_TRUE(ReadFile(name) == bytes) << "changed before it was set aside";
    EXPECT_THAT(log_, ElementsAre(HasSubstr("damaged")));
    EXPECT_THAT(log_[0], HasSubstr(name));
    EXPECT_THAT(store.TakeNotice(), HasSubstr(name));
    EXPECT_EQ(store.TakeNotice(), "") << "said once";
    const absl::StatusOr<std::vector<StoreEvent>> events = store.Events({});
    ASSERT_TRUE(events.ok()) << events.status();
    ASSERT_THAT(*events, SizeIs(1));
    EXPECT_THAT(events->at(0).text, HasSubstr(name));
    ASSERT_TRUE(store.PutRun(MakeRun("fresh", 1)).ok());
    EXPECT_THAT(Ids(store), ElementsAre("fresh"));
  }
};

TEST_F(DamageTest, AFileThatIsNoDatabase) {
  const std::string garbage(8192, 'x');
  WriteFile("rdmaready.db", garbage);
  const auto store = Open();
  ExpectSetAside(*store, garbage);
}

TEST_F(DamageTest, ATruncatedFile) {
  Fill(30);
  const std::string whole = ReadFile("rdmaready.db");
  const std::string half = whole.substr(0, whole.size() / 2);
  WriteFile("rdmaready.db", half);
  const auto store = Open();
  ExpectSetAside(*store, half);
}

TEST_F(DamageTest, APageInTheMiddleThatIsNoPage) {
  Fill(30);
  std::string bytes = ReadFile("rdmaready.db");
  for (std::size_t i = 4096; i < 4096 * 4; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
  WriteFile("rdmaready.db", bytes);
  const auto store = Open();
  ExpectSetAside(*store, bytes);
}

// Wherever a byte flips: no crash, no wrong answer. Each run that is shown is as it was put, or says that it is
// damaged, or the file was set aside.
TEST_F(DamageTest, AnyFlippedByteIsHarmless) {
  Fill(12);
  const std::string whole = ReadFile("rdmaready.db");
  int found = 0;
  for (std::size_t at = 16; at < whole.size(); at += 997) {
    std::filesystem::remove_all(directory_);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    WriteFile("rdmaready.db", bytes);
    SqliteStore store(Options());
    const absl::StatusOr<std::vector<RunRecord>> runs = store.Runs({.limit = kMaxHistory});
    if (!runs.ok()) {  // the version in its header may be what flipped: then it is none of ours
      EXPECT_EQ(runs.status().code(), absl::StatusCode::kFailedPrecondition) << at << runs.status();
      continue;
    }
    for (const RunRecord& run : *runs) {
      if (!run.report.error.empty()) {
        EXPECT_EQ(run.report.verdict, Readiness::kUndetermined);
        ++found;
      } else {
        EXPECT_EQ(run.report, MakeRun(run.run_id, run.started_unix_ns).report) << "byte " << at;
        EXPECT_EQ(run.run_id, "run-" + std::to_string(run.started_unix_ns)) << "byte " << at;
      }
    }
  }
  EXPECT_GT(found, 0) << "no flip met the bytes of a run";
}

TEST_F(DamageTest, FoundByAReaderWhileTheStoreIsInUse) {
  const auto store = Open();
  RunRecord large = MakeRun("", 0);
  large.report.findings[0].observed = std::string(40'000, 'o');
  for (int i = 0; i < 100; ++i) {  // more than is kept in memory
    large.run_id = "old-" + std::to_string(i);
    ASSERT_TRUE(store->PutRun(large).ok());
  }
  std::string bytes = ReadFile("rdmaready.db");
  ASSERT_GT(bytes.size(), 3u << 20);
  std::fill(bytes.begin() + 4096 * 2, bytes.end(), 'x');
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file << bytes;
  }
  EXPECT_THAT(Ids(*store), IsEmpty()) << "the fresh file's";
  EXPECT_THAT(SetAside(), SizeIs(1));
  EXPECT_THAT(store->TakeNotice(), HasSubstr("damaged"));
  EXPECT_TRUE(store->PutRun(MakeRun("new", 1)).ok());
}

TEST_F(DamageTest, FoundByAWriterWhoseRecordGoesIntoTheFreshFile) {
  Fill(30);
  std::string bytes = ReadFile("rdmaready.db");
  std::fill(bytes.begin() + 4096 * 2, bytes.end(), 'x');
  WriteFile("rdmaready.db", bytes);
  StoreOptions options = Options();
  options.check_time = std::chrono::milliseconds(0);  // as when the look at it was cut short
  const auto store = Open(options);
  EXPECT_THAT(SetAside(), IsEmpty());
  ASSERT_TRUE(store->PutRun(MakeRun("new", 1)).ok());
  EXPECT_THAT(Ids(*store), ElementsAre("new"));
  EXPECT_THAT(SetAside(), SizeIs(1));
  EXPECT_THAT(store->TakeNotice(), HasSubstr("damaged"));
}

TEST_F(DamageTest, TwiceWithinASecondOverwritesNothing) {
  for (const char* garbage : {"first, long enough to be looked at", "second, long enough to be looked at",
                              "third, long enough to be looked at"}) {
    WriteFile("rdmaready.db", garbage);
    Open();
  }
  const std::vector<std::string> names = SetAside();
  ASSERT_THAT(names, SizeIs(3));
  std::vector<std::string> contents;
  for (const std::string& name : names) contents.push_back(ReadFile(name).substr(0, 5));
  EXPECT_THAT(contents, testing::UnorderedElementsAre("first", "secon", "third"));
}

TEST_F(DamageTest, TheLogIsSetAsideWithItsFile) {
  Fill(30);
  {
    const auto store = Open();
    ASSERT_TRUE(store->PutRun(MakeRun("last", 100)).ok());
    std::filesystem::rename(CopyAsAfterACrash(), root_ + "/crashed");
  }
  std::filesystem::remove_all(directory_);
  std::filesystem::rename(root_ + "/crashed", directory_);
  const std::string log = ReadFile("rdmaready.db-wal");
  ASSERT_FALSE(log.empty());
  WriteFile("rdmaready.db", ReadFile("rdmaready.db").substr(0, 4096 * 3));
  const auto store = Open();
  EXPECT_THAT(Ids(*store), IsEmpty()) << "the old log is not the fresh file's";
  ASSERT_THAT(SetAside(), SizeIs(1));
  EXPECT_TRUE(ReadFile(SetAside()[0] + "-wal") == log);
}

TEST_F(DamageTest, WhoOnlyLooksFindsItToo) {
  WriteFile("rdmaready.db", std::string(8192, 'x'));
  StoreOptions options = Options();
  options.hold = false;
  SqliteStore store(options);
  EXPECT_THAT(Ids(store), IsEmpty());
  EXPECT_THAT(SetAside(), SizeIs(1));
}

TEST_F(DamageTest, ADirectoryInPlaceOfTheFileIsNone) {
  std::filesystem::create_directories(path_ + "/inside");
  const absl::Status status = SqliteStore(Options()).Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "open store " + path_ + ": is a directory");
  EXPECT_THAT(SetAside(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(path_ + "/inside"));
}

TEST_F(DamageTest, AFifoInPlaceOfTheFileIsNone) {
  std::filesystem::create_directories(directory_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const absl::Status status = SqliteStore(Options()).Open();
  EXPECT_EQ(status.message(), "open store " + path_ + ": is not a regular file");
}

TEST_F(DamageTest, ADirectoryThatMayNotBeWrittenIsNone) {
  Fill(1);
  using std::filesystem::perms;
  std::filesystem::permissions(directory_,
                               perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
  const bool root = ::geteuid() == 0;  // who may write everywhere
  constexpr ::uid_t kNobody = 65534;
  ASSERT_TRUE(!root || ::seteuid(kNobody) == 0);
  const absl::Status status = SqliteStore(Options()).Open();
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  std::filesystem::permissions(directory_, perms::owner_all);
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory_));
  EXPECT_THAT(SetAside(), IsEmpty());
  EXPECT_THAT(Ids(*Open()), ElementsAre("run-0"));
}

TEST_F(DamageTest, AnEmptyFileIsAStoreThatWasNeverWritten) {
  WriteFile("rdmaready.db", "");
  const auto store = Open();
  EXPECT_TRUE(store->PutRun(MakeRun("a", 1)).ok());
  EXPECT_THAT(SetAside(), IsEmpty());
  EXPECT_THAT(log_, IsEmpty());
}

}  // namespace
}  // namespace rdmaready
