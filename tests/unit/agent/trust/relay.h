// SPDX-License-Identifier: Apache-2.0
// Two ends of a live test with everything real but the device, and the caller between them, who may do what he
// likes with what they say.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/transfer/run.h"
#include "agent/trust/signed_channel.h"
#include "tests/support/made_pki.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {

// What of `from` says `message` goes on, in this order; to its sender where `to` says so.
struct Relayed {
  PeerMessage message{};
  Role to = Role::kInitiator;
};
using Tamper = std::function<std::vector<Relayed>(Role from, const PeerMessage& message)>;

Role Across(Role role);
std::vector<Relayed> Honest(Role from, const PeerMessage& message);

// Honest but for signed messages of that kind: `change` what was signed, and leave the signature.
Tamper Changes(PeerMessageKind kind, std::function<void(PeerMessage&)> change);

// The message that a kSigned holds, as the relay reads it; of any other itself.
PeerMessage Inside(const PeerMessage& message);

struct End {
  PeerTrust trust{};
  Role role = Role::kInitiator;
};

struct BothOutcomes {
  absl::Status greeted[2]{};  // by the order of the ends
  std::optional<TransferResult> result[2]{};
};

// Runs both ends until they are over; an end whose greeting fails leaves.
BothOutcomes RunThrough(const End& first, const End& second, const Tamper& tamper, MemoryFabric& fabric,
                        Operation operation = Operation::kWrite, const RunOptions& options = QuickOptions());

}  // namespace rdmaready
