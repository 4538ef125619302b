// SPDX-License-Identifier: Apache-2.0
#include "cli/command/fleet_past.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/fleet_names.h"
#include "cli/render/fleet_json.h"
#include "cli/render/text_fleet_past.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostTestsShown = 1'000'000;

struct PastFlags {
  FleetClient::PastWords words{};
  bool slower = false;
};

ExitStatus ShowPast(const Context& context, FleetClient& hub, const FleetOptions& options,
                    const PastFlags& flags) {
  FleetClient::PastWords words = flags.words;
  if (flags.slower) words.states = {PastState::kSlower};
  const absl::StatusOr<FleetClient::PastAnswer> answer = hub.Past(options.filter, words, options.limit);
  if (!answer.ok()) return FleetCallFailed(context, answer.status());
  context.Print(
      FleetPastJson(answer->tests, answer->of),
      FleetPastText(ForPeople(context, hub, answer->tests), answer->of, flags.slower, context.style()));
  return ExitStatus::kOk;
}

}  // namespace

FleetVerb DefineFleetPast(CLI::App& fleet, FleetOptions& options) {
  const auto flags = std::make_shared<PastFlags>();
  CLI::App& verb = NewFleetVerb(
      fleet, "past", "What live tests showed last, and in the 30 days before: the slower ones first",
      "\nExamples:\n  rdmaready fleet past --slower\n  rdmaready fleet past 'node[001-020]' --port 'mlx5_0/*'");
  AddFleetFilter(verb, options);
  verb.add_option("--port", flags->words.ports, "Only tests through this port, or 'mlx5_0/*'")
      ->type_name("PORT")
      ->allow_extra_args(false);
  verb.add_option("--case", flags->words.cases, "Only tests of this case, or 'write-*'")
      ->type_name("CASE")
      ->allow_extra_args(false);
  verb.add_flag("--slower", flags->slower, "Only tests that are slower than before");
  verb.add_option("--limit", options.limit, "The first N tests")
      ->check(CLI::Range(std::size_t{1}, kMostTestsShown))
      ->type_name("N")
      ->capture_default_str();
  return {&verb, [flags](const Context& context, FleetClient& hub, const FleetOptions& asked) {
            return ShowPast(context, hub, asked, *flags);
          }};
}

}  // namespace rdmaready
