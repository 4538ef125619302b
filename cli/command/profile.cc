// SPDX-License-Identifier: Apache-2.0
// rdmaready profile: what hosts, and the switches between them, are judged by.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/profile/chain.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"
#include "api/profile/site.h"
#include "api/profile/yaml_writer.h"
#include "cli/command/profile_test.h"
#include "cli/commands.h"
#include "cli/fleet/site_choice.h"
#include "cli/one_of.h"
#include "cli/render/change_json.h"
#include "cli/render/json.h"
#include "cli/render/text.h"
#include "cli/switch/side.h"

namespace rdmaready {
namespace {

struct ProfileOptions {
  std::string name{};
  std::string switch_kind{};
};

ExitStatus ShowSwitch(const Context& context, const Profile& profile, const std::string& kind) {
  const absl::StatusOr<SwitchSide> side = MakeSwitchSide(profile, kind);
  if (!side.ok()) return context.Fail(ExitStatus::kUsage, Message(side.status()));
  context.Print(SwitchSideJson(profile.name, kind, *side), side->text);
  return ExitStatus::kOk;
}

// What is wrong, all of it: that is the answer.
ExitStatus Refuse(const Context& context, const std::string& name, const ProfileReading& reading) {
  context.Print(ProfileCheckJson(name, reading), ProfileFaultsText(name, reading));
  return ExitStatus::kUsage;
}

ExitStatus Show(const Context& context, const ProfileOptions& options) {
  const absl::StatusOr<ProfileReading> reading = ReadProfile(options.name);
  if (!reading.ok()) return context.Fail(ExitStatus::kUsage, Message(reading.status()));
  if (!reading->profile) return context.Fail(ExitStatus::kUsage, Message(LoadProfile(options.name).status()));
  if (!options.switch_kind.empty()) return ShowSwitch(context, *reading->profile, options.switch_kind);
  context.Print(ProfileJson(*reading->profile), ProfileYaml(*reading));
  return ExitStatus::kOk;
}

// A site file is what hosts are judged by, too.
std::optional<SiteReading> ReadAsSite(const std::string& file) {
  const absl::StatusOr<std::string> text = ReadProfileFile(file);
  if (!text.ok() || !IsSiteText(*text)) return std::nullopt;
  return ReadSite(*text, file);
}

ExitStatus CheckSite(const Context& context, const std::string& file, SiteReading site) {
  ProfileReading reading{.faults = std::move(site.faults), .files = {file}};
  if (const absl::Status known = CheckWaivers(site.site); !known.ok() && reading.faults.empty())
    reading.faults.push_back({.file = file, .line = 1, .text = Message(known)});
  context.Print(ProfileCheckJson(file, reading), reading.faults.empty() ? file + ": a site file, well-formed\n"
                                                                        : ProfileFaultsText(file, reading));
  return reading.faults.empty() ? ExitStatus::kOk : ExitStatus::kUsage;
}

// A value that the file repeats as its own may still be advice of what it extends.
std::string AdviceText(const std::string& file, const ProfileReading& reading) {
  std::string text;
  for (const InheritedAdvice& one : AdviceOnOwnValues(reading)) {
    std::string left;
    for (const std::string& key : one.left) left += (left.empty() ? "" : ", ") + key;
    const std::string how = left.empty() ? "`without: [advice]`" : "`advice: [" + left + "]`";
    text += file + ":" + std::to_string(one.line) + ": note: `" + one.key + "` is advice of " + one.base +
            ": what differs only warns; make it required with " + how + "\n";
  }
  return text;
}

ExitStatus CheckFile(const Context& context, const std::string& file) {
  if (std::optional<SiteReading> site = ReadAsSite(file)) return CheckSite(context, file, *std::move(site));
  absl::StatusOr<ProfileReading> reading = ReadProfile(file);
  if (!reading.ok()) return context.Fail(ExitStatus::kUsage, Message(reading.status()));
  AddWaiverFaults(*reading);
  if (!reading->faults.empty()) return Refuse(context, file, *reading);
  context.Print(ProfileCheckJson(file, *reading), file + ": profile " + reading->profile->name +
                                                      " is well-formed\n" + AdviceText(file, *reading));
  return ExitStatus::kOk;
}

// Of what it says, not of its text: comments and how it is put together do not count.
ExitStatus ShowDigest(const Context& context, const std::string& named) {
  const absl::StatusOr<Profile> profile = LoadProfile(named);
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  const absl::StatusOr<std::string> digest = ProfileContentDigest(*profile);
  if (!digest.ok()) return context.Fail(ExitStatus::kOwnFailure, Message(digest.status()));
  context.Print(ProfileDigestJson(profile->name, *digest), *digest + "  " + profile->name + "\n");
  return ExitStatus::kOk;
}

}  // namespace

Action DefineProfile(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* list = app.add_subcommand("list", "The built-in profiles, one per line");
  CLI::App* show = app.add_subcommand("show", "A profile as YAML, with what it extends, or its switch side");
  show->add_option("PROFILE", options->name, "A built-in profile or a YAML file")->required();
  show->add_option("--switch", options->switch_kind, "The configuration of a switch that fits it")
      ->type_name("KIND")
      ->check(OneOf(std::vector<std::string>(kSwitchKinds.begin(), kSwitchKinds.end())));
  CLI::App* check = app.add_subcommand("check", "Is a profile, or a site file, well-formed? Names every fault");
  check->add_option("FILE", options->name, "A YAML file")->required();
  CLI::App* digest = app.add_subcommand("digest", "The SHA-256 by which apply.yaml permits a profile");
  digest->add_option("PROFILE", options->name, "A built-in profile or a YAML file")->required();
  CLI::App* test =
      app.add_subcommand("test", "Judge saved hosts, and compare what is found with what a file expects");
  test->add_option("FILE", options->name, "A YAML file of tests; what it names is seen from its folder")
      ->required();
  for (CLI::App* sub : {list, show, check, digest, test}) global(*sub);
  list->footer("\nExample:\n  rdmaready profile list");
  show->footer(
      "\nExamples:\n  rdmaready profile show nvidia-lossy\n  rdmaready profile show nvidia-lossless --switch "
      "cumulus");
  check->footer("\nExample:\n  rdmaready profile check my-fabric.yaml");
  digest->footer("\nExample:\n  rdmaready profile digest my-fabric.yaml");
  test->footer("\nExample:\n  rdmaready profile test my-fabric-tests.yaml");
  app.require_subcommand(1);
  return [=](const Context& context) {
    if (test->parsed()) return TestProfiles(context, options->name);
    if (digest->parsed()) return ShowDigest(context, options->name);
    if (list->parsed()) return context.List(ProfilesJson(BuiltInProfileNames()), BuiltInProfileNames());
    return show->parsed() ? Show(context, *options) : CheckFile(context, options->name);
  };
}

}  // namespace rdmaready
