// SPDX-License-Identifier: Apache-2.0
// ReportPage: a check, and perhaps a comparison with TCP, as one page to hand over: the verdict, the causes
// with their remedies, and what was seen. Pure.
#pragma once

#include <optional>
#include <string>

#include "cli/fleet/check_summary.h"
#include "cli/render/compare_output.h"

namespace rdmaready {

struct HandedReport {
  CheckSummary check{};
  std::optional<JudgedCompare> compare{};
  std::string not_compared{};  // why there is none although one was asked for
};

// An HTML document.
std::string ReportPage(const HandedReport& report);

// The verdict, and the file that the page was written to, as a JSON object (packaging/schemas).
std::string PageJson(const HandedReport& report, const std::string& file);

}  // namespace rdmaready
