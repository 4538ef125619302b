// SPDX-License-Identifier: Apache-2.0
// Changes of this host: the applier writes them, and takes them back. Here is what the agent adds, live
// transfers as the proof, and what is kept of it all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "agent/agent.h"
#include "agent/agent_events.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/live/transfer.h"
#include "checks/plan/plan.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr const char* kProofCases[] = {"send-1k", "write-512k"};
constexpr milliseconds kComesBackWithin{
    15'000};  // a link that bounced: autonegotiation, DAD, the switch's port
constexpr milliseconds kLookAgain{300};
constexpr milliseconds kBusyFor{10'000};    // another live test has the port
constexpr milliseconds kTimeToJudge{1000};  // of the deadline: what the applier still has to do

absl::Status NoConfigurer() {
  return absl::FailedPreconditionError(
      "no applier: this process asks none; an agent does that is told where its helpers are (--helpers)");
}

// That nobody answers is the state of this host, where nothing was begun.
absl::Status NotReached(const absl::Status& status) {
  return absl::IsUnavailable(status) ? absl::FailedPreconditionError(Message(status)) : status;
}

// What became of a change is not known here. `id` is empty when the applier told nothing of it.
absl::Status LostInTheMiddle(const std::string& id, const absl::Status& status) {
  return absl::InternalError(fmt::format("{}{}; what is not confirmed goes back by itself",
                                         id.empty() ? "" : "change " + id + ": ", Message(status)));
}

// Its end, where it has come to one.
std::optional<Change> Ended(const std::string& id, Configurer& applier) {
  const absl::StatusOr<ApplierStatus> status = applier.Status();
  if (!status.ok()) return std::nullopt;
  const auto found = std::ranges::find(status->changes, id, &Change::id);
  if (found == status->changes.end()) return std::nullopt;
  switch (found->state) {
    case ChangeState::kConfirmed:
    case ChangeState::kRolledBack:
    case ChangeState::kRollbackFailed:
      return *found;
    case ChangeState::kUnknown:
    case ChangeState::kNothingToDo:
    case ChangeState::kWriting:
    case ChangeState::kProving:
    case ChangeState::kAwaitingConfirm:
      return std::nullopt;
  }
  return std::nullopt;
}

// Of an applier that was reached. The first write may be made before anything is told: who leaves without a
// word may have begun.
absl::Status NotApplied(const std::string& id, const absl::Status& status) {
  const bool left = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  return left || !id.empty() ? LostInTheMiddle(id, status) : status;
}

// As the applier's audit has it: what the caller calls itself, and what it cannot choose.
std::string RequesterOf(const Caller& caller) {
  if (caller.origin.empty()) return caller.name;
  return caller.name.empty() ? caller.origin : fmt::format("{} ({})", caller.name, caller.origin);
}

bool StandsOn(const Port& port, const std::string& netdev) {
  if (port.netdev && port.netdev->name == netdev) return true;
  return port.lowers &&
         std::ranges::any_of(*port.lowers, [&](const Netdev& one) { return one.name == netdev; });
}

// What belongs to no port may matter to each.
bool Touches(const PlanStep& step, const Port& port) {
  if (step.subject == "host" || step.subject.empty()) return true;
  return step.subject == SubjectOf(port) || step.object.where == PortName(port) ||
         StandsOn(port, step.object.where);
}

// Ports that the change touched, and that the order is for.
std::vector<const Port*> TouchedPorts(const Facts& facts, const HostParts& parts, const Change& change) {
  std::vector<const Port*> touched;
  if (!facts.ports) return touched;
  for (const Port& port : *facts.ports) {
    const auto judged = std::ranges::find(parts.ports(), SubjectOf(port), &JudgedPort::subject);
    const bool meant = judged != parts.ports().end() && !judged->profile.empty();
    const bool by_step =
        std::ranges::any_of(change.steps, [&port](const ChangeStep& step) { return Touches(step.step, port); });
    if (meant && by_step) touched.push_back(&port);
  }
  return touched;
}

bool CanBeTested(const Port& port) {
  return port.state && *port.state == PortState::kActive && !RoutableAddresses(port).empty();
}

const Port* FindPort(const Facts& facts, const std::string& name) {
  if (!facts.ports) return nullptr;
  const auto found = std::ranges::find(*facts.ports, name, PortName);
  return found == facts.ports->end() ? nullptr : &*found;
}

// By whose demands traffic on the port is marked.
const Profile* ProfileOf(const HostParts& parts, const Port& port) {
  for (const HostPart& part : parts.parts()) {
    if (!part.judges_ports || !part.facts->ports) continue;
    for (const Port& of_part : *part.facts->ports) {
      if (PortName(of_part) == PortName(port)) return part.profile;
    }
  }
  return nullptr;
}

// Every byte arrived; that it could be faster, or that a counter grew, is not the change's fault.
bool IsGood(const Finding& finding) {
  return finding.outcome == Outcome::kPass || finding.outcome == Outcome::kWarn;
}

std::string ProofPart(const std::string& port, const std::string& test, Role role) {
  return fmt::format("{} {} as {}", port, test, role == Role::kInitiator ? "initiator" : "responder");
}

// All that a proof with a peer has: each case both ways, through every port.
std::set<std::string> ProofParts(const std::set<std::string>& ports) {
  std::set<std::string> parts;
  for (const std::string& port : ports) {
    for (const char* test : kProofCases) {
      for (const Role role : {Role::kInitiator, Role::kResponder}) parts.insert(ProofPart(port, test, role));
    }
  }
  return parts;
}

std::string NotThePeer(const std::string& peer, const std::string& certificate) {
  return fmt::format("a test did not count: it was with the agent of certificate {}, which does not name {}",
                     certificate, SafeLine(peer, 256));
}

void AddText(std::string& text, const std::string& more) { text += (text.empty() ? "" : "; ") + more; }

}  // namespace

absl::StatusOr<Change> Agent::Apply(const ChangeOrder& order, const Caller& caller,
                                    const ChangeWatcher& watcher, const std::stop_token& stop) {
  if (config_.configurer == nullptr) return NoConfigurer();
  // Not found out when it is written already.
  if (order.proof && caller.may_test) RR_RETURN_IF_ERROR(caller.may_test());
  RR_ASSIGN_OR_RETURN(const Facts before, Collect());
  RR_RETURN_IF_ERROR(HostParts::Divide(before, order.profiles, order.ports).status());
  RR_RETURN_IF_ERROR(NotReached(config_.configurer->Status().status()));
  if (order.proof) RR_RETURN_IF_ERROR(CanProve(before, order, caller, stop));
  std::string begun;
  const auto progress = [&](const Change& change) {
    begun = change.id;
    if (watcher.progress) watcher.progress(change);
  };
  absl::StatusOr<Change> change = config_.configurer->Apply({.profiles = order.profiles,
                                                             .ports = order.ports,
                                                             .confirm_within_ms = order.confirm_within_ms,
                                                             .allow_one_way = order.allow_one_way,
                                                             .proof = order.proof,
                                                             .peer_proof = !order.peer.empty(),
                                                             .requester = RequesterOf(caller),
                                                             .plan_sha256 = order.plan_sha256,
                                                             .persist = order.persist},
                                                            progress, stop);
  if (!change.ok()) return NotApplied(begun, change.status());
  if (watcher.written) watcher.written(*change);
  if (change->state == ChangeState::kProving)
    change = ProveChange(*std::move(change), order, before, caller, watcher, stop);
  if (!change.ok()) return change;
  changes_.Note(*change);
  TellOfChange(config_.events, *change);
  return change;
}

absl::Status Agent::CanProve(const Facts& facts, const ChangeOrder& order, const Caller& caller,
                             const std::stop_token& stop) {
  if (config_.allow_in_production || !facts.ports) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const HostParts parts, HostParts::Divide(facts, order.profiles, order.ports));
  const Plan plan = rdmaready::MakePlan(parts, {});
  for (const Port& port : *facts.ports) {
    const bool touched =
        std::ranges::any_of(plan.steps, [&port](const PlanStep& step) { return Touches(step, port); });
    if (!touched || !CanBeTested(port)) continue;
    RR_ASSIGN_OR_RETURN(const PortAddress chosen, ChoosePort(facts, port.device, port.number, ""));
    RR_RETURN_IF_ERROR(CanProveOn(chosen, caller, stop));
  }
  return absl::OkStatus();
}

absl::StatusOr<Change> Agent::ProveChange(Change change, const ChangeOrder& order, const Facts& before,
                                          const Caller& caller, const ChangeWatcher& watcher,
                                          const std::stop_token& stop) {
  // The applier counts from its last write on, whatever the proof takes.
  const auto goes_back = clock().Now() + milliseconds(change.deadline_in_ms);
  // The one that apply.yaml names goes before another.
  if (change.proof.peer.empty()) change.proof.peer = order.peer;
  const std::set<std::string> ports = ProveByLoopback(change, order, before, caller, watcher, stop);
  Proving::Handle peer;
  if (change.proof.loopback && !change.proof.peer.empty()) {
    peer = proving_.Begin({.change_id = change.id, .who = caller.who}, change.proof.peer);
    ProveByPeer(change, peer, ports, goes_back, watcher, stop);
  }
  absl::StatusOr<Change> outcome =
      stop.stop_requested() ? config_.configurer->RollBack(change.id, RequesterOf(caller) + ", who left")
                            : config_.configurer->Proved(change.id, change.proof);
  if (absl::IsNotFound(outcome.status())) {
    // The timer or somebody else took it back meanwhile.
    if (std::optional<Change> ended = Ended(change.id, *config_.configurer)) outcome = *std::move(ended);
  }
  if (!outcome.ok()) outcome = LostInTheMiddle(change.id, outcome.status());
  if (peer != nullptr) proving_.End(peer, outcome);
  return outcome;
}

// What was usable before is given time to come back; a port that was not says nothing about the change.
std::set<std::string> Agent::ProveByLoopback(Change& change, const ChangeOrder& order, const Facts& before,
                                             const Caller& asked_by, const ChangeWatcher& watcher,
                                             const std::stop_token& stop) {
  ChangeProof& proof = change.proof;
  proof.loopback = false;
  std::set<std::string> tested;
  const absl::StatusOr<HostParts> parts = HostParts::Divide(before, order.profiles, order.ports);
  if (!parts.ok()) {
    proof.loopback_text = Message(parts.status());
    return tested;
  }
  std::uint32_t estimate_ms = 0;
  for (const ChangeStep& step : change.steps) estimate_ms += step.step.disturbance.estimate_ms;
  const auto until = clock().Now() + kComesBackWithin + milliseconds(estimate_ms);
  Caller caller = asked_by;
  caller.run_id = change.id;
  const Watcher progress{.progress = [&](const std::string& what) {
    proof.loopback_text = what;
    if (watcher.progress) watcher.progress(change);
  }};
  std::string figures;
  std::string left_out;
  for (const Port* port : TouchedPorts(before, *parts, change)) {
    const std::string name = PortName(*port);
    if (!CanBeTested(*port)) {
      AddText(left_out, name + " was not usable before either, and is not proven");
      continue;
    }
    const absl::StatusOr<std::string> shown = LoopbackOf(name, order, caller, progress, until, stop);
    if (!shown.ok()) {
      proof.loopback_text = Message(shown.status());
      return {};
    }
    AddText(figures, *shown);
    tested.insert(name);
  }
  proof.loopback = !tested.empty();
  if (tested.empty())
    AddText(left_out,
            "no port that was touched can be tested: nothing proves the change (--no-proof does without)");
  if (!left_out.empty()) AddText(figures, left_out);
  proof.loopback_text = figures;
  return tested;
}

// A reading of the host in which the port is usable again.
absl::StatusOr<Facts> Agent::WhenUsable(const std::string& port, std::chrono::steady_clock::time_point until,
                                        const std::stop_token& stop) {
  while (true) {
    RR_ASSIGN_OR_RETURN(Facts facts, Collect());
    const Port* now = FindPort(facts, port);
    if (now != nullptr && CanBeTested(*now)) return facts;
    if (stop.stop_requested() || clock().Now() >= until)
      return absl::FailedPreconditionError(port + " did not come back: it is not active with an address");
    clock().SleepUntil(clock().Now() + kLookAgain, stop);
  }
}

absl::StatusOr<std::string> Agent::LoopbackOf(const std::string& name, const ChangeOrder& order,
                                              const Caller& caller, const Watcher& watcher,
                                              std::chrono::steady_clock::time_point until,
                                              const std::stop_token& stop) {
  RR_ASSIGN_OR_RETURN(const Facts facts, WhenUsable(name, until, stop));
  const Port& port = *FindPort(facts, name);
  RR_ASSIGN_OR_RETURN(const PortAddress chosen, ChoosePort(facts, port.device, port.number, ""));
  RR_ASSIGN_OR_RETURN(const HostParts parts, HostParts::Divide(facts, order.profiles, order.ports));
  const Profile* profile = ProfileOf(parts, port);
  TransferOptions marked{.system_tos = true};
  if (profile != nullptr && profile->tos) marked = {.tos = profile->tos};
  std::vector<TransferCase> cases;
  for (const char* test : kProofCases) cases.push_back(*FindCase(test));
  const TransferPlace place{
      .rung = Rung::kLoopback, .subject = SubjectOf(port), .software = port.software && *port.software};
  std::string figures;
  std::string failed;
  const auto judge = [&](const LiveTest& live) {
    const Finding finding = JudgeTransfer(live.result, place);
    const std::string text = fmt::format("{} {}: {}", chosen.port, live.result.case_name, finding.observed);
    AddText(IsGood(finding) ? figures : failed, text);
  };
  const Watcher told{.progress = watcher.progress, .transfer = judge};
  absl::Status made;
  const auto free_until = clock().Now() + kBusyFor;
  const auto run = [&] {
    figures.clear();
    failed.clear();
    made = RunLoopbacks(chosen, cases, marked, "proof of a change", caller, told, stop);
  };
  for (run(); absl::IsResourceExhausted(made) && clock().Now() < free_until && !stop.stop_requested(); run())
    clock().SleepUntil(clock().Now() + kLookAgain, stop);
  if (absl::IsAborted(made) && config_.allow_in_production) {
    marked.in_production = true;
    run();
  }
  if (!made.ok()) return absl::FailedPreconditionError(chosen.port + ": " + Message(made));
  if (!failed.empty()) return absl::FailedPreconditionError(failed);
  return figures;
}

void Agent::ProveByPeer(Change& change, const Proving::Handle& mine, const std::set<std::string>& ports,
                        std::chrono::steady_clock::time_point goes_back, const ChangeWatcher& watcher,
                        const std::stop_token& stop) {
  ChangeProof& proof = change.proof;
  const auto left = std::chrono::duration_cast<milliseconds>(goes_back - clock().Now());
  change.deadline_in_ms = static_cast<std::uint32_t>(std::max(left, milliseconds(1)).count());
  if (watcher.progress) watcher.progress(change);  // now whoever asked makes the tests
  const std::optional<ProvingTests> tests = proving_.AwaitTests(mine, stop, goes_back - kTimeToJudge);
  if (!tests || tests->counted.empty()) {
    proof.peer_text =
        tests ? "this agent had no part in a peer test for this change" : "no peer test was made in time";
    if (tests && !tests->other_peer.empty())
      AddText(proof.peer_text, NotThePeer(proof.peer, tests->other_peer));
    return;
  }
  bool passed = true;
  std::set<std::string> missing = ProofParts(ports);
  for (const auto& [role, live] : tests->counted) {
    const Finding finding =
        JudgeTransfer(live.result, {.rung = Rung::kPeer, .subject = live.port, .software = true});
    passed = passed && IsGood(finding);
    AddText(proof.peer_text, fmt::format("{} {}: {}", live.port, live.result.case_name, finding.observed));
    missing.erase(ProofPart(live.port, live.result.case_name, role));
  }
  proof.peer_passed = passed && missing.empty();
  if (!missing.empty())
    AddText(proof.peer_text, fmt::format("not tested with it: {}", fmt::join(missing, ", ")));
  if (!tests->other_peer.empty()) AddText(proof.peer_text, NotThePeer(proof.peer, tests->other_peer));
}

absl::StatusOr<Change> Agent::Confirm(const std::string& change_id, const Caller& caller) {
  if (config_.configurer == nullptr) return NoConfigurer();
  absl::StatusOr<Change> change = config_.configurer->Confirm(change_id, RequesterOf(caller));
  if (!change.ok()) return NotReached(change.status());
  changes_.Note(*change);
  TellOfChange(config_.events, *change);
  return change;
}

absl::StatusOr<Change> Agent::RollBack(const std::string& change_id, const Caller& caller) {
  if (config_.configurer == nullptr) return NoConfigurer();
  absl::StatusOr<Change> change = config_.configurer->RollBack(change_id, RequesterOf(caller));
  if (!change.ok()) return NotReached(change.status());
  proving_.Settled(*change);  // whose thread waits for tests: not to its deadline
  changes_.Note(*change);
  TellOfChange(config_.events, *change);
  return change;
}

absl::StatusOr<std::vector<Setting>> Agent::Forget(const std::vector<SettingObject>& objects,
                                                   const Caller& caller) {
  if (config_.configurer == nullptr) return NoConfigurer();
  absl::StatusOr<std::vector<Setting>> forgotten = config_.configurer->Forget(objects, RequesterOf(caller));
  if (!forgotten.ok()) return NotReached(forgotten.status());
  std::string names;
  for (const Setting& setting : *forgotten) names += (names.empty() ? "" : ", ") + TextOf(setting.object);
  if (!names.empty())
    KeepEvent(Printable(fmt::format("not kept any more, by {}: {}", RequesterOf(caller), names)));
  return forgotten;
}

absl::StatusOr<std::vector<BootFile>> Agent::ForgetFiles(const std::vector<SettingObject>& objects,
                                                         const Caller& caller) {
  if (config_.configurer == nullptr) return NoConfigurer();
  absl::StatusOr<std::vector<BootFile>> files = config_.configurer->ForgetFiles(objects, RequesterOf(caller));
  if (!files.ok()) return NotReached(files.status());
  std::string names;
  for (const BootFile& file : *files)
    if (file.state == BootFileState::kRemoved) AddText(names, file.path);
  if (!names.empty())
    KeepEvent(Printable(fmt::format("removed for the next boot, by {}: {}", RequesterOf(caller), names)));
  return files;
}

absl::StatusOr<ApplierStatus> Agent::GetApplier() {
  if (config_.configurer == nullptr) return NoConfigurer();
  absl::StatusOr<ApplierStatus> status = config_.configurer->Status();
  if (!status.ok()) return NotReached(status.status());
  changes_.Heard(*status);
  return status;
}

Fact<ApplyState> Agent::ApplyStateNow() {
  if (config_.configurer == nullptr)
    return Missing{Missing::Kind::kUnsupported, "no applier is asked by this process"};
  return changes_.State([this] { return config_.configurer->Status(); }, clock().Now());
}

}  // namespace rdmaready
