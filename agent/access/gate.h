// SPDX-License-Identifier: Apache-2.0
// Gate: every call passes here before anything is done for it. It finds out who calls, whether his role covers
// what he asks (rows.h) and his quota leaves room, and keeps the audit of what comes of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/access/audit.h"
#include "agent/access/identity.h"
#include "agent/access/local_door.h"
#include "agent/access/quota.h"
#include "agent/access/role_file.h"
#include "agent/access/rows.h"
#include "api/base/clock.h"
#include "api/base/event.h"

namespace grpc {
class ServerContextBase;
}

namespace rdmaready::access {

struct GateOptions {
  Role plain_role = Role::kObserve;   // of callers by plain TCP, loopback included
  std::shared_ptr<RoleFile> roles{};  // of certificates; null: each may observe
  bool own_process = false;           // nobody listens: all callers are who started this process
  QuotaLimits quota{};                // of callers from outside this process
  std::shared_ptr<Audit> audit{};     // null: none is kept
  EventSink events{};
  // Why the owner of a certificate (PEM, and its intermediates) is not to be served any more, although his
  // connection stands: asked with each of his calls, and now and then while one lasts. Empty: nobody is.
  std::function<std::string(const std::string& certificate_pem, const std::string& others_pem)> why_refused{};
  Clock* clock = &RealClock();  // of the quotas
};

// What a caller says of his call; for logs and the audit.
struct Said {
  std::string run_id{};
  std::string caller{};
  std::string target{};
};

class Gate;

// A call that was let in, until it ends. The gate outlives it.
class Pass {
 public:
  Pass(Pass&&) = default;
  Pass& operator=(Pass&&) = delete;
  // Writes down what came of an audited call; one that nobody ended broke off.
  ~Pass();

  const Identity& identity() const { return identity_; }

  // Writes down that it begins, if it is audited. kFailedPrecondition: a proof or a change that cannot be
  // written down is not made.
  absl::Status Begin(Said said);

  // kResourceExhausted when the caller's tests of this hour are used up.
  absl::Status MayTest() const;
  // One live test was made for this call.
  void Tested(std::chrono::nanoseconds time, std::uint64_t bytes, bool failed);

  // What the caller is answered; returns it. The first word counts. `ok`: what stands in the audit for an OK.
  absl::Status End(const absl::Status& status, std::string_view ok = "ok");

 private:
  friend class Gate;
  Pass(Gate* gate, Identity identity, Ask ask, QuotaBook::Place place)
      : gate_(gate), identity_(std::move(identity)), ask_(ask), place_(std::move(place)) {}

  struct Spent {
    int tests = 0;
    int failed = 0;
    std::chrono::nanoseconds time{};
    std::uint64_t bytes = 0;
  };

  // Forgets itself when it is moved from.
  struct Reset {
    void operator()(Gate*) const {}
  };
  std::unique_ptr<Gate, Reset> gate_;
  Identity identity_{};
  Ask ask_ = Ask::kUnknown;
  Said said_{};
  QuotaBook::Place place_{};
  Spent spent_{};
  bool begun_ = false;  // written down, and the end is not yet
};

// How often what was refused, for metrics.
struct RefusalCount {
  Ask ask = Ask::kUnknown;
  Way way = Way::kUnknown;
  bool quota = false;  // else the role
  std::int64_t times = 0;
};

class Gate {
 public:
  // Of an agent that only its own process can ask.
  Gate() : Gate(GateOptions{.own_process = true}) {}
  explicit Gate(GateOptions options) : options_(std::move(options)), book_(options_.quota) {}

  // Whose connections are found by their numbers from now on, until null is given.
  void SetDoor(const LocalDoor* door) { door_.store(door); }

  // Who calls. Pure but for the role map's file.
  Identity WhoCalls(const grpc::ServerContextBase& context) const;

  // Whether the caller of a call that lasts is to be served still. Empty: nobody
  // can lose that. `context` outlives it.
  std::function<bool()> StillServed(const grpc::ServerContextBase& context) const;

  // kUnauthenticated: his certificate was revoked meanwhile. kPermissionDenied: not with this role, the text
  // says with which, and what to do. kResourceExhausted: the quota.
  absl::StatusOr<Pass> Admit(const grpc::ServerContextBase& context, Ask ask);
  absl::StatusOr<Pass> Admit(Identity caller, Ask ask);

  // Who calls by TCP without gRPC. `peer`: "ipv4:10.0.0.7:40112"; `certificate_pem`: his certificate, which was
  // judged; empty: plain TCP.
  Identity WhoCalls(const std::string& peer, const std::string& certificate_pem) const;

  std::vector<RefusalCount> Refusals() const;

  // Calls that were let in, by kAskRows.
  std::array<std::int64_t, kAskRows.size()> Admitted() const;

 private:
  friend class Pass;
  std::string WhyRefused(const grpc::ServerContextBase& context) const;
  absl::Status Refuse(const Identity& caller, Ask ask, const Said& said, const absl::Status& why, bool quota);

  const GateOptions options_;
  QuotaBook book_;
  std::atomic<const LocalDoor*> door_ = nullptr;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<RefusalCount> refusals_{};
  std::array<std::int64_t, kAskRows.size()> admitted_{};
};

}  // namespace rdmaready::access
