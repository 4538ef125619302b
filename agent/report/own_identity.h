// SPDX-License-Identifier: Apache-2.0
// Who this host is to a hub.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "agent/report/report_client.h"

namespace rdmaready::report {

// Name, machine and boot of this host, and a run of this process. `host_id`: of the certificate, which is its
// word and stands there alone; without TLS (`certificate` empty) that of STATE_DIRECTORY/host-id, which is made
// when it is absent. Errors are those of the file.
absl::StatusOr<ReportingHost> OwnIdentity(const std::string& state_directory, const std::string& certificate);

}  // namespace rdmaready::report
