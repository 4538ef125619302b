// SPDX-License-Identifier: Apache-2.0
// rdmaready-applier: changes settings of this host, those that root's file allows, and takes back what nobody
// confirms.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/apply/applier.h"
#include "agent/apply/audit.h"
#include "agent/apply/chain.h"
#include "agent/apply/real/real_writer.h"
#include "agent/helper/applier/apply_file.h"
#include "agent/helper/applier/caretaker.h"
#include "agent/helper/applier/notice_watch.h"
#include "agent/helper/applier/order.h"
#include "agent/helper/applier/seams.h"
#include "agent/helper/applier/verbs.h"
#include "agent/helper/program.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/model/open_change.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"
#include "collectors/real/host.h"
#include "collectors/real/host_notices.h"

namespace rdmaready {
namespace {

constexpr int kNotTakenBack = 3;
constexpr std::string_view kStateDir = "/var/lib/rdmaready-applier";
constexpr std::string_view kEveryBuiltIn = "all";
// Until what was being written is taken back: a driver may keep each write for seconds.
constexpr auto kEndWithin = std::chrono::minutes(4);
// A journal that cannot be read just now may have a change open: it is tried again, and not without end at
// once.
constexpr auto kBeforeFailure = std::chrono::seconds(1);

// All that lives as long as the process serves.
struct Household {
  RealHost host{};
  std::unique_ptr<HostWriter> writer = MakeHostWriter();
  std::unique_ptr<HostNotices> dcb_notices{};
  std::optional<helper::NoticeWatch> foreign{};
  std::unique_ptr<Applier> applier{};
  std::unique_ptr<helper::Caretaker> caretaker{};  // ends first: it calls the applier
};

// Null where this kernel announces nothing: it is told, and the applier does without.
std::unique_ptr<HostNotices> Listen(std::vector<NoticeKind> kinds) {
  absl::StatusOr<std::unique_ptr<HostNotices>> notices = HostNotices::Open(std::move(kinds));
  if (notices.ok()) return *std::move(notices);
  helper::SayLine(Message(notices.status()));
  return nullptr;
}

void Restore(Applier& applier, RestoreCause cause) {
  const absl::StatusOr<std::vector<Setting>> restored = applier.Restore(cause);
  // While a change is open the engine makes up for it; what is not permitted was told when it was first asked.
  if (!restored.ok() && absl::IsInternal(restored.status())) helper::SayLine(Message(restored.status()));
}

absl::StatusOr<std::string> BootId() {
  constexpr std::size_t kMostBytes = 64;
  RR_ASSIGN_OR_RETURN(std::string text, ReadSmallFile("/proc/sys/kernel/random/boot_id", kMostBytes));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Recovers before it returns: nobody is served before that.
absl::Status Settle(Household& home, const std::string& apply_file, const std::string& state_dir) {
  RR_ASSIGN_OR_RETURN(std::string boot_id, BootId());
  ApplierSeams seams = helper::SeamsOf(home.host, apply_file);
  seams.writer = home.writer.get();
  home.dcb_notices = Listen({NoticeKind::kDcb});
  if (home.dcb_notices) {
    home.foreign.emplace([&notices = *home.dcb_notices] { return notices.Take(); });
    seams.foreign = &*home.foreign;
  }
  home.applier =
      std::make_unique<Applier>(seams, ApplierOptions{.state_dir = state_dir, .boot_id = std::move(boot_id)});
  // What comes while it recovers is heard afterwards.
  std::unique_ptr<HostNotices> notices = Listen({kNoticeKinds.begin(), kNoticeKinds.end()});
  RR_RETURN_IF_ERROR(home.applier->Recover());
  if (!notices) return absl::OkStatus();
  home.caretaker = std::make_unique<helper::Caretaker>(
      std::move(notices), [&applier = *home.applier](RestoreCause cause) { Restore(applier, cause); },
      [permission = seams.permission] {
        const absl::StatusOr<Permission> allowed = permission();
        return allowed.ok() && allowed->put_back_most_per_hour.has_value();
      });
  return absl::OkStatus();
}

// Whether somebody has to be here although nobody asks.
bool HasToStay(Household& home) {
  if (!home.applier || home.applier->Busy()) return true;
  const absl::StatusOr<ApplierStatus> status = home.applier->Status();
  if (!status.ok() || !status->kept.empty()) return true;
  return std::ranges::any_of(status->changes,
                             [](const Change& change) { return change.state == ChangeState::kRollbackFailed; });
}

// An open change does not outlive the process that would take it back. Not 0 when something is left: then who
// started us starts us again, and that life tries once more.
int TakeBackAll(Household& home) {
  home.caretaker.reset();
  const absl::StatusOr<ApplierStatus> status = home.applier->Status();
  if (!status.ok()) return kNotTakenBack;
  for (const Change& change : status->changes) {
    if (!StillOpen(change.state)) continue;
    const absl::StatusOr<Change> ended = home.applier->RollBack(change.id, "the end of rdmaready-applier");
    if (!ended.ok() || ended->state != ChangeState::kRolledBack) {
      helper::SayLine(fmt::format("change {} is not taken back: {}", change.id,
                                  ended.ok() ? ended->reason : Message(ended.status())));
      return kNotTakenBack;
    }
  }
  return 0;
}

// The lines of apply.yaml that list these profiles.
int PrintDigests(const std::string& name) {
  const std::vector<std::string> names = name == kEveryBuiltIn ? BuiltInProfileNames() : std::vector{name};
  for (const std::string& one : names) {
    const absl::StatusOr<Profile> profile = LoadProfile(one);
    const absl::StatusOr<std::string> digest =
        profile.ok() ? ProfileContentDigest(*profile) : absl::StatusOr<std::string>(profile.status());
    if (!digest.ok()) {
      helper::SayLine(Message(digest.status()));
      return 2;
    }
    if (std::printf("  - {sha256: %s, name: %s}\n", digest->c_str(), profile->name.c_str()) < 0) return 3;
  }
  return 0;
}

// Whether the journal and the audit in `dir` are whole, over all their segments.
int VerifyState(const std::string& dir) {
  const absl::StatusOr<apply::ChainEnd> journal = apply::VerifySegments(dir + "/journal", {});
  const absl::StatusOr<apply::AuditSummary> audit = apply::VerifyWholeAudit(dir + "/audit");
  absl::Status wrong = journal.status();
  wrong.Update(audit.status());
  if (wrong.ok() && audit->journal.lines > journal->lines) {
    wrong =
        absl::DataLossError(fmt::format("{}/journal is damaged: it has {} lines, and the audit names line {}",
                                        dir, journal->lines, audit->journal.lines));
  }
  if (!wrong.ok()) {
    helper::SayLine(Message(wrong));
    return absl::IsDataLoss(wrong) ? 1 : 3;
  }
  const bool said =
      std::printf(
          "journal: whole, %llu lines in %llu segments\naudit: whole, %llu lines, the last of "
          "SHA-256 %s\n",
          static_cast<unsigned long long>(journal->lines), static_cast<unsigned long long>(journal->segment),
          static_cast<unsigned long long>(audit->end.lines), audit->end.head.c_str()) > 0;
  return said ? 0 : 3;
}

int Main(int argc, char** argv) {
  std::string apply_file(helper::kApplyFile);
  std::string state_dir(kStateDir);
  std::string profile;
  std::string verify;
  Household home;
  return helper::RunProgram(
      {.name = "rdmaready-applier",
       .description =
           "Changes settings of this host for the agent, those that root's file allows, and takes back "
           "what nobody confirms.",
       .options =
           {{"allow", "the file that says what may be changed", &apply_file},
            {"state", "the directory of the journal, the audit and what is kept", &state_dir},
            {"digest", "only print the line that lists this profile (a name, a file; all: every built-in one)",
             &profile},
            {"verify",
             "only verify journal and audit in this directory, with all their sealed segments: 0 whole, 1 "
             "damaged",
             &verify}},
       .instead = [&]() -> std::optional<int> {
         if (!verify.empty()) return VerifyState(verify);
         if (profile.empty()) return std::nullopt;
         return PrintDigests(profile);
       },
       .verbs = [&]() -> absl::StatusOr<std::vector<helper::Verb>> {
         RR_RETURN_IF_ERROR(Settle(home, apply_file, state_dir));
         return helper::ApplierVerbs(*home.applier);
       },
       .answers_root = true,
       .progress = helper::kApplierProgress,
       .busy = [&] { return HasToStay(home); },
       .end_within = kEndWithin,
       .end = [&] { return TakeBackAll(home); },
       .before_failure = kBeforeFailure},
      argc, argv);
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
