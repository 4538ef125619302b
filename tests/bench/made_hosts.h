// SPDX-License-Identifier: Apache-2.0
// Hosts of a made fleet, all as one that was saved: what programs that measure a hub fill its store with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

// Judged by that profile, with its facts as an agent packs them. It has no id and no name.
absl::StatusOr<JudgedHost> JudgedLike(const Facts& facts, const std::string& profile, std::int64_t now_unix_ns);

// The same with the id and the name of that number: "node00042".
JudgedHost Numbered(const JudgedHost& like, std::size_t number);

}  // namespace rdmaready::hub
