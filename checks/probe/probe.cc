// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "api/model/probe_walk.h"
#include "checks/hiding.h"
#include "checks/live/transfer_hints.h"
#include "checks/probe/families.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

struct ProbeFamily {
  Protocol protocol;
  std::vector<ProbeCheck> checks;
};

const std::vector<ProbeFamily>& ProbeFamilies() {
  static const std::vector<ProbeFamily> kFamilies = [] {
    std::vector<ProbeCheck> smb = SmbServerChecks();
    for (ProbeCheck& check : ShareChecks()) smb.push_back(std::move(check));
    return std::vector<ProbeFamily>{{Protocol::kSmb, std::move(smb)},
                                    {Protocol::kNvme, NvmeServerChecks()},
                                    {Protocol::kIser, IserServerChecks()},
                                    {Protocol::kNfs, NfsServerChecks()}};
  }();
  return kFamilies;
}

const std::vector<ProbeCheck>& ProbeChecksOf(Protocol protocol) {
  static const std::vector<ProbeCheck> kNoChecks;
  const auto family = std::ranges::find(ProbeFamilies(), protocol, &ProbeFamily::protocol);
  return family == ProbeFamilies().end() ? kNoChecks : family->checks;
}

using ProbeWords = std::array<std::pair<std::string_view, std::string>, 3>;

std::string FilledForProbe(std::string_view text, const ProbeWords& words) {
  std::string filled(text);
  for (const auto& [placeholder, word] : words) {
    for (std::size_t at = filled.find(placeholder); at != std::string::npos;
         at = filled.find(placeholder, at + word.size())) {
      filled.replace(at, placeholder.size(), word);
    }
  }
  return filled;
}

Remedy ProbeRemedyFor(const Fix& fix, const ProbeResult& result) {
  const std::string address = result.address.empty() ? "ADDRESS" : ShellWord(result.address);
  const ProbeWords words{{{"{target}", ShellWord(result.target)},
                          {"{address}", address},
                          {"{port}", result.port_number == 0 ? "PORT" : std::to_string(result.port_number)}}};
  return WithTexts(fix.remedy(), [&words](const std::string& text) { return FilledForProbe(text, words); });
}

// " --prove --export /srv" where the walk was one with a proof on that.
std::string ProofOptions(const ProbeAnswers& answers) {
  const std::pair<std::string_view, const std::optional<std::string>*> options[] = {
      {"--subsystem", &answers.nvme.proof_subsystem},
      {"--target-name", &answers.iser.proof_target},
      {"--export", &answers.nfs.proof_export}};
  for (const auto& [option, value] : options) {
    if (*value) return fmt::format(" --prove {} {}", option, ShellWord(**value));
  }
  return {};
}

// The probe once more shows whether the remedy worked.
std::string ProbeAgain(const ProbeCheck& check, const ProbeResult& result) {
  if (check.rung == Rung::kShare)
    return "rdmaready check --level share --share //{target}/SHARE --credentials FILE";
  return fmt::format("rdmaready probe {} {{target}}{}", Name(result.protocol), ProofOptions(result.answers));
}

Finding BeginProbeFinding(const ProbeCheck& check, std::string subject) {
  return {.id = std::string(check.id),
          .title = std::string(check.title),
          .scope = Scope::kTarget,
          .rung = check.rung,
          .subject = std::move(subject),
          .blocking = check.blocking,
          .why = std::string(check.why)};
}

Finding JudgeOneProbeCheck(const ProbeCheck& check, const ProbeView& view,
                           const std::vector<Finding>& earlier) {
  Finding finding = BeginProbeFinding(check, ProbeSubject(view.result.protocol, view.result.target));
  Verdict verdict = check.judge(view);
  const bool advice = verdict.outcome == Outcome::kFail && !check.blocking;
  finding.outcome = advice ? Outcome::kWarn : verdict.outcome;
  finding.observed = Printable(verdict.observed);
  finding.expected = Printable(verdict.expected);
  finding.source = std::move(verdict.source);
  if (finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable) return finding;
  Fix fix = verdict.fix.empty() ? check.fix : verdict.fix;
  if (fix.remedy().check.empty()) fix = std::move(fix).CheckBy(ProbeAgain(check, view.result));
  SetRemedy(finding, ProbeRemedyFor(fix, view.result));
  const Evidence evidence{.findings = earlier, .subject = finding.subject};
  if (const Finding* behind = HidingFinding(check.depends_on, finding, evidence)) Hide(finding, *behind, {});
  return finding;
}

Fix MoreProbeTime(const ProbeView& view) {
  return Fix(fmt::format("rdmaready probe {} {{target}} --timeout 2m", Name(view.result.protocol)))
      .Because("the probe had too little time, or the server answers slowly", Certainty::kPossible);
}

Verdict StepNotMade(const ProbeView& view, Verdict verdict, bool time_up) {
  verdict.observed = "not tried";
  if (!time_up) return verdict;
  verdict.observed = "not tried: the time of the probe was up";
  verdict.fix = MoreProbeTime(view);
  return verdict;
}

}  // namespace

const ProbeStep* ProbeView::Step(std::string_view name) const {
  const auto found = std::ranges::find(result.steps, name, &ProbeStep::name);
  return found == result.steps.end() ? nullptr : &*found;
}

bool ProbeView::Done(std::string_view name) const {
  const ProbeStep* step = Step(name);
  return step != nullptr && step->outcome == StepOutcome::kDone;
}

const std::vector<ProbeCheck>& AllProbeChecks() {
  static const std::vector<ProbeCheck> kChecks = [] {
    std::vector<ProbeCheck> checks;
    for (const ProbeFamily& family : ProbeFamilies())
      checks.insert(checks.end(), family.checks.begin(), family.checks.end());
    return checks;
  }();
  return kChecks;
}

const ProbeCheck* FindProbeCheck(std::string_view id) {
  const auto found = std::ranges::find(AllProbeChecks(), id, &ProbeCheck::id);
  return found == AllProbeChecks().end() ? nullptr : &*found;
}

std::string ProbeSubject(Protocol protocol, std::string_view target) {
  return fmt::format("{} {}", Name(protocol), Printable(target));
}

std::vector<Finding> JudgeProbe(const ProbeResult& result) {
  std::vector<Finding> findings;
  const bool to_share = ProbeView{result}.Step(kStepShareMount) != nullptr;
  for (const ProbeCheck& check : ProbeChecksOf(result.protocol)) {
    if (check.rung == Rung::kShare && !to_share) continue;
    findings.push_back(JudgeOneProbeCheck(check, ProbeView{result}, findings));
  }
  return findings;
}

Finding NotProbed(Protocol protocol, std::string_view target, std::string_view reason) {
  const std::vector<ProbeCheck>& checks = ProbeChecksOf(protocol);
  const auto proof = std::ranges::find(checks, true, &ProbeCheck::proof);
  Finding finding = proof == checks.end() ? Finding{.scope = Scope::kTarget, .rung = Rung::kServer}
                                          : BeginProbeFinding(*proof, ProbeSubject(protocol, target));
  finding.outcome = Outcome::kUnknown;
  finding.observed = fmt::format("not probed: {}", Printable(reason));
  SetFix(finding, fmt::format("rdmaready probe {} {}", Name(protocol), ShellWord(target)));
  return finding;
}

std::vector<RungResult> LadderOfProbe(const std::vector<Finding>& findings) {
  std::vector<const Finding*> pointers;
  for (const Finding& finding : findings) pointers.push_back(&finding);
  std::vector<RungResult> ladder{{.rung = Rung::kServer, .outcome = OutcomeOf(Rung::kServer, pointers)}};
  if (std::ranges::find(findings, Rung::kShare, &Finding::rung) != findings.end()) {
    ladder.push_back({.rung = Rung::kShare, .outcome = OutcomeOf(Rung::kShare, pointers)});
  }
  return ladder;
}

Readiness ReadinessOfProbe(const std::vector<Finding>& findings) {
  Readiness verdict = Readiness::kReady;
  for (const RungResult& rung : LadderOfProbe(findings)) {
    if (rung.outcome == RungOutcome::kFail) return Readiness::kNotReady;
    if (rung.outcome != RungOutcome::kPass) verdict = Readiness::kUndetermined;
  }
  return verdict;
}

std::string GeneralFix(const ProbeCheck& check) {
  const ProbeWords words{{{"{target}", "TARGET"}, {"{address}", "ADDRESS"}, {"{port}", "PORT"}}};
  return FilledForProbe(OneLine(check.fix.remedy()), words);
}

Verdict JudgeStep(const ProbeView& view, std::string_view name, std::string observed, std::string expected,
                  std::string_view source, Fix fix) {
  Verdict verdict{.expected = std::move(expected), .source = std::string(source), .fix = std::move(fix)};
  const ProbeStep* step = view.Step(name);
  const std::optional<std::string>& time_up = view.answers.time_up;
  if (step == nullptr || step->outcome == StepOutcome::kNotReached)
    return StepNotMade(view, std::move(verdict), time_up.has_value());
  if (step->outcome == StepOutcome::kDone) {
    verdict.outcome = Outcome::kPass;
    verdict.observed = std::move(observed);
    return verdict;
  }
  const bool given_up = step->failure.kind == FailureKind::kCancelled || time_up == name;
  verdict.outcome = given_up ? Outcome::kUnknown : Outcome::kFail;
  verdict.observed =
      step->failure.detail.empty() ? std::string(FailurePhrase(step->failure.kind)) : step->failure.detail;
  if (time_up == name) {
    verdict.observed += " (the time of the probe was up)";
    verdict.fix = MoreProbeTime(view);
  }
  return verdict;
}

}  // namespace rdmaready
