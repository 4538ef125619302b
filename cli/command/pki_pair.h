// SPDX-License-Identifier: Apache-2.0
// The files of `rdmaready pki pair`: what two hosts and an operator need to test each other by TLS.
//
//   OUT/operator.pem .key ca.pem   for commands that ask the two agents
//   OUT/HOST/agent.pem .key ca.pem roles.yaml tls.yaml   what is copied to /etc/rdmaready of that host
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/pki/authority.h"

namespace rdmaready {

struct PairOrder {
  std::array<std::string, 2> hosts{};  // names or addresses, as commands name the hosts
  std::string operator_name{};
  int days = pki::kDefaultDays;
  std::string out{};  // the directory
};

struct PairFiles {
  std::vector<pki::IndexEntry> entries{};  // the operator, then the hosts
  std::vector<std::string> files{};        // that were written
  std::vector<std::string> commands{};     // to be typed next, in their order; each word is quoted for a shell
};

// Before there has to be a CA. kInvalidArgument: a name that no certificate has, or one host twice.
// kAlreadyExists: one of the files is there.
absl::Status CheckPair(const PairOrder& order);

// Errors of CheckPair before anything is issued. After a failure in between the next attempt names the first
// file that was left.
absl::StatusOr<PairFiles> IssuePair(const pki::Authority& ca, const PairOrder& order);

// The role map of both: the operator tests, and each of the two hosts is an agent to the other. Pure.
std::string PairRoles(const std::vector<pki::IndexEntry>& entries);

}  // namespace rdmaready
