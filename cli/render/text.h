// SPDX-License-Identifier: Apache-2.0
// Text for people. Pure: values and a style in, text out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/profile/load.h"
#include "cli/explanation.h"
#include "cli/fleet/check_summary.h"
#include "cli/fleet/history_run.h"
#include "cli/fleet/transfer_run.h"
#include "cli/render/facts_run.h"
#include "cli/render/probe_run.h"
#include "cli/render/save_run.h"
#include "cli/style.h"

namespace rdmaready {

// `verbose`: a line for every check; else what is well is summed up by family.
std::string CheckText(const CheckSummary& run, const Style& style, bool verbose = false);
std::string FactsText(const FactsRun& run, const Style& style);
std::string SavedText(const SaveRun& run);
std::string TransfersText(const TransferRun& run, const Style& style);
// Each finding, what the server told, the verdict.
std::string ProbeText(const ProbeSummary& run, const Style& style);
// Of the hosts that answered. Times are UTC.
std::string HistoryText(const HistoryRun& run, const Style& style);
// The runs as their checks showed them, and their transfers.
std::string RememberedText(const HistoryRun& run, const Style& style);

std::string ExplainText(const std::vector<Explanation>& explanations, const Style& style);
// A row for each, below a head: id, family, severity, when it blocks.
std::string CatalogueTable(const std::vector<Explanation>& catalogue, const Style& style);
std::string CatalogueMarkdown(const std::vector<Explanation>& catalogue);

// A line for each fault: "file.yaml:7: key `dscp`: 64 is not in 0..63", and how many there are.
std::string ProfileFaultsText(const std::string& named, const ProfileReading& reading);

}  // namespace rdmaready
