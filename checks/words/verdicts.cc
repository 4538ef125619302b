// SPDX-License-Identifier: Apache-2.0
#include "checks/words/verdicts.h"

#include <utility>

#include "api/model/probe_walk.h"
#include "api/model/recorded_gap.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string_view WordsForMissing(Missing::Kind kind) {
  switch (kind) {
    case Missing::Kind::kNotCollected:
      return "not collected";
    case Missing::Kind::kUnsupported:
      return "the kernel, driver or device does not offer this";
    case Missing::Kind::kDenied:
      return "permission denied";
    case Missing::Kind::kFailed:
      return "the kernel's answer was an error";
  }
  return "not known";
}

// The last words of the detail are those of the C library for the error number.
Fix FixForFailed(std::string_view detail) {
  constexpr std::string_view kAgain = "rdmaready check";
  const auto says = [detail](std::string_view words) { return detail.find(words) != std::string_view::npos; };
  if (says("No such device") || says("No such file"))
    return Fix(kAgain).Because("the kernel removed it between two reads: a device went away or came anew");
  if (says("Input/output error") || says("timed out"))
    return Fix(kAgain)
        .Because("the device, its driver or its firmware did not answer")
        .Do("where it stays so: reset the device by a cold start, and update its firmware");
  if (says("Too many open files") || says("Cannot allocate memory"))
    return Fix(kAgain).Because("the host or the agent ran out of files or memory").Do("stop what takes them");
  return Fix(kAgain)
      .Because("the kernel answered with an error, or with words that this version does not know")
      .Do("where it stays so: use a newer rdmaready, kernel or driver");
}

// The listener hears LLDP frames, and the reader reads everything else.
Fix FixForDenied(std::string_view source) {
  const bool heard = source == "LLDP";
  return Fix(Cat("systemctl enable --now rdmaready-", heard ? "listener" : "reader", ".socket"))
      .Because(heard ? "raw frames need CAP_NET_RAW, which rdmaready-listener has"
                     : "it needs rights that the agent lacks and rdmaready-reader has")
      .Or("without the agent: run rdmaready as root");
}

Fix FixForMissing(const Missing& why, std::string_view source, const Fix& instead) {
  switch (why.kind) {
    case Missing::Kind::kNotCollected:
      return "rdmaready version  # this agent does not read it: run the same, newer version on every host";
    case Missing::Kind::kUnsupported:
      if (!instead.empty()) return instead;
      return "rdmaready profile show {profile}  # not offered here: take out what asks for it, or use a newer "
             "kernel or driver";
    case Missing::Kind::kDenied:
      return FixForDenied(source);
    case Missing::Kind::kFailed:
      return FixForFailed(why.detail);
  }
  return {};
}

// No command for the host that was recorded helps: the question was not asked then.
Fix RecordAgain() {
  return Fix()
      .Because("an older version, which asked less, recorded the host")
      .Do("record the host again with this version: rdmaready facts HOST --save DIRECTORY");
}

}  // namespace

Verdict Judged(bool good, std::string observed, std::string_view expected, std::string_view source, Fix fix) {
  return {.outcome = good ? Outcome::kPass : Outcome::kFail,
          .observed = std::move(observed),
          .expected = std::string(expected),
          .source = std::string(source),
          .fix = std::move(fix)};
}

Verdict Warned(std::string observed, std::string_view expected, std::string_view source, Fix fix) {
  Verdict verdict = Judged(false, std::move(observed), expected, source, std::move(fix));
  verdict.outcome = Outcome::kWarn;
  return verdict;
}

Verdict NotApplicable(std::string_view reason) {
  return {.outcome = Outcome::kNotApplicable, .observed = std::string(reason)};
}

Verdict NoAnswer(const Missing& why, std::string_view expected, std::string_view source, const Fix& instead) {
  std::string observed = why.detail.empty() ? std::string(WordsForMissing(why.kind)) : why.detail;
  // A step of a probe begins so by itself.
  if (why.kind == Missing::Kind::kDenied && !observed.starts_with(kNotAllowed)) observed.insert(0, kNotAllowed);
  return {.outcome = Outcome::kUnknown,
          .observed = std::move(observed),
          .expected = std::string(expected),
          .source = std::string(source),
          .fix = RecordedGapOf(why.detail).empty() ? FixForMissing(why, source, instead) : RecordAgain()};
}

Verdict Unclear(std::string observed, std::string_view expected, std::string_view source) {
  return {.outcome = Outcome::kUnknown,
          .observed = std::move(observed),
          .expected = std::string(expected),
          .source = std::string(source)};
}

std::string NotAsked(const Profile& profile, std::string_view for_what) {
  return Cat("profile ", profile.name, " does not ask for ", for_what);
}

bool IsSoftware(const Port& port) { return port.software && *port.software; }

std::string NotInfiniBand(const Port& port) {
  if (NotOffered(port.transport)) return "it speaks neither InfiniBand, RoCE nor iWARP";
  if (!port.transport || *port.transport == Transport::kUnknown) return {};
  return IsInfiniBand(port) ? "" : "not InfiniBand";
}

bool IsInfiniBand(const Port& port) { return port.transport && *port.transport == Transport::kInfiniBand; }

std::string NotRoce(const Port& port) {
  if (NotOffered(port.transport)) return "it speaks neither InfiniBand, RoCE nor iWARP";
  if (!port.transport) return {};
  switch (*port.transport) {
    case Transport::kUnknown:
    case Transport::kRoce:
      return {};
    case Transport::kInfiniBand:
      return "InfiniBand: its links are lossless by themselves, RoCE and DCB settings do not concern it";
    case Transport::kIwarp:
      return "iWARP: it runs over TCP and does without RoCE and DCB settings";
  }
  return {};
}

}  // namespace rdmaready
