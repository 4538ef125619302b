// SPDX-License-Identifier: Apache-2.0
// What outlives a change: beginning after an earlier life, restoring what is kept, forgetting.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/apply/boot_files.h"
#include "agent/apply/engine.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/plan/take_back.h"

namespace rdmaready {
namespace {

constexpr int kMostRestorePasses = 3;  // one setting may rewrite another
constexpr std::uint32_t kRestoreReadBackMs = 2000;
constexpr auto kHour = std::chrono::hours(1);

std::string_view TextOf(RestoreCause cause) {
  switch (cause) {
    case RestoreCause::kStart:
      return "restore at start";
    case RestoreCause::kDeviceAppeared:
      return "restore: its device was made anew";
    case RestoreCause::kPutBack:
      return "put back";
  }
  return "restore";
}

std::string WasEnded(const Change& change) {
  return fmt::format("the applier was ended while the change {}",
                     change.state == ChangeState::kWriting   ? "was written"
                     : change.state == ChangeState::kProving ? "was proven"
                                                             : "awaited its confirmation");
}

}  // namespace

absl::Status Applier::Engine::Recover() {
  const Lock work(work_);
  apply::JournalPast past;
  RR_RETURN_IF_ERROR(ledger_.Open(past));
  // Also what a damaged journal tells up to its damage: a person wants to know what was open.
  board_.Begin(past);
  if (const absl::Status sound = ledger_.CheckSound(); !sound.ok()) {
    Log(Message(sound));
    return absl::OkStatus();
  }
  if (const absl::Status kept = ledger_.CheckKept(); !kept.ok()) Log(Message(kept));
  if (ledger_.journal().torn_bytes() > 0)
    Log(fmt::format(
        "the journal's last record was cut off by a crash and announced nothing that was done; {} bytes "
        "were taken away",
        ledger_.journal().torn_bytes()));
  failed_ = past.failed;
  begun_ = past.begun;
  // Power may have been lost since: whether it still holds is for the restoring to see.
  SweepFiles(past.unkept ? past.unkept->files : std::vector<apply::PlannedFile>{});
  if (past.unkept) Keep(*past.unkept, false);
  if (past.open) TakeBackPast(*past.open, WasEnded(past.open->change));
  for (const apply::Undertaking& failed : past.failed) {
    const std::string& reason = failed.change.reason;
    TakeBackPast(failed, reason.substr(0, std::min(reason.find(kNotAsBefore), reason.find(kLeft))));
  }
  RR_RETURN_IF_ERROR(ledger_.KeptUnread());
  const auto restored = RestoreLocked(RestoreCause::kStart);
  if (!restored.ok()) Log("what is kept was not restored: " + Message(restored.status()));
  ledger_.SealFull();
  return absl::OkStatus();
}

void Applier::Engine::TakeBackPast(apply::Undertaking past, std::string reason) {
  const bool same_boot = past.boot_id == ledger_.boot_id();
  const Undone undone = same_boot ? PutBack(past, "applier") : ReadAfterBoot(past, reason);
  End(std::move(past), std::move(reason), undone);
}

absl::StatusOr<std::vector<Setting>> Applier::Engine::Restore(RestoreCause cause) {
  if (board_.Busy()) {
    if (cause != RestoreCause::kPutBack) restore_wanted_ = true;
    return absl::FailedPreconditionError("a change is open: what is kept is restored when it ended");
  }
  const Lock work(work_);
  absl::StatusOr<std::vector<Setting>> restored = RestoreLocked(cause);
  ledger_.SealFull();
  return restored;
}

void Applier::Engine::Settle() {
  if (open_) return;
  if (restore_wanted_.exchange(false)) {
    const auto restored = RestoreLocked(RestoreCause::kDeviceAppeared);
    if (!restored.ok()) Log("what is kept was not restored: " + Message(restored.status()));
  }
  ledger_.SealFull();
}

absl::StatusOr<std::vector<Setting>> Applier::Engine::RestoreLocked(RestoreCause cause) {
  RR_RETURN_IF_ERROR(ledger_.CheckKept());
  if (open_) {
    if (cause != RestoreCause::kPutBack) restore_wanted_ = true;
    return absl::FailedPreconditionError("a change is open: what is kept is restored when it ended");
  }
  std::erase_if(ledger_.kept().owed,
                [&](const apply::KeptSetting& entry) { return entry.boot_id != ledger_.boot_id(); });
  ledger_.ShowKept();
  if (ledger_.kept() == apply::KeptSettings{}) return std::vector<Setting>{};
  const absl::StatusOr<Permission> permission = seams_.permission();
  if (cause == RestoreCause::kPutBack) {
    if (!permission.ok()) return absl::PermissionDeniedError(Message(permission.status()));
    if (!permission->put_back_most_per_hour)
      return absl::PermissionDeniedError("apply.yaml does not allow to put back: it has no `put_back:`");
  }
  std::vector<Due> due = FindDue(cause, permission);
  if (cause == RestoreCause::kPutBack) {
    RR_ASSIGN_OR_RETURN(due, AdmitPutBack(std::move(due), *permission->put_back_most_per_hour));
  }
  return WriteDue(due, cause);
}

std::vector<Applier::Engine::Due> Applier::Engine::FindDue(RestoreCause cause,
                                                           const absl::StatusOr<Permission>& permission) {
  std::vector<Due> due;
  std::string denied;
  std::string others;
  // Owed, and not as the change wrote it any more, or as a file of the boot sets it.
  std::vector<SettingObject> settled;
  apply::BootFiles files(seams_);
  const auto look = [&](const apply::KeptSetting& entry, bool owed) {
    const SettingObject& object = entry.setting.object;
    const absl::StatusOr<std::uint64_t> device = DeviceOf(object);
    if (!device.ok()) return;  // there is nothing to set now
    const bool same_life = entry.boot_id == ledger_.boot_id() && entry.device == *device;
    if (same_life && !owed && cause != RestoreCause::kPutBack) return;
    if (const std::string another = hands_.WhyAnother(object, entry.identity); !another.empty()) {
      others += fmt::format("{}{}: {}{}", others.empty() ? "" : "; ", TextOf(object), another,
                            owed ? " (it was to be taken back)" : "");
      return;
    }
    if (owed && !entry.written.empty()) {
      const absl::StatusOr<std::string> now = hands_.Read(object);
      if (now.ok() && (*now != entry.written || !files.ThatSets(object, *now).empty()))
        return settled.push_back(object);
    }
    // Taking back needs no leave; what was confirmed may not be wanted any more.
    if (!owed && !(permission.ok() && AllowsSetting(*permission, object, entry.subject, seams_.below))) {
      denied += (denied.empty() ? "" : ", ") + TextOf(object);
      return;
    }
    due.push_back({.entry = entry, .device = *device, .owed = owed});
  };
  for (const apply::KeptSetting& entry : ledger_.kept().kept) look(entry, false);
  for (const apply::KeptSetting& entry : ledger_.kept().owed)
    if (cause != RestoreCause::kPutBack && apply::Find(ledger_.kept().kept, entry.setting.object) == nullptr)
      look(entry, true);
  for (const SettingObject& object : settled) Remove(ledger_.kept().owed, object);
  if (!settled.empty()) static_cast<void>(SaveKept());
  if (!denied.empty()) {
    denied = "kept, and not restored, because apply.yaml does not allow it: " + denied;
    if (!permission.ok()) denied += " (" + Message(permission.status()) + ")";
  }
  board_.Note("restore denied", denied);
  if (!others.empty())
    others = "kept, and not restored: " + others + "; apply again, or forget it: rdmaready forget";
  board_.Note("another device", others);
  return due;
}

absl::StatusOr<std::vector<Applier::Engine::Due>> Applier::Engine::AdmitPutBack(std::vector<Due> due,
                                                                                std::uint32_t most_per_hour) {
  std::vector<SettingObject> objects;
  for (const Due& one : due) objects.push_back(one.entry.setting.object);
  const SettingValues values = hands_.Read(objects);
  const Clock::TimePoint now = seams_.clock->Now();
  std::vector<Due> admitted;
  std::string fought;
  for (Due& one : due) {
    const SettingObject& object = one.entry.setting.object;
    const absl::StatusOr<std::string>& value = values.at(object);
    if (value.ok() && *value == one.entry.setting.value) continue;
    std::deque<Clock::TimePoint>& times = put_back_[object];
    while (!times.empty() && times.front() + kHour <= now) times.pop_front();
    if (times.size() >= most_per_hour) {
      fought += (fought.empty() ? "" : ", ") + TextOf(object);
      continue;
    }
    times.push_back(now);
    admitted.push_back(std::move(one));
  }
  if (!fought.empty()) {
    fought = fmt::format(
        "put back {} times within an hour, as often as apply.yaml allows; somebody else goes on "
        "setting: {}",
        most_per_hour, fought);
  }
  board_.Note("fight", fought);
  if (admitted.empty() && !fought.empty()) return absl::ResourceExhaustedError(fought);
  return admitted;
}

std::vector<Setting> Applier::Engine::WriteDue(const std::vector<Due>& due, RestoreCause cause) {
  std::vector<Setting> order;
  for (const Due& one : due) order.push_back(one.entry.setting);
  SortForWriting(order);
  std::map<SettingObject, std::string> trouble;
  std::vector<Setting> written;
  for (int pass = 0; pass < kMostRestorePasses; ++pass) {
    bool wrote = false;
    for (const Setting& setting : order) {
      const absl::StatusOr<std::string> now = hands_.Read(setting.object);
      trouble.erase(setting.object);
      if (!now.ok()) trouble[setting.object] = "it cannot be read: " + Message(now.status());
      if (!now.ok() || *now == setting.value) continue;
      wrote = true;
      absl::Status done = hands_.Write({.why = apply::kWhyRestore}, *now, setting);
      const absl::StatusOr<std::string> after = hands_.ReadUntil(setting, done.ok() ? kRestoreReadBackMs : 0);
      const bool holds = after.ok() && *after == setting.value;
      if (done.ok() && !holds) done = absl::InternalError("the answer was yes, and it is not so");
      if (!done.ok()) trouble[setting.object] = Message(done);
      if (holds && std::ranges::find(written, setting) == written.end()) written.push_back(setting);
      static_cast<void>(ledger_.Audit({.who = "applier",
                                       .what = std::string(TextOf(cause)),
                                       .object = TextOf(setting.object),
                                       .from = *now,
                                       .to = setting.value,
                                       .result = done.ok() ? "ok" : Message(done)}));
      Log(fmt::format("{}: {}: {}", TextOf(cause), TextOf(setting.object),
                      done.ok() ? setting.value : Message(done)));
    }
    if (!wrote) break;
  }
  FinishDue(due, trouble);
  return written;
}

// What is so now is known to be so in this life of its device.
void Applier::Engine::FinishDue(const std::vector<Due>& due,
                                const std::map<SettingObject, std::string>& trouble) {
  const apply::KeptSettings before = ledger_.kept();
  std::string words;
  for (const Due& one : due) {
    const SettingObject& object = one.entry.setting.object;
    if (const auto found = trouble.find(object); found != trouble.end()) {
      words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", TextOf(object), found->second);
      continue;
    }
    if (one.owed) {
      Remove(ledger_.kept().owed, object);
      continue;
    }
    apply::KeptSetting entry = one.entry;
    entry.boot_id = ledger_.boot_id();
    entry.device = one.device;
    // A card that took another one's place, or came into another slot, is known by both from now on.
    if (std::string identity = hands_.IdentityOf(object); !identity.empty())
      entry.identity = std::move(identity);
    Put(ledger_.kept().kept, std::move(entry));
  }
  board_.Note("restore", words.empty() ? "" : "kept, and could not be restored: " + words);
  if (ledger_.kept() != before) static_cast<void>(SaveKept());
}

absl::StatusOr<std::vector<Setting>> Applier::Engine::Forget(const std::vector<SettingObject>& objects,
                                                             const std::string& requester) {
  const Lock work(work_);
  RR_RETURN_IF_ERROR(ledger_.CheckKept());
  const apply::KeptSettings before = ledger_.kept();
  std::vector<Setting> forgotten;
  for (const apply::KeptSetting& entry : before.kept) {
    if (!objects.empty() && std::ranges::find(objects, entry.setting.object) == objects.end()) continue;
    Remove(ledger_.kept().kept, entry.setting.object);
    forgotten.push_back(entry.setting);
  }
  if (forgotten.empty()) return forgotten;
  if (const absl::Status saved = SaveKept(); !saved.ok()) {
    ledger_.kept() = before;
    ledger_.ShowKept();
    return saved;
  }
  for (const Setting& setting : forgotten) {
    static_cast<void>(ledger_.Audit({.who = requester,
                                     .what = "forget",
                                     .object = TextOf(setting.object),
                                     .from = setting.value,
                                     .result = "ok"}));
  }
  return forgotten;
}

}  // namespace rdmaready
