// SPDX-License-Identifier: Apache-2.0
// rdmaready profile: what hosts are judged by.
#include <memory>
#include <utility>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "cli/commands.h"
#include "cli/render_json.h"
#include "cli/render_text.h"

namespace rdmaready {
namespace {

ExitStatus Show(const Context& context, const std::string& name) {
  const absl::StatusOr<Profile> profile = LoadProfile(name);
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  context.console.Print(context.global.json ? ProfileJson(*profile) : ProfileText(*profile, context.style()));
  return ExitStatus::kOk;
}

ExitStatus CheckFile(const Context& context, const std::string& file) {
  const absl::StatusOr<Profile> profile = LoadProfile(file);
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  context.console.Print(context.global.json ? ProfileJson(*profile)
                                            : file + ": profile " + profile->name + " is well-formed\n");
  return ExitStatus::kOk;
}

}  // namespace

Action DefineProfile(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto name = std::make_shared<std::string>();
  CLI::App* list = app.add_subcommand("list", "The built-in profiles, one per line");
  CLI::App* show = app.add_subcommand("show", "What a profile asks for");
  show->add_option("PROFILE", *name, "A built-in profile or a YAML file")->required();
  CLI::App* check = app.add_subcommand("check", "Is a profile file well-formed?");
  check->add_option("FILE", *name, "A YAML file")->required();
  for (CLI::App* sub : {list, show, check}) global(*sub);
  list->footer("\nExample:\n  rdmaready profile list");
  show->footer("\nExample:\n  rdmaready profile show virtual-fabric");
  check->footer("\nExample:\n  rdmaready profile check my-fabric.yaml");
  app.require_subcommand(1);
  return [=](const Context& context) {
    if (list->parsed()) return context.List("rdmaready.v1.Profiles", "profiles", BuiltInProfileNames());
    return show->parsed() ? Show(context, *name) : CheckFile(context, *name);
  };
}

}  // namespace rdmaready
