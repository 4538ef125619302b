// SPDX-License-Identifier: Apache-2.0
// Report: what follows from the facts. A Finding shows one verdict to a person, Readiness sums up a host. The
// zero enumerator is the honest state everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/class_proof.h"
#include "api/model/remedy.h"
#include "api/model/waiver.h"

namespace rdmaready {

enum class Outcome { kUnknown, kPass, kWarn, kFail, kNotApplicable };

enum class Scope {
  kUnknown,
  kHost,
  kPort,
  kPair,
  kTarget
};  // what one verdict is about; a target is a storage server

enum class Readiness { kUndetermined, kReady, kNotReady };

// The readiness ladder. A level asked for includes all rungs below it. kServer: a real server speaks SMB Direct
// to this host; kShare: files on its share moved over RDMA.
enum class Rung { kUnknown, kHost, kLoopback, kPeer, kSmbDirect, kServer, kShare };

enum class RungOutcome { kUnknown, kNotRun, kPass, kFail };

// A verdict with everything a reader needs to believe it and to act on it.
struct Finding {
  std::string id{};     // "pfc.lossless-priority": for ever, never reused
  std::string title{};  // the requirement, said positively
  Scope scope = Scope::kUnknown;
  Rung rung = Rung::kUnknown;
  std::string subject{};  // "host", "rxe0/1 dcb0", "rxe0/1 -> rxe0/1", "smb server.example"
  Outcome outcome = Outcome::kUnknown;
  bool blocking = false;
  std::string observed{};
  std::string expected{};
  std::string source{};
  std::string why{};
  std::string fix{};        // the first command of the remedy; empty: a person acts, or nothing is to be done
  std::string hidden_by{};  // id of the finding that explains this one; then not judged, and kNotApplicable
  std::int64_t duration_ns = 0;
  std::string profile{};  // by whose demands, on a host that follows several; empty: all of them say the same
  std::optional<Waived> waived{};  // accepted for now; then it does not count for the verdict
  std::optional<Remedy> remedy{};
  std::optional<ClassProof> class_proof{};  // of tx.effective-class, where packets were counted

  bool operator==(const Finding&) const = default;
  void Fields(auto& list) const {
    list("id", id, "title", title, "scope", scope, "rung", rung, "subject", subject, "outcome", outcome,
         "blocking", blocking, "observed", observed, "expected", expected, "source", source, "why", why, "fix",
         fix, "hidden_by", hidden_by, "duration_ns", duration_ns, "profile", profile, "waived", waived,
         "remedy", remedy, "class_proof", class_proof);
  }
};

struct RungResult {
  Rung rung = Rung::kUnknown;
  RungOutcome outcome = RungOutcome::kUnknown;

  bool operator==(const RungResult&) const = default;
  void Fields(auto& list) const { list("rung", rung, "outcome", outcome); }
};

struct ProfileRef {
  std::string name{};
  std::string digest{};  // Profile::digest

  bool operator==(const ProfileRef&) const = default;
  void Fields(auto& list) const { list("name", name, "digest", digest); }
};

// "smb-direct-roce, ai-backend".
inline std::string NamesOf(const std::vector<ProfileRef>& profiles) {
  std::string names;
  for (const ProfileRef& profile : profiles) names += (names.empty() ? "" : ", ") + profile.name;
  return names;
}

// An RDMA port of a host, and by which of its profiles it was judged.
struct JudgedPort {
  std::string subject{};  // as the findings about it say it: "mlx5_0/1 ens1f0"
  std::string profile{};  // empty: by none, since none is for it

  bool operator==(const JudgedPort&) const = default;
  void Fields(auto& list) const { list("subject", subject, "profile", profile); }
};

struct HostReport {
  std::string host{};  // as the caller named it
  std::string agent_version{};
  std::string kernel_release{};
  std::string error{};  // why the host could not be asked; empty when it answered
  Readiness verdict = Readiness::kUndetermined;
  std::vector<RungResult> ladder{};
  std::vector<Finding> findings{};
  std::vector<ProfileRef> profiles{};  // by which it was judged, in the caller's order
  std::vector<JudgedPort> ports{};     // every port of the host; empty where they are not known

  bool operator==(const HostReport&) const = default;
  void Fields(auto& list) const {
    list("host", host, "agent_version", agent_version, "kernel_release", kernel_release, "error", error,
         "verdict", verdict, "ladder", ladder, "findings", findings, "profiles", profiles, "ports", ports);
  }
};

struct PairReport {
  std::string from{};
  std::string to{};
  std::vector<Finding> findings{};

  bool operator==(const PairReport&) const = default;
};

struct Report {
  std::string version{};
  std::string run_id{};
  std::int64_t started_unix_ns = 0;
  std::int64_t duration_ns = 0;
  Readiness verdict = Readiness::kUndetermined;
  std::vector<ProfileRef> profiles{};  // of all hosts, each once
  Rung level = Rung::kHost;
  std::vector<HostReport> hosts{};
  std::vector<PairReport> pairs{};

  bool operator==(const Report&) const = default;
};

}  // namespace rdmaready
