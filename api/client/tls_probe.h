// SPDX-License-Identifier: Apache-2.0
// Why a connection with TLS fails. gRPC folds all reasons into one, so the handshake is made once more by hand,
// for its words only: whether an agent is trusted is never decided here.
#pragma once

#include <chrono>
#include <string>

#include "api/client/tls.h"

namespace rdmaready {

// One clause about the agent: "the agent's certificate expired on 2026-11-20 19:17 UTC". Empty: this time it
// did not fail. `target` as in ResolvedAddress, `name` what the agent's certificate must carry.
std::string WhyTlsFails(const std::string& target, const std::string& name, const TlsMaterial& own,
                        std::chrono::steady_clock::time_point deadline);

// Whether who listens there answers a TLS greeting with one.
bool SpeaksTls(const std::string& target, std::chrono::steady_clock::time_point deadline);

}  // namespace rdmaready
