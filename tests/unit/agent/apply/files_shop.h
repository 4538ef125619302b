// SPDX-License-Identifier: Apache-2.0
// A workshop whose plan has files for the next boot, and a folder in which they are written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/agent/apply/boot_folder.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {

namespace fs = std::filesystem;
using All = std::map<std::string, std::string>;

inline constexpr const char* kDropIn = "/etc/systemd/network/50-a.link.d/rdma.conf";
inline constexpr const char* kUnit = "/etc/systemd/system/rdma-dcb-dcb0.service";
inline constexpr const char* kUnitLink =
    "/etc/systemd/system/sys-subsystem-net-devices-dcb0.device.wants/rdma-dcb-dcb0.service";
inline constexpr const char* kMtuText = "# Made by rdmaready.\n[Link]\nMTUBytes=9000\n";
inline constexpr const char* kUnitText =
    "[Unit]\nDescription=x\n[Service]\nExecStart=dcb pfc set dev dcb0 prio-pfc 3:on\n";

inline const SettingObject kMtu = On(SettingKind::kMtu);

// A workshop whose plan has two files that apply writes: one of them a unit, with its link.
struct FilesShop : Workshop {
  FilesShop() : folder(dir + "/root") {
    permission->files = true;
    order.persist = true;
    files = {{.path = kDropIn, .content = kMtuText, .keeps = {kMtu}, .by_apply = true},
             {.path = kUnit, .content = kUnitText, .keeps = {kPfc}, .by_apply = true}};
    amend = [this](Plan& plan) { plan.persist = files; };
    empty = folder.All();
  }

  // Applies, proves and confirms. Returns the change as it ended.
  Change Confirmed() {
    const absl::StatusOr<Change> change = Apply();
    EXPECT_TRUE(change.ok()) << change.status();
    if (!change.ok() || change->state == ChangeState::kNothingToDo) return change.value_or(Change());
    EXPECT_EQ(applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
    EXPECT_EQ(folder.All(), files_before_confirm.value_or(empty)) << "no file before the confirmation";
    const absl::StatusOr<Change> confirmed = applier->Confirm(change->id, "bob");
    EXPECT_TRUE(confirmed.ok()) << confirmed.status();
    return confirmed.value_or(Change());
  }

  All Written() const {
    All all = empty;
    all[kDropIn] = kMtuText;
    all[fs::path(kDropIn).parent_path().string()] = "/";
    all[kUnit] = kUnitText;
    all[kUnitLink] = std::string("-> ") + kUnit;
    all[fs::path(kUnitLink).parent_path().string()] = "/";
    return all;
  }

  BootFolder folder;
  std::vector<PersistFile> files{};
  All empty{};
  std::optional<All> files_before_confirm{};
};

inline BootFileState StateOf(const std::vector<BootFile>& files, const char* path) {
  const auto found = std::ranges::find(files, path, &BootFile::path);
  return found == files.end() ? BootFileState::kUnknown : found->state;
}

inline std::string TextOf(const std::vector<BootFile>& files, const char* path) {
  const auto found = std::ranges::find(files, path, &BootFile::path);
  return found == files.end() ? "no such file" : found->text;
}

}  // namespace rdmaready
