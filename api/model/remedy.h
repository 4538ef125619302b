// SPDX-License-Identifier: Apache-2.0
// Remedy: what a person does about a finding or a cause. Commands are one shell line each, which root types as
// it stands; whatever must be known before is a caution, and never a comment behind a command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

enum class Certainty { kUnknown, kPossible, kLikely, kCertain };

// Where a step is done.
enum class StepSite { kUnknown, kHost, kPort, kSwitch };

// Exactly one of `command` and `action` is not empty.
struct RemedyStep {
  StepSite site = StepSite::kHost;
  std::string command{};
  std::string action{};  // for a person: "reseat the cable at both ends"

  bool operator==(const RemedyStep&) const = default;
  void Fields(auto& list) const { list("site", site, "command", command, "action", action); }
};

struct Remedy {
  std::string cause{};  // the likely cause; empty: what the finding says is the cause
  Certainty certainty = Certainty::kUnknown;
  std::vector<std::string>
      ruled_out{};                      // what it is not, and by which fact: "the driver: 7 other ports are up"
  std::vector<std::string> cautions{};  // known before the first step: "the link goes down for a moment"
  std::vector<RemedyStep> steps{};      // in their order
  std::vector<std::string> alternatives{};  // where a person decides: other ways, or which of two stays
  std::string check{};                      // the command that shows that it worked
  std::string owner{};                      // who keeps this setting on this host: "lldpad"; empty: the kernel

  bool empty() const { return steps.empty(); }
  bool operator==(const Remedy&) const = default;
  void Fields(auto& list) const {
    list("cause", cause, "certainty", certainty, "ruled_out", ruled_out, "cautions", cautions, "steps", steps,
         "alternatives", alternatives, "check", check, "owner", owner);
  }
};

// On the wire.
inline constexpr std::size_t kMostRemedySteps = 16;
inline constexpr std::size_t kMostRemedyBytes = 4096;

// The texts of a remedy together, in bytes.
std::size_t BytesOf(const Remedy& remedy);
bool IsWithinLimits(const Remedy& remedy);

// The first command; empty: a person acts.
std::string FirstCommand(const Remedy& remedy);

// Reads the form of older agents, "COMMAND  # comment": one step, and its comment as a caution. A comment alone
// is an action.
Remedy RemedyOfFix(std::string_view fix);

}  // namespace rdmaready
