// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/test_runner.h"

#include <algorithm>
#include <utility>

#include "api/base/number.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "checks/fleet/pairing.h"
#include "checks/words/words.h"
#include "cli/explanation.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {
namespace {

const Port* FindPort(const Facts& facts, std::string_view name) {
  if (!facts.ports) return nullptr;
  const auto found =
      std::ranges::find_if(*facts.ports, [&](const Port& port) { return PortName(port) == name; });
  return found == facts.ports->end() ? nullptr : &*found;
}

std::string NameOf(const PortSelection& port) { return port.device + "/" + std::to_string(port.number); }

struct Path {
  const Port* from = nullptr;
  const Port* to = nullptr;
  std::string from_address{};  // empty: the agent chooses
  std::string to_address{};
};

absl::Status NoPathStatus(const Pairing& pairing) {
  return pairing.undetermined ? absl::UnknownError(pairing.reason)
                              : absl::FailedPreconditionError(pairing.reason);
}

// Ports that the caller named, with the addresses by which they reach each other if there are any.
absl::StatusOr<Path> NamedPath(const Facts& from, const Facts& to, const std::vector<PortSelection>& ports,
                               const HostClient& from_host, const HostClient& to_host) {
  for (const auto& [host, facts] : {std::pair(&from_host, &from), std::pair(&to_host, &to)}) {
    if (!facts->ports) return absl::UnknownError("the ports of " + host->name + " are not known");
  }
  Path path{.from = FindPort(from, NameOf(ports.front())), .to = FindPort(to, NameOf(ports.back()))};
  if (path.from == nullptr) {
    return absl::NotFoundError("host " + from_host.name + " has no RDMA port " + NameOf(ports.front()));
  }
  if (path.to == nullptr)
    return absl::NotFoundError("host " + to_host.name + " has no RDMA port " + NameOf(ports.back()));
  Facts a;
  Facts b;
  a.ports = std::vector<Port>{*path.from};
  b.ports = std::vector<Port>{*path.to};
  const Pairing pairing = PairPorts(a, b, from_host.name, to_host.name);
  if (pairing.pairs.empty()) return NoPathStatus(pairing);
  path.from_address = pairing.pairs[0].a_address;
  path.to_address = pairing.pairs[0].b_address;
  return path;
}

absl::StatusOr<std::vector<Path>> Paths(const Facts& from, const Facts& to,
                                        const std::vector<PortSelection>& ports, const HostClient& from_host,
                                        const HostClient& to_host) {
  if (!ports.empty()) {
    absl::StatusOr<Path> path = NamedPath(from, to, ports, from_host, to_host);
    if (!path.ok()) return path.status();
    return std::vector<Path>{*std::move(path)};
  }
  const Pairing pairing = PairPorts(from, to, from_host.name, to_host.name);
  if (pairing.pairs.empty()) return NoPathStatus(pairing);
  std::vector<Path> paths;
  for (const PortPair& pair : pairing.pairs) {
    paths.push_back({&(*from.ports)[pair.a_port], &(*to.ports)[pair.b_port], pair.a_address, pair.b_address});
  }
  return paths;
}

}  // namespace

absl::StatusOr<PortSelection> ParsePort(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash != std::string_view::npos && slash > 0) {
    const auto number = ParseNumber<std::uint32_t>(text.substr(slash + 1));
    if (number && *number > 0)
      return PortSelection{.device = std::string(text.substr(0, slash)), .number = *number};
  }
  return absl::InvalidArgumentError("port '" + std::string(text) + "': DEVICE/NUMBER expected, like mlx5_0/1");
}

ExitStatus RefusedTest(const absl::Status& status, bool port_named) {
  if (absl::IsFailedPrecondition(status)) return ExitStatus::kNotReady;
  if (absl::IsNotFound(status) && !port_named) return ExitStatus::kNotReady;
  return CallFailure(status);
}

TestRunner::TestRunner(Console& console) : console_(console), caller_(CallerName()) {
  now_.run.run_id = MakeRunId();
}

TestRunner::Snapshot TestRunner::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void TestRunner::Loopback(const HostClient& host, const PortSelection& port,
                          const std::vector<std::string>& cases, const TransferOptions& options) {
  const absl::StatusOr<Facts> facts = FactsOf(host);
  if (!facts.ok()) return;
  const auto add = [&](const PortTransfer& transfer) {
    const Port* known = FindPort(*facts, transfer.port);
    TransferPlace place{.rung = Rung::kLoopback,
                        .subject = known != nullptr ? SubjectOf(*known) : transfer.port};
    if (known != nullptr) {
      place.software = known->software && *known->software;
      if (known->netdev) place.netdev = known->netdev->name;
    }
    const std::vector<EndCounters> counters{{host.name, transfer.port, transfer.result.error_counters}};
    Add({.from = host.name,
         .to = host.name,
         .subject = place.subject,
         .software = place.software,
         .result = transfer.result,
         .counters = counters,
         .findings = {JudgeTransfer(transfer.result, place, counters)}});
    if (transfer.reverse) AddReverse(host, host, place, transfer.reverse);
    NotStored(host.name, transfer.store_error);
  };
  const absl::Status status = host.agent->TestLoopback(
      port, cases, caller_, now_.run.run_id,
      [&](const std::string& what) { console_.Progress(host.name + ": " + what); }, add, options);
  if (!status.ok()) Fail(RefusedTest(status, !port.device.empty()), host.name, Message(status));
}

void TestRunner::Peer(const HostClient& from, const HostClient& to, const std::vector<PortSelection>& ports,
                      const std::vector<std::string>& cases, const TransferOptions& options) {
  const absl::StatusOr<Facts> from_facts = FactsOf(from);
  if (!from_facts.ok()) return;
  const absl::StatusOr<Facts> to_facts = FactsOf(to);
  if (!to_facts.ok()) return;
  const absl::StatusOr<std::vector<Path>> paths = Paths(*from_facts, *to_facts, ports, from, to);
  if (!paths.ok()) return Fail(RefusedTest(paths.status(), !ports.empty()), from.name, Message(paths.status()));
  for (const Path& path : *paths) {
    const TransferPlace place = PlaceOf(*path.from, *path.to, to.name, path.to_address);
    const TransferPlace back = PlaceOf(*path.to, *path.from, from.name, path.from_address);
    PeerTest test{.from_port = {path.from->device, path.from->number, path.from_address},
                  .to_port = {path.to->device, path.to->number, path.to_address},
                  .caller = caller_,
                  .run_id = now_.run.run_id,
                  .options = options};
    for (const std::string& name : cases.empty() ? CaseNames(Rung::kPeer) : cases) {
      test.case_name = name;
      if (!PeerCase(from, to, test, place, back)) return;
    }
  }
}

bool TestRunner::PeerCase(const HostClient& from, const HostClient& to, const PeerTest& test,
                          const TransferPlace& place, const TransferPlace& back) {
  console_.Progress(from.name + " -> " + to.name + " " + place.subject + ": " + test.case_name);
  PeerAnswer answer = RunPeerTest(*from.agent, *to.agent, test);
  NotStored(from.name, answer.from_store_error);
  NotStored(to.name, answer.to_store_error);
  for (const auto& [host, status] :
       {std::pair(&from, &answer.from_status), std::pair(&to, &answer.to_status)}) {
    if (!absl::IsInvalidArgument(*status)) continue;  // options beyond the agent's limits: no case will do
    Fail(ExitStatus::kUsage, host->name, Message(*status));
    return false;
  }
  const std::optional<TransferResult> reverse = std::move(answer.reverse);
  TransferPlace on_rung = place;
  on_rung.rung = PairRungOf(test.case_name);
  PeerVerdict verdict = JudgePeer(std::move(answer), test.case_name, on_rung, from.name);
  Add({.from = from.name,
       .to = to.name,
       .subject = place.subject,
       .software = place.software,
       .result = std::move(verdict.result),
       .counters = std::move(verdict.counters),
       .findings = {std::move(verdict.finding)}});
  AddReverse(to, from, back, reverse);
  if (!verdict.from_error.empty()) Fail(ExitStatus::kUnreachable, from.name, verdict.from_error);
  if (!verdict.to_error.empty()) Fail(ExitStatus::kUnreachable, to.name, verdict.to_error);
  return verdict.from_error.empty() && verdict.to_error.empty();
}

void TestRunner::AddReverse(const HostClient& from, const HostClient& to, const TransferPlace& place,
                            const std::optional<TransferResult>& result) {
  if (!result) return;
  TransferPlace on_rung = place;
  if (place.rung != Rung::kLoopback) on_rung.rung = PairRungOf(result->case_name);
  Add({.from = from.name,
       .to = to.name,
       .subject = place.subject,
       .software = place.software,
       .result = *result,
       .findings = {JudgeTransfer(*result, on_rung)}});
}

absl::StatusOr<Facts> TestRunner::FactsOf(const HostClient& host) {
  absl::StatusOr<Facts> facts = host.agent->GetFacts();
  if (!facts.ok()) Fail(CallFailure(facts.status()), host.name, Message(facts.status()));
  return facts;
}

void TestRunner::Add(TransferRow row) {
  const std::lock_guard lock(mutex_);
  now_.run.rows.push_back(std::move(row));
}

void TestRunner::NotStored(const std::string& host, const std::string& error) {
  if (error.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::string line = "host " + host + ": the result was not stored: " + error;
  if (std::ranges::find(now_.run.store_errors, line) == now_.run.store_errors.end())
    now_.run.store_errors.push_back(line);
}

void TestRunner::Fail(ExitStatus status, const std::string& host, const std::string& error) {
  const std::lock_guard lock(mutex_);
  if (!now_.run.error.empty()) return;
  now_.run.error = error;
  now_.failure = status;
  now_.failed_host = host;
}

}  // namespace rdmaready
