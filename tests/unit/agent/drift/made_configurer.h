// SPDX-License-Identifier: Apache-2.0
// An applier that says what it is told to say, and changes nothing.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "agent/apply/configurer.h"

namespace rdmaready {

class MadeConfigurer final : public Configurer {
 public:
  void Say(std::vector<OwnWrite> writes, ApplierStatus status = {}) {
    const std::lock_guard lock(mutex_);
    writes_ = std::move(writes);
    status_ = std::move(status);
  }

  // It answers nothing until it is told otherwise.
  void Hang(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    answers_.notify_all();
  }

  absl::StatusOr<Change> Apply(const ApplyOrder&, const std::function<void(const Change&)>&,
                               const std::stop_token&) override {
    return absl::UnimplementedError("made");
  }
  absl::StatusOr<Change> Proved(const std::string&, const ChangeProof&) override {
    return absl::UnimplementedError("made");
  }
  absl::StatusOr<Change> Confirm(const std::string&, const std::string&) override {
    return absl::UnimplementedError("made");
  }
  absl::StatusOr<Change> RollBack(const std::string&, const std::string&) override {
    return absl::UnimplementedError("made");
  }
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>&, const std::string&) override {
    return absl::UnimplementedError("made");
  }
  absl::StatusOr<ApplierStatus> Status() override {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  absl::StatusOr<std::vector<OwnWrite>> OwnWrites() override {
    std::unique_lock lock(mutex_);
    answers_.wait(lock, [this] { return !hangs_; });
    return writes_;
  }

 private:
  std::condition_variable answers_;
  std::mutex mutex_;  // guards what follows
  bool hangs_ = false;
  std::vector<OwnWrite> writes_{};
  ApplierStatus status_{};
};

// One change with one step of PFC on dcb0.
inline Change ChangeOfPfc(ChangeState state, const std::string& from, const std::string& to) {
  Change change{.id = "c1", .state = state};
  change.steps.push_back({.step = {.object = {SettingKind::kPfc, "dcb0", ""}, .from = from, .to = to}});
  return change;
}

}  // namespace rdmaready
