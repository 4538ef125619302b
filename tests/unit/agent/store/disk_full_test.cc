// SPDX-License-Identifier: Apache-2.0
// No room under the store: clear words, nothing lost that was acknowledged, and on it goes when there is room.
// The limit on a file's size stands for the full disk here; tests/integration has a real one.
#include <sys/resource.h>

#include <csignal>

#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

// While it lives, no file of this process grows beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(::rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const ::rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  ::rlimit before_{};
};

class DiskFullTest : public StoreTest {
 protected:
  static void ExpectNoRoom(const absl::Status& status, const std::string& path) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
};

TEST_F(DiskFullTest, IsSaidAndOverWhenThereIsRoom) {
  const auto store = Open();
  std::vector<std::string> acknowledged;
  absl::Status refused;
  {
    const FileSizeLimit limit(160 << 10);
    for (int i = 0; i < 500; ++i) {
      const std::string id = "run-" + std::to_string(i);
      const absl::Status put = store->PutRun(MakeRun(id, i));
      if (put.ok()) acknowledged.push_back(id);
      if (!put.ok()) refused = put;
    }
    ExpectNoRoom(refused, path_);
    std::vector<std::string> kept = Ids(*store);
    std::reverse(kept.begin(), kept.end());
    EXPECT_EQ(kept, acknowledged) << "what was kept can be read all the while";
  }
  ASSERT_GT(acknowledged.size(), 3u);
  ASSERT_LT(acknowledged.size(), 500u);
  EXPECT_TRUE(store->PutRun(MakeRun("later", 1000)).ok()) << "there is room again";
  EXPECT_EQ(Ids(*store).size(), acknowledged.size() + 1);
  EXPECT_TRUE(SetAside().empty()) << "a full disk is no damage";
}

TEST_F(DiskFullTest, IsSaidWhenTheStoreIsOpened) {
  SqliteStore store(Options());
  {
    const FileSizeLimit limit(0);
    ExpectNoRoom(store.Open(), directory_);
    ExpectNoRoom(store.PutRun(MakeRun("a", 1)), directory_);
  }
  EXPECT_TRUE(store.PutRun(MakeRun("a", 1)).ok());
}

TEST_F(DiskFullTest, LeavesDamageThatWasFoundThenToBeToldLater) {
  WriteFile("rdmaready.db", std::string(8192, 'x'));
  SqliteStore store(Options());
  {
    const FileSizeLimit limit(0);
    ExpectNoRoom(store.Open(), directory_);
    EXPECT_EQ(SetAside().size(), 1u);
  }
  ASSERT_TRUE(store.PutRun(MakeRun("a", 1)).ok());
  EXPECT_EQ(store.Events({})->size(), 1u);
  EXPECT_THAT(store.TakeNotice(), HasSubstr("damaged"));
}

}  // namespace
}  // namespace rdmaready
