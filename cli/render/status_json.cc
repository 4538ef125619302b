// SPDX-License-Identifier: Apache-2.0
#include "cli/render/status_json.h"

#include <array>

#include "checks/words/words_view.h"
#include "cli/render/documents.h"

namespace rdmaready {
namespace {

struct StatusView : WordsView {
  static void Fields(const LastCheck& last, auto& list) {
    list("run_id", last.run_id, "started_unix_ns", last.started_unix_ns);
    list("level", last.level).Known();
    list("verdict", last.verdict, "checks", last.ids);
  }
  static void Fields(const HubLink& link, auto& list) {
    list("hub", link.hub, "since_unix_ns", link.since_unix_ns, "trouble", link.trouble);
  }
  static void Fields(const HostStatus& host, auto& list) {
    list("host", host.host, "error", host.error);
    list.Derived("needs_person", [](const HostStatus& one) { return NeedsPerson(one); });
    list("agent_version", host.agent_version, "resident", host.resident, "agent_since_unix_ns",
         host.agent_since_unix_ns, "heard_unix_ns", host.heard_unix_ns, "changes", host.changes, "notices",
         host.notices, "kept", host.kept, "no_applier", host.no_applier, "applier_error", host.applier_error);
    list("last_check", host.last_check).WhenThere();
    list("drift", host.drift, "history_error", host.history_error);
    list("hub", host.hub).WhenThere();
  }
  static void Fields(const StatusRun& run, auto& list) {
    list("told_unix_ns", run.told_unix_ns, "hosts", run.hosts);
  }
};

constexpr convert::DocumentOf<StatusRun> kStatusDocument{
    {"rdmaready.v1.Status", &describe::Described<StatusRun, StatusView>::kType}};

}  // namespace

std::string StatusJson(const StatusRun& run) { return kStatusDocument.Text(run); }

std::span<const convert::Document> StatusDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kStatusDocument};
  return kDocuments;
}

}  // namespace rdmaready
