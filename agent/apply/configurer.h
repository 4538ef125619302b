// SPDX-License-Identifier: Apache-2.0
// Configurer: who changes settings of this host for the agent, which has no right to. It is a process of its
// own (rdmaready-applier) that believes nothing it is told: it reads the host and makes the plan itself, and
// does only what root's file /etc/rdmaready/apply.yaml allows.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/host_writer.h"
#include "api/model/change.h"
#include "api/model/plan.h"
#include "api/model/profile.h"

namespace rdmaready {

struct ApplyOrder {
  std::vector<Profile> profiles{};   // each counts only when apply.yaml lists its content's digest
  std::vector<std::string> ports{};  // only these, as `check --port`; empty: all that a profile is for
  std::uint32_t confirm_within_ms = 60'000;
  bool allow_one_way = false;
  bool proof = true;        // false: armed as soon as all is written
  bool peer_proof = false;  // the proof is not complete before a peer transfer was told
  std::string requester{};  // for the audit
  // PlanDigest of the plan that somebody agreed to: no other is written. The digest of its settings alone does
  // not bind the files. Empty: any plan.
  std::string plan_sha256{};
  bool persist = false;  // also files for the next boot, once the change is confirmed
};

// The question which files an order with `persist` has written.
struct FilesOrder {
  std::vector<Profile> profiles{};   // as in ApplyOrder
  std::vector<std::string> ports{};  // the same
};

// Plan::persist and Plan::unkept, made by the process that writes the files. A file that it does not write is
// not `by_apply`.
struct OrderFiles {
  std::vector<PersistFile> persist{};
  std::vector<PlanUnkept> unkept{};

  bool operator==(const OrderFiles&) const = default;
};

// Any thread. Errors of all: kUnavailable (no applier answers; the words say how to have one), kInternal.
class Configurer {
 public:
  virtual ~Configurer() = default;

  // Plans, arms, writes. Blocks until everything is written and read back (kProving, or kAwaitingConfirm
  // without a proof), or is taken back (kRolledBack, kRollbackFailed), or there was nothing to do. `progress`
  // hears the change after every step. `stop`: who asked gave up, and it is taken back. Errors, and then
  // nothing was written: kPermissionDenied (apply.yaml does not allow a step, a port, a profile; it is not
  // there; a one-way step without leave), kInvalidArgument (profiles that divide no host, limits),
  // kFailedPrecondition (what would be written is not the plan that was agreed to; another change is open, it
  // is named; the journal is damaged; a rollback has failed and nobody looked).
  virtual absl::StatusOr<Change> Apply(const ApplyOrder& order,
                                       const std::function<void(const Change&)>& progress,
                                       const std::stop_token& stop) = 0;

  // The files that Apply() of such an order would have written by now. Changes nothing, and blocks for a
  // reading of the host. `stop`: nobody waits for the answer any more. An applier of an earlier version is
  // kUnimplemented. If apply.yaml does not allow files, a profile, a step or a port, it is kPermissionDenied.
  // Profiles that divide no host are kInvalidArgument, and an open change is kFailedPrecondition. Another such
  // question at work, or more files than an answer holds, is kResourceExhausted. Else kCancelled and
  // kDeadlineExceeded.
  virtual absl::StatusOr<OrderFiles> FilesOf(const FilesOrder& order, const std::stop_token& stop) = 0;

  // What the live proof showed. Passed: the applier plans afresh, and when that plan is empty the deadline
  // begins anew and the change awaits its confirmation. Else it is rolled back now. kNotFound: no such change
  // is being proven.
  virtual absl::StatusOr<Change> Proved(const std::string& change_id, const ChangeProof& proof) = 0;

  // Reads each setting of the change first. kNotFound: no such change awaits it (it went back, or was confirmed
  // already: the text says which). kAborted: a setting is not as the change wrote it. The text names each, and
  // the change stays open until its deadline.
  virtual absl::StatusOr<Change> Confirm(const std::string& change_id, const std::string& requester) = 0;
  // Rolls an open change back now; of a failed rollback tries once more, and on success it is not sticky any
  // more. kResourceExhausted: a failed rollback was tried so often that the next time is still to come; the
  // text says when.
  virtual absl::StatusOr<Change> RollBack(const std::string& change_id, const std::string& requester) = 0;
  // The same for root itself, which does not have to wait.
  virtual absl::StatusOr<Change> RollBackForRoot(const std::string& change_id, const std::string& requester) {
    return RollBack(change_id, requester);
  }

  // Ends the keeping of confirmed settings, all or those of these objects; the settings stay as they are.
  // Returns what is not kept any more.
  virtual absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects,
                                                      const std::string& requester) = 0;

  // Removes files that an order with `persist` had written: all, or those that keep one of these objects. A
  // file that was edited since is left, and its record is dropped. Returns the state of each.
  virtual absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                            const std::string& requester) = 0;

  virtual absl::StatusOr<ApplierStatus> Status() = 0;

  // The last requests to the kernel that were the applier's, newest last, for who hears the kernel's notices.
  // Bounded; also of appliers before it since boot.
  virtual absl::StatusOr<std::vector<OwnWrite>> OwnWrites() = 0;
};

}  // namespace rdmaready
