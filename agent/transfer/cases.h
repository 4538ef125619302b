// SPDX-License-Identifier: Apache-2.0
// Cases: the table of live tests. A new test is a new row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/model/transfer.h"

namespace rdmaready {

// Every row keeps `message_bytes` x `depth` at or below this, so that one end never pins more than 16 MiB.
inline constexpr std::uint64_t kMaxDataBytes = 8ull << 20;

// In the order in which they are run: small to large.
std::span<const TransferCase> AllCases();

// The cases that speak SMB Direct; not among AllCases().
std::span<const TransferCase> SmbDirectCases();

// Whether the initiator of that case shows its memory through windows, each of which goes away with the answer.
// Only devices with such windows can run it.
bool TakesWindowsAway(const TransferCase& test);

// Of both. nullptr when there is no such case.
const TransferCase* FindCase(std::string_view name);

}  // namespace rdmaready
