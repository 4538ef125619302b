// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet: what a hub knows of many hosts.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "api/base/status.h"
#include "api/client/fleet_client.h"
#include "cli/command/fleet_access.h"
#include "cli/command/fleet_acts.h"
#include "cli/command/fleet_past.h"
#include "cli/command/fleet_verb.h"
#include "cli/command/fleet_views.h"
#include "cli/commands.h"

namespace rdmaready {
namespace {

// Where nobody named the hub, that may be the whole fault.
std::string HowToNameIt(const Context& context) {
  if (!context.global.filled.Has("hub", ValueSource::kBuiltIn)) return {};
  return " (--hub, RDMAREADY_HUB or `rdmaready context set` names another hub)";
}

ExitStatus AskHub(const Context& context, const FleetOptions& options, const FleetVerb& verb) {
  const absl::StatusOr<std::unique_ptr<FleetClient>> hub = FleetClient::Connect(options.hub, context.client());
  if (!hub.ok())
    return context.Fail(ConnectFailure(hub.status()), Message(hub.status()) + HowToNameIt(context));
  return verb.work(context, **hub, options);
}

}  // namespace

Action DefineFleet(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto options = std::make_shared<FleetOptions>();
  std::vector<FleetVerb> verbs = DefineFleetViews(app, *options);
  verbs.push_back(DefineFleetPast(app, *options));
  std::ranges::copy(DefineFleetActs(app, *options), std::back_inserter(verbs));
  std::ranges::copy(DefineFleetAccess(app), std::back_inserter(verbs));
  for (const FleetVerb& verb : verbs) {
    verb.app
        ->add_option("--hub", options->hub,
                     "The hub, HOST[:PORT]; else RDMAREADY_HUB, else that of the context, else 127.0.0.1:7473")
        ->type_name("HOST");
    global(*verb.app);
  }
  app.require_subcommand(1);
  return [=](const Context& context) {
    const auto chosen = std::ranges::find_if(verbs, [](const FleetVerb& verb) { return verb.app->parsed(); });
    return AskHub(context, *options, *chosen);
  };
}

}  // namespace rdmaready
