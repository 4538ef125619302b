// SPDX-License-Identifier: Apache-2.0
// rdmaready history: what hosts remember.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "cli/commands.h"
#include "cli/fleet/history_run.h"
#include "cli/fleet/host_answers.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/host_flags.h"
#include "cli/one_of.h"
#include "cli/render/baseline.h"
#include "cli/render/json.h"
#include "cli/render/text.h"
#include "cli/since.h"

namespace rdmaready {
namespace {

struct HistoryOptions {
  HostFlags named{};
  int limit = 20;
  std::string since{};
  std::string run_id{};
  std::string kind = "all";
  bool baseline = false;
};

absl::StatusOr<HistoryQuery> QueryOf(const HistoryOptions& options) {
  HistoryQuery query{.limit = options.limit, .run_id = options.run_id, .with_texts = !options.run_id.empty()};
  if (options.kind == "run") query.kind = HistoryQuery::Kind::kRuns;
  if (options.kind == "transfer") query.kind = HistoryQuery::Kind::kTransfers;
  if (!options.since.empty()) {
    const absl::StatusOr<std::int64_t> since = ParseSince(options.since, UnixNowNs());
    if (!since.ok()) return absl::InvalidArgumentError("--since: " + Message(since.status()));
    query.since_unix_ns = *since;
  }
  return query;
}

// The run before those that are shown tells what changed in the oldest of them.
absl::StatusOr<HostHistory> Remember(AgentClient& agent, const HistoryQuery& query) {
  RR_ASSIGN_OR_RETURN(History history, agent.ListHistory(query));
  HostHistory answer{.history = std::move(history)};
  std::vector<RunRecord> runs = answer.history.runs;
  if (!runs.empty()) {
    RR_ASSIGN_OR_RETURN(History before, agent.ListHistory({.kind = HistoryQuery::Kind::kRuns,
                                                           .limit = 1,
                                                           .before_unix_ns = runs.back().started_unix_ns}));
    std::ranges::move(before.runs, std::back_inserter(runs));
  }
  answer.changes = ChangesOf(runs);
  answer.changes.resize(answer.history.runs.size());
  return answer;
}

// A host without an applier has a history all the same, and so has one whose applier does not answer.
std::string AuditHeadOf(AgentClient& agent) {
  constexpr std::chrono::milliseconds kWithin{5000};
  const absl::StatusOr<ApplierStatus> status = agent.GetApplier(kWithin);
  return status.ok() ? status->audit_head : "";
}

HostHistory Ask(const HostClient& host, const HistoryQuery& query) {
  HostHistory failed{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return failed;
  absl::StatusOr<HostHistory> answer = Remember(*host.agent, query);
  if (answer.ok()) {
    answer->host = host.name;
    answer->audit_head = AuditHeadOf(*host.agent);
    return *std::move(answer);
  }
  failed.error = Message(answer.status());
  failed.failure = CallFailure(answer.status());
  return failed;
}

HostBaselines AskPast(const HostClient& host) {
  HostBaselines answer{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return answer;
  absl::StatusOr<std::vector<CaseBaseline>> baselines = host.agent->Baseline({});
  if (baselines.ok()) {
    answer.baselines = *std::move(baselines);
  } else {
    answer.error = Message(baselines.status());
    answer.failure = CallFailure(baselines.status());
  }
  return answer;
}

ExitStatus PrintBaselines(const Context& context, const BaselineRun& run) {
  ExitStatus status = ExitStatus::kOk;
  for (const HostBaselines& host : run.hosts) status = Worse(status, host.failure);
  context.Print(BaselineJson(run), BaselineText(run, context.style()));
  for (const HostBaselines& host : run.hosts) {
    if (!host.error.empty() && context.format().object == nullptr) context.console.Error(host.error);
  }
  return status;
}

ExitStatus ShowBaselines(const Context& context, std::vector<HostClient>& clients) {
  HostAnswers<HostBaselines> answers(clients);
  context.interrupt.Add([&] {
    if (answers.HasAny()) static_cast<void>(PrintBaselines(context, {.hosts = answers.All()}));
  });
  answers.AskAll(clients, AskPast);
  if (const absl::Status apart = CheckNoTwins(clients); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  return PrintBaselines(context, {.hosts = answers.All()});
}

bool IsEmpty(const HistoryRun& run) {
  return std::ranges::all_of(run.hosts, [](const HostHistory& host) {
    return host.history.runs.empty() && host.history.transfers.empty();
  });
}

ExitStatus ShowHistory(const Context& context, const HistoryRun& run) {
  ExitStatus status = ExitStatus::kOk;
  for (const HostHistory& host : run.hosts) status = Worse(status, host.failure);
  context.console.Print(context.format().history(run, context.look()));
  for (const HostHistory& host : run.hosts) {
    if (!host.error.empty() && context.format().object == nullptr) context.console.Error(host.error);
  }
  return status;
}

ExitStatus RunHistory(const Context& context, const HistoryOptions& options) {
  const absl::StatusOr<std::vector<HostAddress>> addresses = ChooseHosts(options.named);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  const absl::StatusOr<HistoryQuery> query = QueryOf(options);
  if (!query.ok()) return context.Fail(ExitStatus::kUsage, Message(query.status()));
  context.console.Progress("connecting");
  std::vector<HostClient> clients = NameClients(*addresses, context.client(), context.interrupt);
  if (options.baseline) return ShowBaselines(context, clients);
  HostAnswers<HostHistory> answers(clients);
  const auto known = [&] { return HistoryRun{.with_texts = query->with_texts, .hosts = answers.All()}; };
  context.interrupt.Add([&] {
    if (answers.HasAny()) static_cast<void>(ShowHistory(context, known()));
  });
  answers.AskAll(clients, [&](const HostClient& host) { return Ask(host, *query); });
  if (const absl::Status apart = CheckNoTwins(clients); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  const HistoryRun run = known();
  const bool answered =
      std::ranges::all_of(run.hosts, [](const HostHistory& host) { return host.failure == ExitStatus::kOk; });
  if (answered && !options.run_id.empty() && IsEmpty(run)) {
    return context.Fail(ExitStatus::kUsage, "no host has a run '" + options.run_id + "'");
  }
  return ShowHistory(context, run);
}

}  // namespace

Action DefineHistory(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<HistoryOptions>();
  AddHostFlags(app, options->named);
  app.add_option("--limit", options->limit, "The newest N runs, and the newest N transfers")
      ->check(CLI::Range(1, kMaxHistory))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--since", options->since,
                 "Only what began since then: 24h, 7d, 2026-11-20, 2026-11-20T19:17 (UTC)")
      ->type_name("TIME");
  app.add_option("--run", options->run_id,
                 "Only this run, in full: its id, or what stands behind the '-' in it")
      ->type_name("ID");
  app.add_option("--kind", options->kind, "run, transfer or all")
      ->check(OneOf({"run", "transfer", "all"}))
      ->type_name("KIND")
      ->capture_default_str();
  CLI::Option* baseline =
      app.add_flag("--baseline", options->baseline,
                   "What live tests showed last, and in the 30 days before; and since when it is so");
  for (const char* other : {"--limit", "--since", "--run", "--kind"}) baseline->excludes(app.get_option(other));
  return [options](const Context& context) { return RunHistory(context, *options); };
}

}  // namespace rdmaready
