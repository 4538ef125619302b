// SPDX-License-Identifier: Apache-2.0
// Format: the table of what --output writes. A format is a row and its functions; a command that a row has no
// function for does not know the format, and its --help does not list it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cli/exit_status.h"
#include "cli/fleet/check_summary.h"
#include "cli/fleet/history_run.h"
#include "cli/fleet/transfer_run.h"
#include "cli/render/facts_run.h"
#include "cli/render/probe_run.h"
#include "cli/style.h"

namespace rdmaready {

// How the reader wants it. Formats for programs look at neither.
struct Look {
  Style style{};
  bool verbose = false;  // also what is well
};

struct Format {
  std::string_view name;
  std::string_view meaning;  // for --help
  // For programs: what any command has to say is a JSON object, made into this. Errors of hosts, and what
  // became of their stores, stand in it, and are not told on standard error too. Null: not a format of objects.
  std::string (*object)(std::string_view json) = nullptr;
  std::string (*check)(const CheckSummary&, const Look&) = nullptr;
  std::string (*transfers)(const TransferRun&, const Look&) = nullptr;
  std::string (*probe)(const ProbeSummary&, const Look&) = nullptr;
  std::string (*facts)(const FactsRun&, const Look&) = nullptr;
  std::string (*history)(const HistoryRun&, const Look&) = nullptr;
  // Why a command ends without a result, for standard output; null, an empty text, and no object: a line on standard
  // error.
  std::string (*failure)(ExitStatus status, std::string_view host, std::string_view error) = nullptr;
};

// "text" is the first.
std::span<const Format> AllFormats();
const Format& TextFormat();
// Null when there is none of that name.
const Format* FindFormat(std::string_view name);

// Whether `command` ("check", "test") writes it. Commands without a column of their own know text and objects.
bool Knows(const Format& format, std::string_view command);

// In the order of the table. No command: every one.
std::vector<std::string> FormatNames(std::string_view command = {});

// kInvalidArgument in one line that names what there is, and what was perhaps meant. No command: that there is
// such a format at all.
absl::Status CheckFormat(std::string_view name, std::string_view command = {});

}  // namespace rdmaready
