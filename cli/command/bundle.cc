// SPDX-License-Identifier: Apache-2.0
// rdmaready bundle: what is known of hosts, in one file for somebody else.
#include "cli/bundle/bundle.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "api/base/quantity.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/convert/facts.h"
#include "api/profile/judged_by.h"
#include "checks/readiness.h"
#include "cli/bundle/facts.h"
#include "cli/bundle/file.h"
#include "cli/bundle/pseudonyms.h"
#include "cli/command/judged_pseudonyms.h"
#include "cli/commands.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/history_run.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/saved_hosts.h"
#include "cli/host_flags.h"
#include "cli/render/bundle_run.h"
#include "cli/render/json.h"

namespace rdmaready {
namespace {

using bundle::Bundle;
using bundle::BundledHost;
using bundle::BundleFile;

constexpr int kRemembered = 100;  // runs, and as many transfers

struct BundleOptions {
  HostFlags named{};
  std::vector<std::string> profiles{};
  std::string out = "rdmaready-bundle.tar.gz";
  std::string max_size = "64M";
  std::uint32_t lldp_seconds = 0;
  bool force = false;
  bool pseudonyms = false;
};

// The request to one host.
struct Wanted {
  std::chrono::seconds lldp{};
  std::optional<JudgedBy> judged_by{};  // nothing: what its agent says
};

// What one host gave, and what it did not.
struct Gathered {
  std::string called{};  // by the caller
  BundledHost host{};
  std::vector<bundle::LeftOut> left_out{};
  std::string why{};  // nothing of it is there; as the caller is told
  ExitStatus failure = ExitStatus::kOk;
};

std::vector<bundle::Versioned> VersionsOf(const std::string& agent, const Facts& facts) {
  std::vector<bundle::Versioned> versions{{"agent", agent}};
  if (facts.kernel) versions.push_back({"kernel", facts.kernel->release});
  if (facts.ports) {
    for (const Port& port : *facts.ports) {
      if (port.firmware && !port.firmware->empty())
        versions.push_back({port.device + " firmware", *port.firmware});
      if (!port.netdev || !port.netdev->driver_info) continue;
      const DriverInfo& driver = *port.netdev->driver_info;
      versions.push_back({port.netdev->name + " driver", driver.driver + " " + driver.version});
    }
  }
  return versions;
}

void MissPart(Gathered& gathered, std::string what, const absl::Status& why) {
  gathered.left_out.push_back({gathered.host.name, std::move(what), Message(why)});
  gathered.failure = Worse(gathered.failure, CallFailure(why));
}

// What the agent remembers is asked for before it remembers this check.
absl::StatusOr<std::string> HistoryOf(const HostClient& host) {
  RR_ASSIGN_OR_RETURN(History history, host.agent->ListHistory({.limit = kRemembered}));
  HistoryRun run;
  HostHistory& one = run.hosts.emplace_back();
  one.host = host.name;
  one.changes = ChangesOf(history.runs);
  one.history = std::move(history);
  return HistoryJson(run);
}

absl::StatusOr<std::string> ReportOf(const HostClient& host, const std::optional<JudgedBy>& judged_by) {
  CheckSummary run;
  const std::vector<Profile> profiles = judged_by ? judged_by->profiles : std::vector<Profile>();
  run.profiles_of_agents = profiles.empty();
  Report& report = run.report;
  report.started_unix_ns = UnixNowNs();
  RR_ASSIGN_OR_RETURN(
      CheckAnswer answer,
      host.agent->Check({.profiles = profiles, .level = Rung::kHost, .caller = CallerName()}, {}, {}));
  report.version = kVersion;
  report.run_id = answer.run_id;
  report.level = Rung::kHost;
  report.profiles = answer.report.profiles;
  report.hosts.push_back(std::move(answer.report));
  report.hosts.back().host = host.name;
  run.notes.push_back({.software = answer.software_devices_only,
                       .store_error = answer.store_error,
                       .store_notice = answer.store_notice});
  report.duration_ns = UnixNowNs() - report.started_unix_ns;
  Conclude(report);
  return CheckJson(run);
}

absl::Status AddRecording(const HostClient& host, const Wanted& wanted, BundledHost& gathered) {
  RR_ASSIGN_OR_RETURN(const auto sent, host.agent->GetRecording(wanted.lldp));
  RR_ASSIGN_OR_RETURN(const auto files, NamedRecording(sent, host.name, wanted.judged_by));
  RR_ASSIGN_OR_RETURN(const Facts facts, FactsOf(files, host.name));
  const std::string& agent = host.agent->version().version;
  gathered.versions =
      VersionsOf(agent.empty() ? std::string(kVersion) : agent, facts);  // empty: it is in this process
  for (const auto& [path, contents] : files)
    gathered.members.emplace(std::string(bundle::kRecording) + path, contents);
  return absl::OkStatus();
}

absl::Status AddHiddenProfiles(const SavedHost& saved, const bundle::Pseudonyms& pseudonyms,
                               Gathered& gathered) {
  if (!saved.judged_by) return absl::OkStatus();
  const HiddenJudging hidden = UnderPseudonyms(pseudonyms, *saved.judged_by, saved);
  if (hidden.left_out) {
    gathered.left_out.push_back(
        {gathered.host.name, "profiles",
         hidden.judged_by
             ? "names, summaries, the site file, and who answers for a waiver and why; selectors of ports name "
               "those of this host"
             : "which ports its profiles are for is not known"});
  }
  if (!hidden.judged_by) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(std::string kept, EncodeJudgedBy(*hidden.judged_by, /*people=*/false));
  gathered.host.members.emplace(bundle::kJudgedBy, std::move(kept));
  return absl::OkStatus();
}

// The facts that the recording gives, since what is in it in a form that nobody knows would stay in it.
absl::Status AddPseudonyms(const HostClient& host, const Wanted& wanted, const bundle::Pseudonyms& pseudonyms,
                           Gathered& whole) {
  BundledHost& gathered = whole.host;
  RR_ASSIGN_OR_RETURN(const auto sent, host.agent->GetRecording(wanted.lldp));
  RR_ASSIGN_OR_RETURN(const auto files, NamedRecording(sent, host.name, wanted.judged_by));
  const SavedHost saved = ReplayFiles(files, host.name);
  if (!saved.error.empty()) return absl::UnimplementedError("host " + host.name + ": " + saved.error);
  RR_RETURN_IF_ERROR(AddHiddenProfiles(saved, pseudonyms, whole));
  v1::Facts facts = ToProto(saved.facts);
  bundle::PutUnderPseudonyms(pseudonyms, facts);
  RR_ASSIGN_OR_RETURN(std::string text, bundle::WriteFacts(facts));
  gathered.members.emplace(bundle::kFacts, std::move(text));
  gathered.versions = VersionsOf(saved.recorded_by, FromProto(facts));
  return absl::OkStatus();
}

// What has nothing that a stranger must not see: of why something failed not the words.
Gathered GatherPseudonymous(const HostClient& host, const Wanted& wanted,
                            const bundle::Pseudonyms& pseudonyms) {
  Gathered gathered = {.called = host.name, .failure = host.failure};
  BundledHost& in_bundle = gathered.host;
  in_bundle.name = pseudonyms.Word("host", host.name);
  absl::Status failed = absl::UnavailableError(host.error);
  if (host.agent != nullptr) {
    failed = AddPseudonyms(host, wanted, pseudonyms, gathered);
    gathered.failure = CallFailure(failed);
  }
  if (!failed.ok()) {
    gathered.why = Message(failed);
    in_bundle.error = "it gave no recording";
    return gathered;
  }
  gathered.left_out.push_back({in_bundle.name, "recording",
                               "raw answers hold names and addresses in forms not all of "
                               "which are known: its facts are here instead"});
  for (const char* what : {"report", "history", "events"}) {
    gathered.left_out.push_back(
        {in_bundle.name, what, "free text cannot be put under pseudonyms with certainty"});
  }
  return gathered;
}

void AddPart(Gathered& gathered, std::string_view path, const std::string& what,
             absl::StatusOr<std::string> text) {
  if (!text.ok()) return MissPart(gathered, what, text.status());
  gathered.host.members.emplace(path, *std::move(text));
}

// An agent of a version without them has none, which is no failure.
void AddEvents(const HostClient& host, Gathered& gathered) {
  const absl::StatusOr<std::vector<AgentEvent>> events = host.agent->GetEvents();
  if (absl::IsUnimplemented(events.status())) {
    gathered.left_out.push_back({host.name, "events", "its agent keeps none: it is of an older version"});
  } else if (!events.ok()) {
    MissPart(gathered, "events", events.status());
  } else {
    gathered.host.members.emplace(bundle::kEvents, EventsJson(host.name, *events));
  }
}

// A host that gives no recording gives nothing; what else it does not give is named.
Gathered Gather(const HostClient& host, const Wanted& wanted) {
  Gathered gathered{.called = host.name,
                    .host = {.name = host.name, .error = host.error},
                    .why = host.error,
                    .failure = host.failure};
  if (host.agent == nullptr) return gathered;
  if (const absl::Status recorded = AddRecording(host, wanted, gathered.host); !recorded.ok()) {
    gathered.host.error = gathered.why = Message(recorded);
    gathered.failure = CallFailure(recorded);
    return gathered;
  }
  AddPart(gathered, bundle::kHistory, "history", HistoryOf(host));
  AddPart(gathered, bundle::kReport, "report", ReportOf(host, wanted.judged_by));
  AddEvents(host, gathered);
  return gathered;
}

bool WantsGzip(const std::string& path) { return path.ends_with(".gz") || path.ends_with(".tgz"); }

// The bytes of the file.
absl::StatusOr<std::string> BytesOfBundle(Bundle made, std::uint64_t most_bytes, const std::string& path,
                                          BundleRun& run) {
  RR_ASSIGN_OR_RETURN(bundle::EncodedBundle encoded, bundle::Encode(std::move(made), most_bytes));
  for (const bundle::LeftOut& one : encoded.left_out) run.left_out.push_back({one.host, one.what, one.why});
  if (!WantsGzip(path)) return std::move(encoded.tar);
  return bundle::Gzip(encoded.tar);
}

ExitStatus ShowBundle(const Context& context, const BundleRun& run) {
  ExitStatus status = ExitStatus::kOk;
  for (const HostBundling& host : run.hosts) status = Worse(status, host.failure);
  context.Print(BundleJson(run), BundleText(run));
  for (const HostBundling& host : run.hosts) {
    if (!host.error.empty() && context.format().object == nullptr) context.console.Error(host.error);
  }
  return status;
}

// No host gave anything.
ExitStatus TellWhyNothing(const Context& context, const BundleRun& run) {
  ExitStatus status = ExitStatus::kOk;
  std::string all;
  for (const HostBundling& host : run.hosts) {
    status = Worse(status, host.failure);
    all += (all.empty() ? "" : "; ") + host.error;
  }
  if (run.hosts.size() == 1) return context.Fail(status, all, run.hosts.front().host);
  if (context.format().object != nullptr) return context.Fail(status, all);
  for (const HostBundling& host : run.hosts) context.console.Error(host.error);
  return status;
}

ExitStatus WriteBundle(const Context& context, const BundleOptions& options, std::uint64_t most_bytes,
                       std::vector<Gathered> gathered, BundleFile& file) {
  Bundle made{.version = std::string(kVersion), .created_unix_ns = static_cast<std::uint64_t>(UnixNowNs())};
  made.pseudonyms = options.pseudonyms;
  BundleRun run{.file = options.out, .pseudonyms = options.pseudonyms};
  bool any = false;
  for (Gathered& one : gathered) {
    any = any || !one.host.members.empty();
    run.hosts.push_back(
        {one.called, one.host.name == one.called ? std::string() : one.host.name, one.why, one.failure});
    made.hosts.push_back(std::move(one.host));
    std::ranges::move(one.left_out, std::back_inserter(made.left_out));
  }
  if (!any) return TellWhyNothing(context, run);
  const absl::StatusOr<std::string> bytes = BytesOfBundle(std::move(made), most_bytes, options.out, run);
  if (!bytes.ok()) {
    const bool asked_too_much =
        absl::IsResourceExhausted(bytes.status()) || absl::IsInvalidArgument(bytes.status());
    return context.Fail(asked_too_much ? ExitStatus::kUsage : ExitStatus::kOwnFailure, Message(bytes.status()));
  }
  run.bytes = bytes->size();
  if (const absl::Status written = file.Write(*bytes); !written.ok()) {
    return context.Fail(SaveFailure(written), Message(written));
  }
  context.interrupt.Disarm();
  context.console.EraseProgress();
  return ShowBundle(context, run);
}

// Asks one host; the result says why it gives nothing.
Gathered GatherOne(const HostClient& host, std::size_t index, const BundleOptions& options,
                   const SavedJudging& judging, const bundle::Pseudonyms& pseudonyms) {
  absl::StatusOr<std::optional<JudgedBy>> judged_by = JudgedByOf(judging, index, host.name);
  if (!judged_by.ok()) {
    const std::string why = Message(judged_by.status());
    const std::string name = options.pseudonyms ? pseudonyms.Word("host", host.name) : host.name;
    const std::string said = options.pseudonyms ? "no profile is named for it" : why;
    return {
        .called = host.name, .host = {.name = name, .error = said}, .why = why, .failure = ExitStatus::kUsage};
  }
  const Wanted wanted{.lldp = std::chrono::seconds(options.lldp_seconds), .judged_by = *std::move(judged_by)};
  return options.pseudonyms ? GatherPseudonymous(host, wanted, pseudonyms) : Gather(host, wanted);
}

ExitStatus RunBundle(const Context& context, const BundleOptions& options) {
  const absl::StatusOr<SavingHosts> hosts = HostsToSave(options.named, options.profiles);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  const absl::StatusOr<std::uint64_t> most_bytes = ParseSize(options.max_size);
  if (!most_bytes.ok()) return context.Fail(ExitStatus::kUsage, "--max-size: " + Message(most_bytes.status()));
  if (*most_bytes > bundle::kMaxTarBytes) {
    return context.Fail(ExitStatus::kUsage, "--max-size: no bundle of more than 256M can be read");
  }
  const absl::StatusOr<bundle::Pseudonyms> pseudonyms = bundle::Pseudonyms::Make();
  if (!pseudonyms.ok()) return context.Fail(ExitStatus::kOwnFailure, Message(pseudonyms.status()));
  const auto file = std::make_shared<BundleFile>(options.out, options.force);
  context.interrupt.Add([file] { file->Abandon(); });
  if (const absl::Status room = file->Prepare(); !room.ok())
    return context.Fail(SaveFailure(room), Message(room));
  context.console.Progress(options.lldp_seconds > 0 ? "recording, listening for LLDP" : "recording");
  const absl::StatusOr<std::vector<HostClient>> clients =
      OpenClients(hosts->addresses, context.client(), context.interrupt);
  if (!clients.ok()) return context.Fail(ExitStatus::kUsage, Message(clients.status()));
  std::vector<Gathered> gathered(clients->size());
  FanOut(clients->size(), [&](std::size_t i) {
    gathered[i] = GatherOne((*clients)[i], i, options, hosts->judging, *pseudonyms);
  });
  return WriteBundle(context, options, *most_bytes, std::move(gathered), *file);
}

}  // namespace

Action DefineBundle(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<BundleOptions>();
  AddHostFlags(app, options->named);
  app.add_option("--profile", options->profiles,
                 "The profiles or the site file by which its hosts are judged, now and by whoever opens it "
                 "(default: what "
                 "the inventory says, else the agent's own)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  app.add_option("--out", options->out, "Where to write it; compressed when it ends in .gz or .tgz")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_flag("--force", options->force, "Also where that file exists already");
  app.add_flag(
      "--pseudonyms", options->pseudonyms,
      "Replace names and addresses, each by the same everywhere in the bundle; subnets stay subnets. Of each "
      "host its facts are kept, and nothing that is free text");
  app.add_option(
         "--max-size", options->max_size,
         "Of the bundle before compression, at most 256M. What does not fit is left out and named: events "
         "first, then histories, reports, recordings")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option(
         "--lldp", options->lldp_seconds,
         "Listen this long for what LLDP and DCBX agents at both ends of each link announce, sending nothing")
      ->check(CLI::Range(0, 300))
      ->type_name("SECONDS");
  return [options](const Context& context) { return RunBundle(context, *options); };
}

}  // namespace rdmaready
