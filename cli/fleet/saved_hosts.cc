// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/saved_hosts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/profile/load.h"
#include "checks/fleet/agreement.h"
#include "checks/host_parts.h"
#include "checks/judge.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/words.h"
#include "cli/fleet/profile_fleets.h"
#include "cli/fleet/tested_pairs.h"
#include "collectors/collect.h"
#include "collectors/dcb/dcb_writes.h"
#include "collectors/lldp/lldp.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"

namespace rdmaready {
namespace {

constexpr std::string_view kByAgent = "agent";  // JudgedBy::chosen_by of agent/agent.cc

std::int64_t SteadyNowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// `listened`: neighbours that were not heard then read as "not in the recording".
Facts Collect(Recording recording, bool listened) {
  const bool lldp_asked = listened || recording.answers.Asked<LldpQuestion>();
  const bool dcb_asked = recording.answers.Asked<DcbNoticesQuestion>();
  Fact<ApplyState> applier = std::move(recording.apply_state);
  RecordedHost reader(std::move(recording));
  Facts facts = CollectFacts(reader);
  facts.apply_state = std::move(applier);
  if (lldp_asked) ReadLldp(reader, {}, facts);
  if (dcb_asked) ReadDcbWrites(reader, {}, facts);
  return facts;
}

SavedHost Replay(SavedRecording saved) {
  SavedHost host;
  if (!saved.recording.ok()) {
    host.error = Message(saved.recording.status());
    return host;
  }
  Recording& recording = *saved.recording;
  host.name = recording.host.empty() ? recording.hostname : recording.host;
  host.recorded_unix_ns = recording.recorded_unix_ns;
  host.recorded_by = recording.rdmaready;
  host.listened = recording.answers.Asked<LldpQuestion>();
  TakeJudgedBy(recording.judged_by, host);
  host.facts = Collect(std::move(recording), false);
  return host;
}

absl::StatusOr<Recording> Decode(const std::map<std::string, std::string>& files, const std::string& host) {
  absl::StatusOr<Recording> recording = DecodeRecording(files);
  if (recording.ok()) return recording;
  return absl::UnimplementedError("host " + host +
                                  ": its recording cannot be read: " + Message(recording.status()));
}

// Joins what is chosen and what the agent sent: its waivers, and its profiles where none are chosen. Where the
// text of the agent cannot be read, only what is chosen is kept.
absl::StatusOr<std::string> ChosenText(JudgedBy chosen, const std::string& sent) {
  const absl::StatusOr<JudgedBy> of_agent = DecodeJudgedBy(sent);
  if (of_agent.ok()) chosen.waivers = of_agent->waivers;
  if (of_agent.ok() && chosen.profiles.empty()) {
    chosen.profiles = of_agent->profiles;
    chosen.chosen_by = of_agent->chosen_by;
  }
  if (chosen.profiles.empty()) return sent;
  return EncodeJudgedBy(chosen);
}

// A host that is judged by profiles of its own.
struct JudgedHost {
  std::vector<Profile> profiles{};
  std::optional<HostParts> parts{};  // nothing when it cannot be judged
  HostReport report{};
};

}  // namespace

absl::StatusOr<std::vector<Profile>> ProfilesFor(const SavedHost& host, const Site* site) {
  if (site != nullptr) {
    RR_ASSIGN_OR_RETURN(std::vector<Profile> named, site->ProfilesOf(host.name));
    return host.judged_by ? host.judged_by->WithWaivers(std::move(named)) : named;
  }
  if (host.judged_by) return host.judged_by->Effective();
  if (!host.judged_by_error.empty())
    return absl::InvalidArgumentError(
        Cat("host ", host.name, ": the profile that its recording keeps cannot be read: ", host.judged_by_error,
            ": name one with --profile"));
  RR_ASSIGN_OR_RETURN(Profile usual, LoadProfile(std::string(kDefaultProfileName)));
  return std::vector<Profile>{std::move(usual)};
}

namespace {

absl::StatusOr<JudgedHost> JudgeSaved(const SavedHost& host, const Site* site,
                                      std::span<const std::string> ports) {
  if (!host.error.empty()) return absl::InvalidArgumentError(host.error);
  JudgedHost judged;
  RR_ASSIGN_OR_RETURN(judged.profiles, ProfilesFor(host, site));
  absl::StatusOr<HostParts> parts = HostParts::Divide(host.facts, judged.profiles, ports);
  if (!parts.ok()) return absl::InvalidArgumentError("host " + host.name + ": " + Message(parts.status()));
  judged.parts = *std::move(parts);
  HostReport& report = judged.report;
  report.agent_version = kVersion;
  if (host.facts.kernel) report.kernel_release = host.facts.kernel->release;
  report.profiles = judged.parts->profiles();
  report.ports = judged.parts->ports();
  report.findings = JudgeHost(*judged.parts, SteadyNowNs, UnixNowNs());
  return judged;
}

std::string KeptGroupOf(const SavedHost& host) {
  return host.judged_by ? host.judged_by->group : std::string();
}

// The notes of the report about the recording.
HostNotes NotesOf(const SavedHost& host, const HostReport& report, const Site* site) {
  HostNotes notes{
      .group = KeptGroupOf(host), .recorded_unix_ns = host.recorded_unix_ns, .recorded_by = host.recorded_by};
  notes.software = AllSoftware(host.facts);
  if (host.judged_by) {
    for (const Profile& profile : host.judged_by->profiles)
      notes.recorded_under.push_back({.name = profile.name, .digest = profile.digest});
  }
  const bool same = notes.recorded_under == report.profiles;
  notes.judging = site == nullptr           ? (host.judged_by ? Judging::kKept : Judging::kDefault)
                  : !host.judged_by || same ? Judging::kKept
                                            : Judging::kOther;
  return notes;
}

void AddAgreement(const std::vector<SavedHost>& hosts, const std::vector<JudgedHost>& judged, Report& report) {
  std::vector<FollowingHost> following;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    following.push_back({hosts[i].name, judged[i].profiles, judged[i].parts ? &*judged[i].parts : nullptr,
                         report.hosts[i].findings, KeptGroupOf(hosts[i])});
  }
  AppendAgreement(CompareFleets(following), report);
}

}  // namespace

absl::StatusOr<std::vector<SavedHost>> LoadSavedHosts(const std::vector<std::string>& folders) {
  std::vector<SavedHost> hosts;
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    RR_ASSIGN_OR_RETURN(std::vector<SavedRecording> saved, LoadRecordings(folder));
    for (SavedRecording& one : saved) {
      if (std::ranges::find(found, one.folder) != found.end()) {
        return absl::InvalidArgumentError("recording " + one.folder + " is named twice");
      }
      found.push_back(one.folder);
      hosts.push_back(Replay(std::move(one)));
    }
  }
  NameHostsApart(hosts, found);
  return hosts;
}

SavedHost ReplayFiles(const std::map<std::string, std::string>& files, const std::string& place) {
  absl::StatusOr<Recording> recording = DecodeRecording(files);
  if (recording.ok()) return Replay({place, std::move(recording)});
  return Replay(
      {place, absl::InvalidArgumentError("read recording " + place + "/" + Message(recording.status()))});
}

void NameHostsApart(std::vector<SavedHost>& hosts, const std::vector<std::string>& places) {
  std::map<std::string, int> uses;
  for (const SavedHost& host : hosts) ++uses[host.name];
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].name.empty() || uses[hosts[i].name] > 1) hosts[i].name = places[i];
  }
}

absl::StatusOr<std::optional<JudgedBy>> JudgedByOf(const SavedJudging& judging, std::size_t index,
                                                   const std::string& host) {
  static const HostOrigin kNone;
  const HostOrigin& origin = index < judging.origins.size() ? judging.origins[index] : kNone;
  const Site* site = judging.named ? &*judging.named : origin.site.get();
  if (site == nullptr && origin.group.empty()) return std::nullopt;
  JudgedBy judged_by{.group = origin.group};
  if (site == nullptr) return judged_by;
  RR_ASSIGN_OR_RETURN(judged_by.profiles, site->ProfilesOf(host));
  judged_by.chosen_by = judging.named ? "--profile" : "inventory";
  judged_by.site_file = site->file;
  judged_by.site_text = site->text;
  return judged_by;
}

void TakeJudgedBy(const std::string& text, SavedHost& host) {
  if (text.empty()) return;
  absl::StatusOr<JudgedBy> judged_by = DecodeJudgedBy(text);
  if (judged_by.ok()) {
    host.judged_by = *std::move(judged_by);
  } else {
    host.judged_by_error = Message(judged_by.status());
  }
}

absl::StatusOr<std::map<std::string, std::string>> NamedRecording(
    const std::map<std::string, std::string>& files, const std::string& host,
    const std::optional<JudgedBy>& chosen) {
  RR_ASSIGN_OR_RETURN(Recording recording, Decode(files, host));
  recording.host = host;
  if (chosen) {
    RR_ASSIGN_OR_RETURN(recording.judged_by, ChosenText(*chosen, recording.judged_by));
  }
  return EncodeRecording(recording);
}

absl::StatusOr<Facts> FactsOf(const std::map<std::string, std::string>& files, const std::string& host) {
  RR_ASSIGN_OR_RETURN(Recording recording, Decode(files, host));
  return Collect(std::move(recording), true);
}

namespace {

CheckSummary JudgeAll(const std::vector<SavedHost>& hosts, const Site* site,
                      std::span<const std::string> ports) {
  CheckSummary run;
  Report& report = run.report;
  report.version = kVersion;
  report.run_id = MakeRunId();
  report.started_unix_ns = UnixNowNs();
  report.level = Rung::kHost;
  run.profiles_of_agents = site == nullptr && std::ranges::all_of(hosts, [](const SavedHost& host) {
                             return !host.judged_by || host.judged_by->chosen_by == kByAgent;
                           });
  std::vector<JudgedHost> judged(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    HostNotes& notes = run.notes.emplace_back();
    absl::StatusOr<JudgedHost> one = JudgeSaved(hosts[i], site, ports);
    const absl::Status failed = one.status();
    if (failed.ok()) judged[i] = *std::move(one);
    HostReport& of_host = report.hosts.emplace_back(std::move(judged[i].report));
    of_host.host = hosts[i].name;
    if (!failed.ok()) {
      of_host.error = Message(failed);
      notes.failure = ExitStatus::kUsage;  // a bad input file, or profiles that do not fit the host
      continue;
    }
    notes = NotesOf(hosts[i], of_host, site);
    for (const ProfileRef& ref : of_host.profiles) {
      if (std::ranges::find(report.profiles, ref) == report.profiles.end()) report.profiles.push_back(ref);
    }
  }
  AddAgreement(hosts, judged, report);
  std::vector<std::vector<Profile>> profiles;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::array names{hosts[i].name, hosts[i].facts.hostname};
    Waive(judged[i].profiles, names, report.started_unix_ns, report.hosts[i].findings);
    profiles.push_back(judged[i].profiles);
  }
  WaivePairs(profiles, report);
  report.duration_ns = UnixNowNs() - report.started_unix_ns;
  Conclude(report);
  return run;
}

}  // namespace

CheckSummary JudgeSavedHosts(const std::vector<SavedHost>& hosts, const Site& site,
                             std::span<const std::string> ports) {
  return JudgeAll(hosts, &site, ports);
}

CheckSummary JudgeSavedHosts(const std::vector<SavedHost>& hosts, std::span<const std::string> ports) {
  return JudgeAll(hosts, nullptr, ports);
}

struct HostSaver::Parts {
  explicit Parts(const std::string& folder) : saver(folder) {}
  RecordingSaver saver;
};

HostSaver::HostSaver(const std::string& folder) : parts_(std::make_unique<Parts>(folder)) {}

HostSaver::~HostSaver() = default;

absl::Status HostSaver::Prepare(const std::vector<std::string>& hosts) {
  RR_RETURN_IF_ERROR(parts_->saver.Prepare());
  for (const std::string& host : hosts) RR_RETURN_IF_ERROR(parts_->saver.CheckFree(host));
  return absl::OkStatus();
}

absl::StatusOr<std::string> HostSaver::Save(const std::map<std::string, std::string>& files,
                                            const std::string& host, const std::optional<JudgedBy>& chosen) {
  RR_ASSIGN_OR_RETURN(const RecordingFiles named, NamedRecording(files, host, chosen));
  return parts_->saver.Save(named, host);
}

void HostSaver::Abandon() { parts_->saver.Abandon(); }

}  // namespace rdmaready
