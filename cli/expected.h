// SPDX-License-Identifier: Apache-2.0
// Compares what a test of `rdmaready profile test` expects of saved hosts with their report. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

// The message of the same name (api/proto/rdmaready/v1/profile_tests.proto), read.
struct ExpectedFinding {
  enum class Outcome { kSaid, kPass, kWarn, kFail, kUnknown, kNotApplicable };
  std::string check{};  // pattern
  Outcome outcome = Outcome::kSaid;
  std::string port{};  // pattern; empty: whatever it is about
  std::string says{};
};

struct ExpectedOfHosts {
  enum class Verdict { kAny, kReady, kNotReady, kUndetermined };
  std::string host{};  // empty: all
  Verdict verdict = Verdict::kAny;
  std::vector<ExpectedFinding> findings{};
  std::vector<std::string> not_said{};
  bool nothing_else = false;
};

// One expectation that does not hold: lines of what was wanted and of what was seen.
struct Mismatch {
  std::vector<std::string> wanted{};
  std::vector<std::string> seen{};

  bool operator==(const Mismatch&) const = default;
};

// In the order of the expectations; empty: all hold. A finding that follows from
// another one is not looked at.
std::vector<Mismatch> MismatchesOf(const ExpectedOfHosts& expected, const Report& report);

}  // namespace rdmaready
