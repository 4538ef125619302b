// SPDX-License-Identifier: Apache-2.0
// The documents of runs that judge nothing: baselines of live tests, bundles and what is in them.
#include <array>
#include <utility>

#include "cli/render/baseline.h"
#include "cli/render/bundle_run.h"
#include "cli/render/documents.h"
#include "cli/render/words_view.h"

namespace rdmaready {
namespace {

struct EventsShown {
  std::string host{};
  const std::vector<AgentEvent>* events = nullptr;
};

struct RunView : WordsView {
  static void Fields(const CaseBaseline& one, auto& list) {
    list("port", one.port, "case", one.case_name, "role", one.role, "peer", one.peer, "last_bytes_per_s",
         one.last_bytes_per_s, "last_unix_ns", one.last_unix_ns, "days", one.days, "p10_bytes_per_s",
         one.p10_bytes_per_s, "p50_bytes_per_s", one.p50_bytes_per_s, "latency_p99_ns", one.latency_p99_ns,
         "days_kept", one.days_kept, "first_unix_ns", one.first_unix_ns, "changed_unix_ns", one.changed_unix_ns,
         "before_bytes_per_s", one.before_bytes_per_s, "before_days", one.before_days);
  }
  static void Fields(const HostBaselines& host, auto& list) {
    list("host", host.host, "error", host.error, "baselines", host.baselines);
  }
  static void Fields(const BaselineRun& run, auto& list) { list("hosts", run.hosts); }

  static void Fields(const HostBundling& host, auto& list) {
    list("host", host.host, "pseudonym", host.pseudonym, "error", host.error);
  }
  static void Fields(const PartLeftOut& part, auto& list) {
    list("host", part.host, "what", part.what, "why", part.why);
  }
  static void Fields(const BundleRun& run, auto& list) {
    list("file", run.file, "bytes", run.bytes, "pseudonyms", run.pseudonyms, "hosts", run.hosts, "left_out",
         run.left_out);
  }

  static void Fields(const std::pair<std::string, std::string>& field, auto& list) {
    list("key", field.first, "value", field.second);
  }
  static void Fields(const AgentEvent& event, auto& list) {
    list("unix_ns", event.unix_ns, "level", event.level, "event", event.name);
    list("fields", event.fields).Keyed();
  }
  static void Fields(const EventsShown& shown, auto& list) {
    list("host", shown.host);
    list.Derived("events",
                 [](const EventsShown& one) -> const std::vector<AgentEvent>& { return *one.events; });
  }
};

template <class T>
constexpr const TypeInfo* kInRun = &describe::Described<T, RunView>::kType;

constexpr convert::DocumentOf<BaselineRun> kBaselineDocument{{"rdmaready.v1.Baseline", kInRun<BaselineRun>}};
constexpr convert::DocumentOf<BundleRun> kBundleDocument{{"rdmaready.v1.BundleMade", kInRun<BundleRun>}};
constexpr convert::DocumentOf<EventsShown> kEventsDocument{{"rdmaready.v1.Events", kInRun<EventsShown>}};

}  // namespace

std::string BaselineJson(const BaselineRun& run) { return kBaselineDocument.Text(run); }
std::string BundleJson(const BundleRun& run) { return kBundleDocument.Text(run); }
std::string EventsJson(const std::string& host, const std::vector<AgentEvent>& events) {
  return kEventsDocument.Text({.host = host, .events = &events});
}

std::span<const convert::Document> RunDocuments() {
  static constexpr std::array<convert::Document, 3> kDocuments{kBaselineDocument, kBundleDocument,
                                                               kEventsDocument};
  return kDocuments;
}

}  // namespace rdmaready
