// SPDX-License-Identifier: Apache-2.0
// Release: another release of the agent, as far as its hub can tell it from this one. Pure.
//
// The words for a host differ from release to release: the same host has another digest, and its facts travel
// again. A newer one knows of the host what this hub has no field for; an older one tells nothing of live
// tests.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "agent/report/report_client.h"
#include "api/base/clock.h"
#include "api/model/facts.h"

namespace rdmaready::sim {

using Release = std::array<std::uint32_t, 3>;

// "0.2.0"; nothing for any other text.
std::optional<Release> ParseRelease(std::string_view text);
// Of this tree.
Release ThisRelease();

// A field of v1::Facts that this tree does not have.
inline constexpr int kFieldOfLater = 1000;

// The host's state as an agent of that release reports it, read now. kInternal: it cannot be packed.
absl::StatusOr<std::shared_ptr<const report::HostState>> StateBy(const Release& release, const Facts& facts,
                                                                 Clock& clock = RealClock());

// Whether an agent of that release tells its hub of live tests.
bool TellsPast(const Release& release);

}  // namespace rdmaready::sim
