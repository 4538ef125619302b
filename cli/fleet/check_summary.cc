// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/check_summary.h"

#include "checks/words/words.h"

namespace rdmaready {

ExitStatus StatusOf(const CheckSummary& run) {
  std::vector<ExitStatus> failures;
  bool stored = true;
  for (const HostNotes& notes : run.notes) {
    if (notes.failure != ExitStatus::kOk) failures.push_back(notes.failure);
    stored = stored && notes.store_error.empty();
  }
  return OfCheck(run.report.verdict, failures, stored);
}

std::vector<std::string> Complaints(const CheckSummary& run) {
  std::vector<std::string> lines;
  const HostReport* first = nullptr;
  for (std::size_t i = 0; i < run.notes.size() && i < run.report.hosts.size(); ++i) {
    const HostReport& host = run.report.hosts[i];
    const HostNotes& notes = run.notes[i];
    if (!host.error.empty()) lines.push_back(Printable(host.error));
    if (!notes.store_error.empty()) {
      lines.push_back("host " + Printable(host.host) +
                      ": the result was not stored: " + Printable(notes.store_error));
    }
    if (!notes.store_notice.empty()) {
      lines.push_back("host " + Printable(host.host) + ": " + Printable(notes.store_notice));
    }
    if (host.profiles.empty() || !run.profiles_of_agents) continue;
    if (first == nullptr) {
      first = &host;
    } else if (first->profiles != host.profiles) {
      lines.push_back(Printable("hosts were judged by different profiles: " + first->host + " by " +
                                NamesOf(first->profiles) + ", " + host.host + " by " + NamesOf(host.profiles) +
                                " (name one with --profile)"));
    }
  }
  return lines;
}

}  // namespace rdmaready
