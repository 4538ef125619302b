// SPDX-License-Identifier: Apache-2.0
// An applier that says what it is told to say, and changes nothing.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
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

  // What it says after so many more answers.
  void SayAfter(int answers, std::vector<OwnWrite> writes, ApplierStatus status) {
    const std::lock_guard lock(mutex_);
    answers_left_ = answers;
    later_writes_ = std::move(writes);
    later_status_ = std::move(status);
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
  absl::StatusOr<OrderFiles> FilesOf(const FilesOrder&, const std::stop_token&) override {
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
  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>&,
                                                    const std::string&) override {
    return absl::UnimplementedError("made");
  }
  absl::StatusOr<ApplierStatus> Status() override {
    const std::lock_guard lock(mutex_);
    const ApplierStatus said = status_;
    if (later_status_ && --answers_left_ == 0) {
      writes_ = std::move(later_writes_);
      status_ = *std::exchange(later_status_, std::nullopt);
    }
    return said;
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
  int answers_left_ = 0;
  std::vector<OwnWrite> later_writes_{};
  std::optional<ApplierStatus> later_status_{};
};

// One change with one step of PFC on dcb0.
inline Change ChangeOfPfc(ChangeState state, const std::string& from, const std::string& to) {
  Change change{.id = "c1", .state = state};
  change.steps.push_back({.step = {.object = {SettingKind::kPfc, "dcb0", ""}, .from = from, .to = to}});
  return change;
}

}  // namespace rdmaready
