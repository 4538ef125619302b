// SPDX-License-Identifier: Apache-2.0
// PauseFrame: a frame of priority-based flow control (IEEE 802.1Q clause 36, once 802.1Qbb) for one priority.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace rdmaready::helper {

inline constexpr std::size_t kMacBytes = 6;
inline constexpr std::size_t kPauseFrameBytes = 60;  // without the check sequence, which the NIC adds
inline constexpr std::uint16_t kMostQuanta = 0xffff;
inline constexpr std::uint32_t kPausePriorities = 8;

using Mac = std::array<std::byte, kMacBytes>;
using PauseFrame = std::array<std::byte, kPauseFrameBytes>;

// Asks the link partner to stop `priority`, 0 to 7, for so many quanta; 0: to go on. No other priority is in
// its class-enable vector.
PauseFrame MakePauseFrame(const Mac& source, std::uint32_t priority, std::uint16_t quanta);

// A quantum is the time of 512 bits on the wire. `speed_mbps` is at least 1.
std::chrono::nanoseconds TimeOfQuanta(std::uint16_t quanta, std::uint32_t speed_mbps);
// The most quanta that do not take longer than `time`: 0 for less than one.
std::uint16_t QuantaWithin(std::chrono::nanoseconds time, std::uint32_t speed_mbps);

}  // namespace rdmaready::helper
