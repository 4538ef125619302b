// SPDX-License-Identifier: Apache-2.0
// JSON for programs: the shapes of the contract, one object with a line end. Pure. Text that is not UTF-8 is
// repaired, so that the output can always be parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/profile.h"
#include "api/profile/load.h"
#include "cli/explanation.h"
#include "cli/fleet/check_summary.h"
#include "cli/fleet/history_run.h"
#include "cli/fleet/transfer_run.h"
#include "cli/render/facts_run.h"
#include "cli/render/probe_run.h"
#include "cli/render/save_run.h"
#include "cli/switch/side.h"

namespace rdmaready {

std::string CheckJson(const CheckSummary& run);
std::string TransfersJson(const TransferRun& run);
std::string ProbeJson(const ProbeSummary& run);
std::string FactsJson(const FactsRun& run);
std::string HistoryJson(const HistoryRun& run);
std::string SavedJson(const SaveRun& run);
std::string ProfileJson(const Profile& profile);
std::string ProfileCheckJson(const std::string& named, const ProfileReading& reading);
std::string SwitchSideJson(const std::string& profile, const std::string& kind, const SwitchSide& side);
std::string VersionJson(std::string_view version);
std::string CasesJson(const std::vector<std::string>& names);
std::string ProfilesJson(const std::vector<std::string>& names);
// Every id, and for each its family, severity ("blocking", "advice") and when it blocks: {"schema":
// "rdmaready.v1.Checks", "checks": ["..."], "catalogue": [{"id": ...}]}.
std::string CatalogueJson(const std::vector<Explanation>& catalogue);
// One explanation is an object of its own; several are {"schema": "rdmaready.v1.Explanations",
// "explanations": [...]}.
std::string ExplainJson(const std::vector<Explanation>& explanations);
// `host` may be empty: the error is not about one.
std::string ErrorJson(ExitStatus status, std::string_view host, std::string_view error);

}  // namespace rdmaready
