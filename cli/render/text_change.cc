// SPDX-License-Identifier: Apache-2.0
// What became of changes, for people.
#include "cli/render/text_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/setting_words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kProofColumn = 11;
constexpr std::size_t kIdShown = 8;
constexpr std::int64_t kMsPerS = 1000;

struct Mark {
  std::string_view word;
  Tone tone = Tone::kPlain;
};

Mark MarkOf(StepState state) {
  switch (state) {
    case StepState::kUnknown:
      return {"??", Tone::kWarning};
    case StepState::kNotBegun:
      return {"-", Tone::kFaint};
    case StepState::kWritten:
      return {"ok", Tone::kGood};
    case StepState::kRefused:
    case StepState::kNotTaken:
    case StepState::kForeignWrite:
    case StepState::kNotTakenBack:
      return {"FAIL", Tone::kBad};
    case StepState::kTakenBack:
      return {"back", Tone::kWarning};
  }
  return {"??", Tone::kWarning};
}

// What the state says besides the text of the step.
std::string_view Meaning(StepState state) {
  switch (state) {
    case StepState::kUnknown:
      return "what became of it is not known";
    case StepState::kNotTaken:
      return "the driver said yes, and did not take it";
    case StepState::kForeignWrite:
      return "somebody else is configuring";
    case StepState::kNotTakenBack:
      return "could not be taken back";
    case StepState::kNotBegun:
    case StepState::kWritten:
    case StepState::kRefused:
    case StepState::kTakenBack:
      return "";
  }
  return "";
}

std::string Said(std::string_view meaning, const std::string& text) {
  return fmt::format("{}{}{}", meaning, meaning.empty() || text.empty() ? "" : ": ", Printable(text));
}

bool WentBack(const ChangeStep& step) {
  return step.state == StepState::kTakenBack || step.state == StepState::kNotTakenBack;
}

// Steps that were written, in their order; then those that were rolled back, from the last one to the first.
std::vector<const ChangeStep*> InOrderOfWriting(const Change& change) {
  std::vector<const ChangeStep*> order;
  for (const ChangeStep& step : change.steps) {
    if (!WentBack(step)) order.push_back(&step);
  }
  for (const ChangeStep& step : std::views::reverse(change.steps)) {
    if (WentBack(step)) order.push_back(&step);
  }
  return order;
}

std::string ProofLine(const Style& style, bool good, std::string_view label, const std::string& text) {
  return Labelled(style, good ? Tone::kGood : Tone::kBad, Cat("  ", label), kProofColumn,
                  Cat(good ? "" : "FAIL ", Printable(text)));
}

// Only what was come to.
std::string ProofText(const Change& change, const Style& style) {
  const ChangeProof& proof = change.proof;
  if (!proof.asked_for) return Labelled(style, Tone::kWarning, "  proof", kProofColumn, "none: --no-proof");
  std::string text;
  if (!proof.loopback_text.empty()) text += ProofLine(style, proof.loopback, "loopback", proof.loopback_text);
  if (!proof.peer.empty() && !proof.peer_text.empty())
    text += ProofLine(style, proof.peer_passed, "peer", proof.peer + ": " + proof.peer_text);
  if (proof.loopback && !proof.plan_empty && change.state != ChangeState::kProving)
    text += ProofLine(style, false, "plan", "a fresh plan is not empty");
  return text;
}

std::string Seconds(std::uint32_t ms) { return fmt::format("{} s", (ms + kMsPerS - 1) / kMsPerS); }

std::string Id(const Change& change) { return Printable(change.id.substr(0, kIdShown)); }

std::string HowItStands(const Change& change, const std::string& host, const std::string& way,
                        const Style& style) {
  const std::string of_host = (host.empty() ? "" : " " + Printable(host)) + Printable(way);
  const std::string why = change.reason.empty() ? "" : ": " + Printable(change.reason);
  switch (change.state) {
    case ChangeState::kNothingToDo:
      return "  nothing to do: no setting differs from what the profile wants\n";
    case ChangeState::kAwaitingConfirm:
      return style.Paint(Tone::kGood,
                         fmt::format("  {} and armed", change.proof.asked_for ? "proven" : "written")) +
             fmt::format(
                 " (change {})\n  rdmaready confirm{}  # within {}, else all goes back\n", Id(change), of_host,
                 Seconds(change.deadline_in_ms != 0 ? change.deadline_in_ms : change.confirm_within_ms));
    case ChangeState::kConfirmed:
      return style.Paint(Tone::kGood, "  confirmed") + fmt::format(" (change {}): it stays\n", Id(change));
    case ChangeState::kRolledBack:
      return style.Paint(Tone::kBad, "  taken back") + fmt::format(" (change {}){}\n", Id(change), why);
    case ChangeState::kRollbackFailed:
      return style.Paint(Tone::kBad, "  COULD NOT BE TAKEN BACK") +
             fmt::format(" (change {}){}\n  rdmaready rollback{}  # tries once more\n", Id(change), why,
                         of_host);
    case ChangeState::kWriting:
    case ChangeState::kProving:
      return fmt::format("  under way (change {}): goes back in {} unless it is proven and confirmed{}\n",
                         Id(change), Seconds(change.deadline_in_ms), why);
    case ChangeState::kUnknown:
      return style.Paint(Tone::kBad, "  what became of it is not known") + why + "\n";
  }
  return {};
}

// "rdmaready confirm node1 --insecure"
std::string NextCommand(std::string_view verb, const ChangeRun& run, const HostChange& host) {
  return Cat("rdmaready ", verb, run.local ? "" : " " + host.host, run.way);
}

// "goes back by itself at 2026-11-26 17:42:05 UTC (in 42 s)"
std::string GoesBack(const ChangeRun& run, const Change& change) {
  if (change.deadline_in_ms == 0) return "goes back by itself";
  constexpr std::int64_t kNsPerMs = 1'000'000;
  const std::string in = "in " + Seconds(change.deadline_in_ms);
  if (run.told_unix_ns == 0) return "goes back by itself " + in;
  return fmt::format("goes back by itself at {} ({})",
                     UtcText(run.told_unix_ns + std::int64_t{change.deadline_in_ms} * kNsPerMs), in);
}

// Empty: nothing is open there.
std::string LeftOpenOn(const ChangeRun& run, const HostChange& host) {
  const std::string of_host = "host " + host.host + ": ";
  const std::string look = "what became of it: " + NextCommand("forget", run, host) + " --list";
  if (!host.change)
    return host.under_way ? of_host + "it was asked to begin; whatever it set is taken back; " + look : "";
  const Change& change = *host.change;
  const std::string id = "change " + Id(change);
  switch (change.state) {
    case ChangeState::kAwaitingConfirm:
      if (change.deadline_in_ms == 0)
        return fmt::format(
            "{}{} was armed, and its time is over: it went back unless somebody confirmed it; {}", of_host, id,
            look);
      return fmt::format("{}{} is armed and {}; to keep it: {}; to take it back now: {}", of_host, id,
                         GoesBack(run, change), NextCommand("confirm", run, host),
                         NextCommand("rollback", run, host));
    case ChangeState::kWriting:
    case ChangeState::kProving:
      return fmt::format("{}{} was {}: its agent takes it back now, else it {}; {}", of_host, id,
                         change.state == ChangeState::kWriting ? "being written" : "being proven",
                         GoesBack(run, change), look);
    case ChangeState::kRollbackFailed:
      return fmt::format("{}{} COULD NOT BE TAKEN BACK; to try once more: {}", of_host, id,
                         NextCommand("rollback", run, host));
    case ChangeState::kUnknown:
      return of_host + id + ": how it stands is not known; " + look;
    case ChangeState::kNothingToDo:
    case ChangeState::kConfirmed:
    case ChangeState::kRolledBack:
      return "";
  }
  return "";
}

bool IsArmed(const HostChange& host) {
  return host.change && host.change->state == ChangeState::kAwaitingConfirm;
}

// In a line, without the host and its change.
std::string StandsAs(const HostChange& host) {
  if (host.not_begun) return "not begun";
  if (!host.change) return host.error.empty() ? "nothing to do" : host.error;
  const Change& change = *host.change;
  const std::string in = "goes back in " + Seconds(change.deadline_in_ms);
  const std::string why = change.reason.empty() ? "" : ": " + change.reason;
  const std::string last = host.heard_last ? host.error + "; heard last: " : "";
  switch (change.state) {
    case ChangeState::kNothingToDo:
      return last + "nothing to do";
    case ChangeState::kAwaitingConfirm:
      return last + "armed: " + in + " unless it is confirmed";
    case ChangeState::kConfirmed:
      return last + "confirmed: it stays";
    case ChangeState::kRolledBack:
      return last + "taken back" + why;
    case ChangeState::kRollbackFailed:
      return last + "COULD NOT BE TAKEN BACK" + why;
    case ChangeState::kWriting:
    case ChangeState::kProving:
      return last + "under way: " + in + " unless it is proven and confirmed";
    case ChangeState::kUnknown:
      return last + "what became of it is not known" + why;
  }
  return last;
}

Tone ToneOf(const HostChange& host) {
  if (host.not_begun) return Tone::kFaint;
  if (!host.error.empty()) return Tone::kBad;
  if (!host.change) return Tone::kPlain;
  const ExitStatus status = StatusOfApply(*host.change);
  if (status != ExitStatus::kOk) return Tone::kBad;
  return IsArmed(host) ? Tone::kGood : Tone::kPlain;
}

std::string HostHead(const std::string& host, const Style& style) {
  return style.Paint(Tone::kStrong, Printable(host)) + "\n";
}

std::string KeptText(const Setting& setting) {
  return Printable(fmt::format("{}: {}", TextOf(setting.object), setting.value));
}

// Wanted settings that are not set although all else is.
std::string RefusedText(const HostChange& host, const Style& style) {
  if (!host.plan || host.plan->refusals.empty()) return {};
  std::string names;
  for (const PlanRefusal& refusal : host.plan->refusals)
    names += (names.empty() ? "" : ", ") + TextOf(refusal.object);
  return Labelled(style, Tone::kBad, "  refused", kProofColumn,
                  Printable(names + ": wanted and not set; `rdmaready plan` says why"));
}

struct FileMark {
  std::string_view word;
  Tone tone = Tone::kPlain;
};

FileMark MarkOf(BootFileState state) {
  switch (state) {
    case BootFileState::kUnknown:
      return {"not known", Tone::kWarning};
    case BootFileState::kPlanned:
      return {"once confirmed", Tone::kPlain};
    case BootFileState::kWritten:
      return {"written", Tone::kGood};
    case BootFileState::kThere:
      return {"there already", Tone::kGood};
    case BootFileState::kNotWritten:
      return {"NOT WRITTEN", Tone::kBad};
    case BootFileState::kRemoved:
      return {"removed", Tone::kPlain};
    case BootFileState::kLeft:
      return {"LEFT", Tone::kBad};
  }
  return {"not known", Tone::kWarning};
}

std::string FileText(const BootFile& file, const Style& style) {
  const FileMark mark = MarkOf(file.state);
  return Labelled(
      style, mark.tone, "  file", kProofColumn,
      Printable(fmt::format("{}: {}{}{}", file.path, mark.word, file.text.empty() ? "" : ": ", file.text)));
}

// The files of a change, and the settings that no file keeps.
std::string FilesText(const Change& change, const Style& style) {
  std::string text;
  for (const BootFile& file : change.files) text += FileText(file, style);
  for (const PlanUnkept& one : change.unkept) {
    text += Labelled(
        style, Tone::kBad, "  no file", kProofColumn,
        Printable(fmt::format("{}: no file keeps {}; to set it again: {}", one.subject, one.what, one.again)));
  }
  return text;
}

std::string StatusText(const ApplierStatus& status, const std::string& host, const std::string& way,
                       const Style& style) {
  std::string text;
  for (const std::string& notice : status.notices)
    text += Labelled(style, Tone::kBad, "  notice", kProofColumn, Printable(notice));
  for (const Change& change : status.changes) {
    for (const ChangeStep* step : InOrderOfWriting(change)) text += StepText(*step, style);
    // Files that are there now have a list of their own.
    Change shown = change;
    std::erase_if(shown.files, [](const BootFile& file) { return file.state == BootFileState::kWritten; });
    text += OutcomeText(shown, host, way, style);
  }
  for (const Setting& kept : status.kept)
    text += Labelled(style, Tone::kStrong, "  kept", kProofColumn, KeptText(kept));
  for (const BootFile& file : status.files) text += FileText(file, style);
  for (const std::string& allowed : status.allowed)
    text += Labelled(style, Tone::kFaint, "  allowed", kProofColumn, Printable(allowed));
  if (!status.audit_head.empty()) {
    text += Labelled(style, Tone::kFaint, "  audit", kProofColumn,
                     "ends in the line of SHA-256 " + Printable(status.audit_head));
  }
  if (!status.not_allowed.empty())
    text +=
        Labelled(style, Tone::kWarning, "  allowed", kProofColumn, "nothing: " + Printable(status.not_allowed));
  return text;
}

}  // namespace

std::string StepText(const ChangeStep& step, const Style& style) {
  constexpr std::size_t kWordColumn = 8;
  const Mark mark = MarkOf(step.state);
  const PlanStep& plan = step.step;
  const std::string said = Said(Meaning(step.state), step.text);
  const bool back = WentBack(step);
  const std::string change = ChangeWords(plan.object, back ? plan.to : plan.from, back ? plan.from : plan.to);
  const std::string text = fmt::format("{}: {} {}{}{}", Printable(plan.subject), SettingName(plan.object),
                                       change, said.empty() ? "" : ": ", said);
  return Labelled(style, mark.tone, Cat("  ", mark.word), kWordColumn, text);
}

std::string OutcomeText(const Change& change, const std::string& host, const std::string& way,
                        const Style& style) {
  return ProofText(change, style) + FilesText(change, style) + HowItStands(change, host, way, style);
}

std::string ApplyText(const ChangeRun& run, const HostChange& host, bool told, const Style& style) {
  if (host.not_begun) return HostHead(host.host, style) + "  not begun\n";
  if (!host.change) return {};
  std::string text = told ? "" : HostHead(host.host, style);
  // Told is what was written; what became of that since is not.
  for (const ChangeStep* step : InOrderOfWriting(*host.change)) {
    if (!told || WentBack(*step)) text += StepText(*step, style);
  }
  if (!host.heard_last) {
    return text + OutcomeText(*host.change, run.local ? "" : host.host, run.way, style) +
           RefusedText(host, style);
  }
  return text + ProofText(*host.change, style) +
         Labelled(style, Tone::kBad, " ", 2,
                  Printable(fmt::format("{} (change {})", StandsAs(host), Id(*host.change))));
}

std::string ApplyText(const ChangeRun& run, bool told, const Style& style) {
  std::string text;
  for (const HostChange& host : run.hosts) text += ApplyText(run, host, told, style);
  return text;
}

std::string ApplySummary(const ChangeRun& run, const Style& style) {
  std::size_t column = 0;
  for (const HostChange& host : run.hosts) column = std::max(column, Printable(host.host).size());
  column += 4;
  std::string armed;
  std::string text = style.Paint(Tone::kStrong, "how they stand") + "\n";
  for (const HostChange& host : run.hosts) {
    text += Labelled(style, ToneOf(host), "  " + Printable(host.host), column, Printable(StandsAs(host)));
    if (IsArmed(host)) armed += " " + host.host;
  }
  if (armed.empty()) return text;
  const auto command = [&](std::string_view verb, std::string_view why) {
    return Typed(style, 2, Printable(Cat("rdmaready ", verb, armed, run.way, "  # ", why)));
  };
  return text + "  " + command("confirm", "keeps what is armed") + "  " +
         command("rollback", "takes it back now");
}

std::vector<std::string> LeftOpen(const ChangeRun& run) {
  std::vector<std::string> lines;
  for (const HostChange& host : run.hosts) {
    if (std::string line = LeftOpenOn(run, host); !line.empty()) lines.push_back(std::move(line));
  }
  if (lines.empty()) lines.emplace_back("no host has a change that is open");
  return lines;
}

std::string ApplierText(const ApplierRun& run, const Style& style) {
  std::string text;
  for (const HostApplier& host : run.hosts) {
    if (!host.error.empty()) continue;
    text += HostHead(host.host, style);
    if (host.status) text += StatusText(*host.status, run.local ? "" : host.host, run.way, style);
    for (const Setting& forgotten : host.forgotten)
      text += Labelled(style, Tone::kStrong, "  forgot", kProofColumn, KeptText(forgotten));
    for (const BootFile& file : host.files) text += FileText(file, style);
    if (!host.status && host.forgotten.empty() && host.files.empty()) text += "  nothing was kept\n";
  }
  return text;
}

}  // namespace rdmaready
