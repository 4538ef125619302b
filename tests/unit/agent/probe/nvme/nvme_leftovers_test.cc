// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rdmaready::nvme {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr pid_t kDead = 4242;
constexpr pid_t kAlive = 77;
constexpr pid_t kReused = 78;

// A host with one agent, and what /sys tells of its controllers.
class NvmeLeftovers : public testing::Test {
 protected:
  NvmeLeftovers() {
    std::string pattern = testing::TempDir() + "rdmaready leftovers XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    Write("proc/" + std::to_string(kAlive) + "/comm", "rdmaready-agent");
    Write("proc/" + std::to_string(kReused) + "/comm", "bash");
  }
  ~NvmeLeftovers() override { std::filesystem::remove_all(root_); }

  void Write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }

  void Controller(const std::string& name, const std::string& delay, const std::string& loss = "0",
                  const std::string& transport = "rdma") {
    const std::filesystem::path folder = "sys/class/nvme/" + name;
    Write(folder / "reconnect_delay", delay);
    Write(folder / "ctrl_loss_tmo", loss);
    Write(folder / "transport", transport);
    Write(folder / "subsysnqn", "nqn.of." + name);
    Write(folder / "delete_controller", "");
  }
  void Ours(const std::string& name, pid_t process) { Controller(name, std::to_string(MarkOf(process))); }

  std::vector<Leftover> RemoveAll(Moment moment) {
    return RemoveLeftovers(FindLeftovers(moment, root_ / "sys", root_ / "proc"), root_ / "sys");
  }

  std::vector<std::string> Removed(Moment moment = Moment::kLater) {
    std::vector<std::string> names;
    for (const Leftover& leftover : RemoveAll(moment)) {
      EXPECT_TRUE(leftover.removed.ok()) << leftover.removed;
      EXPECT_EQ(leftover.subsystem_name, "nqn.of." + leftover.controller);
      std::string told;
      std::getline(std::ifstream(root_ / "sys/class/nvme" / leftover.controller / "delete_controller"), told);
      EXPECT_EQ(told, "1");
      names.push_back(leftover.controller);
    }
    return names;
  }

  std::filesystem::path root_{};
};

TEST_F(NvmeLeftovers, AreThoseWhoseProcessIsGone) {
  Ours("nvme1", kDead);
  Ours("nvme2", kAlive);
  Ours("nvme3", kReused);
  EXPECT_THAT(Removed(), ElementsAre("nvme1", "nvme3"));
}

TEST_F(NvmeLeftovers, AreNeverWhatSomebodyElseConnected) {
  Controller("nvme0", "10", "600");                           // as the kernel and nvme-cli choose
  Controller("nvme1", "10", "0");                             // never reconnects, without our mark
  Controller("nvme2", std::to_string(MarkOf(kDead)), "600");  // reconnects
  Controller("nvme3", std::to_string(MarkOf(kDead)), "0", "tcp");
  Controller("nvme4", std::to_string(MarkOf(0)));
  Controller("nvme5", std::to_string(MarkOf(kDead)) + "x");
  Controller("nvme6", "");
  Write("sys/class/nvme/nvme7/transport", "pcie");
  EXPECT_THAT(Removed(Moment::kStart), IsEmpty());
}

TEST_F(NvmeLeftovers, OfThisProcessAreThoseFromBeforeItStarted) {
  Ours("nvme1", ::getpid());
  EXPECT_THAT(Removed(Moment::kLater), IsEmpty());
  EXPECT_THAT(Removed(Moment::kStart), ElementsAre("nvme1"));
}

TEST_F(NvmeLeftovers, ThatStayAreTold) {
  Ours("nvme1", kDead);
  std::filesystem::remove(root_ / "sys/class/nvme/nvme1/delete_controller");
  std::filesystem::create_directory(root_ / "sys/class/nvme/nvme1/delete_controller");
  const std::vector<Leftover> left = RemoveAll(Moment::kLater);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_FALSE(left.front().removed.ok());
}

TEST_F(NvmeLeftovers, AreNoneWhereThereIsNoNvme) { EXPECT_THAT(Removed(), IsEmpty()); }

}  // namespace
}  // namespace rdmaready::nvme
