// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/boot_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "tests/unit/agent/apply/boot_folder.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready::apply {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kLink = "/etc/systemd/network/98-rdma-dcb0.link";
constexpr const char* kBeside = "/etc/systemd/network/.98-rdma-dcb0.link.new";
constexpr const char* kAside = "/etc/systemd/network/.98-rdma-dcb0.link.new.old";
constexpr const char* kDropIn = "/etc/systemd/network/50-a.link.d/rdma.conf";
constexpr const char* kNetplan = "/etc/netplan/90-rdmaready-dcb0.yaml";
constexpr const char* kUnit = "/etc/systemd/system/rdma-mtu-dcb0.service";
constexpr const char* kUnitLink =
    "/etc/systemd/system/sys-subsystem-net-devices-dcb0.device.wants/rdma-mtu-dcb0.service";
constexpr const char* kText = "# Made by rdmaready.\n[Link]\nMTUBytes=9000\n";

class BootStoreTest : public testing::Test {
 protected:
  BootStoreTest() {
    std::string pattern = (fs::temp_directory_path() / "boot-store-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    folder_.emplace(dir_ + "/root");
    store_.emplace(disk_, folder_->root());
  }
  ~BootStoreTest() override { fs::remove_all(dir_); }

  static std::string Digest(const std::string& text) { return *Sha256(text); }
  unsigned ModeOf(const std::string& path) const {
    struct ::stat info {};
    EXPECT_EQ(::lstat(folder_->At(path).c_str(), &info), 0);
    return info.st_mode & 07777U;
  }
  void ExpectRefused(const std::string& path, const char* words) {
    const auto before = folder_->All();
    const absl::StatusOr<bool> made = store_->Write(path, kText, "");
    EXPECT_FALSE(made.ok()) << path;
    EXPECT_THAT(Message(made.status()), HasSubstr(words)) << path;
    EXPECT_EQ(folder_->All(), before) << path;
  }

  std::string dir_;
  HandDisk disk_;
  std::optional<BootFolder> folder_;
  std::optional<BootStore> store_;
};

TEST_F(BootStoreTest, WritesAFileAndRemovesIt) {
  const auto before = folder_->All();
  ASSERT_FALSE(*store_->Write(kLink, kText, ""));
  EXPECT_EQ(folder_->Text(kLink), kText);
  EXPECT_EQ(ModeOf(kLink), 0644U);
  EXPECT_EQ(*store_->DigestOf(kLink), Digest(kText));
  EXPECT_EQ(folder_->All().size(), before.size() + 1) << "no temporary file stays";
  ASSERT_TRUE(store_->Remove(kLink, Digest(kText), false).ok());
  EXPECT_EQ(folder_->All(), before);
  EXPECT_TRUE(absl::IsNotFound(store_->DigestOf(kLink).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->Remove(kLink, Digest(kText), false)));
}

TEST_F(BootStoreTest, ClosesAFileOfNetplanWhateverTheUmaskIs) {
  const ::mode_t umask = ::umask(0);
  EXPECT_TRUE(store_->Write(kNetplan, kText, "").ok());
  ::umask(0077);
  EXPECT_TRUE(store_->Write(kDropIn, kText, "").ok());
  ::umask(umask);
  EXPECT_EQ(ModeOf(kNetplan), 0600U);
  EXPECT_EQ(ModeOf(kDropIn), 0644U);
  EXPECT_EQ(ModeOf("/etc/systemd/network/50-a.link.d"), 0755U);
}

TEST_F(BootStoreTest, MakesAFolderForDropInsAndRemovesItAgain) {
  const auto before = folder_->All();
  EXPECT_FALSE(*store_->HasFolder(kDropIn));
  ASSERT_TRUE(*store_->Write(kDropIn, kText, ""));
  EXPECT_TRUE(*store_->HasFolder(kDropIn));
  ASSERT_TRUE(store_->Remove(kDropIn, Digest(kText), true).ok());
  EXPECT_EQ(folder_->All(), before);
  ASSERT_TRUE(*store_->Write(kDropIn, kText, ""));
  folder_->Put("/etc/systemd/network/50-a.link.d/site.conf", "[Link]\n");
  ASSERT_TRUE(store_->Remove(kDropIn, Digest(kText), true).ok());
  EXPECT_EQ(folder_->Text("/etc/systemd/network/50-a.link.d/site.conf"), "[Link]\n") << "it is not empty";
}

TEST_F(BootStoreTest, MakesNoOtherFolder) {
  fs::remove_all(folder_->At("/etc/netplan"));
  ExpectRefused(kNetplan, "/etc/netplan");
}

TEST_F(BootStoreTest, LinksAUnitAsSystemctlEnables) {
  const auto before = folder_->All();
  ASSERT_TRUE(store_->Write(kUnit, kText, "").ok());
  ASSERT_TRUE(*store_->Write(kUnitLink, kUnit, ""));
  EXPECT_EQ(fs::read_symlink(folder_->At(kUnitLink)).string(), kUnit);
  EXPECT_EQ(*store_->DigestOf(kUnitLink), Digest(kUnit));
  EXPECT_TRUE(absl::IsAborted(store_->Remove(kUnitLink, Digest("/dev/null"), true)));
  ASSERT_TRUE(store_->Remove(kUnitLink, Digest(kUnit), true).ok());
  ASSERT_TRUE(store_->Remove(kUnit, Digest(kText), false).ok());
  EXPECT_EQ(folder_->All(), before);
}

TEST_F(BootStoreTest, ReplacesAnEarlierFileOfOurs) {
  ASSERT_TRUE(store_->Write(kLink, "earlier\n", "").ok());
  ASSERT_TRUE(store_->Write(kLink, kText, Digest("earlier\n")).ok());
  EXPECT_EQ(folder_->Text(kLink), kText);
}

TEST_F(BootStoreTest, LeavesAFileThatWasMadeOrEditedSince) {
  folder_->Put(kLink, "of the site\n");
  EXPECT_TRUE(absl::IsAborted(store_->Write(kLink, kText, "").status())) << "it was expected to be absent";
  EXPECT_TRUE(absl::IsAborted(store_->Write(kLink, kText, Digest("earlier\n")).status()));
  EXPECT_TRUE(absl::IsAborted(store_->Remove(kLink, Digest(kText), false)));
  EXPECT_EQ(folder_->Text(kLink), "of the site\n");
  EXPECT_FALSE(fs::exists(folder_->At(kBeside)));
}

TEST_F(BootStoreTest, RefusesPathsThatAreNotOnTheClosedList) {
  for (const char* path :
       {"", "/", "/etc/passwd", "/etc/systemd/network/../../passwd", "etc/netplan/90-rdmaready-a.yaml",
        "/etc/systemd/system/multi-user.target.wants/rdma-mtu-dcb0.service"})
    ExpectRefused(path, "no place for a file of this program");
}

TEST_F(BootStoreTest, FollowsNoLinkInTheWay) {
  fs::create_directories(dir_ + "/elsewhere");
  for (const char* folder : {"/etc/systemd/network", "/etc/systemd"}) {
    fs::rename(folder_->At(folder), dir_ + "/moved");
    fs::create_symlink(dir_ + "/moved", folder_->At(folder));
    ExpectRefused(kLink, "symbolic link");
    fs::remove(folder_->At(folder));
    fs::rename(dir_ + "/moved", folder_->At(folder));
  }
  fs::create_symlink(dir_ + "/elsewhere", folder_->At("/etc/systemd/network/50-a.link.d"));
  ExpectRefused(kDropIn, "symbolic link");
  EXPECT_TRUE(fs::is_empty(dir_ + "/elsewhere"));
  // The file itself: neither read nor written through.
  folder_->Put("/etc/secret", kText);
  fs::create_symlink(folder_->At("/etc/secret"), folder_->At(kLink));
  EXPECT_THAT(Message(store_->DigestOf(kLink).status()), HasSubstr("symbolic link"));
  EXPECT_FALSE(store_->Write(kLink, "new\n", Digest(kText)).ok());
  EXPECT_FALSE(store_->Remove(kLink, Digest(kText), false).ok());
  EXPECT_EQ(folder_->Text("/etc/secret"), kText);
  EXPECT_TRUE(fs::is_symlink(folder_->At(kLink)));
}

TEST_F(BootStoreTest, RefusesATemporaryNameThatHoldsSomethingOfTheSite) {
  folder_->Put("/etc/secret", "secret\n");
  ASSERT_TRUE(store_->Write(kLink, kText, "").ok());
  for (const char* name : {kBeside, kAside}) {
    folder_->Put(name, "of the site\n");
    const auto before = folder_->All();
    const absl::Status written = store_->Write(kLink, "new\n", Digest(kText)).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(written)) << written;
    EXPECT_THAT(Message(written), HasSubstr(std::string(name) + " holds a text that is not of this program"));
    const absl::Status removed = store_->Remove(kLink, Digest(kText), false);
    EXPECT_TRUE(absl::IsFailedPrecondition(removed)) << removed;
    EXPECT_EQ(store_->Sweep(kLink, {.planned = Digest("new\n"), .earlier = {Digest(kText)}}), name);
    EXPECT_EQ(folder_->All(), before);
    fs::remove(folder_->At(name));
  }
  fs::create_symlink(folder_->At("/etc/secret"), folder_->At(kBeside));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Write(kLink, "new\n", Digest(kText)).status()));
  EXPECT_TRUE(fs::is_symlink(folder_->At(kBeside)));
  EXPECT_EQ(folder_->Text("/etc/secret"), "secret\n") << "the link is never followed";
}

TEST_F(BootStoreTest, RefusesFoldersThatOthersMayWrite) {
  for (const char* folder : {"/etc", "/etc/systemd", "/etc/systemd/network"}) {
    ASSERT_EQ(::chmod(folder_->At(folder).c_str(), 0777), 0);
    ExpectRefused(kLink, "users other than root may write to it");
    ASSERT_EQ(::chmod(folder_->At(folder).c_str(), 0755), 0);
  }
}

TEST_F(BootStoreTest, RefusesFoldersOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives a folder away";
  ASSERT_EQ(::chown(folder_->At("/etc/systemd/network").c_str(), 1234, 1234), 0);
  ExpectRefused(kLink, "it belongs to user 1234");
}

TEST_F(BootStoreTest, RefusesAnythingButARegularFileOrALink) {
  ASSERT_EQ(::mkfifo(folder_->At(kLink).c_str(), 0600), 0);
  EXPECT_THAT(Message(store_->DigestOf(kLink).status()), HasSubstr("not a regular file"));
  folder_->Put(kUnitLink, "a file\n");
  EXPECT_THAT(Message(store_->DigestOf(kUnitLink).status()), HasSubstr("not a link"));
}

TEST_F(BootStoreTest, LeavesTheEarlierFileWhereTheDiskIsFull) {
  ASSERT_TRUE(store_->Write(kLink, "earlier\n", "").ok());
  const auto before = folder_->All();
  disk_.full = true;
  EXPECT_TRUE(absl::IsResourceExhausted(store_->Write(kLink, kText, Digest("earlier\n")).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(store_->Write(kDropIn, kText, "").status()));
  EXPECT_EQ(folder_->All(), before) << "the folder that was made for it is gone again";
}

TEST_F(BootStoreTest, LeavesNothingThatIsNotSureToStay) {
  ASSERT_TRUE(store_->Write(kLink, "earlier\n", "").ok());
  const auto before = folder_->All();
  // The first fsync of the folder fails; before it the text is written, and synced without and with its mode.
  int points = 0;
  disk_.point = [&] { disk_.bad_sync = ++points == 4; };
  EXPECT_FALSE(store_->Write(kLink, kText, Digest("earlier\n")).ok());
  EXPECT_EQ(folder_->All(), before);
}

TEST_F(BootStoreTest, SweepsTheTemporaryFileOfACutWrite) {
  disk_.tear = true;
  const auto before = folder_->All();
  for (int at = 0;; ++at) {
    int count = 0;
    disk_.point = [&] {
      if (count++ == at) throw Killed{};
    };
    bool killed = false;
    try {
      static_cast<void>(store_->Write(kLink, kText, ""));
    } catch (const Killed&) {
      killed = true;
    }
    disk_.point = nullptr;
    if (!killed) break;
    // The half-written text has a digest that nobody knows.
    EXPECT_EQ(store_->Sweep(kLink, {.planned = Digest(kText)}), "") << at;
    const std::string text = folder_->Text(kLink);
    EXPECT_TRUE(text.empty() || text == kText) << at;
    EXPECT_TRUE(text.empty() || ModeOf(kLink) == 0644U) << at;
    fs::remove(folder_->At(kLink));
    EXPECT_EQ(folder_->All(), before) << at;
  }
}

// ---- on a file system without the flags of renameat2 ----

class BootStoreInStepsTest : public BootStoreTest {
 protected:
  BootStoreInStepsTest() { store_.emplace(disk_, folder_->root(), true); }
};

TEST_F(BootStoreInStepsTest, WritesReplacesAndRemoves) {
  const auto empty = folder_->All();
  for (const char* path : {kLink, kDropIn, kNetplan}) {
    ASSERT_TRUE(store_->Write(path, kText, "").ok()) << path;
    EXPECT_EQ(folder_->Text(path), kText);
    ASSERT_TRUE(store_->Write(path, "new\n", Digest(kText)).ok()) << path;
    EXPECT_EQ(folder_->Text(path), "new\n");
    ASSERT_TRUE(store_->Remove(path, Digest("new\n"), true).ok()) << path;
  }
  ASSERT_TRUE(store_->Write(kUnitLink, kUnit, "").ok());
  EXPECT_EQ(*store_->DigestOf(kUnitLink), Digest(kUnit));
  ASSERT_TRUE(store_->Remove(kUnitLink, Digest(kUnit), true).ok());
  EXPECT_EQ(folder_->All(), empty) << "no temporary file stays";
}

TEST_F(BootStoreInStepsTest, LeavesFilesOfOthers) {
  folder_->Put(kLink, "of the site\n");
  const auto before = folder_->All();
  EXPECT_TRUE(absl::IsAborted(store_->Write(kLink, kText, "").status()));
  EXPECT_TRUE(absl::IsAborted(store_->Write(kLink, kText, Digest("another\n")).status()));
  EXPECT_TRUE(absl::IsAborted(store_->Remove(kLink, Digest(kText), false)));
  EXPECT_EQ(folder_->All(), before);
}

// The power went while the earlier file had another name.
TEST_F(BootStoreInStepsTest, GivesTheNameBackAfterACut) {
  folder_->Put(kAside, kText);
  EXPECT_EQ(store_->Sweep(kLink, {.earlier = {Digest(kText)}}), "");
  EXPECT_EQ(folder_->Text(kLink), kText);
  EXPECT_FALSE(fs::exists(folder_->At(kAside)));
  folder_->Put(kAside, kText);
  folder_->Put(kLink, "of the site\n");
  EXPECT_EQ(store_->Sweep(kLink, {.earlier = {Digest(kText)}}), "");
  EXPECT_EQ(folder_->Text(kLink), "of the site\n");
  EXPECT_FALSE(fs::exists(folder_->At(kAside)));
}

// ---- a cut after any change of a name ----

constexpr const char* kEarlier = "# Made by rdmaready.\n[Link]\nMTUBytes=4200\n";
constexpr const char* kSite = "[Link]\nMTUBytes=1500\n";
constexpr const char* kSecond = "[Link]\nMTUBytes=2000\n";

// `in_steps`: as on a file system without the flags of renameat2.
class BootStoreCut : public testing::TestWithParam<bool> {
 protected:
  BootStoreCut() {
    std::string pattern = (fs::temp_directory_path() / "boot-store-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
  }
  ~BootStoreCut() override { fs::remove_all(dir_); }

  // Runs `act` on a file that holds `text`, and calls `step` after each change of a name. Sweeps then, in the
  // next life. Returns whether `act` was cut.
  bool Cut(const std::string& text, const std::function<void(int)>& step,
           const std::function<void(BootStore&)>& act) {
    fs::remove_all(dir_ + "/root");
    folder_.emplace(dir_ + "/root");
    folder_->Put(kLink, text);
    int count = 0;
    BootStore store(disk_, folder_->root(), GetParam(), [&] { step(count++); });
    bool is_cut = false;
    try {
      act(store);
    } catch (const Killed&) {
      is_cut = true;
    }
    BootStore next(disk_, folder_->root(), GetParam());
    left_ = next.Sweep(kLink, {.planned = *Sha256(kText), .earlier = {*Sha256(kEarlier)}});
    return is_cut;
  }
  static void Write(BootStore& store) { static_cast<void>(store.Write(kLink, kText, *Sha256(kEarlier))); }
  static void Remove(BootStore& store) { static_cast<void>(store.Remove(kLink, *Sha256(kEarlier), false)); }

  // The texts of the file and of temporary files.
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const char* path : {kLink, kBeside, kAside})
      if (fs::exists(fs::symlink_status(folder_->At(path)))) texts.push_back(folder_->Text(path));
    return texts;
  }

  std::string dir_;
  HandDisk disk_;
  std::optional<BootFolder> folder_;
  std::string left_;
};

INSTANTIATE_TEST_SUITE_P(, BootStoreCut, testing::Bool(),
                         [](const auto& test) { return test.param ? "InSteps" : "AtOnce"; });

TEST_P(BootStoreCut, LeavesTheEarlierOrTheNewTextOfOurs) {
  int at = 0;
  for (; Cut(
           kEarlier, [&](int step) { step == at ? throw Killed{} : void(); }, Write);
       ++at) {
    EXPECT_THAT(Texts(), testing::AnyOf(testing::ElementsAre(kEarlier), testing::ElementsAre(kText))) << at;
    EXPECT_EQ(left_, "") << at;
  }
  EXPECT_EQ(at, GetParam() ? 4 : 1);
}

TEST_P(BootStoreCut, GivesAnEditedFileItsNameBack) {
  int at = 0;
  for (; Cut(
           kSite, [&](int step) { step == at ? throw Killed{} : void(); }, Write);
       ++at) {
    EXPECT_THAT(Texts(), testing::ElementsAre(kSite)) << at;
    EXPECT_EQ(left_, "") << at;
  }
  EXPECT_EQ(at, GetParam() ? 8 : 2) << "the exchange, and the one back";
}

// Somebody makes the file at a moment in which it is absent, or replaces it.
TEST_P(BootStoreCut, DeletesNoTextThatSomebodyMakesDuringAWrite) {
  for (const char* first : {kEarlier, kSite}) {
    for (int made = 0; made < 8; ++made) {
      for (int at = made; at < 9; ++at) {
        bool is_made = false;
        const auto step = [&](int count) {
          if (count == made) {
            fs::remove(folder_->At(kLink));
            folder_->Put(kLink, kSecond);
            is_made = true;
          }
          if (count == at) throw Killed{};
        };
        Cut(first, step, Write);
        if (!is_made) continue;
        const std::string where = std::string(first) + std::to_string(made) + " " + std::to_string(at);
        const std::vector<std::string> texts = Texts();
        EXPECT_THAT(texts, testing::Contains(kSecond)) << where;
        EXPECT_NE(texts.front(), kText) << where;
        EXPECT_THAT(texts, testing::Not(testing::Contains(kText))) << where;
        // The text that the file had when it was replaced is the replacer's to delete.
        EXPECT_EQ(left_.empty(), texts.size() == 1) << where;
      }
    }
  }
}

TEST_P(BootStoreCut, KeepsBothTextsOfTheSite) {
  // The site's file is aside, or in the temporary file, when somebody makes another one.
  Cut(
      kSite,
      [&](int step) {
        if (step != 0) return;
        fs::remove(folder_->At(kLink));
        folder_->Put(kLink, kSecond);
        throw Killed{};
      },
      Write);
  EXPECT_THAT(Texts(), testing::ElementsAre(kSecond, kSite));
  EXPECT_EQ(left_, GetParam() ? kAside : kBeside);
}

TEST_P(BootStoreCut, NamesTheFileInWhichAReplacedTextOfTheSiteIsLeft) {
  absl::Status written;
  const auto replace = [&](int step) {
    if (step != 0) return;
    fs::remove(folder_->At(kLink));
    folder_->Put(kLink, kSecond);
  };
  Cut(kSite, replace,
      [&](BootStore& store) { written = store.Write(kLink, kText, *Sha256(kEarlier)).status(); });
  const std::string left = GetParam() ? kAside : kBeside;
  EXPECT_TRUE(absl::IsAborted(written)) << written;
  EXPECT_THAT(Message(written), HasSubstr(left + " holds a text of the site"));
  EXPECT_THAT(Texts(), testing::ElementsAre(kSecond, kSite));
  EXPECT_EQ(left_, left);
}

TEST_P(BootStoreCut, GivesAFileThatWasEditedDuringItsRemovalItsNameBack) {
  // Each cut of the removal, and an edit in place before it: the file keeps its name or gets it back.
  int at = 0;
  for (;; ++at) {
    const auto edit_and_cut = [&](int step) {
      const std::string at_now = folder_->At(kBeside);
      if (step == 0) std::ofstream(at_now, std::ios::trunc) << kSite;
      if (step == at) throw Killed{};
    };
    if (!Cut(kEarlier, edit_and_cut, Remove)) break;
    EXPECT_THAT(Texts(), testing::ElementsAre(kSite)) << at;
  }
  EXPECT_EQ(at, GetParam() ? 4 : 2) << "the removal, and the way back";
  EXPECT_THAT(Texts(), testing::ElementsAre(kSite));
}

}  // namespace
}  // namespace rdmaready::apply
