// SPDX-License-Identifier: Apache-2.0
// rdmaready context: named sets of the options that every command repeats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "cli/commands.h"
#include "cli/context/context_file.h"
#include "cli/context/defaults.h"
#include "cli/one_of.h"
#include "cli/render/context_run.h"

namespace rdmaready {
namespace {

struct ContextFlags {
  std::string name{};
  std::vector<std::string> keys{};
  std::string hub{};
  std::string inventory{};
  std::string profile{};
};

// The values that `set` was given, by key. The options of TLS are those of every command.
std::map<std::string, std::string, std::less<>> GivenValues(const GlobalOptions& global,
                                                            const ContextFlags& flags) {
  std::map<std::string, std::string, std::less<>> given{{"tls_ca", global.tls.ca},
                                                        {"tls_cert", global.tls.certificate},
                                                        {"tls_key", global.tls.key},
                                                        {"tls_crl", global.tls.crl},
                                                        {"tls_name", global.tls_name},
                                                        {"insecure", global.insecure ? "true" : ""},
                                                        {"hub", flags.hub},
                                                        {"inventory", flags.inventory},
                                                        {"profile", flags.profile}};
  std::erase_if(given, [](const auto& one) { return one.second.empty(); });
  return given;
}

// A path is kept whole: the command that takes it may run elsewhere.
absl::StatusOr<std::string> KeptForm(const SharedOption& option, const std::string& value) {
  if (option.kind == SharedKind::kFile && value == "-")
    return absl::InvalidArgumentError(fmt::format("{} -: a context holds no standard input", option.option));
  const bool path =
      option.kind == SharedKind::kFile || (option.kind == SharedKind::kProfile && LooksLikeAPath(value));
  if (!path) return value;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(value, error);
  return error ? value : whole.lexically_normal().string();
}

absl::Status SetIn(ContextFile& file, const std::string& name,
                   const std::map<std::string, std::string, std::less<>>& given) {
  NamedContext* context = file.Find(name);
  if (context == nullptr) {
    context = &file.contexts.emplace_back(NamedContext{.name = name});
    if (file.contexts.size() == 1) file.current = name;
  }
  for (const auto& [key, value] : given) {
    RR_ASSIGN_OR_RETURN(context->values[key], KeptForm(*FindSharedOption(key), value));
  }
  return CheckContext(*context);
}

absl::Status UnsetIn(ContextFile& file, const ContextFlags& flags) {
  NamedContext* context = file.Find(flags.name);
  if (context == nullptr) return NoSuchContext(file, flags.name);
  for (const std::string& key : flags.keys) {
    if (context->values.erase(key) == 0)
      return absl::NotFoundError(fmt::format("context {} has no {}", flags.name, key));
  }
  return absl::OkStatus();
}

absl::Status UseIn(ContextFile& file, const std::string& name) {
  if (name != kNoContext && file.Find(name) == nullptr) return NoSuchContext(file, name);
  file.current = name == kNoContext ? std::string() : name;
  return absl::OkStatus();
}

absl::Status DeleteIn(ContextFile& file, const std::string& name) {
  if (file.Find(name) == nullptr) return NoSuchContext(file, name);
  std::erase_if(file.contexts, [&](const NamedContext& context) { return context.name == name; });
  if (file.current == name) file.current.clear();
  return absl::OkStatus();
}

// On standard error: which context commands take, and what stops those that take this one. The rest of it may
// be set next.
void SayWhatIsMissing(const Context& context, const ContextFile& file, const std::string& name) {
  const NamedContext* set = file.Find(name);
  if (set == nullptr || context.format().object != nullptr) return;
  if (file.current != name)
    context.console.Error("it is not the current one: `rdmaready context use " + name + "`, or --context " +
                          name);
  const auto value = [&](std::string_view key) {
    const auto found = set->values.find(key);
    return found == set->values.end() ? std::string() : ResolvedValue(file, key, found->second);
  };
  const TlsFiles tls{.certificate = value("tls_cert"),
                     .key = value("tls_key"),
                     .ca = value("tls_ca"),
                     .crl = value("tls_crl")};
  if (!tls.Any()) return;
  const absl::StatusOr<TlsMaterial> loaded = LoadTls(tls, TlsRole::kCaller);
  if (!loaded.ok())
    context.console.Error("context " + name + " cannot be used yet: " + Message(loaded.status()));
}

// `done`: what is said of the file then: "context lab is set".
ExitStatus ChangeFile(const Context& context, const std::function<absl::Status(ContextFile&)>& change,
                      const std::string& done) {
  const absl::StatusOr<std::string> path = ContextFilePath();
  if (!path.ok()) return context.Fail(ExitStatus::kUsage, Message(path.status()));
  ContextFile after;
  const absl::Status changed = ChangeContexts(*path, [&](ContextFile& file) {
    RR_RETURN_IF_ERROR(change(file));
    after = file;
    return absl::OkStatus();
  });
  if (!changed.ok()) {
    const bool own = absl::IsInternal(changed) || absl::IsUnknown(changed);
    return context.Fail(own ? ExitStatus::kOwnFailure : ExitStatus::kUsage, Message(changed));
  }
  context.Print(ContextsJson(after), fmt::format("{} in {}\n", done, after.path));
  return ExitStatus::kOk;
}

ExitStatus RunSet(const Context& context, const ContextFlags& flags) {
  if (const absl::Status name = CheckContextName(flags.name); !name.ok())
    return context.Fail(ExitStatus::kUsage, Message(name));
  const auto given = GivenValues(context.global, flags);
  ContextFile after;
  const ExitStatus status = ChangeFile(
      context,
      [&](ContextFile& file) {
        RR_RETURN_IF_ERROR(SetIn(file, flags.name, given));
        after = file;
        return absl::OkStatus();
      },
      "context " + flags.name + " is set");
  if (status == ExitStatus::kOk) SayWhatIsMissing(context, after, flags.name);
  return status;
}

ExitStatus RunUse(const Context& context, const ContextFlags& flags) {
  const std::string named = flags.name == kNoContext ? "no context" : "context " + flags.name;
  return ChangeFile(
      context, [&](ContextFile& file) { return UseIn(file, flags.name); }, named + " is the current one");
}

ExitStatus RunUnset(const Context& context, const ContextFlags& flags) {
  return ChangeFile(
      context, [&](ContextFile& file) { return UnsetIn(file, flags); },
      "context " + flags.name + " is changed");
}

ExitStatus RunDelete(const Context& context, const ContextFlags& flags) {
  return ChangeFile(
      context, [&](ContextFile& file) { return DeleteIn(file, flags.name); },
      "context " + flags.name + " is deleted");
}

ExitStatus RunList(const Context& context) {
  const absl::StatusOr<std::string> path = ContextFilePath();
  if (!path.ok()) return context.Fail(ExitStatus::kUsage, Message(path.status()));
  const absl::StatusOr<ContextFile> file = ReadContexts(*path);
  if (!file.ok()) return context.Fail(ExitStatus::kUsage, Message(file.status()));
  context.Print(ContextsJson(*file), ContextsText(*file, context.style()));
  return ExitStatus::kOk;
}

ExitStatus RunShow(const Context& context, const ContextFlags& flags) {
  absl::StatusOr<Defaults> defaults = ReadDefaults(flags.name.empty() ? context.global.context : flags.name);
  if (!defaults.ok()) return context.Fail(ExitStatus::kUsage, Message(defaults.status()));
  ContextShown shown{.defaults = *std::move(defaults)};
  const absl::StatusOr<ContextFile> file = ReadContexts(shown.defaults.file);
  shown.is_current = file.ok() && !shown.defaults.context.empty() && file->current == shown.defaults.context;
  context.Print(ContextJson(shown), ContextText(shown, context.style()));
  return ExitStatus::kOk;
}

std::vector<std::string> SharedKeyNames() {
  std::vector<std::string> keys;
  for (const SharedOption& option : kSharedOptions) keys.emplace_back(option.key);
  return keys;
}

void AddSetFlags(CLI::App& set, ContextFlags& flags) {
  set.add_option("NAME", flags.name, "A new context, or one that is changed")->required();
  set.add_option("--hub", flags.hub, "The hub that `fleet` asks, HOST[:PORT]")->type_name("HOST");
  set.add_option("--inventory", flags.inventory,
                 "The inventory of --inventory without a FILE, and of --group and --rack")
      ->type_name("FILE");
  set.add_option("--profile", flags.profile,
                 "The profile, or site file, of named hosts of which the inventory says nothing")
      ->type_name("NAME|FILE");
}

}  // namespace

Action DefineContext(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto flags = std::make_shared<ContextFlags>();
  CLI::App* list = app.add_subcommand("list", "The contexts there are; * is the current one");
  CLI::App* show = app.add_subcommand("show", "What commands take now, and where each value is from");
  show->add_option("NAME", flags->name, "With this context instead of the current one");
  CLI::App* set = app.add_subcommand("set", "Make a context, or change what is given of one");
  AddSetFlags(*set, *flags);
  CLI::App* use = app.add_subcommand("use", "Make a context the current one; none: no context");
  use->add_option("NAME", flags->name, "Of `context list`, or none")->required();
  CLI::App* unset = app.add_subcommand("unset", "Remove values from a context");
  unset->add_option("NAME", flags->name, "The context")->required();
  unset->add_option("KEY", flags->keys, "What is removed")->required()->check(OneOf(SharedKeyNames()));
  CLI::App* remove = app.add_subcommand("delete", "Remove a context; files that it names stay");
  remove->add_option("NAME", flags->name, "The context")->required();
  for (CLI::App* sub : {list, show, set, use, unset, remove}) global(*sub);
  list->footer("\nExample:\n  rdmaready context list");
  show->footer("\nExamples:\n  rdmaready context show\n  rdmaready context show lab --output json");
  set->footer(
      "\nExamples:\n  rdmaready context set lab --tls-ca ca.pem --tls-cert anna.pem --tls-key anna.key\n"
      "  rdmaready context set lab --hub hub.example.org --inventory fleet.yaml");
  use->footer("\nExample:\n  rdmaready context use lab");
  unset->footer("\nExample:\n  rdmaready context unset lab hub inventory");
  remove->footer("\nExample:\n  rdmaready context delete lab");
  app.require_subcommand(1);
  return [=](const Context& context) {
    if (list->parsed()) return RunList(context);
    if (show->parsed()) return RunShow(context, *flags);
    if (set->parsed()) return RunSet(context, *flags);
    if (use->parsed()) return RunUse(context, *flags);
    return unset->parsed() ? RunUnset(context, *flags) : RunDelete(context, *flags);
  };
}

}  // namespace rdmaready
