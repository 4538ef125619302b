// SPDX-License-Identifier: Apache-2.0
// Files for the next boot: planned with a change, written when it is confirmed, removed when they are
// forgotten. See checks/plan/boot_files.h for the whole, and boot_store.h for how a file is written.
//
// A file is written after the record that confirms its change. The record that began the change has its content
// and the digest of what was there. So the next life makes up for one that was cut. A file that is as before is
// written; one that is as planned was written; any other was edited, and stays.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "agent/apply/engine.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/plan/boot_files.h"
#include "checks/plan/boot_text.h"
#include "checks/plan/persist.h"

namespace rdmaready {
namespace {

constexpr std::string_view kEdited = "it was edited, or made by somebody else, and is left as it is";

Change NothingToDo(const ApplyOrder& order, const Plan& plan, std::string id, std::int64_t now_ns) {
  Change change{.id = std::move(id),
                .requester = order.requester,
                .begun_unix_ns = now_ns,
                .ended_unix_ns = now_ns,
                .state = ChangeState::kNothingToDo};
  change.proof.asked_for = order.proof;
  change.proof.plan_empty = plan.unknown.empty();
  if (!plan.unknown.empty()) change.reason = "not known: " + plan.unknown.front();
  if (plan.unknown.size() > 1) change.reason += fmt::format(" (and {} more)", plan.unknown.size() - 1);
  return change;
}

BootFile NotWritten(BootFile file, std::string why) {
  file.state = BootFileState::kNotWritten;
  file.text = std::move(why);
  return file;
}

const apply::KeptFile* FindFile(const std::vector<apply::KeptFile>& files, const std::string& path) {
  const auto found = std::ranges::find(files, path, &apply::KeptFile::path);
  return found == files.end() ? nullptr : &*found;
}

bool KeepsOne(const apply::KeptFile& file, const std::vector<SettingObject>& objects) {
  return objects.empty() || std::ranges::any_of(file.keeps, [&objects](const SettingObject& object) {
           return std::ranges::find(objects, object) != objects.end();
         });
}

std::vector<std::string> SubjectsOf(const Facts& facts, const std::vector<SettingObject>& objects) {
  std::vector<std::string> subjects;
  for (const SettingObject& object : objects) subjects.push_back(SubjectOfSetting(facts, object));
  return subjects;
}

// Which of the settings apply.yaml does not allow, in words; empty: it allows all. A setting without a subject
// goes by its place alone.
std::string NotAllowed(const Permission& permission, const std::vector<SettingObject>& keeps,
                       const std::vector<std::string>& subjects, const BelowNetdev& below) {
  std::vector<std::string> denied;
  for (std::size_t i = 0; i < keeps.size(); ++i) {
    const std::string_view subject = i < subjects.size() ? std::string_view(subjects[i]) : std::string_view();
    if (!AllowsSetting(permission, keeps[i], subject, below)) denied.push_back(TextOf(keeps[i]));
  }
  return denied.empty() ? "" : fmt::format("apply.yaml does not allow to set {}", fmt::join(denied, ", "));
}

// The settings that the file keeps besides these, in words; empty: none, or all were asked for.
std::string OthersOf(const apply::KeptFile& file, const std::vector<SettingObject>& objects) {
  std::string others;
  for (const SettingObject& object : file.keeps) {
    const bool asked = objects.empty() || std::ranges::find(objects, object) != objects.end();
    if (!asked) others += (others.empty() ? "" : ", ") + TextOf(object);
  }
  return others;
}

}  // namespace

absl::Status Applier::Engine::SaveKept() {
  RR_RETURN_IF_ERROR(ledger_.SaveKept());
  // From here on the journal need not say it any more.
  if (unkept_ && ledger_.journal().Kept(*unkept_).ok()) unkept_.reset();
  return absl::OkStatus();
}

absl::Status Applier::Engine::CheckSaved() {
  if (!unkept_ || SaveKept().ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "what change {} keeps is not on the disk yet: nothing new is begun before that", unkept_->id));
}

void Applier::Engine::PlanWrite(const Facts& facts, const std::string& path, const std::string& content,
                                apply::Undertaking& undertaking) const {
  BootFile& shown = undertaking.change.files.back();
  const absl::StatusOr<std::string> sha256 = Sha256(content);
  const absl::StatusOr<std::string> now = store_.DigestOf(path);
  const absl::StatusOr<bool> folder = store_.HasFolder(path);
  const bool absent = absl::IsNotFound(now.status());
  for (const absl::Status& trouble :
       {sha256.status(), absent ? absl::OkStatus() : now.status(), folder.status()}) {
    if (trouble.ok()) continue;
    shown = NotWritten(std::move(shown), Message(trouble));
    return;
  }
  if (!*folder && !apply::BootStore::MayMakeFolder(path)) {
    shown = NotWritten(std::move(shown), "its folder is not there");
    return;
  }
  if (!absent && *now == *sha256) {
    shown.state = BootFileState::kThere;
    return;
  }
  const apply::KeptFile* ours = FindFile(ledger_.kept().files, path);
  if (!absent && (ours == nullptr || ours->sha256 != *now)) {
    shown = NotWritten(std::move(shown), std::string(kEdited));
    return;
  }
  shown.sha256 = *sha256;
  undertaking.files.push_back({.path = path,
                               .content = content,
                               .before = absent ? "" : *now,
                               .sha256 = *sha256,
                               .new_folder = !*folder,
                               .keeps = shown.keeps,
                               .subjects = SubjectsOf(facts, shown.keeps)});
}

// The state of a file before the disk is looked at.
BootFile Applier::Engine::PlanFile(const Facts& facts, const PersistFile& file,
                                   const Permission& permission) const {
  BootFile shown{.path = file.path, .state = BootFileState::kPlanned, .keeps = file.keeps};
  if (!file.by_apply) return NotWritten(std::move(shown), "for a person: " + file.note);
  if (std::string odd = WhyNotBootText(file.path, file.content); !odd.empty())
    return NotWritten(std::move(shown), "its reader would refuse it: " + odd);
  const std::vector<std::string> subjects = SubjectsOf(facts, file.keeps);
  if (std::string denied = NotAllowed(permission, file.keeps, subjects, seams_.below); !denied.empty())
    return NotWritten(std::move(shown), std::move(denied));
  shown.text = LimitOfBootFile(file.path, file.content);
  return shown;
}

void Applier::Engine::PlanFiles(const Facts& facts, const Plan& plan, apply::Undertaking& undertaking) const {
  Change& change = undertaking.change;
  const Permission permission = seams_.permission().value_or(Permission());
  change.persist = true;
  change.unkept = plan.unkept;
  for (const PersistFile& file : plan.persist) {
    if (file.keeps.empty()) continue;  // it has to do with no setting that is applied
    change.files.push_back(PlanFile(facts, file, permission));
    if (change.files.back().state != BootFileState::kPlanned) continue;
    PlanWrite(facts, file.path, file.content, undertaking);
    const BootLink link = LinkOfBootFile(file.path);
    if (link.path.empty() || change.files.back().state == BootFileState::kNotWritten) continue;
    change.files.push_back({.path = link.path, .state = BootFileState::kPlanned, .keeps = file.keeps});
    PlanWrite(facts, link.path, link.target, undertaking);
  }
}

Plan Applier::Engine::WithOwnFiles(const Facts& facts, Plan plan, const Permission& permission) const {
  plan.persist_from_applier = true;
  for (PersistFile& file : plan.persist) {
    if (!file.by_apply) continue;
    const BootFile shown = PlanFile(facts, file, permission);
    const bool planned = shown.state == BootFileState::kPlanned;
    file.by_apply = planned && !file.keeps.empty();
    if (planned) continue;
    file.note += (file.note.empty() ? "" : "; ") + fmt::format("apply does not write it: {}", shown.text);
  }
  return plan;
}

// The locks are held for the whole reading, as for that of an order. No change is open then, so no rollback of
// one waits for it. With one question at a time, orders get their turn.
absl::StatusOr<OrderFiles> Applier::Engine::FilesOf(const FilesOrder& asked, const std::stop_token& stop) {
  if (planning_files_.test_and_set())
    return absl::ResourceExhaustedError("the applier plans files for another caller now: ask again");
  const struct End {
    std::atomic_flag& flag;
    ~End() { flag.clear(); }
  } end{planning_files_};
  const Lock proving(proving_);  // the reading of a proof may outlive its change
  const Lock work(work_);
  // The asker may have left while this thread waited for the lock.
  if (stop.stop_requested()) return absl::CancelledError("nobody waits for the files any more");
  if (open_) {
    return absl::FailedPreconditionError(
        fmt::format("change {} is open: files are planned when it has ended", open_->undertaking.change.id));
  }
  const absl::StatusOr<Permission> permission = seams_.permission();
  if (!permission.ok()) return absl::PermissionDeniedError(Message(permission.status()));
  RR_RETURN_IF_ERROR(CheckFiles(*permission));
  // The order itself has to allow steps that cannot be rolled back; it is still to come.
  const ApplyOrder order{
      .profiles = asked.profiles, .ports = asked.ports, .allow_one_way = true, .persist = true};
  if (seams_.profiles) {
    RR_ASSIGN_OR_RETURN(const std::vector<ProfileRef> profiles, seams_.profiles(order));
    RR_RETURN_IF_ERROR(CheckProfiles(*permission, profiles));
  }
  const Facts facts = seams_.read();
  RR_ASSIGN_OR_RETURN(Plan plan, seams_.plan(facts, order));
  RR_RETURN_IF_ERROR(CheckPlan(*permission, order, plan, seams_.below));
  plan = WithOwnFiles(facts, std::move(plan), *permission);
  return OrderFiles{.persist = std::move(plan.persist), .unkept = std::move(plan.unkept)};
}

absl::StatusOr<Change> Applier::Engine::WithoutSteps(const ApplyOrder& order, const Facts& facts,
                                                     const Plan& plan) {
  apply::Undertaking undertaking{.change = NothingToDo(order, plan, seams_.make_id(), ledger_.Now()),
                                 .boot_id = ledger_.boot_id()};
  Change& change = undertaking.change;
  if (order.persist) PlanFiles(facts, plan, undertaking);
  if (undertaking.files.empty()) return change;
  RR_ASSIGN_OR_RETURN(const Permission permission, seams_.permission());
  RR_RETURN_IF_ERROR(CheckPace(permission, begun_, ledger_.Now()));
  RR_RETURN_IF_ERROR(
      ledger_.Audit({.who = order.requester,
                     .what = "apply",
                     .change = change.id,
                     .result = fmt::format("begins: {} files for the next boot", undertaking.files.size())}));
  change.state = ChangeState::kWriting;
  RR_RETURN_IF_ERROR(ledger_.Begin(undertaking));
  begun_.push_back(change.begun_unix_ns);
  if (begun_.size() > apply::kMostBegun) begun_.pop_front();
  change.state = ChangeState::kNothingToDo;
  if (const absl::Status recorded = ledger_.Record(change, true); !recorded.ok()) {
    End(std::move(undertaking), Message(recorded), {});
    return recorded;
  }
  Keep(undertaking, true);
  board_.ShowEnded(change);
  Log(fmt::format("change {} of {}: files for the next boot", change.id, SafeLine(order.requester, 256)));
  return change;
}

void Applier::Engine::SweepFiles(const std::vector<apply::PlannedFile>& files) {
  const std::vector<apply::KeptFile>& kept = ledger_.kept().files;
  const auto report = [this](const std::string& path, const std::string& left) {
    if (!left.empty()) Log(fmt::format("{}: a text of the site is left in {}", path, left));
  };
  for (const apply::PlannedFile& file : files) {
    apply::OwnTexts own{.planned = file.sha256, .earlier = {file.before}};
    if (const apply::KeptFile* ours = FindFile(kept, file.path)) own.earlier.push_back(ours->sha256);
    report(file.path, store_.Sweep(file.path, own, file.new_folder));
  }
  for (const apply::KeptFile& file : kept)
    if (std::ranges::find(files, file.path, &apply::PlannedFile::path) == files.end())
      report(file.path, store_.Sweep(file.path, {.earlier = {file.sha256}}));
}

void Applier::Engine::WriteFile(const apply::PlannedFile& file, const std::string& why_not, BootFile& shown,
                                const std::string& change_id) {
  const absl::StatusOr<std::string> now = store_.DigestOf(file.path);
  const bool absent = absl::IsNotFound(now.status());
  absl::Status done = absent ? absl::OkStatus() : now.status();
  // An earlier life of the applier may have written it: it is ours, whatever is allowed now.
  const bool is_there = now.ok() && *now == file.sha256;
  if (!is_there && !why_not.empty()) {
    shown = NotWritten(std::move(shown), why_not);
    shown.sha256.clear();
    return;
  }
  if (done.ok() && !is_there) {
    if ((absent ? "" : *now) != file.before)
      done = absl::AbortedError(fmt::format("{}: {}", file.path, kEdited));
    else
      done = store_.Write(file.path, file.content, file.before).status();
  }
  static_cast<void>(ledger_.Audit({.who = "applier",
                                   .what = "write file",
                                   .change = change_id,
                                   .object = file.path,
                                   .from = file.before,
                                   .to = file.sha256,
                                   .result = done.ok() ? "ok" : Message(done)}));
  if (!done.ok()) {
    shown = NotWritten(std::move(shown), Message(done));
    shown.sha256.clear();
    return;
  }
  shown.state = BootFileState::kWritten;
  std::vector<apply::KeptFile>& kept = ledger_.kept().files;
  const auto earlier = std::ranges::find(kept, file.path, &apply::KeptFile::path);
  apply::KeptFile entry{.path = file.path,
                        .sha256 = file.sha256,
                        .change = change_id,
                        .made_folder = file.new_folder || (earlier != kept.end() && earlier->made_folder),
                        .keeps = file.keeps};
  if (earlier != kept.end())
    *earlier = std::move(entry);
  else
    kept.push_back(std::move(entry));
}

void Applier::Engine::WriteFiles(apply::Undertaking& undertaking) {
  Change& change = undertaking.change;
  if (undertaking.files.empty()) return;
  const absl::StatusOr<Permission> permission = seams_.permission();
  const bool allowed = permission.ok() && permission->files;
  for (const apply::PlannedFile& file : undertaking.files) {
    const auto shown = std::ranges::find(change.files, file.path, &BootFile::path);
    if (shown == change.files.end()) continue;
    const auto unit = IsBootLinkPath(file.path) ? std::ranges::find(change.files, file.content, &BootFile::path)
                                                : change.files.end();
    std::string why_not = allowed ? NotAllowed(*permission, file.keeps, file.subjects, seams_.below)
                                  : std::string("apply.yaml does not allow files any more");
    if (why_not.empty() && unit != change.files.end() && unit->state == BootFileState::kNotWritten)
      why_not = "its unit was not written";
    WriteFile(file, why_not, *shown, change.id);
  }
}

absl::StatusOr<std::vector<BootFile>> Applier::Engine::ForgetFiles(const std::vector<SettingObject>& objects,
                                                                   const std::string& requester) {
  const Lock work(work_);
  RR_RETURN_IF_ERROR(ledger_.CheckKept());
  std::vector<BootFile> told;
  // A link goes before its unit.
  const std::vector<apply::KeptFile> before = ledger_.kept().files;
  for (const apply::KeptFile& file : std::views::reverse(before)) {
    if (!KeepsOne(file, objects)) continue;
    BootFile& shown = told.emplace_back(BootFile{
        .path = file.path, .state = BootFileState::kRemoved, .sha256 = file.sha256, .keeps = file.keeps});
    if (const std::string others = OthersOf(file, objects); !others.empty()) {
      shown.state = BootFileState::kLeft;
      shown.text = fmt::format("it also keeps {}: forget these, too", others);
      continue;
    }
    const absl::Status removed = store_.Remove(file.path, file.sha256, file.made_folder);
    const bool is_gone = removed.ok() || absl::IsNotFound(removed);
    if (absl::IsNotFound(removed)) shown.text = "it was not there any more";
    if (!is_gone) {
      shown.state = BootFileState::kLeft;
      shown.text = Message(removed);
    }
    static_cast<void>(ledger_.Audit({.who = requester,
                                     .what = "remove file",
                                     .object = file.path,
                                     .from = file.sha256,
                                     .result = is_gone ? "ok" : shown.text}));
    // An edited file is the site's from now on; another try may remove a file that could not be removed.
    if (is_gone || absl::IsAborted(removed))
      std::erase_if(ledger_.kept().files, [&](const apply::KeptFile& one) { return one.path == file.path; });
  }
  // Where it cannot be saved, the board says so, and the next life finds these files gone.
  if (ledger_.kept().files != before) static_cast<void>(SaveKept());
  std::ranges::reverse(told);
  return told;
}

}  // namespace rdmaready
