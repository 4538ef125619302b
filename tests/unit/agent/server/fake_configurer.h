// SPDX-License-Identifier: Apache-2.0
// An applier in memory: it writes down what it is asked, and believes every proof.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/apply/configurer.h"

namespace rdmaready {

inline const std::string kChangeId = "1a2b3c4d5e6f708192a3b4c5d6e7f809";

// Of one port, written and read back.
inline Change WrittenChange(const std::string& subject = "rxe0/1 dcb0") {
  Change change{.id = kChangeId,
                .requester = "a test",
                .begun_unix_ns = 5,
                .state = ChangeState::kProving,
                .confirm_within_ms = 60'000,
                .deadline_in_ms = 60'000};
  change.steps.push_back({.step = {.object = {.kind = SettingKind::kPfc, .where = "dcb0"},
                                   .from = "on 4 delay 0",
                                   .to = "on 3 delay 0",
                                   .subject = subject},
                          .state = StepState::kWritten});
  return change;
}

class FakeConfigurer final : public Configurer {
 public:
  absl::StatusOr<Change> Apply(const ApplyOrder& order, const std::function<void(const Change&)>& progress,
                               const std::stop_token&) override {
    asked = order;
    if (!applied.ok()) return applied;
    Change writing = *applied;
    writing.state = ChangeState::kWriting;
    if (tells_progress) progress(writing);
    if (!after_progress.ok()) return after_progress;
    return applied;
  }
  absl::StatusOr<OrderFiles> FilesOf(const FilesOrder& order, const std::stop_token&) override {
    asked_files = order;
    return files;
  }
  absl::StatusOr<Change> Proved(const std::string& change_id, const ChangeProof& proof) override {
    const std::lock_guard lock(mutex_);
    told = proof;
    if (change_id != applied->id) return absl::NotFoundError("no such change");
    if (!after_proof.ok()) return after_proof;
    Change change = *applied;
    change.proof = proof;
    const bool passed = proof.loopback && (!asked.peer_proof || proof.peer_passed);
    change.state = passed ? ChangeState::kAwaitingConfirm : ChangeState::kRolledBack;
    return change;
  }
  absl::StatusOr<Change> Confirm(const std::string& change_id, const std::string& requester) override {
    return Settled(ChangeState::kConfirmed, "confirm " + change_id + " by " + requester);
  }
  absl::StatusOr<Change> RollBack(const std::string& change_id, const std::string& requester) override {
    return Settled(ChangeState::kRolledBack, "roll back " + change_id + " by " + requester);
  }
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects,
                                              const std::string&) override {
    std::vector<Setting> forgotten;
    for (const SettingObject& object : objects) forgotten.push_back({object, "on 3 delay 0"});
    return forgotten;
  }
  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                    const std::string&) override {
    if (!forgotten_files.ok()) return forgotten_files;
    return std::vector<BootFile>{{.path = "/etc/x", .state = BootFileState::kRemoved, .keeps = objects}};
  }
  absl::StatusOr<ApplierStatus> Status() override { return status; }
  absl::StatusOr<std::vector<OwnWrite>> OwnWrites() override { return std::vector<OwnWrite>{}; }

  std::vector<std::string> Calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  ChangeProof Told() {
    const std::lock_guard lock(mutex_);
    return told;
  }

  absl::StatusOr<OrderFiles> files = OrderFiles{};
  FilesOrder asked_files{};
  absl::Status forgotten_files{};
  absl::StatusOr<Change> applied = WrittenChange();
  bool tells_progress = true;
  absl::Status after_progress{};
  absl::Status after_proof{};
  absl::StatusOr<ApplierStatus> status = ApplierStatus();
  ApplyOrder asked{};
  ChangeProof told{};

 private:
  absl::StatusOr<Change> Settled(ChangeState state, std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    Change change = *applied;
    change.state = state;
    change.ended_unix_ns = 7;
    return change;
  }

  std::mutex mutex_;
  std::vector<std::string> calls_;
};

}  // namespace rdmaready
