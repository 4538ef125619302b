// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/planner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "checks/plan/stages.h"
#include "checks/setting/lldp_owner.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/spare.h"
#include "checks/words/ethernet.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::vector<std::string> IdsOf(const Faults& faults) {
  std::vector<std::string> ids;
  for (const Fault& fault : faults.all()) ids.emplace_back(fault.id);
  return ids;
}

// What a step mends is said of the host as it is; what only an earlier step made necessary, of what that makes.
template <class View>
std::vector<std::string> MendsOf(SettingKind kind, const View& before, const Faults& now) {
  std::vector<std::string> ids = IdsOf(FaultsOf(kind, before));
  return ids.empty() ? IdsOf(now) : ids;
}

// Why nothing is planned for the port: nobody uses it from here, or that is not known.
struct PortTurn {
  bool planned = true;
  std::string unknown{};
};

PortTurn TurnOf(const Facts& host, const Port& port, const Profile& profile) {
  for (const Fact<bool>& apart : {LentOf(port), SpareOf(host, port, profile)}) {
    if (!apart) return {false, Cat("whether ", SubjectOf(port), " is in use here: ", apart.missing().detail)};
    if (*apart) return {false, {}};
  }
  return {};
}

}  // namespace

std::vector<PlannedPart> PlannedPartsOf(const HostParts& host) {
  std::vector<PlannedPart> parts;
  for (const HostPart& part : host.parts()) {
    if (part.judges_ports) parts.push_back({.origin = &part, .now = *part.facts});
  }
  return parts;
}

void Planner::Run() {
  // What is refused the first time may be taken once a later stage has made room for it.
  for (const bool last : {false, true}) {
    for (std::size_t stage = 0; stage < Stages().size(); ++stage) RunStage(stage, last);
  }
}

void Planner::RunStage(std::size_t stage, bool last) {
  for (PlannedPart& part : parts_) {
    const Facts& origin = *part.origin->facts;
    if (!origin.ports) {
      SayUnknown(Cat("the RDMA ports: ", origin.ports.missing().detail));
      continue;
    }
    for (std::size_t port = 0; port < origin.ports->size(); ++port) {
      const PortTurn turn = TurnOf(origin, (*origin.ports)[port], *part.origin->profile);
      if (!turn.unknown.empty()) SayUnknown(turn.unknown);
      if (turn.planned) AskPort(stage, part, port, last);
    }
  }
}

void Planner::AskPort(std::size_t stage, PlannedPart& part, std::size_t port, bool last) {
  const Stage& turn = Stages()[stage];
  const Facts& origin = *part.origin->facts;
  const Profile& profile = *part.origin->profile;
  const Port& before = (*origin.ports)[port];
  if (const auto* make = std::get_if<MakeWishes<PortView>>(&turn.wishes)) {
    const PortView view{part.now, (*part.now.ports)[port], profile};
    const Faults faults = FaultsOf(turn.kind, view);
    const Source source{
        .part = &part,
        .subject = HomeOf(turn.kind) == SettingHome::kVariable ? std::string("host") : SubjectOf(view.port),
        .mends = faults.Any() ? MendsOf(turn.kind, PortView{origin, before, profile}, faults)
                              : std::vector<std::string>{}};
    for (const Wish& wish : (*make)(view, faults)) Take(wish, source, last);
    return;
  }
  const auto make = std::get<MakeWishes<EthernetView>>(turn.wishes);
  const std::vector<NetdevRef> places = EthernetPortsOf(before);
  for (std::size_t place = 0; place < places.size(); ++place) {
    // Each step gives the facts new places: they are looked up again.
    const Port& now = (*part.now.ports)[port];
    const NetdevRef netdev = EthernetPortsOf(now)[place];
    const EthernetView view{part.now, now, netdev, profile};
    const Faults faults = FaultsOf(turn.kind, view);
    const EthernetView then{origin, before, places[place], profile};
    Source source{.part = &part, .subject = SubjectOf(now, netdev)};
    if (faults.Any()) source.mends = MendsOf(turn.kind, then, faults);
    if (source.mends.empty() && turn.kind == SettingKind::kEts)
      source.mends = IdsOf(FaultsOf(SettingKind::kPfc, then));
    for (const Wish& wish : make(view, faults)) Take(wish, source, last);
  }
}

void Planner::Take(const Wish& wish, const Source& whole, bool last) {
  Source source = whole;
  if (!wish.about.empty()) {
    std::erase_if(source.mends, [&wish](const std::string& id) {
      return std::ranges::find(wish.about, id) == wish.about.end();
    });
  }
  if (!wish.unknown.empty()) {
    SayUnknown(wish.unknown);
  } else if (!wish.refusal.empty()) {
    Refuse(wish, source, wish.refusal, wish.advice);
  } else if (!wish.needs.empty()) {
    const auto same = [&wish](const PlanPending& other) { return other.object == wish.object; };
    if (std::ranges::any_of(plan_.pending, same)) return;
    plan_.pending.push_back({.object = wish.object,
                             .subject = source.subject,
                             .wanted = wish.value,
                             .needs = wish.needs,
                             .commands = wish.commands,
                             .mends = source.mends});
  } else {
    TakeValue(wish, source, last);
  }
}

void Planner::TakeValue(const Wish& wish, const Source& source, bool last) {
  const std::string from = ValueOf(source.part->now, wish.object);
  if (from.empty()) {
    Facts tried = source.part->now;
    const std::string refusal =
        IsDcbSetting(wish.object.kind) ? WriteSetting(tried, wish.object, wish.value) : std::string();
    if (refusal.empty()) SayUnknown(Cat(TextOf(wish.object), ": what it is now is not known"));
    if (!refusal.empty() && last)
      Refuse(wish, source, refusal, AdviceOf(OwnerOf(source.part->now, wish.object, wish.value)));
    return;
  }
  if (from == wish.value) return;
  const auto& [contested, undecided] = not_set_;
  if (const auto found = contested.find(wish.object); found != contested.end())
    return Refuse(wish, source, found->second, "");
  if (const auto found = undecided.find(wish.object); found != undecided.end())
    return SayUnknown(found->second);
  if (const SettingOwner owner = OwnerOf(source.part->now, wish.object, wish.value); owner.writes_again) {
    Refuse(wish, source, owner.why, AdviceOf(owner));
    return;
  }
  if (const std::string doubt = DoubtOfLldpOwner(source.part->now, wish.object); !doubt.empty())
    return SayUnknown(doubt);
  const auto step = std::ranges::find(plan_.steps, wish.object, &PlanStep::object);
  if (step != plan_.steps.end()) {
    const std::string& other = source.part->origin->profile->name;
    conflicts_.emplace(wish.object, step->profile == other
                                        ? Cat(step->subject, " wants it as \"", step->to, "\", ",
                                              source.subject, " as \"", wish.value, "\"")
                                        : Cat("profile ", step->profile, " wants it as \"", step->to,
                                              "\", profile ", other, " as \"", wish.value, "\""));
    return;
  }
  const Facts before = source.part->now;
  const std::string refusal = WriteSetting(source.part->now, wish.object, wish.value);
  if (!refusal.empty()) {
    if (last) Refuse(wish, source, refusal, "");
    return;
  }
  for (PlannedPart& part : parts_) {
    if (&part != source.part && !ValueOf(part.now, wish.object).empty())
      static_cast<void>(WriteSetting(part.now, wish.object, wish.value));
  }
  AddStep(wish, source, from, before);
}

void Planner::AddStep(const Wish& wish, const Source& source, const std::string& from, const Facts& before) {
  const SettingRow& row = RowOf(wish.object.kind);
  PlanStep step{.object = wish.object,
                .from = from,
                .to = wish.value,
                .subject = source.subject,
                .profile = source.part->origin->profile->name,
                .api = std::string(row.api),
                .mends = source.mends};
  const SettingPlace place = PlaceOf(before, step.object);
  for (const RemedyStep& own : OwnerOf(before, step.object, wish.value).way.steps) {
    if (!own.command.empty()) step.commands.push_back(own.command);
  }
  std::ranges::move(CommandsOf(place, from, wish.value), std::back_inserter(step.commands));
  step.disturbance = row.disturbs(place, from, wish.value);
  if (row.one_way != nullptr) step.one_way = row.one_way(place, from, wish.value);
  plan_.steps.push_back(std::move(step));
}

void Planner::Refuse(const Wish& wish, const Source& source, const std::string& reason,
                     const std::string& advice) {
  const auto same = [&](const PlanRefusal& other) {
    return other.object == wish.object && other.reason == reason && other.subject == source.subject;
  };
  if (std::ranges::any_of(plan_.refusals, same)) return;
  plan_.refusals.push_back({.object = wish.object,
                            .subject = source.subject,
                            .wanted = wish.value,
                            .reason = reason,
                            .advice = advice,
                            .mends = source.mends});
}

void Planner::SayUnknown(const std::string& sentence) {
  if (std::ranges::find(plan_.unknown, sentence) == plan_.unknown.end()) plan_.unknown.push_back(sentence);
}

}  // namespace rdmaready
