// SPDX-License-Identifier: Apache-2.0
// SavedHosts: hosts that were recorded, here or elsewhere, and are shown or judged without being asked. The only file of
// the command line that knows recordings.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "api/profile/site.h"
#include "cli/fleet/check_summary.h"

namespace rdmaready {

struct SavedHost {
  std::string name{};  // as it was named when it was saved; its folder, when two have that name
  Facts facts{};
  std::int64_t recorded_unix_ns = 0;
  std::string recorded_by{};  // version of rdmaready
  bool listened = false;      // for LLDP while it was recorded
  std::string error{};        // its folder could not be read: it has nothing but that folder's name
};

// Of every folder, which is one recording or holds several. kInvalidArgument in one line that names the file,
// when nothing of a folder can be read; a bad one beside others is an error of its own host.
absl::StatusOr<std::vector<SavedHost>> LoadSavedHosts(const std::vector<std::string>& folders);

// A recording in memory; `place` is how it is named when it cannot be read.
SavedHost ReplayFiles(const std::map<std::string, std::string>& files, const std::string& place);

// `files` as an agent sent them: looked into, and given the name of the host. Errors of FactsOf.
absl::StatusOr<std::map<std::string, std::string>> NamedRecording(
    const std::map<std::string, std::string>& files, const std::string& host);

// Readers must know which host is meant: names that are not enough for that give way to `places`, one for each.
void NameHostsApart(std::vector<SavedHost>& hosts, const std::vector<std::string>& places);

// Of what an agent sent just now, having been asked to listen for LLDP; kUnimplemented when its recording is
// not of a form that we know.
absl::StatusOr<Facts> FactsOf(const std::map<std::string, std::string>& files, const std::string& host);

// As a check of the same hosts at level host judges them.
// `ports`: only these of each host, by name; empty: all. What does not fit a host is its error.
CheckSummary JudgeSavedHosts(const std::vector<SavedHost>& hosts, const Site& site,
                             std::span<const std::string> ports = {});

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

  // `files` as the agent sent them: looked into, given the name of the host, written. Returns the folder.
  // Errors of Prepare, and kUnimplemented when the agent's recording is not of a form that we know.
  absl::StatusOr<std::string> Save(const std::map<std::string, std::string>& files, const std::string& host);

  // Leaves nothing unfinished behind. From any thread.
  void Abandon();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rdmaready
