// SPDX-License-Identifier: Apache-2.0
// A configuration space written by hand: capabilities of power management and PCI Express, then in the extended
// part error reporting and, where there is one, access control services.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace rdmaready::wire {

template <class T>
void Put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// `device_control` has the sizes of payloads and read requests, `acs` the control of access control services.
inline std::string PciConfig(std::uint16_t device_control, std::optional<std::uint16_t> acs) {
  std::string bytes(4096, '\0');
  Put(bytes, 0, std::uint16_t{0x15b3});
  Put(bytes, 2, std::uint16_t{0x1017});
  Put(bytes, 6, std::uint16_t{0x0010});  // there is a list of capabilities
  Put(bytes, 0x34, std::uint8_t{0x40});
  Put(bytes, 0x40, std::uint16_t{0x6001});  // power management, the next at 0x60
  Put(bytes, 0x60, std::uint16_t{0x0010});  // PCI Express, the last
  Put(bytes, 0x68, device_control);
  Put(bytes, 0x100, acs ? 0x14010001U : 0x00010001U);  // error reporting; the next at 0x140, or none
  if (!acs) return bytes;
  Put(bytes, 0x140, std::uint32_t{0x0001000d});
  Put(bytes, 0x146, *acs);
  return bytes;
}

}  // namespace rdmaready::wire
