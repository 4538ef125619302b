// SPDX-License-Identifier: Apache-2.0
// Sysctls and RDMA-CM's defaults, in folders that stand for the kernel's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "agent/apply/real/cm_write.h"
#include "agent/apply/real/file_write.h"
#include "agent/apply/real/real_writer.h"
#include "agent/apply/real/sysctl_write.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;

class KernelFiles : public testing::Test {
 protected:
  KernelFiles() {
    std::string pattern = (fs::temp_directory_path() / "kernel_files.XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directories(Conf() + "/dcb0.711");
    Put(Conf() + "/dcb0.711/arp_ignore", "0\n");
  }
  ~KernelFiles() override { fs::remove_all(root_); }

  std::string Conf() const { return root_ + "/conf"; }

  static void Put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string Text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string root_;
};

TEST(SysctlNames, ADotOfANetdevIsASlashOrADot) {
  EXPECT_EQ(Ipv4ConfOf("net.ipv4.conf.all.arp_ignore"), (Ipv4ConfName{"all", "arp_ignore"}));
  EXPECT_EQ(Ipv4ConfOf("net.ipv4.conf.dcb0/711.rp_filter"), (Ipv4ConfName{"dcb0.711", "rp_filter"}));
  EXPECT_EQ(Ipv4ConfOf("net.ipv4.conf.dcb0.711.rp_filter"), (Ipv4ConfName{"dcb0.711", "rp_filter"}));
}

TEST(SysctlNames, NoOtherSysctlAndNoOtherPlaceIsNamed) {
  for (const char* name :
       {"", "net.ipv4.conf.", "net.ipv4.conf.all", "net.ipv4.conf.all.forwarding", "net.ipv4.conf..arp_ignore",
        "net.ipv4.conf...arp_ignore", "net.ipv4.conf.//.arp_ignore", "net.ipv4.conf....arp_ignore",
        "net.ipv4.conf.all.arp_ignore/", "net.ipv4.ip_forward", "kernel.core_pattern",
        "net.ipv6.conf.all.arp_ignore", "net.ipv4.conf.sixteen-letters-x.arp_ignore",
        "net.ipv4.conf.a\nb.arp_ignore"}) {
    EXPECT_FALSE(Ipv4ConfOf(name)) << name;
  }
  // Slashes become dots, so that no name leads elsewhere: this is a directory "......etc", which is not there.
  EXPECT_EQ(Ipv4ConfOf("net.ipv4.conf.../../etc.arp_ignore")->directory, "......etc");
}

TEST_F(KernelFiles, ASysctlIsWrittenWhereItsNameSays) {
  EXPECT_TRUE(WriteSysctl(Conf(), "net.ipv4.conf.dcb0/711.arp_ignore", "2").ok());
  EXPECT_EQ(Text(Conf() + "/dcb0.711/arp_ignore"), "2\n");
}

TEST_F(KernelFiles, NoFileIsCreated) {
  EXPECT_EQ(Message(WriteSysctl(Conf(), "net.ipv4.conf.dcb0/711.arp_filter", "1")),
            "set sysctl net.ipv4.conf.dcb0/711.arp_filter: No such file or directory");
  EXPECT_FALSE(fs::exists(Conf() + "/dcb0.711/arp_filter"));
  EXPECT_FALSE(WriteSysctl(Conf(), "net.ipv4.conf.nobody.arp_ignore", "1").ok());
}

TEST_F(KernelFiles, NoLinkIsFollowed) {
  Put(root_ + "/secret", "old");
  fs::create_symlink(root_ + "/secret", Conf() + "/dcb0.711/rp_filter");
  EXPECT_EQ(Message(WriteSysctl(Conf(), "net.ipv4.conf.dcb0/711.rp_filter", "1")),
            "set sysctl net.ipv4.conf.dcb0/711.rp_filter: Too many levels of symbolic links");
  EXPECT_EQ(Text(root_ + "/secret"), "old");
  fs::create_directory_symlink(Conf() + "/dcb0.711", Conf() + "/dcb1");
  EXPECT_FALSE(WriteSysctl(Conf(), "net.ipv4.conf.dcb1.arp_ignore", "1").ok());
  EXPECT_EQ(Text(Conf() + "/dcb0.711/arp_ignore"), "0\n");
}

TEST_F(KernelFiles, ANameThatIsNoneLeadsNowhere) {
  for (const char* name : {"", ".", "..", "a/b", "/", "a\nb", "\x7f"}) EXPECT_FALSE(IsPlainName(name)) << name;
  Put(root_ + "/file", "old");
  EXPECT_FALSE(WriteKernelFile(Conf(), {"..", "file"}, "new", "set").ok());
  EXPECT_FALSE(WriteKernelFile(Conf(), {"../file"}, "new", "set").ok());
  EXPECT_FALSE(WriteKernelFile(Conf(), {}, "new", "set").ok());
  EXPECT_EQ(Text(root_ + "/file"), "old");
}

TEST_F(KernelFiles, RdmaCmDefaultsAreWrittenInADirectoryThatWasFoundAndIsLeft) {
  const std::string port = root_ + "/rdma_cm/rxe0/ports/1";
  fs::create_directories(port);
  Put(port + "/default_roce_mode", "IB/RoCE v1\n");
  Put(port + "/default_roce_tos", "0\n");
  EXPECT_TRUE(WriteCmDefault(root_, {SettingKind::kCmMode, "rxe0/1", ""}, "RoCE v2").ok());
  EXPECT_TRUE(WriteCmDefault(root_, {SettingKind::kCmTos, "rxe0/1", ""}, "106").ok());
  EXPECT_EQ(Text(port + "/default_roce_mode").substr(0, 8), "RoCE v2\n");
  EXPECT_EQ(Text(port + "/default_roce_tos"), "106\n");
}

TEST_F(KernelFiles, ADirectoryThatWasMadeForWritingIsRemovedAgain) {
  fs::create_directories(root_ + "/rdma_cm");
  // Nothing appears in it here, as configfs would have it.
  EXPECT_EQ(Message(WriteCmDefault(root_, {SettingKind::kCmTos, "rxe0/1", ""}, "106")),
            "set RDMA-CM's default type of service of rxe0/1: No such file or directory");
  EXPECT_TRUE(fs::is_empty(root_ + "/rdma_cm"));
}

TEST_F(KernelFiles, WithoutRdmaCmNothingIsTouched) {
  EXPECT_FALSE(WriteCmDefault(root_, {SettingKind::kCmTos, "rxe0/1", ""}, "106").ok());
  EXPECT_FALSE(fs::exists(root_ + "/rdma_cm"));
}

TEST_F(KernelFiles, APortThatIsNoneIsNotLookedFor) {
  fs::create_directories(root_ + "/rdma_cm");
  for (const char* where : {"rxe0", "rxe0/", "rxe0/x", "../1", "/1", "rxe0/1/.."}) {
    EXPECT_FALSE(WriteCmDefault(root_, {SettingKind::kCmTos, where, ""}, "106").ok()) << where;
  }
  EXPECT_TRUE(fs::is_empty(root_ + "/rdma_cm"));
}

TEST(RealWriter, WhatIsNoValueOfTheKindIsNotSent) {
  const auto never = [](const OwnWrite&) -> absl::Status { return absl::InternalError("sent"); };
  const auto writer = MakeHostWriter();
  for (const SettingKind kind : kSettingKinds) {
    EXPECT_EQ(
        writer->Write({kind, "lo", "net.ipv4.conf.lo.arp_ignore"}, "", "nonsense: of any kind", never).code(),
        absl::StatusCode::kInvalidArgument)
        << NameOf(kind);
  }
  EXPECT_EQ(writer->Write({}, "1", "1", never).code(), absl::StatusCode::kInvalidArgument);
}

// The kernel here is the running one: it is not asked, because the announcement fails.
TEST(RealWriter, WhatCannotBeAnnouncedIsNotSent) {
  OwnWrite announced;
  const absl::Status ended = MakeHostWriter()->Write({SettingKind::kMtu, "lo", ""}, "65536", "65535",
                                                     [&](const OwnWrite& write) -> absl::Status {
                                                       announced = write;
                                                       return absl::DataLossError("the journal is full");
                                                     });
  EXPECT_EQ(Message(ended), "the journal is full");
  EXPECT_NE(announced.port_id, 0U);
  EXPECT_NE(announced.sequence, 0U);
}

}  // namespace
}  // namespace rdmaready
