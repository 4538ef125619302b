// SPDX-License-Identifier: Apache-2.0
// SavedHosts: hosts that were recorded, here or elsewhere, and are shown or judged without being asked. The
// only file of the command line that knows recordings.
//
// A recording keeps the profiles by which a check of its host would have judged it, and it is judged by them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "api/profile/judged_by.h"
#include "api/profile/site.h"
#include "cli/fleet/check_summary.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {

struct SavedHost {
  std::string name{};  // as it was named when it was saved; its folder, when two have that name
  Facts facts{};
  std::int64_t recorded_unix_ns = 0;
  std::string recorded_by{};            // version of rdmaready
  bool listened = false;                // for LLDP while it was recorded
  std::optional<JudgedBy> judged_by{};  // what it keeps of profiles; nothing: none, or nothing that can be read
  std::string judged_by_error{};        // why what it keeps cannot be read
  std::string error{};                  // its folder could not be read: it has nothing but that folder's name
};

// Of every folder, which is one recording or holds several. kInvalidArgument in one line that names the file,
// when nothing of a folder can be read; a bad one beside others is an error of its own host.
absl::StatusOr<std::vector<SavedHost>> LoadSavedHosts(const std::vector<std::string>& folders);

// A recording in memory; `place` is how it is named when it cannot be read.
SavedHost ReplayFiles(const std::map<std::string, std::string>& files, const std::string& place);

// The profiles of hosts that are saved now: those that a person names, else those of the inventory, else those
// of each agent.
struct SavedJudging {
  std::optional<Site> named{};
  std::vector<HostOrigin> origins{};  // of each host, in their order
};

// The profiles that are chosen for that host, without the waivers of its agent; nothing: those of its agent.
// kInvalidArgument: the site file names no group for it.
absl::StatusOr<std::optional<JudgedBy>> JudgedByOf(const SavedJudging& judging, std::size_t index,
                                                   const std::string& host);

// Fills in `judged_by` of the host, or `judged_by_error`; neither where the text is empty.
void TakeJudgedBy(const std::string& text, SavedHost& host);

// `files` as an agent sent them: looked into, and given the name of the host and what is `chosen` in place of
// the profiles of its agent, whose waivers stay. Errors of FactsOf and EncodeJudgedBy.
absl::StatusOr<std::map<std::string, std::string>> NamedRecording(
    const std::map<std::string, std::string>& files, const std::string& host,
    const std::optional<JudgedBy>& chosen = std::nullopt);

// Readers must know which host is meant: names that are not enough for that give way to `places`, one for each.
void NameHostsApart(std::vector<SavedHost>& hosts, const std::vector<std::string>& places);

// Of what an agent sent just now, having been asked to listen for LLDP; kUnimplemented when its recording is
// not of a form that we know.
absl::StatusOr<Facts> FactsOf(const std::map<std::string, std::string>& files, const std::string& host);

// The profiles of `site`, with the waivers of the host's agent; null: those that the recording keeps, or the
// default where it keeps none. kInvalidArgument: what it keeps cannot be read.
absl::StatusOr<std::vector<Profile>> ProfilesFor(const SavedHost& host, const Site* site);

// As a check of the same hosts at level host judges them, by the profiles of `site`, or by those that each
// recording keeps; by the default where it keeps none. The agent's own waivers that it keeps hold in any case.
// `ports`: only these of each host, by name; empty: all. What does not fit a host is its error.
CheckSummary JudgeSavedHosts(const std::vector<SavedHost>& hosts, const Site& site,
                             std::span<const std::string> ports = {});
CheckSummary JudgeSavedHosts(const std::vector<SavedHost>& hosts, std::span<const std::string> ports = {});

// Saves recordings below one folder; see collectors/recording/folder.h.
class HostSaver {
 public:
  explicit HostSaver(const std::string& folder);
  HostSaver(const HostSaver&) = delete;
  HostSaver& operator=(const HostSaver&) = delete;
  ~HostSaver();

  // kAlreadyExists, kFailedPrecondition: nothing can be saved there, so that nobody needs to be
  // asked. kInternal.
  absl::Status Prepare(const std::vector<std::string>& hosts);

  // `files` as NamedRecording takes them, written. Returns the folder. Errors of Prepare and NamedRecording;
  // kUnimplemented when the agent's recording is not of a form that we know.
  absl::StatusOr<std::string> Save(const std::map<std::string, std::string>& files, const std::string& host,
                                   const std::optional<JudgedBy>& chosen = std::nullopt);

  // Leaves nothing unfinished behind. From any thread.
  void Abandon();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rdmaready
