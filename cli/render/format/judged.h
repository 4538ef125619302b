// SPDX-License-Identifier: Apache-2.0
// What was judged, written for other tools. Pure. Control characters of hosts are made harmless, as in the text
// for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/render/format/format.h"

namespace rdmaready {

// A finding and whom it is about.
struct Judged {
  std::string host{};                // Printable, as all texts of it have to be made by the renderer
  std::string peer{};                // the other end; empty but for a pair
  const Finding* finding = nullptr;  // never null

  std::string Where() const { return peer.empty() ? host : host + " -> " + peer; }
};

// Hosts in the order of the report, then pairs.
std::vector<Judged> JudgedIn(const Report& report);

// "host: how far", where the report has it: what became of every host in a line.
std::string CheckShort(const CheckSummary& run, const Look& look);
std::string CheckWide(const CheckSummary& run, const Look& look);

// A suite for each host and group. What blocks and fails is a failure, what blocks and is unknown an error; all
// else that did not pass is skipped, and says why.
std::string CheckJunit(const CheckSummary& run, const Look& look);
std::string FailureJunit(ExitStatus status, std::string_view host, std::string_view error);

// A result for each finding that calls for attention, suppressed or not; a rule for each of their ids.
std::string CheckSarif(const CheckSummary& run, const Look& look);

// "RDMAREADY OK - TEXT | PERFDATA", without a line break inside. TEXT ends with the remedy of what is to be
// done first, where the line has room for all of it.
std::string CheckNagios(const CheckSummary& run, const Look& look);
std::string FailureNagios(ExitStatus status, std::string_view host, std::string_view error);

// Text format 0.0.4, for the node exporter's textfile collector or a push gateway.
std::string CheckProm(const CheckSummary& run, const Look& look);

// RFC 4180, with a head.
std::string CheckCsv(const CheckSummary& run, const Look& look);
std::string TransfersCsv(const TransferRun& run, const Look& look);

}  // namespace rdmaready
