// SPDX-License-Identifier: Apache-2.0
// Plan: what would have to be set on one host so that it is as its profiles want, in the order in which it must
// be done. An empty plan is the proof that it is so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/report.h"
#include "api/model/setting.h"

namespace rdmaready {

// What a write does to the port while it happens.
struct Disturbance {
  std::string text{};  // "mlx5: the link goes down for about a second"; empty: nothing is known of any
  std::uint32_t estimate_ms =
      0;  // until the setting holds and traffic flows again: the write's own time included
  bool link_down = false;

  bool operator==(const Disturbance&) const = default;
  void Fields(auto& list) const { list("text", text, "estimate_ms", estimate_ms, "link_down", link_down); }
};

// One setting, one write.
struct PlanStep {
  SettingObject object{};
  std::string from{};     // canonical; what must still be there when it is written
  std::string to{};       // canonical
  std::string subject{};  // as findings name the port: "rxe0/1 dcb0"; "host" of what belongs to none
  std::string profile{};  // whose demand it is
  std::string api{};      // "dcbnl IEEE PFC"
  Disturbance disturbance{};
  std::vector<std::string> commands{};  // what a person would type, in order; their result is the step's
  std::vector<std::string> mends{};     // ids of the checks that fail or warn without it
  std::string one_way{};                // why nobody can take it back from Linux; empty: it can be

  bool operator==(const PlanStep&) const = default;
  void Fields(auto& list) const {
    list("object", object, "from", from, "to", to, "subject", subject, "profile", profile, "api", api,
         "disturbance", disturbance, "commands", commands, "mends", mends, "one_way", one_way);
  }
};

// What the profile wants and no plan sets: it contradicts itself, or belongs to somebody else.
struct PlanRefusal {
  SettingObject object{};
  std::string subject{};
  std::string wanted{};  // canonical, or in words where no value can be named
  std::string reason{};  // "lldpad follows the switch on dcb0: ..."
  std::string advice{};  // what a person can do; may be empty
  std::vector<std::string> mends{};

  bool operator==(const PlanRefusal&) const = default;
  void Fields(auto& list) const {
    list("object", object, "subject", subject, "wanted", wanted, "reason", reason, "advice", advice, "mends",
         mends);
  }
};

// What takes effect only after a reload or a reboot: never written, outside of every proof.
struct PlanPending {
  SettingObject object{};
  std::string subject{};
  std::string wanted{};
  std::string needs{};                  // "devlink dev reload pci/0000:3b:00.0"
  std::vector<std::string> commands{};  // what a person would type
  std::vector<std::string> mends{};

  bool operator==(const PlanPending&) const = default;
  void Fields(auto& list) const {
    list("object", object, "subject", subject, "wanted", wanted, "needs", needs, "commands", commands, "mends",
         mends);
  }
};

// A check that keeps the host from being ready, and that no setting serves: a person acts.
struct PlanManual {
  std::string id{};
  std::string subject{};
  std::string observed{};
  std::vector<std::string> steps{};  // of its remedy, in order: commands, and actions in words

  bool operator==(const PlanManual&) const = default;
  void Fields(auto& list) const { list("id", id, "subject", subject, "observed", observed, "steps", steps); }
};

// Who uses a port that the plan touches.
struct PortUser {
  std::string subject{};
  std::string text{};  // "12 queue pairs: 8 of nvme_rdma, 4 of process 712 (python3)"; what is known of them

  bool operator==(const PortUser&) const = default;
  void Fields(auto& list) const { list("subject", subject, "text", text); }
};

// A file that would make settings come back at boot.
struct PersistFile {
  std::string path{};  // "/etc/sysctl.d/90-rdmaready.conf"
  std::string content{};
  std::string note{};                  // what it is for, and what must be done besides
  bool exists_already = false;         // a file of that name or purpose is there: see `note`
  std::vector<SettingObject> keeps{};  // settings that a boot brings back by it; empty: no setting of a plan
  bool by_apply = false;               // `apply --persist` writes it; else a person does

  bool operator==(const PersistFile&) const = default;
  void Fields(auto& list) const {
    list("path", path, "content", content, "note", note, "exists_already", exists_already);
    list("keeps", keeps, "by_apply", by_apply).Added();
  }
};

// A value that the profile asks for and no file of `persist` keeps: a boot loses it, or a reload does.
struct PlanUnkept {
  std::string subject{};
  std::string what{};   // "DSCP 48 and priority 6 of congestion notifications"
  std::string again{};  // how it is set after a boot: a command, or where

  bool operator==(const PlanUnkept&) const = default;
  void Fields(auto& list) const { list("subject", subject, "what", what, "again", again); }
};

struct Plan {
  std::vector<PlanStep> steps{};  // in the order in which they are to be made
  std::vector<PlanRefusal> refusals{};
  std::vector<PlanPending> pending{};
  std::vector<PlanManual> manual{};  // nothing that is written; no part of the proof
  std::vector<PortUser> users{};
  std::vector<ProfileRef> profiles{};  // by which it was made; the digest is the one that apply.yaml lists
  std::vector<std::string> unknown{};  // what had to be known to plan and was not, a sentence each
  std::vector<PersistFile> persist{};  // only when asked for
  std::vector<PlanUnkept> unkept{};    // the same
  // The applier, which writes the files, made `persist` and `unkept` by its own reading. Then PlanDigest covers
  // the files that it writes.
  bool persist_from_applier = false;
  // Why an applier that answers did not make them; it may write other files. Empty: nothing is known of it.
  std::string persist_caveat{};

  bool operator==(const Plan&) const = default;
  void Fields(auto& list) const {
    list("profiles", profiles, "steps", steps, "refusals", refusals, "pending", pending, "manual", manual,
         "users", users, "unknown", unknown, "persist", persist, "unkept", unkept);
    list("persist_from_applier", persist_from_applier, "persist_caveat", persist_caveat).Added();
  }
};

}  // namespace rdmaready
