// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/saved_hosts.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "checks/fleet/agreement.h"
#include "checks/judge.h"
#include "checks/live/transfer.h"
#include "checks/readiness.h"
#include "collectors/collect.h"
#include "collectors/dcb/dcb_writes.h"
#include "collectors/lldp/lldp.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"

namespace rdmaready {
namespace {

std::int64_t SteadyNowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// `listened`: neighbours that were not heard then read as "not in the recording".
Facts Collect(Recording recording, bool listened) {
  const bool lldp_asked = listened || recording.answers.Asked<LldpQuestion>();
  const bool dcb_asked = recording.answers.Asked<DcbNoticesQuestion>();
  RecordedHost reader(std::move(recording));
  Facts facts = CollectFacts(reader);
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
  host.facts = Collect(std::move(recording), false);
  return host;
}

absl::StatusOr<Recording> Decode(const std::map<std::string, std::string>& files, const std::string& host) {
  absl::StatusOr<Recording> recording = DecodeRecording(files);
  if (recording.ok()) return recording;
  return absl::UnimplementedError("host " + host +
                                  ": its recording cannot be read: " + Message(recording.status()));
}

// Readers must know which host is meant: names that are not enough for that give way to the folders.
void NameApart(std::vector<SavedHost>& hosts, const std::vector<std::string>& folders) {
  std::map<std::string, int> uses;
  for (const SavedHost& host : hosts) ++uses[host.name];
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].name.empty() || uses[hosts[i].name] > 1) hosts[i].name = folders[i];
  }
}

void AddAgreement(const std::vector<SavedHost>& hosts, const Profile& profile, Report& report) {
  std::vector<FleetHost> fleet;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Facts* facts = hosts[i].error.empty() ? &hosts[i].facts : nullptr;
    fleet.push_back({hosts[i].name, facts, report.hosts[i].findings});
  }
  AppendAgreement(JudgeAgreement(fleet, profile, SteadyNowNs), report);
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
  NameApart(hosts, found);
  return hosts;
}

absl::StatusOr<Facts> FactsOf(const std::map<std::string, std::string>& files, const std::string& host) {
  RR_ASSIGN_OR_RETURN(Recording recording, Decode(files, host));
  return Collect(std::move(recording), true);
}

CheckSummary JudgeSavedHosts(const std::vector<SavedHost>& hosts, const Profile& profile) {
  CheckSummary run;
  Report& report = run.report;
  report.version = kVersion;
  report.run_id = MakeRunId();
  report.started_unix_ns = UnixNowNs();
  report.level = Rung::kHost;
  report.profile_name = profile.name;
  report.profile_digest = profile.digest;
  for (const SavedHost& host : hosts) {
    HostReport& of_host = report.hosts.emplace_back();
    of_host.host = host.name;
    HostNotes& notes = run.notes.emplace_back();
    if (!host.error.empty()) {
      of_host.error = host.error;
      notes.failure = ExitStatus::kUsage;  // a bad input file
      continue;
    }
    of_host.agent_version = kVersion;
    if (host.facts.kernel) of_host.kernel_release = host.facts.kernel->release;
    of_host.findings = JudgeHost(host.facts, profile, SteadyNowNs);
    notes.software = AllSoftware(host.facts);
    notes.profile_name = profile.name;
    notes.profile_digest = profile.digest;
    notes.recorded_unix_ns = host.recorded_unix_ns;
    notes.recorded_by = host.recorded_by;
  }
  AddAgreement(hosts, profile, report);
  report.duration_ns = UnixNowNs() - report.started_unix_ns;
  Conclude(report);
  return run;
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
                                            const std::string& host) {
  RR_ASSIGN_OR_RETURN(Recording recording, Decode(files, host));
  recording.host = host;
  RR_ASSIGN_OR_RETURN(const RecordingFiles named, EncodeRecording(recording));
  return parts_->saver.Save(named, host);
}

void HostSaver::Abandon() { parts_->saver.Abandon(); }

}  // namespace rdmaready
