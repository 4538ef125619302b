// SPDX-License-Identifier: Apache-2.0
// Change: one apply on one host, from its first write until it is confirmed or all is as it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/apply_state.h"
#include "api/model/plan.h"

namespace rdmaready {

enum class StepState : std::uint8_t {
  kUnknown = 0,
  kNotBegun,
  kWritten,       // and read back
  kRefused,       // the kernel or the driver said no
  kNotTaken,      // the driver said yes, and what is read back differs
  kForeignWrite,  // it was not `from` any more: somebody else is configuring
  kTakenBack,
  kNotTakenBack,
};

struct ChangeStep {
  PlanStep step{};
  StepState state = StepState::kUnknown;
  std::string text{};  // the kernel's words, or what was read back instead; empty when all is well

  bool operator==(const ChangeStep&) const = default;
  void Fields(auto& list) const { list("state", state, "text", text, "step", step); }
};

// What proved a change, or why it is not proven.
struct ChangeProof {
  bool asked_for = true;        // false: --no-proof
  bool plan_empty = false;      // a fresh plan after the writes
  bool loopback = false;        // a live transfer through each port that was touched
  std::string loopback_text{};  // figures, or why it failed
  std::string peer{};           // the host of the peer transfer; empty: none was asked for
  bool peer_passed = false;
  std::string peer_text{};

  bool operator==(const ChangeProof&) const = default;
  void Fields(auto& list) const {
    list("asked_for", asked_for, "plan_empty", plan_empty, "loopback", loopback, "loopback_text", loopback_text,
         "peer", peer, "peer_passed", peer_passed, "peer_text", peer_text);
  }
};

// The state of a file for the next boot (`apply --persist`).
enum class BootFileState : std::uint8_t {
  kUnknown = 0,
  kPlanned,  // written once its change is confirmed
  kWritten,
  kThere,       // the same text was there before
  kNotWritten,  // `text` says why
  kRemoved,     // in ApplierStatus: by somebody else
  kLeft,        // not removed, or in ApplierStatus edited since: `text` says why
};

struct BootFile {
  std::string path{};  // of the closed list (checks/plan/boot_files.h)
  BootFileState state = BootFileState::kUnknown;
  std::string
      text{};  // why it was not written, or not removed; of one that is written, why it may be without effect
  std::string sha256{};  // of the content; of a link, of its target. Empty: nothing was made
  std::vector<SettingObject> keeps{};

  bool operator==(const BootFile&) const = default;
  void Fields(auto& list) const {
    list("path", path, "state", state, "text", text, "sha256", sha256, "keeps", keeps);
  }
};

struct Change {
  std::string id{};         // 32 hexadecimal digits, never used again
  std::string requester{};  // who asked, and by which way: "alice (tls CN=alice)", as the agent says it
  std::int64_t begun_unix_ns = 0;
  std::int64_t ended_unix_ns = 0;  // confirmed or rolled back; 0: it is under way
  ChangeState state = ChangeState::kUnknown;
  std::uint32_t confirm_within_ms = 0;
  std::uint32_t deadline_in_ms = 0;  // until it goes back by itself; 0: not armed
  std::vector<ChangeStep> steps{};
  ChangeProof proof{};
  std::string reason{};              // why it is in this state, in words; may be empty
  bool persist = false;              // the order was for files, too, and the applier knows such orders
  std::vector<BootFile> files{};     // of an order with `persist`
  std::vector<PlanUnkept> unkept{};  // the same: settings that no file brings back

  bool operator==(const Change&) const = default;
  void Fields(auto& list) const {
    list("id", id, "requester", requester, "state", state, "reason", reason, "begun_unix_ns", begun_unix_ns,
         "ended_unix_ns", ended_unix_ns, "confirm_within_ms", confirm_within_ms, "deadline_in_ms",
         deadline_in_ms, "proof", proof, "steps", steps);
    list("persist", persist, "files", files, "unkept", unkept).Added();
  }
};

// What the applier of a host has to say when it is asked.
struct ApplierStatus {
  std::vector<Change> changes{};  // the open one, or the last one; and every failed rollback, which is sticky
  std::vector<Setting> kept{};    // confirmed, and applied again when the kernel forgot them
  std::vector<std::string> allowed{};  // what apply.yaml permits, a line each; empty: nothing
  std::string not_allowed{};           // why nothing is, or may not be asked: "no /etc/rdmaready/apply.yaml"
  std::string audit_head{};            // SHA-256 of the last line of the audit
  std::vector<std::string> notices{};  // "the journal is damaged: ...", a line each
  std::vector<BootFile> files{};       // for the next boot, written and not forgotten

  bool operator==(const ApplierStatus&) const = default;
  void Fields(auto& list) const {
    list("changes", changes, "kept", kept, "allowed", allowed, "not_allowed", not_allowed, "audit_head",
         audit_head, "notices", notices);
    list("files", files).Added();
  }
};

}  // namespace rdmaready
