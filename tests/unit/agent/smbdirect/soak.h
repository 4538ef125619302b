// SPDX-License-Identifier: Apache-2.0
// Two connections in one process, many sessions of random limits, random fragments and a random order of
// events: every message must arrive, whole, in order and once; credits must add up whenever both ends are
// silent; and neither end may ever need a receive that is not posted.
#pragma once

#include <cstdint>
#include <string>

namespace rdmaready::smbdirect {

struct SoakOutcome {
  std::uint64_t sessions = 0;
  std::uint64_t messages = 0;  // delivered, both directions
  std::uint64_t payload_bytes = 0;
  std::uint64_t wire_messages = 0;
  std::uint64_t empty_messages = 0;  // of them, for credits or keepalive only
  std::uint64_t keepalives = 0;
  std::uint64_t silences = 0;  // moments at which the credits were added up
  std::string failure{};       // the first thing that went wrong, and how to repeat it; empty when nothing did
};

// The same seed does the same. Ends at the first failure.
SoakOutcome RunSoak(std::uint64_t seed, std::uint64_t messages);

}  // namespace rdmaready::smbdirect
