// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/fix.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "checks/plan/stages.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// "dcb ets set ...; dcb pfc set ...", whether they are one step or two.
std::string CommandsOf(const Remedy& remedy) {
  std::string commands;
  for (const RemedyStep& step : remedy.steps) {
    if (!step.command.empty()) commands += Cat(commands.empty() ? "" : "; ", step.command);
  }
  return commands;
}

void AddEachOnce(const std::vector<std::string>& more, std::vector<std::string>& texts) {
  for (const std::string& text : more) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
}

void Append(const Remedy& more, Remedy& remedy) {
  for (const RemedyStep& step : more.steps) remedy.steps.push_back(step);
  AddEachOnce(more.cautions, remedy.cautions);
  AddEachOnce(more.alternatives, remedy.alternatives);
  if (remedy.owner.empty()) remedy.owner = more.owner;
}

// The check's own remedy, with what a person does at the owner before and after the commands that both have.
Remedy OwnBeside(const Remedy& made, const Remedy& own) {
  Remedy same = own;
  same.cautions = made.cautions;
  std::erase_if(same.cautions, [&own](const std::string& caution) {
    return std::ranges::find(own.steps, caution, &RemedyStep::action) != own.steps.end();
  });
  if (same.owner.empty()) same.owner = made.owner;
  AddEachOnce(made.alternatives, same.alternatives);
  std::vector<RemedyStep> before;
  bool commanded = false;
  for (const RemedyStep& step : made.steps) {
    commanded = commanded || !step.command.empty();
    if (!step.command.empty() || std::ranges::find(own.steps, step) != own.steps.end()) continue;
    (commanded ? same.steps : before).push_back(step);
  }
  same.steps.insert(same.steps.begin(), before.begin(), before.end());
  return same;
}

// A file of the boot that could not be read may be an owner.
Remedy WithUnread(Remedy remedy, const Facts& host, SettingKind kind) {
  const std::string unread = UnreadAtBoot(host, kind);
  if (!unread.empty()) remedy.cautions.push_back(unread);
  return remedy;
}

bool Serves(SettingKind kind, std::string_view check) {
  const auto& serves = RowOf(kind).serves;
  return std::ranges::find(serves, check) != serves.end();
}

bool IsAbout(const Wish& wish, std::string_view check) {
  return wish.about.empty() || std::ranges::find(wish.about, check) != wish.about.end();
}

// Of a port's settings each is an object of its own: those that the check is about. Of an Ethernet port's the
// object is one, with all that is wrong with it.
Faults OnlyOf(std::string_view check, const Faults& faults, bool one_object) {
  if (one_object) return faults;
  const Fault* fault = faults.Find(check);
  return fault == nullptr ? Faults() : Faults({*fault});
}

SettingObject ObjectAt(SettingKind kind, const EthernetView& view) {
  return {.kind = kind, .where = view.netdev ? view.netdev->name : std::string()};
}

SettingObject ObjectAt(SettingKind kind, const PortView& view) {
  if (HomeOf(kind) == SettingHome::kRdmaPort) return {.kind = kind, .where = PortName(view.port)};
  return {.kind = kind, .where = view.port.netdev ? view.port.netdev->name : std::string()};
}

// The check's own remedy, by the owner of the first setting that serves the check and has one.
template <class View>
Remedy ByOwner(std::string_view check, const View& view, const Remedy& own) {
  for (const Stage& stage : Stages()) {
    if (!std::holds_alternative<MakeWishes<View>>(stage.wishes) || !Serves(stage.kind, check)) continue;
    const SettingOwner owner = OwnerOf(view.host, ObjectAt(stage.kind, view));
    const bool host_decides = view.profile.dcbx == Profile::Dcbx::kStatic;
    if (host_decides && owner.takes_over) return TakenOver(own, owner);
    if (!owner.empty()) return WithOwner(own, owner);
  }
  return own;
}

template <class View>
Remedy MadeRemedy(std::string_view check, const View& view, const Remedy& own) {
  Remedy made;
  for (const Stage& stage : Stages()) {
    const auto* make = std::get_if<MakeWishes<View>>(&stage.wishes);
    if (make == nullptr || !Serves(stage.kind, check)) continue;
    const Faults faults = FaultsOf(stage.kind, view);
    if (!faults.Has(check)) continue;
    constexpr bool kOneObject = std::is_same_v<View, EthernetView>;
    for (const Wish& wish : (*make)(view, OnlyOf(check, faults, kOneObject))) {
      if (!IsAbout(wish, check)) continue;
      if (!wish.refusal.empty()) return ByOwner(check, view, own);
      if (!wish.unknown.empty() || !wish.needs.empty()) continue;
      const std::string from = ValueOf(view.host, wish.object);
      if (from.empty() || from == wish.value) continue;
      const Remedy direct = RemedyFor(PlaceOf(view.host, wish.object), from, wish.value);
      const SettingOwner owner = OwnerOf(view.host, wish.object, wish.value);
      Append(owner.empty() ? WithUnread(direct, view.host, wish.object.kind) : WithOwner(direct, owner), made);
    }
  }
  if (made.empty()) return ByOwner(check, view, own);
  if (CommandsOf(made) == CommandsOf(own)) return OwnBeside(made, own);
  made.cause = own.cause;
  made.certainty = own.certainty;
  made.check = own.check;
  if (made.owner.empty()) made.owner = own.owner;
  return made;
}

// An owner that was found is the cause: a guess of the check beside it would contradict it.
Remedy WithoutGuess(Remedy remedy, const Remedy& own) {
  const bool found = !remedy.owner.empty() && own.owner.empty();
  if (found && remedy.certainty != Certainty::kCertain) remedy.cause.clear();
  return remedy;
}

}  // namespace

Remedy RemedyOf(std::string_view check, const EthernetView& view, const Remedy& own) {
  return WithoutGuess(MadeRemedy(check, view, own), own);
}
Remedy RemedyOf(std::string_view check, const PortView& view, const Remedy& own) {
  return WithoutGuess(MadeRemedy(check, view, own), own);
}

}  // namespace rdmaready
