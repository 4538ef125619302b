// SPDX-License-Identifier: Apache-2.0
#include "agent/own_drift.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "api/base/status.h"
#include "collectors/real/host_notices.h"

namespace rdmaready {
namespace {

using drift::DriftEvent;
using drift::Seams;

absl::StatusOr<Seams::SharedFacts> ReadAgain(HostWorker& worker, const RefreshOrder& order,
                                             const Seams::SharedFacts& known) {
  if (known == nullptr || order.everything) return worker.Collect();
  RR_ASSIGN_OR_RETURN(Facts facts, worker.Read<Facts>([order, known](HostReader& host) {
    return Refresh(host, order, *known);
  }));
  return std::make_shared<const Facts>(std::move(facts));
}

std::string WordsOf(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

void TellOfDrift(Agent& agent, const EventSink& events, const DriftEvent& event) {
  std::vector<Event::Field> fields{{"where", event.where}, {"change", drift::TextOf(event)}};
  fields.push_back({"writer", std::string(event.own ? "own" : "foreign")});
  if (!event.change_id.empty()) fields.push_back({"change_id", event.change_id});
  if (!event.worse.empty()) fields.push_back({"worse", WordsOf(event.worse)});
  if (!event.better.empty()) fields.push_back({"better", WordsOf(event.better)});
  Tell(events, event.own ? EventLevel::kInfo : EventLevel::kWarning, "drift", std::move(fields));
  if (!event.own) agent.KeepEvent("drift: " + drift::TextOf(event));
}

}  // namespace

std::unique_ptr<drift::DriftWatch> WatchDrift(Agent& agent, const EventSink& events,
                                              std::shared_ptr<Configurer> configurer,
                                              std::function<void(const DriftEvent&)> told) {
  absl::StatusOr<std::unique_ptr<HostNotices>> opened =
      HostNotices::Open({kNoticeKinds.begin(), kNoticeKinds.end()}, agent.clock());
  if (!opened.ok()) {
    Tell(events, EventLevel::kWarning, "drift-off", {{"reason", Message(opened.status())}});
    return nullptr;
  }
  const std::shared_ptr<HostNotices> notices = *std::move(opened);
  return std::make_unique<drift::DriftWatch>(Seams{
      .wait = [notices](std::optional<Seams::TimePoint> until) { return notices->Wait(until); },
      .wake = [notices] { notices->Wake(); },
      .read = [&agent](const RefreshOrder& order,
                       const Seams::SharedFacts& known) { return ReadAgain(agent.worker(), order, known); },
      .testing = [&agent] { return agent.LiveTestRunning(); },
      .profiles = [&agent] { return agent.default_profiles(); },
      .tell =
          [&agent, events, told = std::move(told)](const DriftEvent& event) {
            TellOfDrift(agent, events, event);
            if (told) told(event);
          },
      .configurer = std::move(configurer),
      .clock = &agent.clock()});
}

}  // namespace rdmaready
