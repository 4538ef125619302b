// SPDX-License-Identifier: Apache-2.0
// What the agent asks the prover for, and what it hears: the wire of its two verbs, of both ends. Nothing in an
// order is a path on this host, an option of mount(8) or a command of a device: the prover looks the target up
// in root's own file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/helper/verb.h"
#include "agent/probe/prover.h"

namespace rdmaready::helper {

inline constexpr std::string_view kProverName = "prover";
inline constexpr std::string_view kAdmitVerb = "admit";
inline constexpr std::string_view kProveVerb = "prove";

Json ToJson(const ProofWish& wish);
// kInvalidArgument for what no caller asks for: an unknown protocol, a port above 65535, texts that are longer
// than a name is, or hold anything but printable ASCII.
absl::StatusOr<ProofWish> DecodeWish(Arguments& arguments);

struct ProofOrder {
  KernelProof proof{};
  std::chrono::milliseconds limit{};    // of all its steps; at most kMostProbeTime
  std::uint64_t limit_bytes_per_s = 0;  // as of Walk::Watch
};
Json ToJson(const ProofOrder& order);
// The same; and addresses are numeric, the device is a plain name, the version is one of NFS.
absl::StatusOr<ProofOrder> DecodeOrder(Arguments& arguments);

// What came of it.
struct ProofOutcome {
  bool done = false;  // the first step
  ProbeResult result{};
  std::vector<std::string> leftovers{};  // what dead proofs had left, a line each
};
// The result's steps, answers and transfers.
Json ToJson(const ProofOutcome& outcome);
// kInternal for what is none.
absl::StatusOr<ProofOutcome> ReadOutcome(const Json& answer);

// Of IPv4 and IPv6, also with a zone: "fe80::1%eth0".
bool IsNumericAddress(const std::string& text);

}  // namespace rdmaready::helper
