// SPDX-License-Identifier: Apache-2.0
#include "checks/consumer/environment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "checks/consumer/gid_for_jobs.h"
#include "checks/consumer/variables.h"
#include "checks/device/bus.h"
#include "checks/host_parts.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/spare.h"
#include "checks/waiving.h"
#include "checks/words/carrying_function.h"
#include "checks/words/ethernet.h"
#include "checks/words/plane_device.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// The profile as a host is judged by it that runs this consumer and no other.
Profile ProfileFor(Profile profile, Consumer consumer) {
  using Role = Profile::Role;
  std::vector<Role> roles;
  if (consumer == Consumer::kSmb) roles = {Role::kSmbClient};
  if (consumer == Consumer::kNvme) roles = {Role::kNvmeHost};
  if (consumer == Consumer::kNfs) roles = {Role::kNfsClient};
  profile.roles = roles;
  if (MakesOwnQueuePairs(consumer)) {
    profile.marking = Profile::Marking::kConsumers;
  } else {
    profile.gpu_direct = false;
  }
  return profile;
}

// The chain of checks/chain that its packets take.
std::string_view ChainOf(Consumer consumer) {
  switch (consumer) {
    case Consumer::kNccl:
    case Consumer::kRccl:
    case Consumer::kUcx:
    case Consumer::kMori:
      return "chain.nccl";
    case Consumer::kNvme:
      return "chain.nvme";
    case Consumer::kSmb:
      return "chain.smb";
    case Consumer::kSpdk:
    case Consumer::kNfs:
    case Consumer::kUnknown:
      break;
  }
  return "chain.rdma-cm";
}

// The host with the mark of this consumer alone, in the place of those of files: it goes before them.
Facts HostFor(Facts host, Consumer consumer, std::optional<std::uint8_t> tos) {
  std::vector<ConsumerMarking> markings;
  if (tos && MakesOwnQueuePairs(consumer))
    markings.push_back({.consumer = MarkingConsumer::kNccl, .source = "these values", .tos = tos});
  if (tos && consumer == Consumer::kNvme)
    markings.push_back({.consumer = MarkingConsumer::kNvme, .source = "these values", .tos = tos});
  host.markings = std::move(markings);
  host.named_devices = std::vector<NamedDevice>{};
  return host;
}

std::string ReasonText(const Missing& why) { return NoAnswer(why, {}, {}).observed; }

// The verdict on one port.
struct Looked {
  enum class State { kReady, kNotReady, kUnknown, kNotItsPort, kSpare };
  State state = State::kUnknown;
  std::string why{};
  std::string note{};  // of kReady: a part of the way of its packets that cannot be seen from here
  ReadyPort ready{};
};

class PortCheck {
 public:
  PortCheck(const Facts& host, Consumer consumer, std::span<const Finding> findings)
      : host_(host), consumer_(consumer), findings_(findings) {}

  Looked At(const Port& port, const Profile& profile) const {
    Looked looked{.ready = {.port = &port, .profile = &profile}};
    const auto end = [&looked](Looked::State state, std::string why) {
      looked.state = state;
      looked.why = std::move(why);
      return looked;
    };
    const Fact<std::string> whole = PlanesOf(host_, port);
    if (!whole) return end(Looked::State::kUnknown, ReasonText(whole.missing()));
    if (!whole->empty()) return end(Looked::State::kSpare, "");
    const Fact<bool> representor = RepresentorOf(port);
    if (IsUntested(host_, port, profile) || (representor && *representor))
      return end(Looked::State::kSpare, "");
    const Fact<bool> inside = ManagesSwitchesOf(port);
    if (!inside) return end(Looked::State::kUnknown, ReasonText(inside.missing()));
    if (*inside)
      return end(Looked::State::kNotItsPort, "it is a port inside the machine, which manages switches");
    if (HasOwnProtocol(port))
      return end(Looked::State::kNotItsPort, "it speaks a protocol of its own, by a plugin of its vendor");
    if (!port.transport) return end(Looked::State::kUnknown, ReasonText(port.transport.missing()));
    if (MakesOwnQueuePairs(consumer_) && *port.transport == Transport::kIwarp)
      return end(Looked::State::kNotItsPort, "it is iWARP, where only RDMA-CM makes connections");
    if (const auto [state, why] = Judged(port, profile, looked.note); state != Looked::State::kReady)
      return end(state, why);
    if (!MakesOwnQueuePairs(consumer_) || *port.transport != Transport::kRoce)
      return end(Looked::State::kReady, "");
    Fact<std::vector<Gid>> gids = UsableGids(host_, port, profile);
    if (!gids) return end(Looked::State::kUnknown, Cat("its GIDs: ", ReasonText(gids.missing())));
    if (gids->empty())
      return end(Looked::State::kNotReady, "no RoCE v2 GID is of an address that RDMA may use");
    looked.ready.gids = *std::move(gids);
    return end(Looked::State::kReady, "");
  }

  // kReady, or the reason that blocks the host and so every port.
  std::pair<Looked::State, std::string> OfHost() const {
    std::vector<const Finding*> about;
    for (const Finding& finding : findings_) {
      if (finding.scope == Scope::kHost) about.push_back(&finding);
    }
    if (OutcomeOf(Rung::kHost, about) != RungOutcome::kFail) return {Looked::State::kReady, ""};
    return {Looked::State::kNotReady, FirstOf(about, Outcome::kFail)};
  }

 private:
  std::pair<Looked::State, std::string> Judged(const Port& port, const Profile& profile,
                                               std::string& note) const {
    const std::string subject = SubjectOf(port);
    std::vector<const Finding*> about;
    const Finding* chain = nullptr;
    for (const Finding& finding : findings_) {
      if (!finding.profile.empty() && finding.profile != profile.name) continue;
      if (finding.scope != Scope::kHost && !SamePlace(finding.subject, subject)) continue;
      about.push_back(&finding);
      const bool broken = finding.outcome == Outcome::kFail || finding.outcome == Outcome::kUnknown;
      const bool worse = chain == nullptr || finding.outcome == Outcome::kFail;
      if (finding.id == ChainOf(consumer_) && broken && !finding.waived && worse) chain = &finding;
    }
    switch (OutcomeOf(Rung::kHost, about)) {
      case RungOutcome::kFail:
        return {Looked::State::kNotReady, FirstOf(about, Outcome::kFail)};
      case RungOutcome::kUnknown:
        return {Looked::State::kUnknown, FirstOf(about, Outcome::kUnknown)};
      case RungOutcome::kNotRun:
        return {Looked::State::kUnknown, "nothing that the profile asks for was proven"};
      case RungOutcome::kPass:
        break;
    }
    if (!port.state) return {Looked::State::kUnknown, Cat("its state: ", ReasonText(port.state.missing()))};
    if (*port.state != PortState::kActive) return {Looked::State::kNotReady, "the port is not active"};
    if (chain == nullptr) return {Looked::State::kReady, ""};
    if (chain->outcome == Outcome::kFail) return {Looked::State::kNotReady, TextOf(*chain)};
    // It never keeps a host from being ready, and the values do not depend on it.
    note = TextOf(*chain);
    return {Looked::State::kReady, ""};
  }

  static std::string TextOf(const Finding& finding) { return Cat(finding.id, ": ", Sentence(finding)); }

  static std::string FirstOf(std::span<const Finding* const> findings, Outcome outcome) {
    for (const Finding* finding : findings) {
      if (BlocksReadiness(*finding) && finding->outcome == outcome) return TextOf(*finding);
    }
    return "a check that it depends on was not judged";
  }

  const Facts& host_;
  const Consumer consumer_;
  std::span<const Finding> findings_;
};

void Refuse(Environment& environment, Readiness state, std::string reason) {
  environment.state = state;
  environment.reason = std::move(reason);
  environment.variables.clear();
  environment.notes.clear();
}

// The names of the ports and of their interfaces go into values, and into the reasons beside them.
std::string StrangeName(const std::vector<ReadyPort>& ports) {
  for (const ReadyPort& one : ports) {
    if (!IsPlainItem(one.port->device)) return Cat("RDMA device ", one.port->device);
    if (one.port->netdev && !one.port->netdev->name.empty() && !IsPlainItem(one.port->netdev->name))
      return Cat("interface ", one.port->netdev->name);
  }
  return {};
}

void CheckValues(const std::vector<ReadyPort>& ports, Environment& environment) {
  std::string what = StrangeName(ports);
  for (const EnvVariable& one : environment.variables) {
    if (what.empty() && !IsPlainValue(one.value)) what = Cat("the value of ", one.name, ": ", one.value);
  }
  if (what.empty()) return;
  Refuse(environment, Readiness::kUndetermined, StrangeNameText(what));
}

// Equal ones of several ports once.
void AddNotes(const std::vector<Looked>& all, Environment& environment) {
  for (const Looked& one : all) {
    const bool new_note = std::ranges::find(environment.notes, one.note) == environment.notes.end();
    if (!one.note.empty() && new_note) environment.notes.push_back(one.note);
  }
}

// No port is ready: the reasons of all, the worst first.
void RefuseAll(const std::vector<Looked>& all, Consumer consumer, Environment& environment) {
  const auto first = [&all](Looked::State state) {
    return std::ranges::find_if(all, [state](const Looked& one) { return one.state == state; });
  };
  for (const auto& [state, readiness] : {std::pair(Looked::State::kNotReady, Readiness::kNotReady),
                                         std::pair(Looked::State::kUnknown, Readiness::kUndetermined),
                                         std::pair(Looked::State::kNotItsPort, Readiness::kNotReady)}) {
    const auto found = first(state);
    if (found == all.end()) continue;
    return Refuse(
        environment, readiness,
        Cat("no port is ready for ", Name(consumer), ": ", SubjectOf(*found->ready.port), ": ", found->why));
  }
  Refuse(environment, Readiness::kNotReady, Cat("no port of this host is for ", Name(consumer)));
}

// A port that should carry its data is not ready: a job would do without it, and nobody would notice. True: the
// values are refused.
bool RefuseForOne(const std::vector<Looked>& all, Consumer consumer, Environment& environment) {
  const auto worst = std::ranges::find_if(all, [](const Looked& one) {
    return one.state == Looked::State::kNotReady || one.state == Looked::State::kUnknown;
  });
  if (worst == all.end()) return false;
  const bool failed = worst->state == Looked::State::kNotReady;
  Refuse(environment, failed ? Readiness::kNotReady : Readiness::kUndetermined,
         Cat(SubjectOf(*worst->ready.port), failed ? " is not ready for " : " may not be ready for ",
             Name(consumer), ": ", worst->why, "; to do without it, name the other ports with --port"));
  return true;
}

std::vector<ReadyPort> PortsOf(const HostParts& parts) {
  std::vector<ReadyPort> ports;
  for (const HostPart& part : parts.parts()) {
    if (!part.in_use || !part.judges_ports || !part.facts->ports) continue;
    for (const Port& port : *part.facts->ports) ports.push_back({&port, part.profile, {}});
  }
  return ports;
}

std::vector<Finding> FindingsFor(const HostParts& parts, std::span<const Profile> profiles,
                                 const EnvironmentQuestion& question) {
  std::vector<Finding> findings = JudgeHost(parts, {}, question.now_unix_ns);
  Waive(profiles, question.host_names, question.now_unix_ns, findings);
  for (Finding& finding : findings) {
    const auto same = std::ranges::find_if(question.judged, [&finding](const Finding& other) {
      return other.waived && other.id == finding.id && other.subject == finding.subject;
    });
    if (same != question.judged.end() && CallsForAttention(finding)) finding.waived = same->waived;
  }
  return findings;
}

}  // namespace

absl::StatusOr<Environment> EnvironmentFor(const Facts& host, std::span<const Profile> profiles,
                                           const EnvironmentQuestion& question) {
  Environment environment;
  if (!host.ports) {
    Refuse(environment, Readiness::kUndetermined,
           Cat("the RDMA ports are not known: ", ReasonText(host.ports.missing())));
    return environment;
  }
  std::vector<Profile> as_judged;
  for (const Profile& profile : profiles) as_judged.push_back(ProfileFor(profile, question.consumer));
  RR_ASSIGN_OR_RETURN(const HostParts wanted, HostParts::Divide(host, as_judged, question.ports));
  const CommonTos tos = TosOf(PortsOf(wanted));
  if (!tos.conflict.empty() && question.consumer != Consumer::kSmb && question.consumer != Consumer::kNfs) {
    Refuse(environment, Readiness::kUndetermined,
           Cat("profiles mark RDMA with different ToS (", tos.conflict, "): name ports of one with --port"));
    return environment;
  }
  const Facts marked = HostFor(host, question.consumer, tos.tos);
  RR_ASSIGN_OR_RETURN(const HostParts parts, HostParts::Divide(marked, as_judged, question.ports));
  const std::vector<Finding> findings = FindingsFor(parts, as_judged, question);
  const PortCheck check(marked, question.consumer, findings);
  if (const auto [state, why] = check.OfHost(); state != Looked::State::kReady) {
    Refuse(environment, Readiness::kNotReady, why);
    return environment;
  }
  std::vector<Looked> all;
  std::vector<ReadyPort> ready;
  for (const ReadyPort& one : PortsOf(parts)) {
    all.push_back(check.At(*one.port, *one.profile));
    const Looked& looked = all.back();
    if (looked.state == Looked::State::kReady) ready.push_back(looked.ready);
    if (looked.why.empty()) continue;
    environment.left_out.push_back({SubjectOf(*one.port), looked.why});
  }
  if (ready.empty()) RefuseAll(all, question.consumer, environment);
  if (ready.empty() || RefuseForOne(all, question.consumer, environment)) return environment;
  AddVariables(marked, question.consumer, ready, environment);
  if (environment.state == Readiness::kReady) {
    AddNotes(all, environment);
    CheckValues(ready, environment);
  } else {
    Refuse(environment, environment.state, environment.reason);
  }
  return environment;
}

bool IsPlainItem(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '+' || c == '-';
  };
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, plain);
}

bool IsPlainValue(std::string_view value) {
  if (value == "-1") return true;
  std::string words(value);
  std::ranges::replace_if(
      words, [](char c) { return c == ':' || c == ',' || c == '/' || c == '='; }, '_');
  return IsPlainItem(words);
}

}  // namespace rdmaready
