// SPDX-License-Identifier: Apache-2.0
// The applier's word in a recording: applier.json, one object. No collector asks the applier; the agent does,
// and saves beside the answers what it was told, or why it was told nothing. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/apply_state.h"
#include "api/model/fact.h"

namespace rdmaready::recording {

inline constexpr std::string_view kApplierFile = "applier.json";

// {"changes": [...], "notices": [...]}, or {"missing": "unsupported", "detail": "..."}.
std::string WriteApplier(const Fact<ApplyState>& state);

// kInvalidArgument without the file: of no sense. The state of a change, or the reason, in a word of a newer
// version reads as unknown.
absl::StatusOr<Fact<ApplyState>> ReadApplier(std::string_view text);

}  // namespace rdmaready::recording
