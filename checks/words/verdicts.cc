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

Fix FixForMissing(Missing::Kind kind, const Fix& instead) {
  switch (kind) {
    case Missing::Kind::kNotCollected:
      return "rdmaready version  # this agent does not read it: run the same, newer version on every host";
    case Missing::Kind::kUnsupported:
      if (!instead.empty()) return instead;
      return "rdmaready profile show {profile}  # not offered here: take out what asks for it, or use a newer "
             "kernel or driver";
    case Missing::Kind::kDenied:
      return "systemctl enable --now rdmaready-reader.socket rdmaready-listener.socket  # they read for the "
             "agent "
             "what it may not; by hand: as root";
    case Missing::Kind::kFailed:
      return "dmesg | tail -n 20  # what the kernel says about it; then ask again";
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
          .fix = RecordedGapOf(why.detail).empty() ? FixForMissing(why.kind, instead) : RecordAgain()};
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
