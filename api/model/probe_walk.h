// SPDX-License-Identifier: Apache-2.0
// The walk of a probe: what those who make it, those who ask for it and those who judge it must spell alike.
#pragma once

#include <chrono>
#include <string_view>

namespace rdmaready {

// No agent takes longer for one.
inline constexpr std::chrono::milliseconds kMostProbeTime{300'000};

// ProbeResult::values: the step that the end of the walk's time cut short or kept from being made.
inline constexpr std::string_view kValueTimeUp = "time-up";

// Steps on a share: mounted over RDMA by the kernel's client; files moved; asked over TCP, when RDMA failed,
// what it offers.
inline constexpr std::string_view kStepShareMount = "share-mount";
inline constexpr std::string_view kStepShareFiles = "share-files";
inline constexpr std::string_view kStepShareInquire = "share-inquire";

}  // namespace rdmaready
