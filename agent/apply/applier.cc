// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/applier.h"

#include <utility>

#include "agent/apply/engine.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// Sets the state of a file that was written earlier. `now`: BootStore::DigestOf().
void SetStateNow(const absl::StatusOr<std::string>& now, BootFile& file) {
  if (now.ok() && *now == file.sha256) return;
  if (absl::IsNotFound(now.status())) {
    file.state = BootFileState::kRemoved;
    file.text = "it is not there any more";
  } else if (now.ok() || absl::IsAborted(now.status())) {
    file.state = BootFileState::kLeft;
    file.text = "it was edited since it was written: it stays when it is forgotten";
  } else {
    file.state = absl::IsFailedPrecondition(now.status()) ? BootFileState::kLeft : BootFileState::kUnknown;
    file.text = Message(now.status());
  }
}

}  // namespace

Applier::Engine::Engine(ApplierSeams seams, ApplierOptions options)
    : seams_(std::move(seams)),
      board_(*seams_.clock),
      store_(options.disk == nullptr ? apply::RealDisk() : *options.disk, std::move(options.root)),
      ledger_(options.disk == nullptr ? apply::RealDisk() : *options.disk, std::move(options.state_dir),
              std::move(options.boot_id), options.segment_bytes, seams_.unix_now_ns, board_),
      hands_(seams_, ledger_, board_),
      dead_man_(*seams_.clock, [this] { OnTime(); }) {}

ApplierStatus Applier::Engine::Status() {
  ApplierStatus status{.changes = board_.Changes(),
                       .kept = board_.Kept(),
                       .audit_head = board_.AuditHead(),
                       .notices = board_.Notices(),
                       .files = board_.Files()};
  for (BootFile& file : status.files) SetStateNow(store_.DigestOf(file.path), file);
  const absl::StatusOr<Permission> permission = seams_.permission();
  if (!permission.ok())
    status.not_allowed = Message(permission.status());
  else if (status.allowed = TextOf(*permission); status.allowed.empty())
    status.not_allowed = "apply.yaml allows nothing: it must have ports, settings and profiles";
  return status;
}

Applier::Applier(ApplierSeams seams, ApplierOptions options)
    : engine_(std::make_unique<Engine>(std::move(seams), std::move(options))) {}

Applier::~Applier() = default;

absl::Status Applier::Recover() { return engine_->Recover(); }

bool Applier::Busy() const { return engine_->Busy(); }

absl::StatusOr<std::vector<Setting>> Applier::Restore(RestoreCause cause) { return engine_->Restore(cause); }

absl::StatusOr<Change> Applier::Apply(const ApplyOrder& order,
                                      const std::function<void(const Change&)>& progress,
                                      const std::stop_token& stop) {
  return engine_->Apply(order, progress, stop);
}

absl::StatusOr<OrderFiles> Applier::FilesOf(const FilesOrder& order, const std::stop_token& stop) {
  return engine_->FilesOf(order, stop);
}

absl::StatusOr<Change> Applier::Proved(const std::string& change_id, const ChangeProof& proof) {
  return engine_->Proved(change_id, proof);
}

absl::StatusOr<Change> Applier::Confirm(const std::string& change_id, const std::string& requester) {
  return engine_->Confirm(change_id, requester);
}

absl::StatusOr<Change> Applier::RollBack(const std::string& change_id, const std::string& requester) {
  return engine_->RollBack(change_id, requester, false);
}

absl::StatusOr<Change> Applier::RollBackForRoot(const std::string& change_id, const std::string& requester) {
  return engine_->RollBack(change_id, requester, true);
}

absl::StatusOr<std::vector<Setting>> Applier::Forget(const std::vector<SettingObject>& objects,
                                                     const std::string& requester) {
  return engine_->Forget(objects, requester);
}

absl::StatusOr<std::vector<BootFile>> Applier::ForgetFiles(const std::vector<SettingObject>& objects,
                                                           const std::string& requester) {
  return engine_->ForgetFiles(objects, requester);
}

absl::StatusOr<ApplierStatus> Applier::Status() { return engine_->Status(); }

absl::StatusOr<std::vector<OwnWrite>> Applier::OwnWrites() { return engine_->OwnWrites(); }

}  // namespace rdmaready
