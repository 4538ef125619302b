// SPDX-License-Identifier: Apache-2.0
#include "checks/waiving.h"

#include <algorithm>

#include "api/base/date.h"
#include "api/base/name_pattern.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// "mlx5_0/1 ens1f0np0" of one port, "rxe0/1 -> rxe0/1" of a pair: any of the words, or a device without its port.
bool IsForSubject(const Waiver& waiver, std::string_view subject) {
  if (waiver.port.empty() || MatchesPattern(waiver.port, subject)) return true;
  while (!subject.empty()) {
    const std::string_view word = subject.substr(0, subject.find(' '));
    if (MatchesPattern(waiver.port, word) || MatchesPattern(waiver.port, word.substr(0, word.find('/')))) return true;
    subject.remove_prefix(std::min(subject.size(), word.size() + 1));
  }
  return false;
}

// Host and port are those of one end.
bool IsForEnd(const Waiver& waiver, std::span<const std::string> names, std::string_view subject) {
  return IsForSubject(waiver, subject) &&
         (waiver.host.empty() ||
          std::ranges::any_of(names, [&](const std::string& host) { return IsForHost(waiver, host); }));
}

bool IsFor(const Waiver& waiver, std::span<const std::string> hosts, const Finding& finding) {
  constexpr std::string_view kArrow = " -> ";
  if (!MatchesPattern(waiver.check, finding.id)) return false;
  const std::string_view subject = finding.subject;
  const std::size_t arrow = subject.find(kArrow);
  if (finding.scope != Scope::kPair || hosts.size() != 2 || arrow == std::string_view::npos)
    return IsForEnd(waiver, hosts, subject);
  return IsForEnd(waiver, hosts.first(1), subject.substr(0, arrow)) ||
         IsForEnd(waiver, hosts.last(1), subject.substr(arrow + kArrow.size()));
}

const Waiver* WaiverFor(const Finding& finding, const Profile& profile, std::span<const std::string> hosts,
                        std::int64_t now_unix_ns) {
  const auto found = std::ranges::find_if(profile.waivers, [&](const Waiver& waiver) {
    return !HasEnded(waiver, now_unix_ns) && IsFor(waiver, hosts, finding);
  });
  return found == profile.waivers.end() ? nullptr : &*found;
}

// Of the profiles that it is a finding of every one has to waive it.
const Waiver* WaiverFor(const Finding& finding, std::span<const Profile> profiles,
                        std::span<const std::string> hosts, std::int64_t now_unix_ns) {
  const Waiver* first = nullptr;
  for (const Profile& profile : profiles) {
    if (!finding.profile.empty() && finding.profile != profile.name) continue;
    const Waiver* waiver = WaiverFor(finding, profile, hosts, now_unix_ns);
    if (waiver == nullptr) return nullptr;
    if (first == nullptr) first = waiver;
  }
  return first;
}

}  // namespace

bool CallsForAttention(const Finding& finding) { return CallsForAction(finding.outcome) && !finding.waived; }

bool IsForHost(const Waiver& waiver, std::string_view host) {
  return waiver.host.empty() || MatchesPattern(waiver.host, host) ||
         MatchesPattern(waiver.host, host.substr(0, host.find('.')));
}

bool HasEnded(const Waiver& waiver, std::int64_t now_unix_ns) {
  const std::optional<std::int64_t> end = EndOfDayUnixNs(waiver.until);
  return !end || *end <= now_unix_ns;
}

void Waive(std::span<const Profile> profiles, std::span<const std::string> hosts, std::int64_t now_unix_ns,
           std::span<Finding> findings) {
  for (Finding& finding : findings) {
    if (!CallsForAttention(finding) || finding.id == kWaiversId) continue;
    const Waiver* waiver = WaiverFor(finding, profiles, hosts, now_unix_ns);
    if (waiver == nullptr) continue;
    finding.waived = {.reason = Printable(waiver->reason), .who = Printable(waiver->who), .until = waiver->until};
  }
}

std::size_t WaivedOf(std::span<const Finding> findings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& finding) { return finding.waived.has_value(); }));
}

std::size_t WaivedOf(const Report& report) {
  std::size_t waived = 0;
  for (const HostReport& host : report.hosts) waived += WaivedOf(host.findings);
  for (const PairReport& pair : report.pairs) waived += WaivedOf(pair.findings);
  return waived;
}

}  // namespace rdmaready
