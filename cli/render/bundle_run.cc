// SPDX-License-Identifier: Apache-2.0
#include "cli/render/bundle_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/base/text.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using EventJson = nlohmann::ordered_json;

std::string PlainText(const EventJson& json) {
  return json.dump(2, ' ', true, EventJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string BundleText(const BundleRun& run) {
  const auto there = static_cast<std::uint64_t>(
      std::ranges::count_if(run.hosts, [](const HostBundling& host) { return host.error.empty(); }));
  std::string text = fmt::format("{}: {}{}, {}\n", Printable(run.file), CountText(there, "host"),
                                 run.pseudonyms ? " under pseudonyms" : "", BytesText(run.bytes));
  for (const HostBundling& host : run.hosts) {
    if (!host.pseudonym.empty()) text += fmt::format("  {} is {}\n", Printable(host.host), host.pseudonym);
  }
  for (const PartLeftOut& part : run.left_out) {
    text += fmt::format("  left out: {} of {}: {}\n", Printable(part.what), Printable(part.host),
                        Printable(part.why));
  }
  return text;
}

std::string BundleJson(const BundleRun& run) {
  using Json = EventJson;
  Json hosts = Json::array();
  for (const HostBundling& host : run.hosts) {
    hosts.push_back({{"host", host.host}, {"pseudonym", host.pseudonym}, {"error", host.error}});
  }
  Json left_out = Json::array();
  for (const PartLeftOut& part : run.left_out) {
    left_out.push_back({{"host", part.host}, {"what", part.what}, {"why", part.why}});
  }
  const Json json{
      {"schema", "rdmaready.v1.BundleMade"}, {"file", run.file},          {"bytes", run.bytes},
      {"pseudonyms", run.pseudonyms},        {"hosts", std::move(hosts)}, {"left_out", std::move(left_out)}};
  return PlainText(json);
}

std::string EventsJson(const std::string& host, const std::vector<AgentEvent>& events) {
  EventJson list = EventJson::array();
  for (const AgentEvent& event : events) {
    EventJson fields = EventJson::object();
    for (const auto& [key, value] : event.fields) fields[key] = value;
    list.push_back({{"unix_ns", event.unix_ns},
                    {"level", event.level},
                    {"event", event.name},
                    {"fields", std::move(fields)}});
  }
  return PlainText({{"schema", "rdmaready.v1.Events"}, {"host", host}, {"events", std::move(list)}});
}

}  // namespace rdmaready
