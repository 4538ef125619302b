// SPDX-License-Identifier: Apache-2.0
#include "checks/live/own_past.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "api/base/text.h"
#include "api/model/cases.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;
// 0.7: what is below it is slower, and not a matter of chance.
constexpr std::uint64_t kSlowNumerator = 7;
constexpr std::uint64_t kSlowDenominator = 10;
constexpr std::string_view kPastSource = "live test, and the agent's history of tests before";

bool IsBelow(std::uint64_t rate, std::uint64_t other) {
  return rate * kSlowDenominator < other * kSlowNumerator;
}

bool AreAlike(std::uint64_t one, std::uint64_t other) { return !IsBelow(one, other) && !IsBelow(other, one); }

// The nearest rank.
template <class Value>
Value RankOf(std::vector<Value> values, std::size_t percent) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return values[std::max<std::size_t>((values.size() * percent + 99) / 100, 1) - 1];
}

// Ten values for a day, whatever its number of tests: its distribution as far as its percentiles tell it.
void AddDay(const BaselineDay& day, std::vector<std::uint64_t>& to) {
  struct Corner {
    int percent = 0;
    std::uint64_t rate = 0;
  };
  const Corner corners[] = {{0, day.worst_bytes_per_s},
                            {10, day.p10_bytes_per_s},
                            {50, day.p50_bytes_per_s},
                            {90, day.p90_bytes_per_s},
                            {100, day.p90_bytes_per_s}};
  for (int percent = 5; percent < 100; percent += 10) {
    const Corner* above = std::ranges::find_if(corners, [=](const Corner& at) { return at.percent > percent; });
    const Corner& below = *(above - 1);
    const double share = static_cast<double>(percent - below.percent) / (above->percent - below.percent);
    const double rate = static_cast<double>(below.rate) +
                        share * (static_cast<double>(above->rate) - static_cast<double>(below.rate));
    to.push_back(static_cast<std::uint64_t>(rate));
  }
}

// What each day showed; of the last one what its last test showed. A day unlike both neighbours shows what they
// do.
std::vector<std::uint64_t> LevelsOf(std::span<const BaselineDay> days) {
  std::vector<std::uint64_t> raw;
  for (const BaselineDay& day : days) raw.push_back(day.p50_bytes_per_s);
  raw.back() = days.back().last_bytes_per_s;
  std::vector<std::uint64_t> levels = raw;
  for (std::size_t i = 1; i + 1 < raw.size(); ++i)
    levels[i] = RankOf(std::vector{raw[i - 1], raw[i], raw[i + 1]}, 50);
  return levels;
}

void FindChange(std::span<const BaselineDay> days, CaseBaseline& baseline) {
  const std::vector<std::uint64_t> levels = LevelsOf(days);
  std::size_t changed = days.size() - 1;
  while (changed > 0 && AreAlike(levels[changed - 1], levels.back())) --changed;
  if (changed == 0) return;
  std::size_t begin = changed - 1;
  while (begin > 0 && AreAlike(levels[begin - 1], levels[changed - 1])) --begin;
  baseline.changed_unix_ns = days[changed].day_unix_ns;
  baseline.before_days =
      static_cast<std::uint32_t>((days[changed].day_unix_ns - days[begin].day_unix_ns) / kDayNs);
  baseline.before_bytes_per_s = RankOf(std::vector(levels.begin() + static_cast<std::ptrdiff_t>(begin),
                                                   levels.begin() + static_cast<std::ptrdiff_t>(changed)),
                                       50);
}

CaseBaseline BaselineOf(std::span<const BaselineDay> days) {
  const BaselineDay& last = days.back();
  CaseBaseline baseline{.port = last.port,
                        .case_name = last.case_name,
                        .role = last.role,
                        .peer = last.peer,
                        .last_bytes_per_s = last.last_bytes_per_s,
                        .last_unix_ns = last.last_unix_ns,
                        .days_kept = static_cast<std::uint32_t>(days.size()),
                        .first_unix_ns = days.front().day_unix_ns};
  std::vector<std::uint64_t> rates;
  std::vector<std::int64_t> latencies;
  for (const BaselineDay& day : days.first(days.size() - 1)) {
    if (day.day_unix_ns < last.day_unix_ns - kPastWindowDays * kDayNs) continue;
    ++baseline.days;
    AddDay(day, rates);
    latencies.push_back(day.latency_p99_ns);
  }
  baseline.p10_bytes_per_s = RankOf(rates, 10);
  baseline.p50_bytes_per_s = RankOf(rates, 50);
  baseline.latency_p99_ns = RankOf(latencies, 50);
  FindChange(days, baseline);
  return baseline;
}

bool IsKnown(const CaseBaseline& baseline) { return baseline.days >= kLeastDays; }

bool IsSlow(const CaseBaseline& baseline) {
  return IsKnown(baseline) && IsBelow(baseline.last_bytes_per_s, baseline.p10_bytes_per_s);
}

std::string DayText(std::int64_t unix_ns) { return TimeText(unix_ns).substr(0, 10); }

std::string SlowText(const CaseBaseline& baseline) {
  if (baseline.changed_unix_ns != 0) return ChangeText(baseline);
  return Cat(Printable(baseline.case_name), " ", RateText(baseline.last_bytes_per_s), ", ",
             RateText(baseline.p50_bytes_per_s), " in the 30 days before");
}

// Of today says nothing either what was made by a clock that was ahead, which has been put right.
bool IsOld(const CaseBaseline& baseline, std::int64_t now_unix_ns) {
  return baseline.last_unix_ns < now_unix_ns - kPastWindowDays * kDayNs ||
         baseline.last_unix_ns > now_unix_ns + kDayNs;
}

// A case that somebody tested once by hand says nothing either way.
bool CountsForPort(const CaseBaseline& baseline) {
  if (baseline.role != "loopback") return false;
  const TransferCase* row = FindCase(baseline.case_name);
  return IsKnown(baseline) || (row != nullptr && row->checked);
}

void AddWords(std::string words, std::string& to) { to += (to.empty() ? "" : "; ") + words; }

}  // namespace

std::vector<CaseBaseline> BaselinesOf(std::span<const BaselineDay> days) {
  const auto key = [](const BaselineDay& day) { return std::tie(day.port, day.case_name, day.role, day.peer); };
  std::vector<CaseBaseline> baselines;
  for (std::size_t begin = 0; begin < days.size();) {
    std::size_t end = begin + 1;
    while (end < days.size() && key(days[end]) == key(days[begin])) ++end;
    baselines.push_back(BaselineOf(days.subspan(begin, end - begin)));
    begin = end;
  }
  return baselines;
}

std::string ChangeText(const CaseBaseline& baseline) {
  std::string text = Cat(Printable(baseline.case_name), " ", RateText(baseline.last_bytes_per_s));
  if (baseline.changed_unix_ns == 0) return text;
  return text + Cat(", ", RateText(baseline.before_bytes_per_s), " for ",
                    CountText(baseline.before_days, "day"), " until ", DayText(baseline.changed_unix_ns));
}

Finding JudgeOwnPast(std::span<const CaseBaseline> cases, const TransferPlace& place, std::string_view why_none,
                     std::size_t tests) {
  const TransferCheck& check = *FindTransferCheck(kOwnPastId);
  Finding finding{.id = check.id,
                  .title = check.title,
                  .scope = IsPairRung(place.rung) ? Scope::kPair : Scope::kPort,
                  .rung = place.rung,
                  .subject = Printable(place.subject),
                  .expected = "at least 0.7 of the 10th percentile of the last 30 days",
                  .source = std::string(kPastSource),
                  .why = std::string(check.why)};
  SetFix(finding, check.fix);
  if (place.software) {
    finding.outcome = Outcome::kNotApplicable;
    finding.observed = "a software device: its speed says nothing";
    return finding;
  }
  std::uint32_t fewest = kLeastDays;
  std::string known;
  std::int64_t since = 0;
  for (const CaseBaseline& baseline : cases) {
    fewest = std::min(fewest, baseline.days);
    if (!IsSlow(baseline)) {
      AddWords(Cat(Printable(baseline.case_name), " ", RateText(baseline.last_bytes_per_s), " of ",
                   RateText(baseline.p50_bytes_per_s)),
               known);
      continue;
    }
    AddWords(SlowText(baseline), finding.observed);
    if (since == 0) since = baseline.changed_unix_ns;
  }
  if (!finding.observed.empty()) {
    finding.outcome = Outcome::kWarn;
    if (since != 0)
      SetFix(finding, Fix(Cat("rdmaready history --since ", DayText(since - kDayNs)))
                          .Because(Cat("a change between ", DayText(since - kDayNs), " and ", DayText(since)))
                          .CheckBy(check.fix.remedy().check));
  } else if (cases.empty()) {
    finding.observed = why_none.empty() ? "no test came to its end" : Printable(why_none);
  } else if (fewest < kLeastDays) {
    finding.observed = Cat("tests on ", fewest, " of ", kLeastDays, " days of the last 30");
  } else if (cases.size() < tests) {
    finding.observed = Cat(known, "; ", tests - cases.size(), " of ", CountText(tests, "test"),
                           " could not be compared: it failed, was not kept, or others used the port");
  } else {
    finding.outcome = Outcome::kPass;
    finding.observed = known;
  }
  return finding;
}

Finding JudgeKeptPast(std::span<const CaseBaseline> of_port, const TransferPlace& place,
                      std::int64_t now_unix_ns) {
  std::vector<CaseBaseline> fresh;
  std::int64_t last = 0;
  for (const CaseBaseline& baseline : of_port) {
    if (!CountsForPort(baseline)) continue;
    last = std::max(last, baseline.last_unix_ns);
    if (!IsOld(baseline, now_unix_ns)) fresh.push_back(baseline);
  }
  const std::string why_none = last == 0
                                   ? std::string("no loopback test is remembered")
                                   : Cat("the last test was on ", DayText(last), ": it says nothing of today");
  return JudgeOwnPast(fresh, place, why_none, fresh.size());
}

PastState PastStateOf(const CaseBaseline& baseline, bool software, std::int64_t now_unix_ns) {
  if (software) return PastState::kSoftware;
  if (IsOld(baseline, now_unix_ns)) return PastState::kOld;
  if (!IsKnown(baseline)) return PastState::kUnknown;
  return IsSlow(baseline) ? PastState::kSlower : PastState::kAsBefore;
}

}  // namespace rdmaready
