// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/check_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/inventory/host_list.h"
#include "api/profile/load.h"
#include "checks/words/words.h"

namespace rdmaready {

namespace {

ExitStatus StatusOf(const CheckSummary& run, bool stored) {
  std::vector<ExitStatus> failures;
  for (const HostNotes& notes : run.notes) {
    if (notes.failure != ExitStatus::kOk) failures.push_back(notes.failure);
  }
  return OfCheck(run.report.verdict, failures, stored);
}

}  // namespace

ExitStatus StatusOf(const CheckSummary& run) { return StatusOf(run, NotStored(run).empty()); }

ExitStatus VerdictStatusOf(const CheckSummary& run) { return StatusOf(run, true); }

std::vector<std::string> NotStored(const CheckSummary& run) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < run.notes.size() && i < run.report.hosts.size(); ++i) {
    const std::string& why = run.notes[i].store_error;
    if (!why.empty())
      lines.push_back(fmt::format("the result of {} was not stored: {}", run.report.hosts[i].host, why));
  }
  if (!run.record_error.empty())
    lines.push_back("the tests between hosts were not kept for --resume: " + run.record_error);
  return lines;
}

namespace {

std::string WithoutName(std::string text, const std::string& name) {
  for (std::size_t at = text.find(name); !name.empty() && at != std::string::npos; at = text.find(name, at + 4))
    text.replace(at, name.size(), "HOST");
  return text;
}

// "profile-x (digest 0123456789ab)"; of several one after the other.
std::string RefsText(const std::vector<ProfileRef>& refs) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (const ProfileRef& ref : refs)
    text += fmt::format("{}{} (digest {})", text.empty() ? "" : ", ", ref.name, ref.digest.substr(0, kShown));
  return text;
}

// Names the profiles that have the name of a built-in one and ask for something else.
std::string NotBuiltInText(const std::vector<ProfileRef>& profiles) {
  std::string text;
  const std::vector<std::string> names = BuiltInProfileNames();
  for (const ProfileRef& kept : profiles) {
    if (std::ranges::find(names, kept.name) == names.end()) continue;
    const absl::StatusOr<Profile> own = LoadProfile(kept.name);
    if (!own.ok() || own->digest == kept.digest) continue;
    text +=
        fmt::format("{}judged by the recording's {}, which is not the built-in {}", text.empty() ? "" : "; ",
                    RefsText({kept}), RefsText({{.name = own->name, .digest = own->digest}}));
  }
  return text;
}

// Says that a recording keeps no profile, or another one; empty: neither.
std::string JudgingText(const HostReport& host, const HostNotes& notes) {
  switch (notes.judging) {
    case Judging::kKept:
      return host.profiles == notes.recorded_under ? NotBuiltInText(host.profiles) : std::string();
    case Judging::kDefault:
      return fmt::format(
          "the recording keeps no profile, made by rdmaready {}: judged by the default {}; another with "
          "--profile",
          notes.recorded_by, NamesOf(host.profiles));
    case Judging::kOther:
      return fmt::format("judged by {}; the recording was made under {}", RefsText(host.profiles),
                         RefsText(notes.recorded_under));
  }
  return {};
}

// A line for each thing that is said, with the hosts of which it is.
void AddJudgings(const CheckSummary& run, std::vector<std::string>& lines) {
  std::vector<SharedError> said;
  for (std::size_t i = 0; i < run.notes.size() && i < run.report.hosts.size(); ++i) {
    const std::string text = JudgingText(run.report.hosts[i], run.notes[i]);
    if (text.empty()) continue;
    auto same = std::ranges::find(said, text, &SharedError::text);
    if (same == said.end()) same = said.insert(said.end(), SharedError{.text = text});
    same->hosts.push_back(run.report.hosts[i].host);
  }
  for (const SharedError& one : said) {
    const std::string hosts = one.hosts.size() == 1
                                  ? "host " + one.hosts.front()
                                  : fmt::format("{} hosts ({})", one.hosts.size(), FoldHosts(one.hosts));
    lines.push_back(Printable(fmt::format("{}: {}", hosts, one.text)));
  }
}

}  // namespace

std::vector<SharedError> SharedErrors(const Report& report) {
  std::vector<SharedError> shared;
  for (const HostReport& host : report.hosts) {
    if (host.error.empty()) continue;
    const std::string text = WithoutName(host.error, host.host);
    auto same = std::ranges::find(shared, text, &SharedError::text);
    if (same == shared.end()) same = shared.insert(shared.end(), SharedError{.text = text});
    same->hosts.push_back(host.host);
  }
  for (SharedError& error : shared) {
    const auto only = std::ranges::find(report.hosts, error.hosts.front(), &HostReport::host);
    if (error.hosts.size() == 1 && only != report.hosts.end()) error.text = only->error;
  }
  return shared;
}

namespace {

void AddSilentHosts(const Report& report, std::vector<std::string>& lines) {
  std::vector<std::string> silent;
  for (const HostReport& host : report.hosts) {
    if (!host.error.empty()) silent.push_back(host.host);
  }
  constexpr std::size_t kMostNamed = 4;
  if (silent.empty()) return;
  const std::string names =
      silent.size() > kMostNamed ? FoldHosts(silent) : fmt::format("{}", fmt::join(silent, ", "));
  lines.push_back(Printable("no answer from " + names));
}

}  // namespace

std::vector<std::string> Complaints(const CheckSummary& run, bool errors_shown) {
  std::vector<std::string> lines;
  constexpr std::size_t kMostOfOneReason = 2;
  const HostReport* first = nullptr;
  std::vector<std::string> odd;  // judged otherwise than the first
  std::set<std::string> told;
  if (errors_shown) AddSilentHosts(run.report, lines);
  for (const SharedError& error : SharedErrors(run.report)) {
    if (errors_shown || error.hosts.size() <= kMostOfOneReason) continue;
    told.insert(error.hosts.begin(), error.hosts.end());
    lines.push_back(
        Printable(fmt::format("{} hosts ({}): {}", error.hosts.size(), FoldHosts(error.hosts), error.text)));
  }
  for (std::size_t i = 0; i < run.notes.size() && i < run.report.hosts.size(); ++i) {
    const HostReport& host = run.report.hosts[i];
    const HostNotes& notes = run.notes[i];
    if (!host.error.empty() && !errors_shown && !told.contains(host.host))
      lines.push_back(Printable(host.error));
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
      odd.push_back(host.host + " by " + NamesOf(host.profiles));
    }
  }
  if (!odd.empty()) {
    const std::string more = odd.size() > 1 ? fmt::format(" and {} more", odd.size() - 1) : std::string();
    lines.push_back(Printable("hosts were judged by different profiles: " + first->host + " by " +
                              NamesOf(first->profiles) + ", " + odd.front() + more +
                              " (name one with --profile)"));
  }
  AddJudgings(run, lines);
  return lines;
}

}  // namespace rdmaready
