// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/client/revocation.h"
#include "cli/completion.h"
#include "cli/context/defaults.h"
#include "cli/explanation.h"
#include "cli/one_of.h"
#include "cli/render/json.h"

namespace rdmaready {
namespace {

constexpr std::string_view kExitText =
    "Exit status: 0 ready or ok, 1 not ready or a test failed, 2 usage or a bad file, 3 could not be "
    "determined,\n"
    "4 a host cannot be reached, or refuses this caller, 130 interrupted";

// What --output writes for a command, in a line of its help. No command: for any.
std::string OutputHelp(std::string_view command) {
  std::string text;
  for (const Format& format : AllFormats()) {
    if (!command.empty() && !Knows(format, command)) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", format.name, format.meaning);
  }
  return command.empty() ? text + "; each command says which of them it writes" : text;
}

// CLI11 validates by exceptions; they end in RunCommandLine.
void AddOutputOptions(CLI::App& app, GlobalOptions& global, std::string_view command) {
  app.add_option_function<std::string>(
         "--output",
         [&global, command](const std::string& value) {
           const absl::Status known = CheckFormat(value, command);
           if (!known.ok()) throw CLI::ValidationError(Message(known));
           global.format = FindFormat(value);
         },
         OutputHelp(command))
      ->type_name("FORMAT");
  if (!command.empty() && !Knows(*FindFormat("nagios"), command)) return;
  app.add_option_function<std::string>(
         "--exit-style", [&global](const std::string& value) { global.nagios_exit = value == "nagios"; },
         "standard (see below), or nagios: 0 OK, 1 warning, 2 not ready, 3 unknown, as a monitoring plugin "
         "ends")
      ->check(OneOf({"standard", "nagios"}))
      ->type_name("STYLE");
}

void AddGlobalOptions(CLI::App& app, GlobalOptions& global, std::string_view command) {
  AddOutputOptions(app, global, command);
  app.add_option_function<std::string>(
         "--timeout",
         [&global](const std::string& value) {
           const absl::StatusOr<std::chrono::milliseconds> timeout = ParseDuration(value);
           if (!timeout.ok()) throw CLI::ValidationError("--timeout", Message(timeout.status()));
           global.timeout = *timeout;
         },
         "How long a host may take for its part, and for connecting: 60, 60s, 2m (default 120s, and 5s for "
         "connecting)")
      ->type_name("TIME");
  app.add_option_function<std::string>(
         "--color",
         [&global](const std::string& value) {
           global.color = value == "always"  ? ColorChoice::kAlways
                          : value == "never" ? ColorChoice::kNever
                                             : ColorChoice::kAuto;
         },
         "auto, always or never")
      ->check(OneOf({"auto", "always", "never"}))
      ->type_name("WHEN");
  app.add_option("--tls-ca", global.tls.ca,
                 "Speak TLS, with agents whose certificate is signed by this CA (PEM)")
      ->type_name("FILE");
  app.add_option("--tls-cert", global.tls.certificate, "Our certificate for agents, which ask for one (PEM)")
      ->type_name("FILE");
  app.add_option("--tls-key", global.tls.key, "Its private key")->type_name("FILE");
  app.add_option("--tls-crl", global.tls.crl, "Whose certificates are revoked: lists (CRLs) of that CA (PEM)")
      ->type_name("FILE");
  app.add_option("--tls-name", global.tls_name,
                 "The name that certificates must carry (default: HOST as given)")
      ->type_name("NAME");
  app.add_flag("--insecure", global.insecure, "Allow plain text to hosts that are not this one");
  app.add_option(
         "--context", global.context,
         "Take what is not given of --tls-*, --insecure, --hub, --inventory and --profile from this context "
         "(see rdmaready context --help); none: from no context")
      ->type_name("NAME");
}

// Reads the files that --tls-* name, before any host is asked.
absl::Status LoadCredentials(GlobalOptions& global) {
  if (!global.tls.Any()) {
    if (global.tls_name.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("--tls-name is for TLS, which needs --tls-ca");
  }
  if (global.insecure) return absl::InvalidArgumentError("--insecure and --tls-* exclude each other");
  RR_ASSIGN_OR_RETURN(TlsMaterial material, LoadTls(global.tls, TlsRole::kCaller));
  global.credentials = std::make_shared<const TlsMaterial>(std::move(material));
  return absl::OkStatus();
}

// The format must be known also where the command line makes no sense.
const Format* FormatAskedFor(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--output";
  const Format* format = nullptr;
  for (int i = 1; i < argc && format == nullptr; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--output=")) format = FindFormat(word.substr(kOption.size() + 1));
    if (word == kOption && i + 1 < argc) format = FindFormat(argv[i + 1]);
  }
  return format == nullptr ? &TextFormat() : format;
}

// So must the kind of exit status: a monitor would take a slip in its own options for a sick host.
bool NagiosExitAskedFor(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--exit-style=nagios") return true;
    if (word == "--exit-style" && i + 1 < argc && std::string_view(argv[i + 1]) == "nagios") return true;
  }
  return false;
}

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

std::string CommandNames() {
  std::string text;
  for (const Command& command : AllCommands()) text += (text.empty() ? "" : ", ") + std::string(command.name);
  return text;
}

std::string UnknownCommand(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : AllCommands()) names.emplace_back(command.name);
  const std::string nearest = Nearest(word, names);
  return "unknown command '" + word + "'" + (nearest.empty() ? "" : " (did you mean " + nearest + "?)") +
         "; there are " + CommandNames();
}

// The innermost command that was named, with its parents: "rdmaready test peer".
const CLI::App& Innermost(const CLI::App& root, std::string& path) {
  const CLI::App* app = &root;
  path = root.get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    path += " " + app->get_name();
  }
  return *app;
}

// " (did you mean --level?)", or nothing.
std::string OptionMeant(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("--")) return {};
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  const std::string nearest = Nearest(word.substr(2, word.find('=') - 2), names);
  return nearest.empty() ? "" : " (did you mean --" + nearest + "?)";
}

std::string ParseTrouble(const CLI::App& root, const CLI::ParseError& error) {
  std::string path;
  const CLI::App& app = Innermost(root, path);
  const std::vector<std::string> rest = root.remaining(true);
  if (&app == &root) {
    const auto word =
        std::ranges::find_if(rest, [](const std::string& text) { return !text.starts_with('-'); });
    if (word != rest.end()) return UnknownCommand(*word);
  }
  std::string text = OneLine(error.what());
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !app.get_subcommands({}).empty()) {
    std::string names;
    for (const CLI::App* sub : app.get_subcommands({})) names += (names.empty() ? "" : ", ") + sub->get_name();
    text = app.get_name() + " takes one of " + names + (rest.empty() ? "" : ", not " + rest.front());
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !rest.empty()) {
    text = (rest.front().starts_with('-') ? "unknown option " : "unexpected argument ") + rest.front() +
           OptionMeant(app, rest.front());
  }
  return text + " (see " + path + " --help)";
}

struct Parser {
  CLI::App root{
      "Is this host, and this fabric, ready for SMB Direct and RDMA storage? Proves it, says why not.",
      "rdmaready"};
  GlobalOptions global;
  bool version = false;  // --version is the command of that name
  std::vector<std::pair<CLI::App*, Action>> actions;

  Parser() {
    AddGlobalOptions(root, global, {});
    root.add_flag("--version", version, "Show the version");
    root.require_subcommand(0, 1);
    root.footer("\nExamples:\n  rdmaready check\n  rdmaready check node1 node2 --level peer\n\n" +
                std::string(kExitText));
    for (const Command& command : AllCommands()) {
      CLI::App* app = root.add_subcommand(std::string(command.name), std::string(command.summary));
      const std::function<void(CLI::App&)> add_global = [this, &command](CLI::App& to) {
        AddGlobalOptions(to, global, command.name);
      };
      add_global(*app);
      app->footer("\nExamples:\n" + std::string(command.examples) + "\n\n" + std::string(kExitText));
      actions.emplace_back(app, command.define(*app, add_global));
    }
  }

  std::string ChosenName() const {
    for (const auto& [app, action] : actions) {
      if (version ? app->get_name() == "version" : app->parsed()) return app->get_name();
    }
    return {};
  }

  // Null when the command line names none.
  const Command* ChosenCommand() const {
    const auto found = std::ranges::find(AllCommands(), ChosenName(), &Command::name);
    return found == AllCommands().end() ? nullptr : &*found;
  }

  // The innermost one that was parsed.
  CLI::App& ChosenApp() {
    CLI::App* app = &root;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  }

  // What the parsed command line asks for; null when it names no command.
  const Action* Chosen() const {
    for (const auto& [app, action] : actions) {
      if (version ? app->get_name() == "version" : app->parsed()) return &action;
    }
    return nullptr;
  }
};

// Fills in what the command line leaves out, and reads the files of TLS, before any host is asked.
absl::Status TakeOptions(Parser& parser, const Context& context) {
  const Command* command = parser.ChosenCommand();
  if (command == nullptr || !command->asks) return absl::OkStatus();
  GlobalOptions& global = parser.global;
  CLI::App& chosen = parser.ChosenApp();
  Defaults defaults = DefaultsWithoutContext();
  if (AsksOthers(chosen) || !global.context.empty()) {
    RR_ASSIGN_OR_RETURN(defaults, ReadDefaults(global.context));
  }
  RR_ASSIGN_OR_RETURN(global.filled, FillOptions(chosen, std::move(defaults)));
  if (const absl::Status loaded = LoadCredentials(global); !loaded.ok())
    return {loaded.code(), Message(loaded) + global.filled.TlsPlaces()};
  // Nobody typed it, so each command says it; in a format for programs, too.
  if (global.filled.Has(kInsecureKey, ValueSource::kContext))
    context.console.Error("plain text is allowed by " + global.filled.defaults.Place(kInsecureKey));
  return absl::OkStatus();
}

// After the hooks that show what is known so far: a program gets an object in any case.
void SayInterrupted(const GlobalOptions& global, Console& console) {
  if (global.format->object != nullptr && !console.HasPrinted()) {
    console.Print(global.format->object(ErrorJson(ExitStatus::kInterrupted, "", "interrupted")));
  } else {
    console.Error("interrupted");
  }
}

// To a person; a program's output has no place for it, and the agents' logs say so of theirs.
void WarnOfStaleList(const Context& context) {
  if (context.global.credentials == nullptr || context.format().object != nullptr) return;
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(context.global.credentials->crl);
  const std::string why = lists.ok() ? lists->WhyStale() : std::string();
  if (!why.empty()) context.console.Error("--tls-crl: " + why + "; it goes on being applied");
}

}  // namespace

ClientOptions Context::client() const {
  ClientOptions options;
  options.call_timeout = global.timeout.value_or(options.call_timeout);
  options.connect_timeout = global.timeout.value_or(options.connect_timeout);
  options.insecure = global.insecure;
  options.tls = global.credentials;
  options.tls_name = global.tls_name;
  options.tls_places = global.filled.TlsPlaces();
  return options;
}

ExitStatus Context::Fail(ExitStatus status, const std::string& said, const std::string& host) const {
  interrupt.Disarm();
  const std::string error = global.filled.WithPlaces(said);
  std::string told;
  if (format().object != nullptr) {
    told = format().object(ErrorJson(status, host, error));
  } else if (format().failure != nullptr) {
    told = format().failure(status, host, error);
  }
  if (told.empty()) {
    console.Error(error);
  } else {
    console.Print(told);
  }
  return status;
}

void Context::Print(const std::string& json, const std::string& text) const {
  console.Print(format().object != nullptr ? format().object(json) : text);
}

void MaxTime::Arm(const Context& context, const std::function<ExitStatus(const std::string&)>& conclude) const {
  if (!limit) return;
  context.interrupt.EndAt(std::chrono::steady_clock::now() + *limit, [&context, conclude, cut = Cut()] {
    context.console.EraseProgress();
    return context.Ending(conclude(cut));
  });
}

void AddInProduction(CLI::App& app, bool& in_production) {
  app.add_flag(
      "--in-production", in_production,
      "Also test a port that others use, where its agent allows it (--allow-in-production): at most at 5 % "
      "of the port's rate. Else such a port is not tested");
}

void AddMaxTime(CLI::App& app, MaxTime& max_time) {
  app.add_option_function<std::string>(
         "--max-time",
         [&max_time](const std::string& value) {
           const absl::StatusOr<std::chrono::milliseconds> limit = ParseDuration(value);
           if (!limit.ok()) throw CLI::ValidationError("--max-time", Message(limit.status()));
           max_time.limit = *limit;
           max_time.word = value;
         },
         "End after this time with what is known: what was not done is unknown, and hosts that did not answer "
         "are "
         "named (30, 30s, 5m)")
      ->type_name("TIME");
}

ExitStatus Context::List(const std::string& json, const std::vector<std::string>& names) const {
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  Print(json, lines);
  return ExitStatus::kOk;
}

namespace {

// Takes the program of `failover` off the command line, of whose arguments CLI11 would change some ("[a,b]").
int TakeProgram(int argc, const char* const* argv, std::vector<std::string>& program) {
  const auto* const end = argv + argc;
  if (argc < 2 || std::string_view(argv[1]) != "failover") return argc;
  const auto* const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return argc;
  program.assign(dashes + 1, end);
  return static_cast<int>(dashes - argv);
}

}  // namespace

int RunCommandLine(int all, const char* const* argv, Console& console, Interrupt& interrupt) {
  Parser parser;
  const int argc = TakeProgram(all, argv, parser.global.program);
  if (argc > 1 && argv[1] == kCompletionWord) {
    console.Print(CompletionText(Complete(parser.root, {argv + 2, argv + argc})));
    return console.Flush() ? 0 : static_cast<int>(ExitStatus::kOwnFailure);
  }
  bool warned = false;
  const Context context{parser.global, console, interrupt, warned};
  ExitStatus status = ExitStatus::kOk;
  try {
    parser.root.parse(argc, argv);
    if (parser.Chosen() == nullptr) {
      status = context.Fail(ExitStatus::kUsage, "a command is needed: " + CommandNames() +
                                                    "; to begin: rdmaready check (see rdmaready --help)");
    } else if (const absl::Status known = CheckFormat(parser.global.format->name, parser.ChosenName());
               !known.ok()) {
      status = context.Fail(ExitStatus::kUsage, Message(known));
    } else if (const absl::Status taken = TakeOptions(parser, context); !taken.ok()) {
      status = context.Fail(ExitStatus::kUsage, Message(taken));
    }
  } catch (const CLI::Success&) {  // --help
    std::string path;
    const CLI::App& app = Innermost(parser.root, path);
    console.Print(app.help(path.substr(0, path.size() - std::min(path.size(), app.get_name().size() + 1))));
    return console.Flush() ? 0 : static_cast<int>(ExitStatus::kOwnFailure);
  } catch (const CLI::ParseError& error) {
    parser.global.format = FormatAskedFor(argc, argv);
    parser.global.nagios_exit = NagiosExitAskedFor(argc, argv);
    status = context.Fail(ExitStatus::kUsage, ParseTrouble(parser.root, error));
  }
  interrupt.Add([&] { SayInterrupted(parser.global, console); });
  if (status == ExitStatus::kOk) WarnOfStaleList(context);
  if (status == ExitStatus::kOk) status = interrupt.Run([&] { return (*parser.Chosen())(context); });
  console.EraseProgress();
  if (!console.Flush()) {
    console.Error("the output could not be written");
    if (status == ExitStatus::kOk) status = ExitStatus::kOwnFailure;
  }
  return context.Ending(status);
}

}  // namespace rdmaready
