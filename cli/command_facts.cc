// SPDX-License-Identifier: Apache-2.0
// rdmaready facts: what is known of hosts.
#include <memory>
#include <utility>

#include "api/base/status.h"
#include "cli/commands.h"
#include "cli/fan_out.h"
#include "cli/host_clients.h"
#include "cli/hosts.h"
#include "cli/render_json.h"
#include "cli/render_text.h"

namespace rdmaready {
namespace {

struct Options {
  std::vector<std::string> hosts{};
  std::string inventory{};
};

HostFacts Ask(const HostClient& host) {
  HostFacts answer{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return answer;
  absl::StatusOr<Facts> facts = host.agent->GetFacts();
  if (facts.ok()) {
    answer.facts = *std::move(facts);
  } else {
    answer.error = Message(facts.status());
    answer.failure = CallFailure(facts.status());
  }
  return answer;
}

ExitStatus RunFacts(const Context& context, const Options& options) {
  const absl::StatusOr<std::vector<HostAddress>> addresses = ChooseHosts(options.hosts, options.inventory);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  context.console.Progress("reading facts");
  const absl::StatusOr<std::vector<HostClient>> clients =
      OpenClients(*addresses, context.client(), context.interrupt);
  if (!clients.ok()) return context.Fail(ExitStatus::kUsage, Message(clients.status()));
  FactsRun run;
  run.hosts.resize(clients->size());
  FanOut(clients->size(), [&](std::size_t i) { run.hosts[i] = Ask((*clients)[i]); });
  context.interrupt.Disarm();
  context.console.EraseProgress();

  ExitStatus status = ExitStatus::kOk;
  FactsRun answered;
  for (const HostFacts& host : run.hosts) {
    status = Worse(status, host.failure);
    if (host.error.empty()) answered.hosts.push_back(host);
  }
  if (context.global.json) {
    context.console.Print(FactsJson(run));
    return status;
  }
  context.console.Print(FactsText(answered, context.style()));
  for (const HostFacts& host : run.hosts) {
    if (!host.error.empty()) context.console.Error(host.error);
  }
  return status;
}

}  // namespace

Action DefineFacts(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<Options>();
  app.add_option("HOST", options->hosts, "name-or-address[:port] of an agent; none: this host");
  app.add_option("--inventory", options->inventory,
                 "A file with one host per line, # for comments; - for standard input")
      ->type_name("FILE");
  return [options](const Context& context) { return RunFacts(context, *options); };
}

}  // namespace rdmaready
