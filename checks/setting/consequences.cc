// SPDX-License-Identifier: Apache-2.0
// How long a write takes, until traffic flows again. The milliseconds are what such NICs take in general, not
// what the kernel promises: they make the dead-man timer longer, never shorter.
#include "checks/setting/consequences.h"

#include <cstdint>

#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kWriteMs = 100;     // a register, or a variable
constexpr std::uint32_t kUnknownMs = 1000;  // a driver of which nothing is known
constexpr std::uint32_t kLinkUpMs = 5000;   // a link trained anew, 100 Gb/s and faster

}  // namespace

Disturbance Quiet() { return {.estimate_ms = kWriteMs}; }

Disturbance QueuesStop(std::string_view driver, std::string_view text) {
  return {.text = Cat(driver, ": ", text), .estimate_ms = kQueuesMs};
}

Disturbance LinkDown(std::string_view driver, std::string_view text) {
  return {.text = Cat(driver, ": ", text), .estimate_ms = kLinkUpMs, .link_down = true};
}

Disturbance OfUnknownDriver(const SettingPlace& place) {
  const bool hardware = place.netdev != nullptr && !(place.port != nullptr && IsSoftware(*place.port));
  return {.estimate_ms = hardware ? kUnknownMs : kWriteMs};
}

Disturbance NothingDisturbs(const SettingPlace& /*place*/, std::string_view /*from*/, std::string_view /*to*/) {
  return Quiet();
}

std::string CautionOf(const Disturbance& disturbance) {
  const std::string& text = disturbance.text;
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

}  // namespace rdmaready
