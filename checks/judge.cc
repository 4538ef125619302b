// SPDX-License-Identifier: Apache-2.0
#include "checks/judge.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "checks/begin.h"
#include "checks/catalog.h"
#include "checks/check.h"
#include "checks/diagnosis/diagnosis.h"
#include "checks/hiding.h"
#include "checks/placeholders.h"
#include "checks/plan/fix.h"
#include "checks/port_fit.h"
#include "checks/spare.h"
#include "checks/stopwatch.h"
#include "checks/words/carrying_function.h"
#include "checks/words/ethernet.h"
#include "checks/words/plane_device.h"
#include "checks/words/second_function.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// What is still asked of a spare port, and of a virtual function that is lent to a container: that it is one,
// why it may have no link, and who it says it is.
constexpr std::array<std::string_view, 5> kAskedOfAll{"link.state", "inv.netdev-mapping", "inv.netns-mode",
                                                      "inv.port-mode", "dev.guid"};

// Asked of the host with all its ports, whichever of them the profile is for.
constexpr std::array<std::string_view, 4> kAskedOfTheWhole{"inv.ports-selected", "inv.unbound-function",
                                                           "inv.dead-function", "inv.name-stability"};

// Of a profile that no port of the host is for, while others are, one thing is said.
constexpr std::string_view kSaysWhichPorts = kAskedOfTheWhole[0];

// Why a port is not asked; or, where it is not known whether it is, what is missing.
struct SparePort {
  std::string reason{};
  std::optional<Missing> doubt{};
};

SparePort SpareReason(const Facts& host, const Port& port, const Profile& profile) {
  const Fact<bool> lent = LentOf(port);
  if (!lent) return {.doubt = lent.missing()};
  if (*lent) return {.reason = "a virtual function whose interface is elsewhere: see inv.netdev-mapping"};
  const Fact<bool> representor = RepresentorOf(port);
  if (!representor) return {.doubt = representor.missing()};
  if (*representor) return {.reason = "a representor, the switch's end of a virtual function"};
  const Fact<std::string> whole = PlanesOf(host, port);
  if (!whole) return {.doubt = whole.missing()};
  if (!whole->empty()) return {.reason = Cat("a plane of ", Printable(*whole), ", by which no program sends")};
  const Fact<std::string> shared = PerhapsInterfaceOfBoth(host, port);
  if (!shared) return {.doubt = shared.missing()};
  if (!shared->empty()) return {.reason = "perhaps the second function of a board: see inv.netdev-mapping"};
  const Fact<bool> spare = SpareOf(host, port, profile);
  if (!spare) return {.doubt = spare.missing()};
  return {.reason = *spare ? "a spare port: see link.state" : ""};
}

bool IsAskedOfAll(const Check& check) { return std::ranges::find(kAskedOfAll, check.id) != kAskedOfAll.end(); }

struct Asked {
  Finding finding{};
  bool independent = false;  // Verdict::independent
};

// The answer of the check; the fix may still hold placeholders. Nothing is asked of a spare port.
template <class Answer>
Asked Ask(const Check& check, const Profile& profile, const std::string& spare, std::string subject,
          const Answer& answer) {
  Asked asked{.finding = Begin(check, profile, std::move(subject))};
  Verdict verdict = spare.empty() || IsAskedOfAll(check) ? answer() : NotApplicable(spare);
  asked.independent = verdict.independent;
  TakeVerdict(asked.finding, check, std::move(verdict));
  return asked;
}

// Of a port that may be a spare one an answer is as unknown as that.
template <class Answer>
Asked AskPort(const Check& check, const Profile& profile, const SparePort& spare, std::string subject,
              const Answer& answer) {
  return Ask(check, profile, spare.reason, std::move(subject), [&] {
    Verdict verdict = answer();
    const bool told = verdict.outcome != Outcome::kUnknown && verdict.outcome != Outcome::kNotApplicable;
    if (!spare.doubt || !told || IsAskedOfAll(check)) return verdict;
    return NoAnswer(*spare.doubt, verdict.expected, verdict.source);
  });
}

// One judging of a host. What is asked of a port again and again is found out once.
class HostJudge {
 public:
  // `whole` is the host with its other ports, too.
  HostJudge(const Facts& whole, const HostPart& part, const NowNs& now, std::int64_t judged_unix_ns)
      : whole_(whole),
        host_(*part.facts),
        profile_(*part.profile),
        now_(now),
        judged_unix_ns_(judged_unix_ns),
        ports_(part.judges_ports && host_.ports ? *host_.ports : kNoPorts) {
    for (const Port& port : ports_)
      places_.push_back({SubjectOf(port), SpareReason(host_, port, profile_), EthernetPortsOf(port)});
    findings_.reserve(AllChecks().size() * (ports_.size() + 1));  // most checks are about a port
  }

  std::vector<Finding> Run() && {
    for (const Check& check : AllChecks()) {
      std::visit([&](const auto& judge) { Each(check, judge); }, check.judge);
    }
    return std::move(findings_);
  }

 private:
  static inline const std::vector<Port> kNoPorts{};

  struct Place {
    std::string subject{};
    SparePort spare{};
    std::vector<NetdevRef> ethernets{};
    // Findings about it or about the host that can hide another: with many ports they are few among many.
    std::vector<Finding> hiders{};
  };

  void Each(const Check& check, Judge<HostView> judge) {
    const Stopwatch watch(now_);
    const bool whole = std::ranges::find(kAskedOfTheWhole, check.id) != kAskedOfTheWhole.end();
    const Facts& seen = whole ? whole_ : host_;
    auto [finding, independent] = Ask(check, profile_, "", "host", [&] {
      return judge({seen, profile_, judged_unix_ns_});
    });
    if (!independent) HideBehind(finding, check, {.findings = hiders_, .subject = finding.subject});
    if (CanHide(finding)) {
      hiders_.push_back(finding);
      for (Place& place : places_) place.hiders.push_back(finding);
    }
    FillIn(finding, host_, nullptr, profile_);
    Take(std::move(finding), watch);
  }

  void Each(const Check& check, Judge<PortView> judge) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const PortView view{host_, ports_[i], profile_};
      JudgeAt(
          check, i, places_[i].subject, nullptr, [&] { return judge(view); },
          [&](const Remedy& own) { return RemedyOf(check.id, view, own); });
    }
  }

  void Each(const Check& check, Judge<EthernetView> judge) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      for (NetdevRef netdev : places_[i].ethernets) {
        const EthernetView view{host_, ports_[i], netdev, profile_};
        JudgeAt(
            check, i, SubjectOf(ports_[i], netdev), &netdev, [&] { return judge(view); },
            [&](const Remedy& own) { return RemedyOf(check.id, view, own); });
      }
    }
  }

  // The first port that is asked takes the time for all.
  void Each(const Check& check, JudgeAmongPorts judge) {
    std::optional<std::vector<Verdict>> verdicts;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const auto answer = [&] {
        if (!verdicts) verdicts = judge({host_, profile_, judged_unix_ns_});
        return (*verdicts)[i];
      };
      JudgeAt(check, i, places_[i].subject, nullptr, answer, [](const Remedy& own) { return own; });
    }
  }

  // More than one host is needed: JudgePair, and JudgeAgreement of checks/fleet/agreement.h.
  void Each(const Check&, Judge<PairView>) {}
  void Each(const Check&, JudgeAmongHosts) {}
  void Each(const Check&, const Agreement&) {}

  // `made` gives the fix that the settings which serve the check make of the check's own.
  template <class Answer, class Made>
  void JudgeAt(const Check& check, std::size_t i, std::string subject, const NetdevRef* ethernet,
               const Answer& answer, const Made& made) {
    Place& place = places_[i];
    const Stopwatch watch(now_);
    auto [finding, independent] = AskPort(check, profile_, place.spare, std::move(subject), answer);
    if (!independent) HideBehind(finding, check, {.findings = place.hiders, .subject = finding.subject});
    if (CanHide(finding)) place.hiders.push_back(finding);
    FillIn(finding, host_, &ports_[i], profile_, ethernet);
    const bool wrong = finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn;
    if (wrong && finding.remedy) SetRemedy(finding, made(*finding.remedy));
    if (!independent) TakeOverCauses(finding, check, place);
    Take(std::move(finding), watch);
  }

  void TakeOverCauses(Finding& finding, const Check& check, Place& place) {
    const Evidence evidence{.findings = place.hiders, .subject = finding.subject};
    while (const Finding* cause = AdvisingCause(check.depends_on, finding, evidence)) {
      const std::size_t at = static_cast<std::size_t>(cause - place.hiders.data());
      const auto said = std::ranges::find_if(findings_, [cause](const Finding& earlier) {
        return earlier.id == cause->id && earlier.subject == cause->subject;
      });
      TakeOver(finding, *said);
      place.hiders[at] = *said;
    }
  }

  static bool CanHide(const Finding& finding) {
    return CallsForAction(finding.outcome) || !finding.hidden_by.empty();
  }

  void Take(Finding finding, const Stopwatch& watch) {
    finding.duration_ns = watch.ElapsedNs();
    findings_.push_back(std::move(finding));
  }

  const Facts& whole_;
  const Facts& host_;
  const Profile& profile_;
  const NowNs& now_;
  std::int64_t judged_unix_ns_;
  const std::vector<Port>& ports_;
  std::vector<Place> places_{};
  std::vector<Finding> hiders_{};  // of the host
  std::vector<Finding> findings_{};
};

// No port is judged by that profile, but others are: it may have none, none that is asked about, or one of
// which it is not known.
Finding WithoutPorts(const Facts& host, const Profile& profile) {
  const Check& check = *FindCheck(kSaysWhichPorts);
  const bool none = host.ports && std::ranges::all_of(*host.ports, [&profile](const Port& port) {
                      return FitOf(port, profile).answer == PortFit::Answer::kNo;
                    });
  Finding finding = Begin(check, profile, "host");
  TakeVerdict(finding, check,
              none && !profile.ports_expected
                  ? NotApplicable("no port of this host is of that profile, and none is expected")
                  : std::get<Judge<HostView>>(check.judge)({host, profile}));
  FillIn(finding, {}, nullptr, profile);
  finding.profile = profile.name;
  return finding;
}

// Whether they say the same of the host, by whatever profile.
bool SayTheSame(const Finding& a, const Finding& b) {
  if (a.id != b.id || a.outcome != b.outcome) return false;
  Finding alike = b;
  alike.profile = a.profile;
  alike.duration_ns = a.duration_ns;
  return a == alike;
}

// What is said of the host by all profiles in the same words is said once, by none of them alone.
std::vector<Finding> Joined(std::vector<std::vector<Finding>> by_part) {
  if (by_part.size() == 1) return std::move(by_part.front());
  std::vector<Finding> joined;
  for (std::size_t part = 0; part < by_part.size(); ++part) {
    for (Finding& finding : by_part[part]) {
      const auto says_it = [&finding](std::vector<Finding>& others) {
        return std::ranges::any_of(others, [&](const Finding& other) { return SayTheSame(finding, other); });
      };
      const bool by_all = finding.scope == Scope::kHost && std::ranges::all_of(by_part, says_it);
      if (by_all && part > 0) continue;
      if (by_all) finding.profile.clear();
      joined.push_back(finding);
    }
  }
  return joined;
}

int Severity(const Finding& finding) {
  if (finding.waived) return 0;
  switch (finding.outcome) {
    case Outcome::kFail:
      return finding.blocking ? 5 : 3;
    case Outcome::kUnknown:
      return finding.blocking ? 4 : 1;
    case Outcome::kWarn:
      return 2;
    case Outcome::kPass:
    case Outcome::kNotApplicable:
      return 0;
  }
  return 0;
}

}  // namespace

std::vector<Finding> JudgeHost(const Facts& host, const Profile& profile, const NowNs& now) {
  return JudgeHost(HostParts(host, profile), now);
}

std::vector<Finding> JudgeHost(const HostParts& host, const NowNs& now, std::int64_t judged_unix_ns) {
  std::vector<std::vector<Finding>> by_part;
  std::vector<Finding> unused;
  for (const HostPart& part : host.parts()) {
    if (!part.in_use) {
      unused.push_back(WithoutPorts(host.host(), *part.profile));
      continue;
    }
    by_part.push_back(HostJudge(host.host(), part, now, judged_unix_ns).Run());
    if (host.parts().size() > 1) {
      for (Finding& finding : by_part.back()) finding.profile = part.profile->name;
    }
  }
  std::vector<Finding> findings = Joined(std::move(by_part));
  std::ranges::move(unused, std::back_inserter(findings));
  Diagnose(host.host(), findings);
  return findings;
}

std::vector<Finding> JudgePair(const PairSide& from, const PairSide& to, const Profile& profile,
                               const NowNs& now) {
  const PairView view{.from_name = from.name,
                      .from = from.host,
                      .from_port = from.port,
                      .to_name = to.name,
                      .to = to.host,
                      .to_port = to.port,
                      .profile = profile};
  const std::string subject = Printable(PortName(from.port) + " -> " + PortName(to.port));
  std::string spare = SpareReason(from.host, from.port, profile).reason;
  if (spare.empty()) spare = SpareReason(to.host, to.port, profile).reason;
  std::vector<Finding> findings;
  for (const Check& check : AllChecks()) {
    const auto* judge = std::get_if<Judge<PairView>>(&check.judge);
    if (judge == nullptr) continue;
    const Stopwatch watch(now);
    Finding finding = Ask(check, profile, spare, subject, [&] { return (*judge)(view); }).finding;
    for (const PairSide* side : {&from, &to}) {
      HideBehind(finding, check,
                 {.findings = side->findings, .subject = SubjectOf(side->port), .host = side->name});
    }
    FillIn(finding, from.host, &from.port, profile);
    finding.duration_ns = watch.ElapsedNs();
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::string Sentence(const Finding& finding) {
  const bool says_more = CallsForAction(finding.outcome) && !finding.expected.empty();
  return says_more ? Cat(finding.observed, ", wanted ", finding.expected) : finding.observed;
}

std::vector<const Finding*> WorthSaying(std::span<const Finding> findings) {
  std::vector<const Finding*> worth;
  for (const Finding& finding : findings) {
    if (Severity(finding) > 0) worth.push_back(&finding);
  }
  std::ranges::stable_sort(worth,
                           [](const Finding* a, const Finding* b) { return Severity(*a) > Severity(*b); });
  return worth;
}

}  // namespace rdmaready
