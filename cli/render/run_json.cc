// SPDX-License-Identifier: Apache-2.0
// The documents of runs that judge nothing: facts, baselines of live tests, bundles and what is in them,
// certificates.
#include <array>
#include <utility>

#include "checks/words/words_view.h"
#include "cli/render/baseline.h"
#include "cli/render/bundle_run.h"
#include "cli/render/documents.h"
#include "cli/render/environment_run.h"
#include "cli/render/json.h"
#include "cli/render/pki_run.h"

namespace rdmaready {
namespace {

struct EventsShown {
  std::string host{};
  const std::vector<AgentEvent>* events = nullptr;
};

std::string HostIdOf(const pki::IndexEntry& entry) {
  return entry.kind == pki::Kind::kHost ? entry.identity : std::string();
}

constexpr std::string_view kAboutFacts =
    "As message rdmaready.v1.Facts: a value that may be missing is {\"value\": ...} or {\"missing\": "
    "{\"kind\": ..., \"detail\": ...}}";

struct RunView : WordsView {
  static void Fields(const HostFacts& host, auto& list) {
    list("host", host.host);
    list.Message("facts", TypeOf<Facts>(), "rdmaready.v1.Facts",
                 [](const HostFacts& one) { return one.error.empty() ? &one.facts : nullptr; })
        .OneOf()
        .About(kAboutFacts);
    list("error", host.error).OneOf();
  }
  static void Fields(const FactsRun& run, auto& list) { list("hosts", run.hosts); }

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

  static void Fields(const pki::Root& root, auto& list) {
    list("serial", root.serial, "subject", root.subject, "fingerprint", root.fingerprint, "not_after_unix_ns",
         root.not_after_unix_ns, "issues", root.issues);
  }
  static void Fields(const PkiCertificate& one, auto& list) {
    const pki::IndexEntry& entry = one.entry;
    list("serial", entry.serial, "kind", entry.kind, "name", entry.name);
    list.Derived("host_id", [](const PkiCertificate& certificate) { return HostIdOf(certificate.entry); });
    list("names", entry.names, "root", entry.root, "state", one.state, "replaced", one.replaced,
         "not_before_unix_ns", entry.not_before_unix_ns, "not_after_unix_ns", entry.not_after_unix_ns,
         "issued_unix_ns", entry.issued_unix_ns);
    list.Derived("revoked_unix_ns", [](const PkiCertificate& certificate) {
      return certificate.entry.revoked_unix_ns.value_or(0);
    });
  }
  static void Fields(const PkiRun& run, auto& list) {
    list("action", run.action, "directory", run.directory, "roots", run.roots, "certificates", run.certificates,
         "files", run.files, "notes", run.notes);
  }

  static void Fields(const EnvVariable& one, auto& list) {
    list("name", one.name, "value", one.value, "why", one.why);
  }
  static void Fields(const PortLeftOut& one, auto& list) { list("port", one.port, "why", one.why); }
  static void Fields(const EnvironmentRun& run, auto& list) {
    list("host", run.host, "consumer", run.consumer, "profiles", run.profiles, "variables",
         run.environment.variables, "notes", run.environment.notes, "left_out", run.environment.left_out);
  }

  using WordsView::Word;
  static std::string_view Word(pki::Kind kind) { return pki::KindName(kind); }
};

template <class T>
constexpr const TypeInfo* kInRun = &describe::Described<T, RunView>::kType;

constexpr convert::DocumentOf<FactsRun> kFactsDocument{{"rdmaready.v1.Facts", kInRun<FactsRun>}};
constexpr convert::DocumentOf<BaselineRun> kBaselineDocument{{"rdmaready.v1.Baseline", kInRun<BaselineRun>}};
constexpr convert::DocumentOf<BundleRun> kBundleDocument{{"rdmaready.v1.BundleMade", kInRun<BundleRun>}};
constexpr convert::DocumentOf<EventsShown> kEventsDocument{{"rdmaready.v1.Events", kInRun<EventsShown>}};
constexpr convert::DocumentOf<EnvironmentRun> kEnvironmentDocument{
    {"rdmaready.v1.Environment", kInRun<EnvironmentRun>}};
constexpr convert::DocumentOf<PkiRun> kPkiDocument{{"rdmaready.v1.Pki", kInRun<PkiRun>}};

}  // namespace

std::string FactsJson(const FactsRun& run) { return kFactsDocument.Text(run); }
std::string BaselineJson(const BaselineRun& run) { return kBaselineDocument.Text(run); }
std::string BundleJson(const BundleRun& run) { return kBundleDocument.Text(run); }
std::string EventsJson(const std::string& host, const std::vector<AgentEvent>& events) {
  return kEventsDocument.Text({.host = host, .events = &events});
}
std::string EnvironmentJson(const EnvironmentRun& run) { return kEnvironmentDocument.Text(run); }
std::string PkiJson(const PkiRun& run) { return kPkiDocument.Text(run); }

std::span<const convert::Document> RunDocuments() {
  static constexpr std::array<convert::Document, 6> kDocuments{
      kFactsDocument, kBaselineDocument, kBundleDocument, kEventsDocument, kEnvironmentDocument, kPkiDocument};
  return kDocuments;
}

}  // namespace rdmaready
