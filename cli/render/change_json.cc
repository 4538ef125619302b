// SPDX-License-Identifier: Apache-2.0
#include "cli/render/change_json.h"

#include <nlohmann/json.hpp>

#include "checks/words/names.h"

namespace rdmaready {
namespace {

using Object = nlohmann::ordered_json;

// As that of json.cc: plain ASCII.
std::string DumpObject(const Object& json) {
  return json.dump(2, ' ', true, Object::error_handler_t::replace) + "\n";
}

template <class Value, class Make>
Object ListOf(const std::vector<Value>& values, const Make& make) {
  Object list = Object::array();
  for (const Value& value : values) list.push_back(make(value));
  return list;
}

Object OfObject(const SettingObject& object) {
  return {{"kind", NameOf(object.kind)}, {"where", object.where}, {"name", object.name}};
}

Object OfSetting(const Setting& setting) {
  return {{"object", OfObject(setting.object)}, {"value", setting.value}};
}

Object OfStep(const PlanStep& step) {
  return {{"object", OfObject(step.object)},
          {"from", step.from},
          {"to", step.to},
          {"subject", step.subject},
          {"profile", step.profile},
          {"api", step.api},
          {"disturbance",
           {{"text", step.disturbance.text},
            {"estimate_ms", step.disturbance.estimate_ms},
            {"link_down", step.disturbance.link_down}}},
          {"commands", step.commands},
          {"mends", step.mends},
          {"one_way", step.one_way}};
}

Object OfRefusal(const PlanRefusal& refusal) {
  return {{"object", OfObject(refusal.object)}, {"subject", refusal.subject}, {"wanted", refusal.wanted},
          {"reason", refusal.reason},           {"advice", refusal.advice},   {"mends", refusal.mends}};
}

Object OfPending(const PlanPending& pending) {
  return {{"object", OfObject(pending.object)}, {"subject", pending.subject},
          {"wanted", pending.wanted},           {"needs", pending.needs},
          {"commands", pending.commands},       {"mends", pending.mends}};
}

Object OfPlan(const Plan& plan) {
  const auto user = [](const PortUser& one) { return Object{{"subject", one.subject}, {"text", one.text}}; };
  const auto profile = [](const ProfileRef& one) { return Object{{"name", one.name}, {"sha256", one.digest}}; };
  const auto file = [](const PersistFile& one) {
    return Object{{"path", one.path},
                  {"content", one.content},
                  {"note", one.note},
                  {"exists_already", one.exists_already}};
  };
  return {{"profiles", ListOf(plan.profiles, profile)},
          {"steps", ListOf(plan.steps, OfStep)},
          {"refusals", ListOf(plan.refusals, OfRefusal)},
          {"pending", ListOf(plan.pending, OfPending)},
          {"users", ListOf(plan.users, user)},
          {"unknown", plan.unknown},
          {"persist", ListOf(plan.persist, file)}};
}

Object OfProof(const ChangeProof& proof) {
  return {{"asked_for", proof.asked_for}, {"plan_empty", proof.plan_empty},
          {"loopback", proof.loopback},   {"loopback_text", proof.loopback_text},
          {"peer", proof.peer},           {"peer_passed", proof.peer_passed},
          {"peer_text", proof.peer_text}};
}

Object OfChange(const Change& change) {
  const auto step = [](const ChangeStep& one) {
    return Object{{"state", Name(one.state)}, {"text", one.text}, {"step", OfStep(one.step)}};
  };
  return {{"id", change.id},
          {"requester", change.requester},
          {"state", Name(change.state)},
          {"reason", change.reason},
          {"begun_unix_ns", change.begun_unix_ns},
          {"ended_unix_ns", change.ended_unix_ns},
          {"confirm_within_ms", change.confirm_within_ms},
          {"deadline_in_ms", change.deadline_in_ms},
          {"proof", OfProof(change.proof)},
          {"steps", ListOf(change.steps, step)}};
}

Object OfStatus(const ApplierStatus& status) {
  return {{"changes", ListOf(status.changes, OfChange)},
          {"kept", ListOf(status.kept, OfSetting)},
          {"allowed", status.allowed},
          {"not_allowed", status.not_allowed},
          {"audit_head", status.audit_head},
          {"notices", status.notices}};
}

}  // namespace

std::string PlanJson(const PlanRun& run) {
  return DumpObject({{"schema", "rdmaready.v1.Plan"},
                     {"hosts", ListOf(run.hosts, [](const HostPlan& host) {
                        return Object{{"host", host.host},
                                      {"error", host.error},
                                      {"plan", host.plan ? OfPlan(*host.plan) : Object(nullptr)}};
                      })}});
}

std::string ApplyJson(const ChangeRun& run) {
  return DumpObject({{"schema", "rdmaready.v1.Apply"},
                     {"hosts", ListOf(run.hosts, [](const HostChange& host) {
                        return Object{{"host", host.host},
                                      {"error", host.error},
                                      {"not_begun", host.not_begun},
                                      {"under_way", host.under_way},
                                      {"heard_last", host.heard_last},
                                      {"plan", host.plan ? OfPlan(*host.plan) : Object(nullptr)},
                                      {"change", host.change ? OfChange(*host.change) : Object(nullptr)}};
                      })}});
}

std::string ApplierJson(const ApplierRun& run) {
  return DumpObject({{"schema", "rdmaready.v1.Applier"},
                     {"hosts", ListOf(run.hosts, [](const HostApplier& host) {
                        return Object{{"host", host.host},
                                      {"error", host.error},
                                      {"forgotten", ListOf(host.forgotten, OfSetting)},
                                      {"applier", host.status ? OfStatus(*host.status) : Object(nullptr)}};
                      })}});
}

std::string ProfileDigestJson(const std::string& profile, const std::string& sha256) {
  return DumpObject({{"schema", "rdmaready.v1.ProfileDigest"}, {"profile", profile}, {"sha256", sha256}});
}

}  // namespace rdmaready
