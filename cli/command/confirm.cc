// SPDX-License-Identifier: Apache-2.0
// rdmaready confirm, rollback, forget: what becomes of what was applied.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "api/base/status.h"
#include "api/model/open_change.h"
#include "checks/words/names.h"
#include "cli/command/apply_flags.h"
#include "cli/fleet/fan_out.h"
#include "cli/one_of.h"
#include "cli/render/change_json.h"
#include "cli/render/text_change.h"

namespace rdmaready {
namespace {

struct SettleFlags {
  HostFlags named{};
  std::string change{};
};

struct ForgetFlags {
  HostFlags named{};
  std::string kind{};
  std::string where{};
  bool list = false;
  bool yes = false;
  bool persist = false;

  bool All() const { return kind.empty() && where.empty() && !list; }
};

bool IsMeant(const Change& change, const std::string& id) { return change.id.starts_with(id); }

// No change in that state, or one whose settings are not as it wrote them, is 1: a person has to look. A
// refusal of the agent leaves the change as it is.
ExitStatus SettleFailure(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsAborted(status) ? ExitStatus::kNotReady : CallFailure(status);
}

HostChange Missed(HostChange made, ExitStatus failure, std::string error) {
  made.failure = failure;
  made.error = std::move(error);
  return made;
}

// What the changes say that none of them awaits it.
std::string NothingAwaits(const ApplierStatus& status) {
  if (status.changes.empty()) return "no change awaits its confirmation";
  const Change& last = status.changes.front();
  return "no change awaits its confirmation: " + last.id + " is " + std::string(Name(last.state)) +
         (last.reason.empty() ? "" : ": " + last.reason);
}

using Settle = std::function<HostChange(HostClient& host, HostChange made)>;

HostChange ConfirmOn(HostClient& host, const std::string& id, HostChange made) {
  const absl::StatusOr<ApplierStatus> status = host.agent->GetApplier();
  if (!status.ok()) return Missed(std::move(made), CallFailure(status.status()), Message(status.status()));
  const auto open = std::ranges::find_if(status->changes, [&id](const Change& change) {
    return change.state == ChangeState::kAwaitingConfirm && IsMeant(change, id);
  });
  if (open == status->changes.end())
    return Missed(std::move(made), ExitStatus::kNotReady, NothingAwaits(*status));
  absl::StatusOr<Change> change = host.agent->Confirm(open->id);
  if (!change.ok()) return Missed(std::move(made), SettleFailure(change.status()), Message(change.status()));
  made.change = *std::move(change);
  return made;
}

bool CanGoBack(ChangeState state) { return StillOpen(state) || state == ChangeState::kRollbackFailed; }

HostChange RollBackOn(HostClient& host, const std::string& id, HostChange made) {
  const absl::StatusOr<ApplierStatus> status = host.agent->GetApplier();
  if (!status.ok()) return Missed(std::move(made), CallFailure(status.status()), Message(status.status()));
  const auto open = std::ranges::find_if(
      status->changes, [&id](const Change& change) { return CanGoBack(change.state) && IsMeant(change, id); });
  if (open == status->changes.end())
    return Missed(std::move(made), ExitStatus::kNotReady, "no change is open: what was confirmed stays");
  absl::StatusOr<Change> change = host.agent->RollBack(open->id);
  if (!change.ok()) return Missed(std::move(made), SettleFailure(change.status()), Message(change.status()));
  made.change = *std::move(change);
  return made;
}

// `good`: the state that the command is for.
ExitStatus RunSettle(const Context& context, const SettleFlags& options, ChangeState good,
                     const Settle& settle) {
  absl::StatusOr<std::vector<HostClient>> hosts = ClientsOf(options.named, context);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  context.console.Progress("connecting");
  ChangeRun run{.way = SameWay(context.global), .local = !options.named.Any()};
  run.hosts.resize(hosts->size());
  FanOut(hosts->size(), [&](std::size_t i) {
    HostClient& host = (*hosts)[i];
    host.Open();
    HostChange made{.host = host.name, .error = host.error, .failure = host.failure};
    run.hosts[i] = host.agent == nullptr ? std::move(made) : settle(host, std::move(made));
  });
  if (const absl::Status apart = CheckNoTwins(*hosts); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  context.Print(ApplyJson(run), ApplyText(run, false, context.style()));
  for (const HostChange& host : run.hosts) Complain(context, host.host, host.error);
  return StatusOfSettle(run, good);
}

// Of a host that keeps something: what the flags choose.
std::vector<SettingObject> ChosenFrom(const ApplierStatus& status, const ForgetFlags& options) {
  std::vector<SettingObject> chosen;
  const auto look = [&](const SettingObject& object) {
    const bool of_kind = options.kind.empty() || NameOf(object.kind) == options.kind;
    const bool meant = of_kind && (options.where.empty() || object.where == options.where);
    if (meant && std::ranges::find(chosen, object) == chosen.end()) chosen.push_back(object);
  };
  for (const Setting& setting : status.kept) look(setting.object);
  if (!options.persist) return chosen;
  for (const BootFile& file : status.files) std::ranges::for_each(file.keeps, look);
  return chosen;
}

HostApplier ForgetOn(HostClient& host, const ForgetFlags& options) {
  HostApplier made{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return made;
  const auto failed = [&made](const absl::Status& status) {
    made.status.reset();
    made.error = Message(status);
    made.failure = CallFailure(status);
    return made;
  };
  absl::StatusOr<ApplierStatus> status = host.agent->GetApplier();
  if (!status.ok()) return failed(status.status());
  if (options.list) {
    made.status = *std::move(status);
    return made;
  }
  const std::vector<SettingObject> chosen = ChosenFrom(*status, options);
  const bool keeps = !status->kept.empty() || (options.persist && !status->files.empty());
  if (chosen.empty() && keeps) {
    made.error = "nothing that is kept matches: `rdmaready forget --list` shows what is";
    made.failure = ExitStatus::kNotReady;
  }
  if (chosen.empty()) return made;
  absl::StatusOr<Forgotten> forgotten = host.agent->Forget(chosen, options.persist);
  if (!forgotten.ok()) return failed(forgotten.status());
  made.forgotten = std::move(forgotten->settings);
  made.files = std::move(forgotten->files);
  return made;
}

ExitStatus RunForget(const Context& context, const ForgetFlags& options) {
  absl::StatusOr<std::vector<HostClient>> hosts = ClientsOf(options.named, context);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  if (options.All() && !options.yes && (options.named.FromFile() || hosts->size() > 1)) {
    return context.Fail(
        ExitStatus::kUsage,
        "this ends all keeping on several hosts: --yes says that it is meant, --setting and --of "
        "choose");
  }
  context.console.Progress("connecting");
  ApplierRun run{.way = SameWay(context.global), .local = !options.named.Any()};
  run.hosts.resize(hosts->size());
  FanOut(hosts->size(), [&](std::size_t i) {
    (*hosts)[i].Open();
    run.hosts[i] = ForgetOn((*hosts)[i], options);
  });
  if (const absl::Status apart = CheckNoTwins(*hosts); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  context.Print(ApplierJson(run), ApplierText(run, context.style()));
  for (const HostApplier& host : run.hosts) Complain(context, host.host, host.error);
  return StatusOf(run);
}

void AddChange(CLI::App& app, SettleFlags& flags) {
  AddHostFlags(app, flags.named);
  app.add_option("--change", flags.change, "Only the change whose id begins so; else whichever is open")
      ->type_name("ID");
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const SettingKind kind : kSettingKinds) names.emplace_back(NameOf(kind));
  return names;
}

}  // namespace

Action DefineConfirm(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<SettleFlags>();
  AddChange(app, *options);
  return [options](const Context& context) {
    return RunSettle(context, *options, ChangeState::kConfirmed, [&](HostClient& host, HostChange made) {
      return ConfirmOn(host, options->change, std::move(made));
    });
  };
}

Action DefineRollback(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<SettleFlags>();
  AddChange(app, *options);
  return [options](const Context& context) {
    return RunSettle(context, *options, ChangeState::kRolledBack, [&](HostClient& host, HostChange made) {
      return RollBackOn(host, options->change, std::move(made));
    });
  };
}

Action DefineForget(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<ForgetFlags>();
  AddHostFlags(app, options->named);
  app.add_option("--setting", options->kind, "Only settings of this kind: pfc, ets, ...")
      ->check(OneOf(KindNames()))
      ->type_name("KIND");
  app.add_option("--of", options->where, "Only those of this netdev, or RDMA port")->type_name("NAME");
  app.add_flag("--yes", options->yes, "All of it, on several hosts");
  app.add_flag(
      "--persist", options->persist,
      "Also remove the files for the next boot that `apply --persist` wrote; a file that was edited since "
      "is named and left");
  app.add_flag("--list", options->list,
               "End nothing: show what is kept, what may be set, and changes that are open");
  return [options](const Context& context) { return RunForget(context, *options); };
}

}  // namespace rdmaready
