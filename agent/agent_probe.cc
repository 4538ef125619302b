// SPDX-License-Identifier: Apache-2.0
// Agent::Probe: a storage server as this host's clients see it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/agent.h"
#include "agent/agent_events.h"
#include "agent/link/failure.h"
#include "agent/probe/iser/iser_wire.h"
#include "agent/probe/nvme/nvme_wire.h"
#include "agent/probe/probe.h"
#include "agent/share/share_proof.h"
#include "api/base/clock.h"
#include "api/base/run_id.h"
#include "api/base/share_name.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"
#include "checks/probe/probe.h"
#include "checks/words/names.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kUsualTime{40'000};
constexpr milliseconds kUsualProofTime{110'000};
constexpr std::size_t kMostVolumeBytes = 1024;

// A name that no server has is the caller's mistake, and not the server's answer.
absl::Status CheckVolume(const ProbeQuestion& question) {
  const std::string& volume = question.volume;
  const auto check = [&](bool fits, const std::string& what) {
    return fits || volume.empty() ? absl::OkStatus() : absl::InvalidArgumentError(volume + ": not " + what);
  };
  switch (question.protocol) {
    case Protocol::kUnknown:
      return absl::OkStatus();
    case Protocol::kSmb:
      return check(IsShareName(volume), "a share's name: at most 80 characters, and no path");
    case Protocol::kNvme:
      return check(nvme::IsName(volume), "a subsystem's NQN");
    case Protocol::kIser:
      return check(iser::IsName(volume), "an iSCSI target's name");
    case Protocol::kNfs:
      return check(volume.starts_with('/'), "the path of an export");
  }
  return absl::OkStatus();
}

absl::Status CheckQuestion(const ProbeQuestion& question) {
  if (FindProbe(question.protocol) == nullptr) {
    return absl::UnimplementedError(fmt::format("this agent has no probe for {}", Name(question.protocol)));
  }
  if (question.volume.size() > kMostVolumeBytes)
    return absl::InvalidArgumentError("a volume's name is too long");
  if (question.port_number > 65'535) return absl::InvalidArgumentError("a port is at most 65535");
  if (question.timeout < milliseconds::zero() || question.timeout > kMostProbeTime) {
    return absl::InvalidArgumentError("a probe takes at most 300 seconds");
  }
  if (question.prove) RR_RETURN_IF_ERROR(CheckVolume(question));
  return CheckTarget(question.target);
}

bool SameFamily(const std::string& address, const std::string& other) {
  return (address.find(':') == std::string::npos) == (other.find(':') == std::string::npos);
}

ProbeResult BeginWalk(const ProbeRow& row, const ProbeQuestion& question) {
  ProbeResult result = BeginProbe(row, question.target, question.prove);
  if (!question.prove || question.protocol != Protocol::kSmb) return result;
  for (const std::string_view step : ShareSteps()) result.steps.push_back({.name = std::string(step)});
  return result;
}

std::string_view FirstProofStep(const ProbeRow& row) {
  return row.proof_steps.empty() ? kStepShareMount : row.proof_steps.front();
}

void TellRefused(std::string_view step, const absl::Status& refused, Walk& walk) {
  walk.Step(step, seconds(1),
            [&](const Patience&) { return MakeFailure(FailureKind::kSetup, Message(refused)); });
}

// A mount takes its time.
milliseconds TimeFor(const ProbeQuestion& question) {
  if (question.timeout != milliseconds::zero()) return question.timeout;
  if (!question.prove) return kUsualTime;
  return question.protocol == Protocol::kSmb ? kMostProbeTime : kUsualProofTime;
}

// A probe that its watch or its caller stopped.
absl::Status StatusOf(const UseWatch& watch, const Caller& caller) {
  if (!watch.token().stop_requested()) return absl::OkStatus();
  const std::string why = watch.reason();
  return absl::CancelledError(why.empty() ? WhyGone(caller) : why);
}

// A helper that makes the proof knows only that its caller left.
void SayWhyStopped(const std::string& why, ProbeResult& result) {
  if (why.empty()) return;
  for (ProbeStep& step : result.steps) {
    if (step.failure.kind == FailureKind::kCancelled) step.failure.detail = why;
  }
}

// Modules of the kernel that work for this probe. Another mount of the same client from the same server looks
// like the probe's own.
std::set<std::string> KernelClientsOf(const ProbeQuestion& question) {
  if (!question.prove) return {};
  switch (question.protocol) {
    case Protocol::kUnknown:
    case Protocol::kIser:
      return {};
    case Protocol::kSmb:
      return {"cifs", "smbdirect"};
    case Protocol::kNvme:
      return {"nvme_rdma"};
    case Protocol::kNfs:
      return {"rpcrdma"};
  }
  return {};
}

}  // namespace

// The port of a probe, from when it is known until RDMA is not used any more.
class Agent::ProbedPort {
 public:
  explicit ProbedPort(Agent& agent) : agent_(agent) {}

  // Takes `port`, which a watch looks at from now on; without a device: the server is reached without RDMA. The
  // bytes a second that the probe may move in each direction; 0: as many as it can.
  absl::StatusOr<std::uint64_t> Begin(const PortAddress& port, const ProbeQuestion& question, UseExceptions own,
                                      const Caller& caller, const std::stop_token& cancel) {
    if (port.device.empty()) return 0;
    RR_ASSIGN_OR_RETURN(held_, agent_.TakePort(port, caller, "probe " + question.target));
    RR_ASSIGN_OR_RETURN(const PortPass pass, agent_.AdmitUse(port, question.in_production, cancel));
    if (pass.watched) {
      const std::lock_guard lock(mutex_);
      port_ = port;
      own_ = std::move(own);
    }
    return pass.pacer ? pass.pacer->limit_bytes_per_s() : 0;
  }

  void End() {
    const std::lock_guard lock(mutex_);
    port_.reset();
    held_.reset();
  }

  PortUse Look() {
    const std::lock_guard lock(mutex_);
    return port_ ? agent_.OwnersOf(*port_, own_) : PortUse{.kind = PortUse::Kind::kFree};
  }

 private:
  Agent& agent_;
  std::optional<PortLock> held_{};  // of the thread of the probe alone
  std::mutex mutex_;
  std::optional<PortAddress> port_{};
  UseExceptions own_{};
};

// Through the port that the caller names, to the first of the server's addresses that the routing table reaches
// by it; where it reaches none, who names a port knows better: to the first that its address can speak to.
absl::StatusOr<ProbePath> Agent::PathThrough(const std::vector<std::string>& addresses,
                                             const PortRequest& asked, const Facts& facts) const {
  RR_ASSIGN_OR_RETURN(const PortAddress port, ChoosePort(facts, asked.device, asked.number, asked.address));
  for (const std::string& address : addresses) {
    const absl::StatusOr<std::string> source = config_.network.source_of(address);
    if (!source.ok()) continue;
    absl::StatusOr<ProbePath> path = PathFrom(facts, *source, address);
    if (!path.ok()) return path;
    if (path->port.port != port.port) continue;
    if (asked.address.empty()) return path;
    if (!SameFamily(asked.address, address)) continue;
    path->port = port;
    return path;
  }
  const auto near = std::ranges::find_if(
      addresses, [&](const std::string& address) { return SameFamily(port.address, address); });
  absl::StatusOr<ProbePath> path =
      PathFrom(facts, port.address, near == addresses.end() ? addresses.front() : *near);
  if (path.ok()) path->port = port;
  return path;
}

// Where the caller names no port the routing table tells, for the first of the server's addresses that an RDMA
// port leads to.
absl::StatusOr<ProbePath> Agent::PathTo(const std::vector<std::string>& addresses, const PortRequest& asked,
                                        const Facts& facts) const {
  if (!asked.device.empty()) return PathThrough(addresses, asked, facts);
  std::optional<ProbePath> first;
  absl::Status unreachable;
  for (const std::string& address : addresses) {
    const absl::StatusOr<std::string> source = config_.network.source_of(address);
    unreachable.Update(source.status());
    if (!source.ok()) continue;
    absl::StatusOr<ProbePath> path = PathFrom(facts, *source, address);
    if (!path.ok() || !path->port.device.empty()) return path;
    if (!first) first = *path;
  }
  if (first) return *first;
  return unreachable;
}

absl::StatusOr<ProbePath> Agent::FindServer(const ProbeQuestion& question, const Facts& facts,
                                            Walk walk) const {
  std::vector<std::string> addresses;
  const bool resolved = walk.Step(kStepResolve, kMostProbeTime, [&](const Patience&) {
    absl::StatusOr<std::vector<std::string>> found = config_.network.resolve(question.target);
    if (found.ok()) addresses = std::move(*found);
    return found.status();
  });
  ProbePath path;
  if (!resolved) return path;
  walk.result().address = path.address = addresses.front();
  absl::Status wrong;
  walk.Step(kStepRoute, seconds(5), [&](const Patience&) {
    const absl::StatusOr<ProbePath> found = PathTo(addresses, question.port, facts);
    const bool ours = !question.port.device.empty() || absl::IsInternal(found.status());
    if (!found.ok() && ours) wrong = found.status();
    if (!found.ok()) return found.status();
    path = *found;
    walk.result().address = path.address;
    walk.result().local_port = path.port.port;
    if (!path.port.device.empty()) return absl::OkStatus();
    return MakeFailure(FailureKind::kSetup, "no RDMA port of this host leads to " + path.address);
  });
  if (!wrong.ok()) return wrong;
  return path;
}

absl::Status Agent::AdmitProof(ProbeQuestion& question, absl::Status& refused) const {
  if (!question.prove) return absl::OkStatus();
  absl::StatusOr<std::string> volume = MayProve(question);
  if (!volume.ok() && !absl::IsPermissionDenied(volume.status())) return volume.status();
  refused = volume.status();
  question.prove = volume.ok();
  if (volume.ok()) question.volume = *std::move(volume);
  return absl::OkStatus();
}

void Agent::RunProbe(const ProbeRow& row, const ProbeQuestion& question, const ProbePath& path, Walk& walk) {
  const Counted running(live_tests_);
  row.run(
      {.address = path.address,
       .port_number = static_cast<std::uint16_t>(question.port_number),
       .local_address = path.port.address,
       .iwarp = path.iwarp,
       .prove = question.prove,
       .volume = question.volume},
      {.make_link = make_link_,
       .connect_tcp = config_.network.connect_tcp,
       .prove = [&](KernelProof proof, Walk& way) { ProveByKernel(std::move(proof), question, path, way); }},
      walk);
}

absl::StatusOr<ProbeRun> Agent::Probe(const ProbeQuestion& asked, const Caller& asked_by,
                                      const Watcher& watcher, std::stop_token cancel) {
  RR_RETURN_IF_ERROR(CheckQuestion(asked));
  ProbeQuestion question = asked;
  absl::Status refused;  // the proof; what needs no right is found out all the same
  RR_RETURN_IF_ERROR(AdmitProof(question, refused));
  const Caller caller = WithRunId(asked_by);
  const ProbeRow& row = *FindProbe(question.protocol);
  const std::int64_t started = UnixNs(clock());
  RR_ASSIGN_OR_RETURN(const Facts facts, Collect());
  ProbeRun run{.run_id = caller.run_id, .result = BeginWalk(row, asked)};
  ProbedPort probed(*this);
  const UseWatch watch([&probed] { return probed.Look(); }, clock(), cancel);
  Walk::Watch bounds{.deadline = clock().Now() + TimeFor(asked),
                     .interrupted = [&watch, &caller] { return StatusOf(watch, caller); },
                     .progress = watcher.progress,
                     .stop = watch.token(),
                     .clock = &clock()};
  RR_ASSIGN_OR_RETURN(const ProbePath path, FindServer(question, facts, Walk(run.result, bounds)));
  const UseExceptions own{.kernel = KernelClientsOf(question), .server = path.address};
  RR_ASSIGN_OR_RETURN(bounds.limit_bytes_per_s, probed.Begin(path.port, question, own, caller, cancel));
  Walk walk(run.result, bounds);
  if (!path.address.empty()) {
    RunProbe(row, question, path, walk);
    if (!refused.ok()) TellRefused(FirstProofStep(row), refused, walk);
    if (question.prove && question.protocol == Protocol::kSmb) {
      ProveOnShare(question, path, walk, [&] { probed.End(); });
    }
  }
  probed.End();
  SayWhyStopped(watch.reason(), run.result);
  CutTexts(run.result.answers);
  run.findings = JudgeProbe(run.result);
  KeepProbe(run, facts, started);
  TellOfProbe(config_.events, run, caller, UnixNs(clock()) - started);
  return run;
}

// As a run of the level that it proves.
void Agent::KeepProbe(ProbeRun& run, const Facts& facts, std::int64_t started_unix_ns) {
  HostReport report{.agent_version = config_.version,
                    .verdict = ReadinessOfProbe(run.findings),
                    .ladder = LadderOfProbe(run.findings),
                    .findings = run.findings};
  const Rung level = report.ladder.back().rung;
  if (facts.kernel) report.kernel_release = facts.kernel->release;
  run.stored = Kept(store_.PutRun({.run_id = run.run_id,
                                   .started_unix_ns = started_unix_ns,
                                   .duration_ns = UnixNs(clock()) - started_unix_ns,
                                   .level = level,
                                   .report = std::move(report)}));
}

}  // namespace rdmaready
