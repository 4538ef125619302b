// SPDX-License-Identifier: Apache-2.0
// Commands: the table of what `rdmaready` can do. A command is a row and a function.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/client_options.h"
#include "api/client/tls.h"
#include "api/model/report.h"
#include "cli/console.h"
#include "cli/context/fill.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/render/format/format.h"
#include "cli/style.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 is called so
class App;
}

namespace rdmaready {

struct GlobalOptions {
  const Format* format = &TextFormat();
  bool nagios_exit = false;  // the exit status is that of a monitoring plugin
  ColorChoice color = ColorChoice::kAuto;
  bool insecure = false;
  TlsFiles tls{};
  std::string tls_name{};  // what certificates must carry, instead of the host as named
  std::shared_ptr<const TlsMaterial> credentials{};    // the files of `tls`, read; null without
  std::optional<std::chrono::milliseconds> timeout{};  // of connecting and of one call; unset: ClientOptions'
  std::string context{};                               // --context; empty: not given
  std::vector<std::string> program{};  // of `failover`: the arguments behind a lone --, as they are
  FilledOptions filled{};              // which of the above, and of the command's own, are from elsewhere
};

// What every command is given.
struct Context {
  const GlobalOptions& global;
  Console& console;
  Interrupt& interrupt;
  bool& warned;  // set by a command whose result is well but for what is to be looked at

  const Format& format() const { return *global.format; }
  Look look(bool verbose = false) const { return {.style = style(), .verbose = verbose}; }
  Style style() const { return ChooseStyle(global.color, console.OutTraits()); }
  ClientOptions client() const;

  // The object of `json` where the format is one of objects, else `text`.
  void Print(const std::string& json, const std::string& text) const;

  // What the process ends with.
  int Ending(ExitStatus status) const {
    return global.nagios_exit ? NagiosStatusOf(status, warned) : static_cast<int>(status);
  }

  // Says why the command ends, as one line or as an object, and returns `status`.
  ExitStatus Fail(ExitStatus status, const std::string& error, const std::string& host = {}) const;

  // Names, one on a line, or `json`, the object of them (render/json.h); returns kOk.
  ExitStatus List(const std::string& json, const std::vector<std::string>& names) const;
};

using Action = std::function<ExitStatus(const Context&)>;

inline bool HasWarning(const std::vector<Finding>& findings) {
  return std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.outcome == Outcome::kWarn && !finding.waived; });
}

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;
  // Adds the command's options to `app` and returns what it does once they are parsed. `global` puts the
  // options of every command on a subcommand.
  Action (*define)(CLI::App& app, const std::function<void(CLI::App&)>& global);
  // It asks hosts or a hub: options that are left out are filled in (cli/context/fill.h).
  bool asks = true;
};

std::span<const Command> AllCommands();

// --max-time of a command that tells what it knows when that is over.
struct MaxTime {
  std::optional<std::chrono::milliseconds> limit{};
  std::string word{};  // as it was given: "30s"
  std::string option = "--max-time";

  std::string Cut() const { return "out of time (" + option + " " + word + ")"; }
  // Nothing without a limit. `conclude` shows it, and returns the status.
  void Arm(const Context& context, const std::function<ExitStatus(const std::string& cut)>& conclude) const;
};
void AddMaxTime(CLI::App& app, MaxTime& max_time);

// --in-production, of a command that makes live tests.
void AddInProduction(CLI::App& app, bool& in_production);

Action DefineCheck(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineFacts(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineTest(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineIncast(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineFailover(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineEts(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefinePfc(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineCompare(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineReport(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineProbe(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineEnv(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefinePlan(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineApply(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineConfirm(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineRollback(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineForget(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineStatus(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineHistory(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineFleet(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineBundle(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineExplain(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineProfile(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefinePki(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineContext(CLI::App& app, const std::function<void(CLI::App&)>& global);
Action DefineVersion(CLI::App& app, const std::function<void(CLI::App&)>& global);

// Parses the command line and does what it says, or completes one (cli/completion.h). Exceptions of the parser
// end here.
int RunCommandLine(int argc, const char* const* argv, Console& console, Interrupt& interrupt);

}  // namespace rdmaready
