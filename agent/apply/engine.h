// SPDX-License-Identifier: Apache-2.0
// Applier::Engine: the parts of the applier, and who may touch which when.
//
// `work_` is held by whoever reads or writes the host or the state directory; between two steps of an apply it
// is let go, so that the timer and a RollBack get their turn, whatever the caller's progress function does. The
// board has a lock of its own, so that the state can always be told.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/applier.h"
#include "agent/apply/board.h"
#include "agent/apply/boot_store.h"
#include "agent/apply/dead_man.h"
#include "agent/apply/hands.h"
#include "agent/apply/ledger.h"

namespace rdmaready {

class Applier::Engine {
 public:
  Engine(ApplierSeams seams, ApplierOptions options);

  absl::Status Recover();
  absl::StatusOr<std::vector<Setting>> Restore(RestoreCause cause);
  absl::StatusOr<Change> Apply(const ApplyOrder& order, const std::function<void(const Change&)>& progress,
                               const std::stop_token& stop);
  absl::StatusOr<OrderFiles> FilesOf(const FilesOrder& order, const std::stop_token& stop);
  absl::StatusOr<Change> Proved(const std::string& id, const ChangeProof& proof);
  absl::StatusOr<Change> Confirm(const std::string& id, const std::string& requester);
  absl::StatusOr<Change> RollBack(const std::string& id, const std::string& requester, bool by_root);
  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects,
                                              const std::string& requester);
  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                    const std::string& requester);
  ApplierStatus Status();
  std::vector<OwnWrite> OwnWrites() const { return board_.Own(); }
  bool Busy() const { return board_.Busy() || board_.Owes() || board_.HasUnwritten(); }

 private:
  using Lock = std::unique_lock<std::mutex>;

  // What is being done, beside its undertaking.
  struct Open {
    apply::Undertaking undertaking{};
    ApplyOrder order{};
    std::vector<std::string> unknown{};  // Plan::unknown before the first write
    std::set<SettingObject> later{};     // Plan::pending: another plan may have steps for them
    Clock::TimePoint deadline{};
  };

  // A setting that a Restore looks at.
  struct Due {
    apply::KeptSetting entry{};
    std::uint64_t device = 0;
    bool owed = false;
  };

  // engine_apply.cc
  absl::StatusOr<Change> ApplyClaimed(const ApplyOrder& asked,
                                      const std::function<void(const Change&)>& progress,
                                      const std::stop_token& stop);
  // The host as it is and what to write, where all of that is permitted. Sets `peer` and the order's proof from
  // apply.yaml.
  absl::StatusOr<std::pair<Facts, Plan>> PlanClaimed(ApplyOrder& order, std::string& peer);
  // `peer`: the host that apply.yaml names for the proof; empty: none.
  absl::Status Begin(const ApplyOrder& order, const Facts& facts, const Plan& plan, const std::string& peer);
  void WriteSteps(const std::function<void(const Change&)>& progress, const std::stop_token& stop, Lock& work);
  // Why the change must be taken back; none: the step holds.
  std::optional<std::string> WriteStep(std::size_t index, const std::stop_token& stop);
  std::optional<std::string> EndStep(std::size_t index, StepState state, std::string text);
  std::optional<std::string> WhyStop(const std::stop_token& stop);
  void AuditRefusal(const ApplyOrder& order, const absl::Status& why);

  // engine_files.cc
  // Nothing is to be set: only files for the next boot are written, where the order wants them.
  absl::StatusOr<Change> WithoutSteps(const ApplyOrder& order, const Facts& facts, const Plan& plan);
  // The plan with its files as this process writes them. A file that it does not write is for a person, and the
  // note says why.
  Plan WithOwnFiles(const Facts& facts, Plan plan, const Permission& permission) const;
  // The files of the plan that may be written, into the undertaking; and what is known of each into its change.
  void PlanFiles(const Facts& facts, const Plan& plan, apply::Undertaking& undertaking) const;
  BootFile PlanFile(const Facts& facts, const PersistFile& file, const Permission& permission) const;
  void PlanWrite(const Facts& facts, const std::string& path, const std::string& content,
                 apply::Undertaking& undertaking) const;
  // Writes the planned files of a confirmed change, also those that an earlier life began to write.
  void WriteFiles(apply::Undertaking& undertaking);
  // `why_not`: it may not be written any more. Empty: it may.
  void WriteFile(const apply::PlannedFile& file, const std::string& why_not, BootFile& shown,
                 const std::string& change_id);
  // Saves the kept settings and files; then nothing of an earlier change is left to be kept.
  absl::Status SaveKept();
  // kFailedPrecondition: the settings and files that a change keeps could not be saved yet.
  absl::Status CheckSaved();
  // Temporary files that an earlier life left.
  void SweepFiles(const std::vector<apply::PlannedFile>& files);

  // engine_confirm.cc
  // Reads the whole host; without `work_`, which the timer needs.
  std::optional<std::string> WhyUnproven(const Open& open, ChangeProof& proof) const;
  // Which settings are not as the open change wrote them, in words.
  std::vector<std::string> NotAsWritten() const;
  absl::Status MoveTo(ChangeState state);
  absl::Status Await();
  // `holds_now`: its settings are known to be so in this life of the kernel and the devices.
  // Writes its files, and sets the state of each in its change.
  void Keep(apply::Undertaking& undertaking, bool holds_now);
  void Show();

  // engine_back.cc
  // By value: `who` may be the open change's, which is over then.
  void TakeBack(std::string reason, std::string who);
  // In Change::reason, before what a rollback could not put back, and before what it did not write at all.
  static constexpr std::string_view kNotAsBefore = "; not as before: ";
  static constexpr std::string_view kLeft = "; not set by this change, and left as it is: ";

  // The outcome of a rollback, in words.
  struct Undone {
    std::vector<std::string> not_as_before{};  // empty: all that the change touched is
    std::vector<std::string> left{};           // settings of its ports that somebody else changed
  };

  struct PuttingBack;
  void WriteRounds(const apply::Undertaking& undertaking, std::string_view who, PuttingBack& work);
  void WriteDiffering(const apply::Undertaking& undertaking, std::string_view who,
                      const std::vector<Setting>& order, PuttingBack& work);
  Undone PutBack(apply::Undertaking& undertaking, std::string_view who);
  absl::Status WriteBack(const apply::Undertaking& undertaking, std::string_view who, std::string_view now,
                         const Setting& to);
  // `after_boot`: only what a step wrote, and where it still is as that.
  void Owe(const apply::Undertaking& undertaking, const std::vector<SettingObject>& gone, bool after_boot);
  void End(apply::Undertaking undertaking, std::string reason, const Undone& undone);
  // kResourceExhausted: a failed rollback is not tried again yet.
  absl::Status CheckRetry(const std::string& id) const;
  void OnTime();  // the timer's

  // engine_keep.cc
  // What an earlier life left, open or not taken back: `reason` is told where it is of this boot.
  void TakeBackPast(apply::Undertaking past, std::string reason);
  // For a change of an earlier boot, whose settings the kernel may have forgotten: `reason` says what was
  // found.
  Undone ReadAfterBoot(apply::Undertaking& past, std::string& reason);
  absl::StatusOr<std::vector<Setting>> RestoreLocked(RestoreCause cause);
  std::vector<Due> FindDue(RestoreCause cause, const absl::StatusOr<Permission>& permission);
  // Leaves those that were put back as often as is allowed.
  absl::StatusOr<std::vector<Due>> AdmitPutBack(std::vector<Due> due, std::uint32_t most_per_hour);
  std::vector<Setting> WriteDue(const std::vector<Due>& due, RestoreCause cause);
  void FinishDue(const std::vector<Due>& due, const std::map<SettingObject, std::string>& trouble);
  // After a change: what came while it was open, and full segments.
  void Settle();

  absl::StatusOr<std::uint64_t> DeviceOf(const SettingObject& object) const {
    return seams_.device ? seams_.device(object) : absl::StatusOr<std::uint64_t>(1);
  }

  void Log(std::string_view line) const {
    if (seams_.log) seams_.log(line);
  }

  const ApplierSeams seams_;
  apply::Board board_;
  apply::BootStore store_;                    // guarded by `work_`
  std::atomic<bool> restore_wanted_ = false;  // a Restore came while a change was open
  std::atomic_flag planning_files_{};         // a FilesOf goes on
  std::mutex proving_;                        // before `work_`
  std::mutex work_;                           // guards what follows, but the timer
  apply::Ledger ledger_;
  apply::Hands hands_;
  std::optional<Open> open_{};
  std::vector<apply::Undertaking> failed_{};
  std::optional<Change> unkept_{};  // confirmed, and only the journal says so
  // How often somebody had a failed rollback tried again, and when last.
  struct Retries {
    unsigned count = 0;
    Clock::TimePoint last{};
  };
  std::map<std::string, Retries> retries_{};  // by the change's id
  std::map<SettingObject, std::deque<Clock::TimePoint>> put_back_{};
  std::deque<std::int64_t> begun_{};  // JournalPast::begun, and those of this life
  std::deque<Clock::TimePoint> refusals_{};
  std::uint64_t refusals_kept_back_ = 0;
  apply::DeadMan dead_man_;  // last: it uses all of the above
};

}  // namespace rdmaready
